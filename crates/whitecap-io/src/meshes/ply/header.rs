//! The header of a PLY file: what elements follow, and how they are stored.

use std::path::Path;

use whitecap_core::{FactValue, Facts};

use crate::attributes::facts::FoundFacts;
use crate::encoding::scalar::{Endian, ScalarType};
use crate::encoding::tokens::shown;
use crate::{Error, Place};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Binary(Endian),
}

#[derive(Clone, Debug)]
pub(super) struct Property {
    pub name: String,
    pub scalar: ScalarType,
    /// The type of the length, for a list.
    pub list: Option<ScalarType>,
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    /// The least number of bytes one element takes.
    pub fn least_bytes(&self, encoding: Encoding) -> usize {
        self.properties
            .iter()
            .map(|property| match (encoding, property.list) {
                // A digit and a separator.
                (Encoding::Ascii, _) => 2,
                (_, Some(length)) => length.size(),
                (_, None) => property.scalar.size(),
            })
            .sum()
    }

    pub fn has_lists(&self) -> bool {
        self.properties.iter().any(|property| property.list.is_some())
    }
}

#[derive(Clone, Debug)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// What the lines `obj_info` say.
    pub facts: FoundFacts,
    /// Offset at which the data begin.
    pub end: usize,
}

impl Header {
    pub fn element(&self, name: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.name == name)
    }
}

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Header, Error> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut info = Vec::new();
    let mut end = 0;
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        end += line.len();
        let malformed =
            |message: String| Error::malformed(path, Place::Line(index as u64 + 1), message);
        let unknown =
            || malformed(format!("`{}` is not a PLY header line", shown(line.trim_ascii())));
        let text = std::str::from_utf8(line).map_err(|_| unknown())?;
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if index == 0 {
            if words != ["ply"] {
                return Err(malformed("a PLY file must begin with `ply`".to_string()));
            }
            continue;
        }
        match words.as_slice() {
            ["format", name, "1.0"] => {
                encoding = Some(match *name {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::Binary(Endian::Little),
                    "binary_big_endian" => Encoding::Binary(Endian::Big),
                    _ => return Err(malformed(format!("`{name}` is not a PLY format"))),
                });
            }
            ["obj_info", name, ..] if Facts::is_name(name) => info.push((*name, text)),
            ["comment" | "obj_info", ..] | [] => {}
            ["element", name, count] => {
                let count = count
                    .parse()
                    .map_err(|_| malformed(format!("`{count}` is not a number of elements")))?;
                elements.push(Element { name: name.to_string(), count, properties: Vec::new() });
            }
            ["property", rest @ ..] => {
                let property = parse_property(rest).ok_or_else(unknown)?;
                let element = elements.last_mut().ok_or_else(|| {
                    malformed("a property comes before the first element".to_string())
                })?;
                element.properties.push(property);
            }
            ["end_header"] => {
                let encoding =
                    encoding.ok_or_else(|| malformed("the header names no format".to_string()))?;
                return Ok(Header { encoding, elements, facts: facts(&info), end });
            }
            _ => return Err(unknown()),
        }
    }
    Err(Error::malformed(path, Place::File, "the PLY header has no `end_header`; it is cut short"))
}

/// The facts in lines such as `obj_info frame_rate 24`; each solid has a line of its own.
fn facts(info: &[(&str, &str)]) -> FoundFacts {
    let mut found = FoundFacts::default();
    let mut solids = String::new();
    for (name, line) in info {
        let value = line.split_once(name).map_or("", |(_, value)| value);
        let value = value.strip_prefix(' ').unwrap_or(value).trim_end_matches(['\r', '\n']);
        match value.trim().parse() {
            Ok(number) if *name != Facts::SOLIDS => found.take(name, FactValue::Number(number)),
            _ if *name != Facts::SOLIDS => found.take_text(name, value),
            _ => {
                solids.push_str(value);
                solids.push('\n');
            }
        }
    }
    if !solids.is_empty() {
        found.take_text(Facts::SOLIDS, &solids);
    }
    found
}

fn parse_property(words: &[&str]) -> Option<Property> {
    match words {
        ["list", length, scalar, name] => Some(Property {
            name: name.to_string(),
            scalar: scalar_type(scalar)?,
            list: Some(scalar_type(length).filter(|length| !length.is_real())?),
        }),
        [scalar, name] => {
            Some(Property { name: name.to_string(), scalar: scalar_type(scalar)?, list: None })
        }
        _ => None,
    }
}

fn scalar_type(name: &str) -> Option<ScalarType> {
    Some(match name {
        "char" | "int8" => ScalarType::I8,
        "uchar" | "uint8" => ScalarType::U8,
        "short" | "int16" => ScalarType::I16,
        "ushort" | "uint16" => ScalarType::U16,
        "int" | "int32" => ScalarType::I32,
        "uint" | "uint32" => ScalarType::U32,
        "int64" => ScalarType::I64,
        "uint64" => ScalarType::U64,
        "float" | "float32" => ScalarType::F32,
        "double" | "float64" => ScalarType::F64,
        _ => return None,
    })
}

//! Writing Houdini geometry: one description of the file, two encodings of it.

use std::fmt::Write as _;
use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, FactValue, Particles};

use super::binary::{MAGIC, MAGIC_TOKEN, token};
use crate::{Error, attributes::naming};

/// The schema version; the layout written here is understood since Houdini 12.
const FILE_VERSION: &str = "12.0.0";
const PAGE_SIZE: i64 = 1024;

/// Which form of JSON to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Text, for `.geo`.
    Text,
    /// Binary tokens, for `.bgeo`.
    Binary,
}

/// The file that holds `particles`. `path` is for messages.
pub fn to_bytes(particles: &Particles, encoding: Encoding, path: &Path) -> Result<Vec<u8>, Error> {
    match encoding {
        Encoding::Text => {
            check_finite(particles, path)?;
            let mut text = TextEmitter::default();
            emit_geometry(&mut text, particles);
            Ok(text.text.into_bytes())
        }
        Encoding::Binary => {
            let mut binary = BinaryEmitter { bytes: vec![MAGIC_TOKEN] };
            binary.bytes.extend(MAGIC.to_le_bytes());
            emit_geometry(&mut binary, particles);
            Ok(binary.bytes)
        }
    }
}

fn check_finite(particles: &Particles, path: &Path) -> Result<(), Error> {
    let position = particles.positions().iter().position(|p| !p.is_finite());
    let columns = particles.attributes().iter();
    let first = position.map(|index| ("P", index)).or_else(|| {
        columns.map(|(n, c)| (n, c.first_non_finite())).find_map(|(n, i)| Some((n, i?)))
    });
    match first {
        None => Ok(()),
        Some((name, index)) => Err(Error::unwritable(
            path,
            format!(
                "value {index} of attribute `{name}` is not a finite number, which text JSON cannot hold; write .bgeo instead"
            ),
        )),
    }
}

/// The parts of JSON that geometry needs.
trait Emitter {
    fn begin_array(&mut self);
    fn end_array(&mut self);
    fn empty_map(&mut self);
    fn boolean(&mut self, flag: bool);
    fn text(&mut self, text: &str);
    fn integer(&mut self, integer: i64);
    fn floats(&mut self, count: usize, values: impl Iterator<Item = f32>);
    fn integers(&mut self, values: &[i32]);
    fn long_integers(&mut self, values: &[i64]);

    fn text_entry(&mut self, key: &str, value: &str) {
        self.text(key);
        self.text(value);
    }

    fn integer_entry(&mut self, key: &str, value: i64) {
        self.text(key);
        self.integer(value);
    }

    fn begin_entry(&mut self, key: &str) {
        self.text(key);
        self.begin_array();
    }
}

fn emit_geometry(out: &mut impl Emitter, particles: &Particles) {
    out.begin_array();
    out.text_entry("fileversion", FILE_VERSION);
    out.text("hasindex");
    out.boolean(false);
    out.integer_entry("pointcount", particles.len() as i64);
    out.integer_entry("vertexcount", 0);
    out.integer_entry("primitivecount", 0);
    out.begin_entry("topology");
    out.begin_entry("pointref");
    out.begin_entry("indices");
    for _ in 0..3 {
        out.end_array();
    }
    out.begin_entry("attributes");
    out.begin_entry("pointattributes");
    let position = particles.positions();
    emit_attribute(out, "P", 3, "fpreal32", |out| emit_vectors(out, position));
    for (name, column) in particles.attributes().iter() {
        emit_column(out, naming::to_houdini(name), column);
    }
    out.end_array();
    let facts = particles.facts().to_named();
    if !facts.is_empty() {
        out.begin_entry("globalattributes");
        facts.iter().for_each(|(name, value)| emit_fact(out, name, value));
        out.end_array();
    }
    out.end_array();
    out.begin_entry("primitives");
    out.end_array();
    out.end_array();
}

fn emit_column(out: &mut impl Emitter, name: &str, column: &Column) {
    let storage = match column {
        Column::I32(_) => "int32",
        Column::I64(_) => "int64",
        _ => "fpreal32",
    };
    emit_attribute(out, name, column.components(), storage, |out| match column {
        Column::F32(values) => out.floats(values.len(), values.iter().copied()),
        Column::Vec2(values) => {
            out.floats(2 * values.len(), values.iter().flat_map(|v| v.to_array()));
        }
        Column::Vec3(values) => emit_vectors(out, values),
        Column::Vec4(values) => {
            out.floats(4 * values.len(), values.iter().flat_map(|v| v.to_array()));
        }
        Column::I32(values) => out.integers(values),
        Column::I64(values) => out.long_integers(values),
    });
}

/// An attribute of the whole. The lines of a text are the texts that an index could choose from.
fn emit_fact(out: &mut impl Emitter, name: &str, value: &FactValue) {
    let text = match value {
        FactValue::Number(number) => {
            let number = [*number];
            return emit_attribute(out, name, 1, "fpreal32", |out| {
                out.floats(1, number.into_iter())
            });
        }
        FactValue::Text(text) => text,
    };
    out.begin_array();
    emit_definition(out, "string", name);
    out.begin_array();
    out.integer_entry("size", 1);
    out.text_entry("storage", "int32");
    out.begin_entry("strings");
    text.lines().for_each(|line| out.text(line));
    out.end_array();
    out.begin_entry("indices");
    out.integer_entry("size", 1);
    out.text_entry("storage", "int32");
    out.begin_entry("arrays");
    out.integers(&[0]);
    for _ in 0..4 {
        out.end_array();
    }
}

fn emit_definition(out: &mut impl Emitter, kind: &str, name: &str) {
    out.begin_array();
    out.text_entry("scope", "public");
    out.text_entry("type", kind);
    out.text_entry("name", name);
    out.text("options");
    out.empty_map();
    out.end_array();
}

fn emit_vectors(out: &mut impl Emitter, values: &[Vec3]) {
    out.floats(3 * values.len(), values.iter().flat_map(|v| v.to_array()));
}

fn emit_attribute<E: Emitter>(
    out: &mut E,
    name: &str,
    components: usize,
    storage: &str,
    numbers: impl FnOnce(&mut E),
) {
    out.begin_array();
    emit_definition(out, "numeric", name);
    out.begin_array();
    out.integer_entry("size", components as i64);
    out.text_entry("storage", storage);
    out.begin_entry("values");
    out.integer_entry("size", components as i64);
    out.text_entry("storage", storage);
    out.integer_entry("pagesize", PAGE_SIZE);
    out.text("rawpagedata");
    numbers(out);
    for _ in 0..3 {
        out.end_array();
    }
}

/// Text JSON, one array per line.
#[derive(Default)]
struct TextEmitter {
    text: String,
    /// Whether the next item of the current array needs a comma before it.
    follows: bool,
}

impl TextEmitter {
    fn separate(&mut self) {
        if self.follows {
            self.text.push(',');
        }
        self.follows = true;
    }

    fn list<T: std::fmt::Debug>(&mut self, values: impl Iterator<Item = T>) {
        self.begin_array();
        for value in values {
            self.separate();
            // The debug form of a float is the shortest that reads back exactly, and always
            // valid JSON for finite values. Writing to a String cannot fail.
            let _ = write!(self.text, "{value:?}");
        }
        self.end_array();
    }
}

impl Emitter for TextEmitter {
    fn begin_array(&mut self) {
        self.separate();
        self.text.push_str("\n[");
        self.follows = false;
    }

    fn end_array(&mut self) {
        self.text.push(']');
        self.follows = true;
    }

    fn empty_map(&mut self) {
        self.separate();
        self.text.push_str("{}");
    }

    fn boolean(&mut self, flag: bool) {
        self.separate();
        self.text.push_str(if flag { "true" } else { "false" });
    }

    fn text(&mut self, text: &str) {
        self.separate();
        self.text.push_str(&serde_json::Value::from(text).to_string());
    }

    fn integer(&mut self, integer: i64) {
        self.separate();
        let _ = write!(self.text, "{integer}");
    }

    fn floats(&mut self, _count: usize, values: impl Iterator<Item = f32>) {
        self.list(values);
    }

    fn integers(&mut self, values: &[i32]) {
        self.list(values.iter());
    }

    fn long_integers(&mut self, values: &[i64]) {
        self.list(values.iter());
    }
}

/// Little-endian binary tokens.
struct BinaryEmitter {
    bytes: Vec<u8>,
}

impl BinaryEmitter {
    fn length(&mut self, length: usize) {
        if length <= 0xf0 {
            self.bytes.push(length as u8);
        } else if let Ok(length) = u16::try_from(length) {
            self.bytes.push(0xf2);
            self.bytes.extend(length.to_le_bytes());
        } else if let Ok(length) = u32::try_from(length) {
            self.bytes.push(0xf4);
            self.bytes.extend(length.to_le_bytes());
        } else {
            self.bytes.push(0xf8);
            self.bytes.extend((length as u64).to_le_bytes());
        }
    }

    fn begin_uniform_array(&mut self, kind: u8, length: usize) {
        self.bytes.extend([token::UNIFORM_ARRAY, kind]);
        self.length(length);
    }
}

impl Emitter for BinaryEmitter {
    fn begin_array(&mut self) {
        self.bytes.push(token::ARRAY_BEGIN);
    }

    fn end_array(&mut self) {
        self.bytes.push(token::ARRAY_END);
    }

    fn empty_map(&mut self) {
        self.bytes.extend([token::MAP_BEGIN, token::MAP_END]);
    }

    fn boolean(&mut self, flag: bool) {
        self.bytes.push(if flag { token::TRUE } else { token::FALSE });
    }

    fn text(&mut self, text: &str) {
        self.bytes.push(token::TEXT);
        self.length(text.len());
        self.bytes.extend(text.as_bytes());
    }

    fn integer(&mut self, integer: i64) {
        self.bytes.push(token::INT64);
        self.bytes.extend(integer.to_le_bytes());
    }

    fn floats(&mut self, count: usize, values: impl Iterator<Item = f32>) {
        self.begin_uniform_array(token::REAL32, count);
        self.bytes.reserve(4 * count);
        for value in values {
            self.bytes.extend(value.to_le_bytes());
        }
    }

    fn integers(&mut self, values: &[i32]) {
        self.begin_uniform_array(token::INT32, values.len());
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    fn long_integers(&mut self, values: &[i64]) {
        self.begin_uniform_array(token::INT64, values.len());
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }
}

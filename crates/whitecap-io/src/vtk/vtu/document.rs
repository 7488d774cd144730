//! The XML of a `.vtu` file: which arrays there are and where their data lie.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use whitecap_core::Facts;

use super::data::Decoder;
use crate::encoding::scalar::{Endian, ScalarType, Values};
use crate::{Error, encoding::tokens};

/// Where the data of an array lie.
pub(super) enum Storage {
    Text(Vec<u8>),
    Base64(Vec<u8>),
    Appended(u64),
}

pub(super) struct DataArray {
    pub name: String,
    pub scalar: ScalarType,
    pub components: usize,
    pub storage: Storage,
}

#[derive(Default)]
pub(super) struct Piece {
    pub points: Option<DataArray>,
    pub point_data: Vec<DataArray>,
    pub cells: Vec<DataArray>,
}

pub(super) struct Document<'a> {
    pub pieces: Vec<Piece>,
    /// What holds for the whole.
    pub facts: Vec<Option<DataArray>>,
    decoder: Decoder<'a>,
}

impl<'a> Document<'a> {
    pub fn parse(bytes: &'a [u8], path: &'a Path) -> Result<Self, Error> {
        Scanner { bytes, path, reader: Reader::from_reader(bytes) }.document()
    }

    /// The numbers of an array.
    pub fn values(&self, array: &DataArray, path: &Path) -> Result<Values, Error> {
        self.decoder.decode(array, path)
    }
}

/// The elements whose arrays matter.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Points,
    PointData,
    Cells,
    Facts,
    Other,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    reader: Reader<&'a [u8]>,
}

impl<'a> Scanner<'a> {
    fn malformed(&self, message: impl Into<String>) -> Error {
        let place = tokens::line_at(self.bytes, self.reader.buffer_position() as usize);
        Error::malformed(self.path, place, message)
    }

    fn next_event(&mut self) -> Result<Event<'a>, Error> {
        self.reader
            .read_event()
            .map_err(|error| self.malformed(format!("this is not valid XML: {error}")))
    }

    fn document(mut self) -> Result<Document<'a>, Error> {
        let mut decoder = None;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut facts = Vec::new();
        let mut section = Section::Other;
        loop {
            let event = self.next_event()?;
            let is_empty = matches!(event, Event::Empty(_));
            let start = match event {
                Event::Start(start) | Event::Empty(start) => start,
                Event::End(end) if end.name().as_ref() == "VTKFile" => break,
                Event::Eof => {
                    return Err(self.malformed("the file ends before </VTKFile>; it is cut short"));
                }
                _ => continue,
            };
            match start.name().as_ref() {
                "VTKFile" => decoder = Some(self.file(&start)?),
                "Piece" => pieces.push(Piece::default()),
                "Points" => section = Section::Points,
                "PointData" => section = Section::PointData,
                "Cells" => section = Section::Cells,
                "CellData" => section = Section::Other,
                "FieldData" => section = Section::Facts,
                "DataArray" => {
                    let array = match self.data_array(&start, is_empty, section) {
                        Ok(Some(array)) => array,
                        Ok(None) => continue,
                        // What cannot be read there costs the facts, not the particles.
                        Err(_) if section == Section::Facts => {
                            facts.push(None);
                            continue;
                        }
                        Err(error) => return Err(error),
                    };
                    match (section, pieces.last_mut()) {
                        (Section::Points, Some(piece)) => piece.points = Some(array),
                        (Section::PointData, Some(piece)) => piece.point_data.push(array),
                        (Section::Cells, Some(piece)) => piece.cells.push(array),
                        (Section::Facts, _) => facts.push(Some(array)),
                        _ => {}
                    }
                }
                "AppendedData" => {
                    let is_base64 =
                        self.attribute(&start, "encoding")?.as_deref() == Some("base64");
                    if let Some(decoder) = &mut decoder {
                        decoder.appended = self.appended();
                        decoder.appended_is_base64 = is_base64;
                    }
                    // Raw data are not XML; nothing of interest comes after them.
                    break;
                }
                _ => {}
            }
        }
        let decoder = decoder.ok_or_else(|| self.malformed("the file has no element VTKFile"))?;
        Ok(Document { pieces, facts, decoder })
    }

    fn attribute(&self, start: &BytesStart, name: &str) -> Result<Option<String>, Error> {
        let found = start
            .try_get_attribute(name)
            .map_err(|error| self.malformed(format!("this is not valid XML: {error}")))?;
        let Some(attribute) = found else { return Ok(None) };
        let plain = quick_xml::escape::unescape(&attribute.value)
            .map_err(|error| self.malformed(format!("this is not valid XML: {error}")))?;
        Ok(Some(plain.into_owned()))
    }

    fn file(&self, start: &BytesStart) -> Result<Decoder<'a>, Error> {
        let kind = self.attribute(start, "type")?.unwrap_or_default();
        if kind != "UnstructuredGrid" {
            let message = format!("VTK files of type `{kind}` are not read, only UnstructuredGrid");
            return Err(Error::unsupported(self.path, message));
        }
        let endian = match self.attribute(start, "byte_order")?.as_deref() {
            Some("BigEndian") => Endian::Big,
            _ => Endian::Little,
        };
        let header = match self.attribute(start, "header_type")?.as_deref() {
            Some("UInt64") => ScalarType::U64,
            _ => ScalarType::U32,
        };
        let compressed = match self.attribute(start, "compressor")?.as_deref() {
            None | Some("") => false,
            Some("vtkZLibDataCompressor") => true,
            Some(other) => {
                let message = format!("data compressed by {other} are not read, only by zlib");
                return Err(Error::unsupported(self.path, message));
            }
        };
        Ok(Decoder { endian, header, compressed, appended: &[], appended_is_base64: false })
    }

    /// An array of a section that matters, with its text.
    fn data_array(
        &mut self,
        start: &BytesStart,
        is_empty: bool,
        section: Section,
    ) -> Result<Option<DataArray>, Error> {
        let content = if is_empty { Vec::new() } else { self.content()? };
        if section == Section::Other {
            return Ok(None);
        }
        let name = self.attribute(start, "Name")?.unwrap_or_default();
        if section == Section::Facts && !Facts::is_name(&name) {
            return Ok(None);
        }
        let kind = self.attribute(start, "type")?.unwrap_or_default();
        let Some(scalar) = scalar_type(&kind) else {
            let message = format!("array `{name}` has the type `{kind}`, which is not read");
            return Err(Error::unsupported(self.path, message));
        };
        let components = match self.attribute(start, "NumberOfComponents")? {
            None => 1,
            Some(number) => number.parse().ok().filter(|&n| n > 0).ok_or_else(|| {
                self.malformed(format!("`{number}` is not a number of components"))
            })?,
        };
        let storage = match self.attribute(start, "format")?.as_deref() {
            None | Some("ascii") => Storage::Text(content),
            Some("binary") => {
                Storage::Base64(content.into_iter().filter(|b| !b.is_ascii_whitespace()).collect())
            }
            Some("appended") => {
                let offset = self.attribute(start, "offset")?.unwrap_or_default();
                Storage::Appended(offset.parse().map_err(|_| {
                    self.malformed(format!("`{offset}` is not an offset into the appended data"))
                })?)
            }
            Some(other) => {
                return Err(self.malformed(format!("`{other}` is not a format of arrays")));
            }
        };
        Ok(Some(DataArray { name, scalar, components, storage }))
    }

    /// The text up to the end of the element that was just opened, without that of elements in it.
    fn content(&mut self) -> Result<Vec<u8>, Error> {
        let mut depth = 0_usize;
        let mut content = Vec::new();
        loop {
            match self.next_event()? {
                Event::Start(_) => depth += 1,
                Event::End(_) if depth == 0 => return Ok(content),
                Event::End(_) => depth -= 1,
                Event::Text(text) if depth == 0 => content.extend_from_slice(text.as_bytes()),
                Event::Eof => return Err(self.malformed("the file ends inside an array")),
                _ => {}
            }
        }
    }

    /// The bytes after the underscore that opens the appended data.
    fn appended(&self) -> &'a [u8] {
        let rest = &self.bytes[(self.reader.buffer_position() as usize).min(self.bytes.len())..];
        let start =
            rest.iter().position(|&byte| byte == b'_').map_or(rest.len(), |place| place + 1);
        &rest[start..]
    }
}

fn scalar_type(name: &str) -> Option<ScalarType> {
    Some(match name {
        "Int8" => ScalarType::I8,
        "UInt8" => ScalarType::U8,
        "Int16" => ScalarType::I16,
        "UInt16" => ScalarType::U16,
        "Int32" => ScalarType::I32,
        "UInt32" => ScalarType::U32,
        "Int64" => ScalarType::I64,
        "UInt64" => ScalarType::U64,
        "Float32" => ScalarType::F32,
        "Float64" => ScalarType::F64,
        _ => return None,
    })
}

//! Houdini's classic binary geometry, `.bgeo` version 5, as partio and SPlisHSPlasH write it:
//! big-endian, one record per point with the position as four floats and then the attributes,
//! plain or gzip-compressed as a whole.
//!
//! # Guarantees
//! * The point count is checked against the file before anything is allocated.
//! * SPlisHSPlasH and partio read what [`to_bytes`] writes: the velocity is called `velocity` as
//!   they call it (Houdini's `v` is read too), other names follow [the table](crate#attributes).
//!
//! # Non-guarantees
//! * Only points are read: primitives, groups and text attributes are left out, and so are attributes of the
//!   whole other than [facts](whitecap_core::Facts), which are read where there are no primitives.
//! * Integers have 32 bits in this format. Larger ones are refused on writing.

use std::path::Path;

use whitecap_core::{Column, FactValue, Particles};

use crate::attributes::facts::FoundFacts;
use crate::attributes::point_table::PointTable;
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::scalar::{Endian, Layout, ScalarType, decode};
use crate::{Error, Noted, attributes::naming, encoding::inflate, encoding::narrow};

const MAGIC: &[u8; 5] = b"BgeoV";
const VERSION: u32 = 5;
const POSITION_BYTES: usize = 16;

/// How to store the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// One gzip stream, as SPlisHSPlasH writes.
    #[default]
    Gzip,
    /// Plain bytes.
    None,
}

/// Whether `bytes`, already inflated, begin like a classic file.
pub(crate) fn is_classic(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a classic `.bgeo` file, plain or gzip-compressed.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    if inflate::is_gzip(bytes) {
        return parse_plain(&inflate::gzip(bytes, path)?, path);
    }
    parse_plain(bytes, path)
}

struct Attribute {
    name: String,
    scalar: Option<ScalarType>,
    components: usize,
    /// What the numbers of a text attribute stand for, a line each.
    texts: String,
}

fn parse_plain(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    let mut reader = ByteReader::new(bytes, path, Endian::Big);
    if reader.take(MAGIC.len(), "the magic number")? != MAGIC {
        return Err(reader.malformed("a classic .bgeo file begins with `BgeoV`"));
    }
    let version = reader.u32("the version")?;
    if version != VERSION {
        let message = format!("classic .bgeo version {version} is not read, only {VERSION}");
        return Err(Error::unsupported(path, message));
    }
    let point_count = reader.u32("the point count")?;
    let primitive_count = reader.u32("primitives")?;
    for count in ["point groups", "primitive groups"] {
        reader.u32(count)?;
    }
    let attribute_count = reader.u32("the attribute count")?;
    // Their definitions would come before those of the whole.
    let other_count = u64::from(reader.u32("vertex attributes")?)
        + u64::from(reader.u32("primitive attributes")?);
    let detail_count = reader.u32("detail attributes")?;
    let attributes = parse_attributes(&mut reader, attribute_count)?;
    let record_bytes =
        POSITION_BYTES + attributes.iter().map(|attribute| 4 * attribute.components).sum::<usize>();
    let count = reader.check_count(u64::from(point_count), record_bytes, "points")?;
    let records = reader.take(count * record_bytes, "the points")?;

    let column = |scalar, offset, components| {
        let layout = Layout { offset, stride: record_bytes, components, count };
        decode(scalar, Endian::Big, records, layout).map_err(|message| reader.malformed(message))
    };
    let mut table = PointTable::new(column(ScalarType::F32, 0, 3)?.into_vectors(3));
    let mut offset = POSITION_BYTES;
    for attribute in attributes {
        if let Some(scalar) = attribute.scalar {
            let values = column(scalar, offset, attribute.components)?;
            table.push(&attribute.name, attribute.components, values);
        }
        offset += 4 * attribute.components;
    }
    let has_facts = primitive_count == 0 && other_count == 0;
    if has_facts && parse_facts(&mut reader, detail_count, &mut table.facts).is_err() {
        table.facts.unreadable();
    }
    table.into_noted_particles(path)
}

/// The attributes of the whole: definitions, then values.
fn parse_facts(reader: &mut ByteReader, count: u32, facts: &mut FoundFacts) -> Result<(), Error> {
    for Attribute { name, scalar, components, texts } in parse_attributes(reader, count)? {
        let bytes = reader.take(4 * components, "the value of an attribute")?;
        let layout = Layout::packed(ScalarType::I32, 1, components);
        match scalar {
            Some(scalar) => {
                let values = decode(scalar, Endian::Big, bytes, layout);
                let values = values.map_err(|message| reader.malformed(message))?;
                facts.take_values(&name, &values);
            }
            None => facts.take_text(&name, &texts),
        }
    }
    Ok(())
}

fn parse_attributes(reader: &mut ByteReader, count: u32) -> Result<Vec<Attribute>, Error> {
    // Name length, size and type take eight bytes, even if the name is empty.
    reader.check_count(u64::from(count), 8, "attributes")?;
    let mut attributes = Vec::new();
    for _ in 0..count {
        let name = parse_name(reader)?;
        let components = usize::from(reader.u16("the size of an attribute")?);
        let kind = reader.u32("the type of an attribute")?;
        let scalar = match kind {
            0 | 5 => Some(ScalarType::F32),
            1 => Some(ScalarType::I32),
            // A point holds an index into a table of texts.
            4 => None,
            _ => {
                let message = format!("attribute `{name}` has the unknown type {kind}");
                return Err(reader.malformed(message));
            }
        };
        let mut texts = String::new();
        if scalar.is_some() {
            reader.take(4 * components, "the default values of an attribute")?;
        } else {
            for _ in 0..reader.u32("the number of texts")? {
                texts.push_str(&parse_name(reader)?);
                texts.push('\n');
            }
        }
        attributes.push(Attribute { name, scalar, components, texts });
    }
    Ok(attributes)
}

fn parse_name(reader: &mut ByteReader) -> Result<String, Error> {
    let length = usize::from(reader.u16("the length of a name")?);
    Ok(String::from_utf8_lossy(reader.take(length, "a name")?).into_owned())
}

/// The file that holds `particles`. `path` is for messages.
pub fn to_bytes(
    particles: &Particles,
    compression: Compression,
    path: &Path,
) -> Result<Vec<u8>, Error> {
    let plain = to_plain_bytes(particles, path)?;
    match compression {
        Compression::Gzip => inflate::to_gzip(&plain, path),
        Compression::None => Ok(plain),
    }
}

fn to_plain_bytes(particles: &Particles, path: &Path) -> Result<Vec<u8>, Error> {
    let columns = particles.attributes();
    let count = u32::try_from(particles.len())
        .map_err(|_| Error::unwritable(path, "classic .bgeo holds at most 2^32 - 1 points"))?;
    let mut bytes = MAGIC.to_vec();
    let facts = particles.facts().to_named();
    for number in [VERSION, count, 0, 0, 0, columns.len() as u32, 0, 0, facts.len() as u32] {
        bytes.extend(number.to_be_bytes());
    }
    for (name, column) in columns.iter() {
        push_definition(&mut bytes, name, column, path)?;
    }
    let record_bytes =
        POSITION_BYTES + columns.iter().map(|(_, column)| 4 * column.components()).sum::<usize>();
    let start = bytes.len();
    bytes.resize(start + particles.len() * record_bytes, 0);
    let records = &mut bytes[start..];
    let positions = particles.positions().iter();
    RecordColumn { records, record_bytes, offset: 0 }
        .with(positions.map(|p| float_bytes([p.x, p.y, p.z, 1.0])));
    let mut offset = POSITION_BYTES;
    for (name, column) in columns.iter() {
        let mut fill = RecordColumn { records, record_bytes, offset };
        match column {
            Column::F32(values) => fill.with(values.iter().map(|&v| float_bytes([v]))),
            Column::Vec2(values) => fill.with(values.iter().map(|v| float_bytes(v.to_array()))),
            Column::Vec3(values) => fill.with(values.iter().map(|v| float_bytes(v.to_array()))),
            Column::Vec4(values) => fill.with(values.iter().map(|v| float_bytes(v.to_array()))),
            Column::I32(_) | Column::I64(_) => {
                let values = narrow::integers(name, column, ".bgeo", path)?;
                fill.with(values.iter().map(|v| [v.to_be_bytes()]));
            }
        }
        offset += 4 * column.components();
    }
    push_facts(&mut bytes, &facts);
    // The end of a classic file: no groups, no further data.
    bytes.extend([0x00, 0xff]);
    Ok(bytes)
}

/// Attributes of the whole: their definitions, then their values. The lines of a text are a table of texts.
fn push_facts(bytes: &mut Vec<u8>, facts: &[(&str, FactValue)]) {
    for (name, value) in facts {
        bytes.extend((name.len() as u16).to_be_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(1_u16.to_be_bytes());
        match value {
            FactValue::Number(_) => bytes.extend([0; 8]),
            FactValue::Text(text) => {
                let lines: Vec<&str> = text.lines().collect();
                bytes.extend(4_u32.to_be_bytes());
                bytes.extend((lines.len() as u32).to_be_bytes());
                for line in lines {
                    // Facts are shorter than 65536 bytes.
                    bytes.extend((line.len() as u16).to_be_bytes());
                    bytes.extend(line.as_bytes());
                }
            }
        }
    }
    for (_, value) in facts {
        bytes.extend(match value {
            FactValue::Number(number) => number.to_be_bytes(),
            FactValue::Text(_) => [0; 4],
        });
    }
}

fn push_definition(
    bytes: &mut Vec<u8>,
    name: &str,
    column: &Column,
    path: &Path,
) -> Result<(), Error> {
    // SPlisHSPlasH looks for this one under its long name.
    let stored = if name == "velocity" { name } else { naming::to_houdini(name) };
    let length = u16::try_from(stored.len()).map_err(|_| {
        Error::unwritable(path, format!("the attribute name `{name}` is longer than 65535 bytes"))
    })?;
    // Type 5 marks a float triple that turns with the geometry; a colour does not.
    let kind: u32 = match column {
        Column::I32(_) | Column::I64(_) => 1,
        Column::Vec3(_) if name != "color" => 5,
        _ => 0,
    };
    bytes.extend(length.to_be_bytes());
    bytes.extend(stored.as_bytes());
    bytes.extend((column.components() as u16).to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(std::iter::repeat_n(0, 4 * column.components()));
    Ok(())
}

fn float_bytes<const N: usize>(values: [f32; N]) -> [[u8; 4]; N] {
    values.map(f32::to_be_bytes)
}

/// The position of one attribute within each record.
struct RecordColumn<'a> {
    records: &'a mut [u8],
    record_bytes: usize,
    offset: usize,
}

impl RecordColumn<'_> {
    fn with<const N: usize>(&mut self, values: impl Iterator<Item = [[u8; 4]; N]>) {
        for (record, value) in self.records.chunks_exact_mut(self.record_bytes).zip(values) {
            record[self.offset..self.offset + 4 * N].copy_from_slice(value.as_flattened());
        }
    }
}

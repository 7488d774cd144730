//! One NumPy array: a short text that describes it, then its numbers.

use std::path::Path;

use super::literal::Literal;
use crate::attributes::point_table;
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::scalar::{Endian, Layout, ScalarType, Values, decode};
use crate::{Error, Place};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// More bytes than any record has.
const LARGEST_RECORD: usize = 1 << 20;

/// An array of `rows` elements.
pub(super) struct Array {
    pub rows: usize,
    pub components: usize,
    /// Whether the array has a first axis at all; a scalar has none.
    pub has_rows: bool,
    pub values: Values,
}

/// What an array holds.
pub(super) enum Content {
    /// Numbers in rows.
    Plain(Array),
    /// A record of named fields for each element.
    Records(Vec<Field>),
    /// One text of bytes.
    Text(String),
    /// None of these: other texts, objects, or more than two axes; what it is, in words.
    Other(String),
}

/// A field of the records.
pub(super) struct Field {
    pub name: String,
    pub components: usize,
    pub values: Values,
}

/// Reads an array. `name` is what messages call it: "array `position`".
pub(super) fn parse(bytes: &[u8], name: &str, path: &Path) -> Result<Content, Error> {
    let malformed =
        |message: &str| Error::malformed(path, Place::File, format!("{name} {message}"));
    let mut reader = ByteReader::new(bytes, path, Endian::Little);
    let description = parse_description(&mut reader, malformed)?;
    let entry = |key: &str| description.entry(key);
    let shape = entry("shape").and_then(Literal::integers);
    let shape = shape.ok_or_else(|| malformed("has no readable shape"))?;
    let Some(Literal::Truth(stored_by_column)) = entry("fortran_order") else {
        return Err(malformed("has no readable `fortran_order`"));
    };
    let kind = entry("descr").ok_or_else(|| malformed("has no readable type"))?;
    if let Some(fields) = kind.list() {
        return parse_records(&mut reader, fields, &shape, name, path);
    }
    if shape.is_empty() && kind.text().is_some_and(|kind| kind.starts_with("|S")) {
        let text = String::from_utf8_lossy(reader.rest());
        return Ok(Content::Text(text.trim_end_matches('\0').to_owned()));
    }
    let Some((scalar, endian)) = kind.text().and_then(scalar_type) else {
        let kind = kind.text().unwrap_or("?").escape_debug();
        return Ok(Content::Other(format!("has elements of type `{kind}`")));
    };
    let (rows, components, has_rows) = match shape[..] {
        [] => (1, 1, false),
        [rows] => (rows, 1, true),
        [rows, components] if components > 0 => (rows, components as usize, true),
        _ => return Ok(Content::Other(format!("has the shape {}", shown_shape(&shape)))),
    };
    point_table::check_column_count(components, path)?;
    let element = components
        .checked_mul(scalar.size())
        .ok_or_else(|| malformed("has a shape that is too large"))?;
    let rows = reader.check_count(rows, element, &format!("rows of {name}"))?;
    let data = reader.take(rows * element, "the numbers of an array")?;
    let layout = Layout::packed(scalar, 1, rows * components);
    let mut values = decode(scalar, endian, data, layout).map_err(|message| malformed(&message))?;
    if *stored_by_column && components > 1 {
        values = values.interleaved(components);
    }
    Ok(Content::Plain(Array { rows, components, has_rows, values }))
}

/// The text before the numbers; the reader is left where they begin.
fn parse_description(
    reader: &mut ByteReader,
    malformed: impl Fn(&str) -> Error,
) -> Result<Literal, Error> {
    if reader.take(MAGIC.len(), "the magic number of an array")? != MAGIC {
        return Err(malformed("is not in NumPy's format"));
    }
    let major = reader.u8("the version of an array")?;
    reader.u8("the version of an array")?;
    let length = match major {
        1 => usize::from(reader.u16("the length of a description")?),
        2 | 3 => reader.u32("the length of a description")? as usize,
        _ => return Err(malformed("has an unknown version")),
    };
    let text = reader.take(length, "the description of an array")?;
    let text = std::str::from_utf8(text);
    let text = text.map_err(|_| malformed("has a description that is not text"))?;
    Literal::parse(text).ok_or_else(|| malformed("has a description that cannot be read"))
}

/// Where a field lies in a record.
struct FieldPlace {
    name: String,
    scalar: ScalarType,
    endian: Endian,
    components: usize,
    offset: usize,
}

fn parse_records(
    reader: &mut ByteReader,
    fields: &[Literal],
    shape: &[u64],
    name: &str,
    path: &Path,
) -> Result<Content, Error> {
    let malformed =
        |message: &str| Error::malformed(path, Place::File, format!("{name} {message}"));
    point_table::check_column_count(fields.len(), path)?;
    let &[rows] = shape else {
        return Ok(Content::Other(format!("has records in the shape {}", shown_shape(shape))));
    };
    let mut places = Vec::new();
    let mut record_bytes = 0_usize;
    for field in fields {
        let (place, size) = field_place(field, record_bytes)
            .ok_or_else(|| malformed("has a field that is not a number, a vector or a text"))?;
        record_bytes = record_bytes
            .checked_add(size)
            .filter(|&bytes| bytes <= LARGEST_RECORD)
            .ok_or_else(|| malformed("has records that are too large"))?;
        places.extend(place);
    }
    let columns = places.iter().map(|place: &FieldPlace| place.components).sum();
    point_table::check_column_count(columns, path)?;
    let rows = reader.check_count(rows, record_bytes.max(1), &format!("records of {name}"))?;
    let data = reader.take(rows * record_bytes, "the records of an array")?;
    let mut columns = Vec::with_capacity(places.len());
    for FieldPlace { name, scalar, endian, components, offset } in places {
        let layout = Layout { offset, stride: record_bytes, components, count: rows };
        let values = decode(scalar, endian, data, layout)
            .map_err(|message| malformed(&format!("field `{name}` {message}")))?;
        columns.push(Field { name, components, values });
    }
    Ok(Content::Records(columns))
}

/// Where a field lies, if it holds numbers, and how many bytes it takes; `None` if that is unknown.
fn field_place(field: &Literal, offset: usize) -> Option<(Option<FieldPlace>, usize)> {
    let (name, kind, shape) = match field.list()? {
        [name, kind] => (name, kind, Vec::new()),
        [name, kind, shape] => (name, kind, shape.integers()?),
        _ => return None,
    };
    // A name may come with a title: (title, name).
    let name = name.text().or_else(|| name.list()?.last()?.text())?;
    let kind = kind.text()?;
    let count = shape.iter().try_fold(1_u64, |product, &size| product.checked_mul(size))?;
    let count = usize::try_from(count).ok().filter(|&count| count <= LARGEST_RECORD)?;
    match scalar_type(kind) {
        Some((scalar, endian)) => {
            let place =
                FieldPlace { name: name.to_string(), scalar, endian, components: count, offset };
            Some(((count > 0).then_some(place), count * scalar.size()))
        }
        None => Some((None, count.checked_mul(skipped_bytes(kind)?)?)),
    }
}

/// Bytes of an element that does not hold a number: a gap, a text of bytes or of Unicode.
fn skipped_bytes(kind: &str) -> Option<usize> {
    let size: usize = kind.get(2..)?.parse().ok()?;
    match kind.as_bytes().get(1)? {
        b'V' | b'S' | b'a' => Some(size),
        b'U' => size.checked_mul(4),
        _ => None,
    }
}

fn shown_shape(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().take(8).map(u64::to_string).collect();
    format!("({})", sizes.join(", "))
}

fn scalar_type(name: &str) -> Option<(ScalarType, Endian)> {
    let endian = match name.chars().next()? {
        '<' | '|' | '=' => Endian::Little,
        '>' => Endian::Big,
        _ => return None,
    };
    let scalar = match &name[1..] {
        "f2" => ScalarType::F16,
        "f4" => ScalarType::F32,
        "f8" => ScalarType::F64,
        "i1" => ScalarType::I8,
        "i2" => ScalarType::I16,
        "i4" => ScalarType::I32,
        "i8" => ScalarType::I64,
        "u1" | "b1" => ScalarType::U8,
        "u2" => ScalarType::U16,
        "u4" => ScalarType::U32,
        "u8" => ScalarType::U64,
        _ => return None,
    };
    Some((scalar, endian))
}

/// An array of shape (n, N) of reals.
pub(super) fn vectors<const N: usize>(rows: impl ExactSizeIterator<Item = [f32; N]>) -> Vec<u8> {
    let mut bytes = description("<f4", &format!("({}, {N})", rows.len()));
    bytes.reserve(4 * N * rows.len());
    rows.for_each(|row| bytes.extend_from_slice(row.map(f32::to_le_bytes).as_flattened()));
    bytes
}

/// An array of shape (n,).
pub(super) fn scalars<const N: usize>(
    kind: &str,
    values: impl ExactSizeIterator<Item = [u8; N]>,
) -> Vec<u8> {
    let mut bytes = description(kind, &format!("({},)", values.len()));
    bytes.reserve(N * values.len());
    values.for_each(|value| bytes.extend(value));
    bytes
}

/// An array without axes.
pub(super) fn scalar(kind: &str, value: &[u8]) -> Vec<u8> {
    let mut bytes = description(kind, "()");
    bytes.extend(value);
    bytes
}

/// Everything before the numbers, padded so that they begin at a multiple of 64 bytes.
fn description(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let before = MAGIC.len() + 4;
    while !(before + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

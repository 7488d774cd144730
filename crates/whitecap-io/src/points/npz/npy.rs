//! One NumPy array: a short text that describes it, then its numbers.

use std::path::Path;

use crate::encoding::byte_reader::ByteReader;
use crate::encoding::scalar::{Endian, Layout, ScalarType, Values, decode};
use crate::{Error, Place};

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// An array of `rows` elements.
pub(super) struct Array {
    pub rows: usize,
    pub components: usize,
    /// Whether the array has a first axis at all; a scalar has none.
    pub has_rows: bool,
    pub values: Values,
}

/// Reads an array; `None` if it does not hold numbers in rows.
pub(super) fn parse(bytes: &[u8], name: &str, path: &Path) -> Result<Option<Array>, Error> {
    let malformed =
        |message: &str| Error::malformed(path, Place::File, format!("array `{name}` {message}"));
    let mut reader = ByteReader::new(bytes, path, Endian::Little);
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
    let description = reader.take(length, "the description of an array")?;
    let description = std::str::from_utf8(description)
        .map_err(|_| malformed("has a description that is not text"))?;
    let shape = parse_shape(description).ok_or_else(|| malformed("has no readable shape"))?;
    let stored_by_column =
        parse_order(description).ok_or_else(|| malformed("has no readable `fortran_order`"))?;
    let Some((scalar, endian)) = parse_type(description) else { return Ok(None) };
    let (rows, components, has_rows) = match shape[..] {
        [] => (1, 1, false),
        [rows] => (rows, 1, true),
        [rows, components] if components > 0 => (rows, components as usize, true),
        _ => return Ok(None),
    };
    let element = components
        .checked_mul(scalar.size())
        .ok_or_else(|| malformed("has a shape that is too large"))?;
    let rows = reader.check_count(rows, element, &format!("rows of array `{name}`"))?;
    let data = reader.take(rows * element, "the numbers of an array")?;
    let layout = Layout::packed(scalar, 1, rows * components);
    let mut values = decode(scalar, endian, data, layout).map_err(|message| malformed(&message))?;
    if stored_by_column && components > 1 {
        values = values.interleaved(components);
    }
    Ok(Some(Array { rows, components, has_rows, values }))
}

/// What follows `'key':` in the description.
fn after<'a>(description: &'a str, key: &str) -> Option<&'a str> {
    let start = description.find(&format!("'{key}'"))? + key.len() + 2;
    Some(description[start..].trim_start().strip_prefix(':')?.trim_start())
}

fn parse_shape(description: &str) -> Option<Vec<u64>> {
    let inside = after(description, "shape")?.strip_prefix('(')?.split_once(')')?.0;
    let sizes = inside.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().ok()).collect()
}

fn parse_order(description: &str) -> Option<bool> {
    let value = after(description, "fortran_order")?;
    match (value.starts_with("True"), value.starts_with("False")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn parse_type(description: &str) -> Option<(ScalarType, Endian)> {
    let name = after(description, "descr")?.strip_prefix('\'')?.split_once('\'')?.0;
    let endian = match name.chars().next()? {
        '<' | '|' => Endian::Little,
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

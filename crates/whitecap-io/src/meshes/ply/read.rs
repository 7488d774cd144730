//! The data of a PLY file.

use std::path::Path;

use super::header::{self, Element, Encoding};
use crate::attributes::component_names::{self, NamedScalars};
use crate::attributes::point_table::{PointTable, push_fan};
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::scalar::{Endian, Layout, ScalarType, Values, decode};
use crate::encoding::tokens::Tokens;
use crate::{Error, Place};

/// What a PLY file holds.
pub(super) struct Content {
    pub table: PointTable,
    /// The faces, if the file declares any.
    pub triangles: Option<Vec<[u32; 3]>>,
    /// What the user should know.
    pub notes: Vec<String>,
}

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Content, Error> {
    let header = header::parse(bytes, path)?;
    if header.element("face").is_none() && header.element("tristrips").is_some() {
        return Err(Error::unsupported(path, "PLY triangle strips are not read, only faces"));
    }
    let mut source = match header.encoding {
        Encoding::Ascii => Source::Text(Tokens::at(bytes, header.end, path)),
        Encoding::Binary(endian) => {
            let mut reader = ByteReader::new(bytes, path, endian);
            reader.take(header.end, "the header")?;
            Source::Binary(reader)
        }
    };
    let mut table = None;
    let mut triangles = None;
    for element in &header.elements {
        let least = element.least_bytes(header.encoding);
        let count = source.check_count(element, least, path)?;
        match element.name.as_str() {
            "vertex" => {
                let columns = read_columns(&mut source, element, count)?;
                table = Some(component_names::group(columns, path)?);
            }
            "face" => triangles = Some(read_faces(&mut source, element, count)?),
            _ => skip(&mut source, element, count)?,
        }
    }
    let mut table = table
        .ok_or_else(|| Error::malformed(path, Place::File, "the file has no element `vertex`"))?;
    table.facts = header.facts.clone();
    let vertex_count = table.positions.len();
    if let Some(triangles) = &triangles
        && triangles.iter().flatten().any(|&vertex| vertex as usize >= vertex_count)
    {
        let message = format!("a face refers to a vertex beyond the {vertex_count} in the file");
        return Err(Error::malformed(path, Place::File, message));
    }
    let corners = header.element("face").into_iter().flat_map(|face| &face.properties);
    let textured = corners.filter(|property| property.name.starts_with("texcoord")).take(1);
    let notes = textured.map(|property| {
        format!(
            "the texture coordinates of the corners of faces, `{}`, are left out: a mesh here has one value at a vertex",
            property.name
        )
    });
    Ok(Content { table, triangles, notes: notes.collect() })
}

/// The data, as words or as bytes.
enum Source<'a> {
    Text(Tokens<'a>),
    Binary(ByteReader<'a>),
}

impl Source<'_> {
    fn check_count(&self, element: &Element, least: usize, path: &Path) -> Result<usize, Error> {
        let (place, left) = match self {
            Source::Text(tokens) => (tokens.place(), tokens.left() + 1),
            Source::Binary(reader) => (reader.place(), reader.rest().len()),
        };
        // An element without properties takes no room, so nothing is read for it.
        if least == 0 {
            return Ok(0);
        }
        let what = format!("elements `{}`", element.name);
        Error::check_count(path, place, &what, element.count, least, left)
    }

    fn malformed(&self, message: impl Into<String>) -> Error {
        match self {
            Source::Text(tokens) => tokens.malformed(message),
            Source::Binary(reader) => reader.malformed(message),
        }
    }

    fn number(&mut self, scalar: ScalarType) -> Result<Number, Error> {
        if let Source::Text(tokens) = self {
            return match scalar.is_real() {
                true => tokens.real("a number").map(Number::Real),
                false => tokens.integer_of(scalar, "an integer").map(Number::Integer),
            };
        }
        Ok(match self.numbers(scalar, 1)? {
            Values::F32(values) => Number::Real(values[0]),
            Values::I32(values) => Number::Integer(i64::from(values[0])),
            Values::I64(values) => Number::Integer(values[0]),
        })
    }

    fn numbers(&mut self, scalar: ScalarType, count: usize) -> Result<Values, Error> {
        match self {
            Source::Text(tokens) => tokens.numbers(scalar, count, "a number"),
            Source::Binary(reader) => {
                let bytes = reader.take(count * scalar.size(), "the data")?;
                decode(scalar, reader.endian(), bytes, Layout::packed(scalar, 1, count))
                    .map_err(|message| reader.malformed(message))
            }
        }
    }

    /// The values of one list.
    fn list(&mut self, length: ScalarType, scalar: ScalarType) -> Result<Values, Error> {
        let Number::Integer(count) = self.number(length)? else {
            return Err(self.malformed("the length of a list must be an integer"));
        };
        let room = match self {
            Source::Text(tokens) => tokens.left() / 2 + 1,
            Source::Binary(reader) => reader.rest().len() / scalar.size(),
        };
        match usize::try_from(count) {
            Ok(count) if count <= room => self.numbers(scalar, count),
            _ => {
                Err(self
                    .malformed(format!("a list claims {count} values, more than the file holds")))
            }
        }
    }
}

enum Number {
    Integer(i64),
    Real(f32),
}

fn read_columns(
    source: &mut Source,
    element: &Element,
    count: usize,
) -> Result<Vec<NamedScalars>, Error> {
    let values = match source {
        Source::Binary(reader) if !element.has_lists() => fixed_columns(reader, element, count)?,
        _ => row_columns(source, element, count)?,
    };
    let scalars = element.properties.iter().filter(|property| property.list.is_none());
    let named = scalars.zip(values).map(|(property, values)| NamedScalars {
        name: property.name.clone(),
        values,
        color_scale: match property.scalar {
            ScalarType::U8 if component_names::is_color(&property.name) => 255.0,
            ScalarType::U16 if component_names::is_color(&property.name) => 65535.0,
            _ => 1.0,
        },
    });
    Ok(named.collect())
}

/// Binary rows of one size: every column is gathered in one pass.
fn fixed_columns(
    reader: &mut ByteReader,
    element: &Element,
    count: usize,
) -> Result<Vec<Values>, Error> {
    let stride = element.properties.iter().map(|property| property.scalar.size()).sum::<usize>();
    let rows = reader.take(count * stride, "the vertices")?;
    let mut offset = 0;
    let mut columns = Vec::with_capacity(element.properties.len());
    for property in &element.properties {
        let layout = Layout { offset, stride, components: 1, count };
        let column = decode(property.scalar, reader.endian(), rows, layout).map_err(|message| {
            reader.malformed(format!("property `{}` {message}", property.name))
        })?;
        columns.push(column);
        offset += property.scalar.size();
    }
    Ok(columns)
}

/// Rows of text, or rows that contain lists: number by number.
fn row_columns(source: &mut Source, element: &Element, count: usize) -> Result<Vec<Values>, Error> {
    let scalars = element.properties.iter().filter(|property| property.list.is_none());
    let mut columns: Vec<Values> = scalars
        .map(|property| match property.scalar {
            scalar if scalar.is_real() => Values::F32(Vec::with_capacity(count)),
            ScalarType::U32 | ScalarType::I64 | ScalarType::U64 => {
                Values::I64(Vec::with_capacity(count))
            }
            _ => Values::I32(Vec::with_capacity(count)),
        })
        .collect();
    for _ in 0..count {
        let mut column = columns.iter_mut();
        for property in &element.properties {
            if let Some(length) = property.list {
                source.list(length, property.scalar)?;
                continue;
            }
            match (column.next(), source.number(property.scalar)?) {
                (Some(Values::F32(values)), Number::Real(real)) => values.push(real),
                (Some(Values::I32(values)), Number::Integer(integer)) => {
                    values.push(integer as i32);
                }
                (Some(Values::I64(values)), Number::Integer(integer)) => values.push(integer),
                _ => unreachable!("a column has the type of its property"),
            }
        }
    }
    Ok(columns)
}

fn read_faces(
    source: &mut Source,
    element: &Element,
    count: usize,
) -> Result<Vec<[u32; 3]>, Error> {
    let is_corners = |name: &str| matches!(name, "vertex_indices" | "vertex_index");
    if !element.properties.iter().any(|property| is_corners(&property.name)) {
        return Err(source.malformed("the faces have no list `vertex_indices`"));
    }
    if let Source::Binary(reader) = source
        && let Some(triangles) = plain_triangles(reader, element, count)?
    {
        return Ok(triangles);
    }
    let mut triangles = Vec::with_capacity(count);
    let mut polygon = Vec::new();
    for _ in 0..count {
        for property in &element.properties {
            let Some(length) = property.list else {
                source.number(property.scalar)?;
                continue;
            };
            let list = source.list(length, property.scalar)?;
            if !is_corners(&property.name) {
                continue;
            }
            polygon.clear();
            match list {
                Values::I32(corners) => polygon.extend(corners.iter().map(|&v| v as u32)),
                Values::I64(corners) => {
                    // Beyond 32 bits there is no vertex; the largest index fails the later check.
                    polygon.extend(corners.iter().map(|&v| u32::try_from(v).unwrap_or(u32::MAX)));
                }
                Values::F32(_) => return Err(source.malformed("vertex indices must be integers")),
            }
            push_fan(&mut triangles, &polygon);
        }
    }
    Ok(triangles)
}

/// The faces of the most common layout, one list of a byte and three 32-bit indices, in one pass;
/// `None` if a face is not a triangle.
fn plain_triangles(
    reader: &mut ByteReader,
    element: &Element,
    count: usize,
) -> Result<Option<Vec<[u32; 3]>>, Error> {
    const ROW: usize = 13;
    let [property] = element.properties.as_slice() else { return Ok(None) };
    let plain = matches!(property.list, Some(ScalarType::U8 | ScalarType::I8))
        && matches!(property.scalar, ScalarType::I32 | ScalarType::U32);
    let Some(bytes) = count.checked_mul(ROW).and_then(|length| reader.rest().get(..length)) else {
        return Ok(None);
    };
    let (rows, _) = bytes.as_chunks::<ROW>();
    if !plain || rows.iter().any(|row| row[0] != 3) {
        return Ok(None);
    }
    let index = match reader.endian() {
        Endian::Little => u32::from_le_bytes,
        Endian::Big => u32::from_be_bytes,
    };
    let corner = |row: &[u8; ROW], c: usize| {
        index([row[1 + 4 * c], row[2 + 4 * c], row[3 + 4 * c], row[4 + 4 * c]])
    };
    let triangles = rows.iter().map(|row| [0, 1, 2].map(|c| corner(row, c))).collect();
    reader.take(bytes.len(), "the faces")?;
    Ok(Some(triangles))
}

fn skip(source: &mut Source, element: &Element, count: usize) -> Result<(), Error> {
    for _ in 0..count {
        for property in &element.properties {
            match property.list {
                Some(length) => {
                    source.list(length, property.scalar)?;
                }
                None => {
                    source.number(property.scalar)?;
                }
            }
        }
    }
    Ok(())
}

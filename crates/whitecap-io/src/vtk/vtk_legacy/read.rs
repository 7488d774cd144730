//! Reading legacy VTK: keywords in text, each followed by its numbers in text or in binary.

use std::path::Path;

use super::names;
use crate::attributes::point_table::PointTable;
use crate::encoding::scalar::{Endian, Layout, ScalarType, Values, decode};
use crate::encoding::tokens::Tokens;
use crate::vtk::vtk_cells::{Content, push_cell, push_strip};
use crate::{Error, Place};

/// Lists of indices, such as the corners of every polygon, one after the other.
#[derive(Default)]
struct Lists {
    starts: Vec<usize>,
    indices: Vec<u32>,
}

impl Lists {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.indices[ends[0]..ends[1]])
    }
}

/// What the data being read belong to.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Dataset,
    Points(usize),
    Cells(usize),
}

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Content, Error> {
    let mut parser = Parser::new(bytes, path)?;
    while let Some(keyword) = parser.tokens.next_word() {
        parser.section(&keyword.to_ascii_uppercase())?;
    }
    parser.finish()
}

struct Parser<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    tokens: Tokens<'a>,
    binary: bool,
    owner: Owner,
    table: PointTable,
    polygons: Lists,
    strips: Lists,
    cells: Lists,
    cell_types: Vec<u8>,
}

impl<'a> Parser<'a> {
    fn new(bytes: &'a [u8], path: &'a Path) -> Result<Self, Error> {
        let malformed = |line, message| Error::malformed(path, Place::Line(line), message);
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let mut line = || lines.next().unwrap_or_default();
        let (magic, title, encoding) = (line(), line(), line());
        if !magic.starts_with(b"# vtk DataFile Version") {
            return Err(malformed(1, "a .vtk file must begin with `# vtk DataFile Version`"));
        }
        let binary = match encoding.trim_ascii().to_ascii_uppercase().as_slice() {
            b"ASCII" => false,
            b"BINARY" => true,
            _ => return Err(malformed(3, "the third line must be ASCII or BINARY")),
        };
        let offset = magic.len() + title.len() + encoding.len();
        Ok(Self {
            bytes,
            path,
            tokens: Tokens::at(bytes, offset, path),
            binary,
            owner: Owner::Dataset,
            table: PointTable::default(),
            polygons: Lists::default(),
            strips: Lists::default(),
            cells: Lists::default(),
            cell_types: Vec::new(),
        })
    }

    fn malformed(&self, message: impl Into<String>) -> Error {
        let place = match self.binary {
            true => Place::Offset(self.tokens.offset() as u64),
            false => self.tokens.place(),
        };
        Error::malformed(self.path, place, message)
    }

    fn section(&mut self, keyword: &[u8]) -> Result<(), Error> {
        match keyword {
            b"DATASET" => {
                let kind = self.tokens.text("the kind of dataset")?.to_ascii_uppercase();
                if !matches!(kind.as_str(), "POLYDATA" | "UNSTRUCTURED_GRID") {
                    let message = format!(
                        "datasets of kind {kind} are not read, only POLYDATA and UNSTRUCTURED_GRID"
                    );
                    return Err(Error::unsupported(self.path, message));
                }
            }
            b"POINTS" => {
                let count = self.count("points")?;
                let scalar = self.scalar_type()?;
                self.table.positions = self.numbers(scalar, count, 3)?.into_vectors(3);
            }
            b"POLYGONS" => self.polygons = self.lists()?,
            b"TRIANGLE_STRIPS" => self.strips = self.lists()?,
            b"CELLS" => self.cells = self.lists()?,
            b"VERTICES" | b"LINES" => {
                self.lists()?;
            }
            b"CELL_TYPES" => {
                let count = self.count("cell types")?;
                let types = self.integers(ScalarType::I32, count)?;
                self.cell_types =
                    types.iter().map(|&kind| u8::try_from(kind).unwrap_or(0)).collect();
            }
            b"POINT_DATA" => {
                let count = self.count("values of point data")?;
                if count != self.table.positions.len() {
                    let points = self.table.positions.len();
                    return Err(self.malformed(format!(
                        "there are {count} values of point data for {points} points"
                    )));
                }
                self.owner = Owner::Points(count);
            }
            b"CELL_DATA" => self.owner = Owner::Cells(self.count("values of cell data")?),
            b"METADATA" => self.skip_metadata(),
            b"FIELD" => self.field()?,
            _ => self.attribute(keyword)?,
        }
        Ok(())
    }

    /// One array of point or cell data.
    fn attribute(&mut self, keyword: &[u8]) -> Result<(), Error> {
        let count = match self.owner {
            Owner::Points(count) | Owner::Cells(count) => count,
            Owner::Dataset => return Err(self.unknown(keyword)),
        };
        let name = names::decoded(self.tokens.text("the name of an array")?);
        match keyword {
            b"SCALARS" => {
                let scalar = self.scalar_type()?;
                let (components, has_table) = self.scalars_header()?;
                if has_table {
                    self.tokens.text("the name of a lookup table")?;
                }
                let values = self.numbers(scalar, count, components)?;
                self.push(&name, components, values);
            }
            b"LOOKUP_TABLE" => {
                let entries = self.count("colours of a lookup table")?;
                self.colors(entries, 4)?;
            }
            b"COLOR_SCALARS" => {
                let components = self.count("components")?;
                let values = self.colors(count, components)?;
                self.push(&name, components, values);
            }
            b"VECTORS" | b"NORMALS" | b"TENSORS" | b"TENSORS6" | b"TEXTURE_COORDINATES" => {
                let components = match keyword {
                    b"TENSORS" => 9,
                    b"TENSORS6" => 6,
                    b"TEXTURE_COORDINATES" => self.count("components")?,
                    _ => 3,
                };
                let scalar = self.scalar_type()?;
                let values = self.numbers(scalar, count, components)?;
                self.push(well_known(keyword).unwrap_or(&name), components, values);
            }
            b"GLOBAL_IDS" | b"PEDIGREE_IDS" => {
                let scalar = self.scalar_type()?;
                let values = self.numbers(scalar, count, 1)?;
                self.push(&name, 1, values);
            }
            _ => return Err(self.unknown(keyword)),
        }
        Ok(())
    }

    fn unknown(&self, keyword: &[u8]) -> Error {
        self.malformed(format!(
            "`{}` is not a VTK keyword",
            crate::encoding::tokens::shown(keyword)
        ))
    }

    /// The optional component count after `SCALARS name type`, and whether `LOOKUP_TABLE` follows.
    fn scalars_header(&mut self) -> Result<(usize, bool), Error> {
        let mut ahead = self.tokens.clone();
        let mut components = 1;
        let mut word = ahead.word("LOOKUP_TABLE")?;
        if let Some(count) =
            crate::encoding::tokens::parse_integer(word).filter(|count| (1..=9).contains(count))
        {
            components = count as usize;
            self.tokens = ahead.clone();
            word = ahead.word("LOOKUP_TABLE")?;
        }
        let has_table = word.eq_ignore_ascii_case(b"LOOKUP_TABLE");
        if has_table {
            self.tokens = ahead;
        }
        Ok((components, has_table))
    }

    fn field(&mut self) -> Result<(), Error> {
        self.tokens.text("the name of a field")?;
        for _ in 0..self.count("arrays of a field")? {
            let mut name = self.tokens.text("the name of an array")?;
            // Since version 5.1, metadata may follow every array.
            while name.eq_ignore_ascii_case("METADATA") {
                self.skip_metadata();
                name = self.tokens.text("the name of an array")?;
            }
            let name = names::decoded(name);
            let components = self.count("components")?;
            let count = self.count("values")?;
            let scalar = self.scalar_type()?;
            let values = self.numbers(scalar, count, components)?;
            match self.owner {
                Owner::Dataset => self.table.facts.take_values(&name, &values),
                Owner::Points(points) if count == points => self.push(&name, components, values),
                _ => {}
            }
        }
        Ok(())
    }

    fn push(&mut self, name: &str, components: usize, values: Values) {
        if let Owner::Points(_) = self.owner {
            self.table.push(name, components, values);
        }
    }

    /// Indices in either of the two layouts: each list preceded by its length, or, since version 5.1,
    /// an array of starts and an array of indices.
    fn lists(&mut self) -> Result<Lists, Error> {
        let count = self.count("cells")?;
        let size = self.count("cell indices")?;
        let mut ahead = self.tokens.clone();
        if ahead.next_word().is_some_and(|word| word.eq_ignore_ascii_case(b"OFFSETS")) {
            self.tokens = ahead;
            return self.offset_lists(count, size);
        }
        let numbers = self.integers(ScalarType::I32, size)?;
        let mut lists = Lists { starts: vec![0], indices: Vec::with_capacity(size) };
        let mut rest = numbers.as_slice();
        for _ in 0..count {
            let list = rest
                .split_first()
                .and_then(|(&length, after)| after.split_at_checked(usize::try_from(length).ok()?));
            let Some((list, after)) = list else {
                return Err(self.malformed("the lists of indices do not add up"));
            };
            for &index in list {
                lists.indices.push(self.vertex(index)?);
            }
            lists.starts.push(lists.indices.len());
            rest = after;
        }
        Ok(lists)
    }

    fn offset_lists(&mut self, count: usize, size: usize) -> Result<Lists, Error> {
        let scalar = self.scalar_type()?;
        let offsets = self.integers(scalar, count)?;
        if !self.tokens.word("CONNECTIVITY")?.eq_ignore_ascii_case(b"CONNECTIVITY") {
            return Err(self.malformed("CONNECTIVITY must follow OFFSETS"));
        }
        let scalar = self.scalar_type()?;
        let indices = self.integers(scalar, size)?;
        let indices =
            indices.into_iter().map(|index| self.vertex(index)).collect::<Result<Vec<u32>, _>>()?;
        let starts: Option<Vec<usize>> =
            offsets.iter().map(|&offset| usize::try_from(offset).ok()).collect();
        match starts {
            Some(starts)
                if starts.is_sorted() && starts.last().is_none_or(|&end| end <= indices.len()) =>
            {
                Ok(Lists { starts, indices })
            }
            _ => Err(self.malformed("the OFFSETS of the cells do not ascend inside the indices")),
        }
    }

    fn vertex(&self, index: i64) -> Result<u32, Error> {
        let points = self.table.positions.len();
        u32::try_from(index).ok().filter(|&vertex| (vertex as usize) < points).ok_or_else(|| {
            self.malformed(format!(
                "a cell refers to point {index}, beyond the {points} in the file"
            ))
        })
    }

    /// A count; what it counts is checked against the file when it is read.
    fn count(&mut self, what: &str) -> Result<usize, Error> {
        let count = self.tokens.integer(&format!("the number of {what}"))?;
        usize::try_from(count)
            .map_err(|_| self.malformed(format!("{count} is not a number of {what}")))
    }

    fn scalar_type(&mut self) -> Result<ScalarType, Error> {
        let name = self.tokens.text("a type")?.to_ascii_lowercase();
        Ok(match name.as_str() {
            "float" | "vtktypefloat32" => ScalarType::F32,
            "double" | "vtktypefloat64" => ScalarType::F64,
            "char" | "signed_char" | "vtktypeint8" => ScalarType::I8,
            "unsigned_char" | "vtktypeuint8" => ScalarType::U8,
            "short" | "vtktypeint16" => ScalarType::I16,
            "unsigned_short" | "vtktypeuint16" => ScalarType::U16,
            "int" | "vtktypeint32" => ScalarType::I32,
            "unsigned_int" | "vtktypeuint32" => ScalarType::U32,
            "long" | "long_long" | "vtkidtype" | "vtktypeint64" => ScalarType::I64,
            "unsigned_long" | "unsigned_long_long" | "vtktypeuint64" => ScalarType::U64,
            _ => {
                let message = format!("arrays of type `{}` are not read", name.escape_debug());
                return Err(Error::unsupported(self.path, message));
            }
        })
    }

    fn integers(&mut self, scalar: ScalarType, count: usize) -> Result<Vec<i64>, Error> {
        match self.numbers(scalar, count, 1)? {
            Values::I64(values) => Ok(values),
            Values::I32(values) => Ok(values.into_iter().map(i64::from).collect()),
            Values::F32(_) => Err(self.malformed("indices must be integers")),
        }
    }

    /// Colours are bytes in a binary file and reals from 0 to 1 in a text file.
    fn colors(&mut self, count: usize, components: usize) -> Result<Values, Error> {
        if !self.binary {
            return self.numbers(ScalarType::F32, count, components);
        }
        let bytes = self.numbers(ScalarType::U8, count, components)?.into_floats();
        Ok(Values::F32(bytes.into_iter().map(|byte| byte / 255.0).collect()))
    }

    /// The numbers of an array, which in a binary file begin after the end of the line.
    fn numbers(
        &mut self,
        scalar: ScalarType,
        count: usize,
        components: usize,
    ) -> Result<Values, Error> {
        let numbers = (count as u64).saturating_mul(components as u64);
        let check = |item_bytes, offset, left| {
            Error::check_count(self.path, offset, "numbers", numbers, item_bytes, left)
        };
        if !self.binary {
            let total = check(2, self.tokens.place(), self.tokens.left() + 1)?;
            return self.tokens.numbers(scalar, total, "a number");
        }
        let rest = &self.bytes[self.tokens.offset()..];
        let line_end =
            rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
        let start = self.tokens.offset() + line_end;
        let data = &self.bytes[start..];
        let total = check(scalar.size(), Place::Offset(start as u64), data.len())?;
        self.tokens = Tokens::at(self.bytes, start + total * scalar.size(), self.path);
        decode(scalar, Endian::Big, data, Layout::packed(scalar, 1, total))
            .map_err(|message| self.malformed(format!("an array {message}")))
    }

    /// Metadata end with an empty line.
    fn skip_metadata(&mut self) {
        let rest = &self.bytes[self.tokens.offset()..];
        let mut length = 0;
        for (index, line) in rest.split_inclusive(|&byte| byte == b'\n').enumerate() {
            length += line.len();
            if index > 0 && line.trim_ascii().is_empty() {
                break;
            }
        }
        self.tokens = Tokens::at(self.bytes, self.tokens.offset() + length, self.path);
    }

    fn finish(self) -> Result<Content, Error> {
        let mut triangles = Vec::new();
        for polygon in self.polygons.iter() {
            crate::attributes::point_table::push_fan(&mut triangles, polygon);
        }
        for strip in self.strips.iter() {
            push_strip(&mut triangles, strip);
        }
        let mut cells = self.cells.iter().zip(&self.cell_types);
        let pushed: Result<(), String> =
            cells.try_for_each(|(cell, &kind)| push_cell(&mut triangles, kind, cell));
        Ok(Content { table: self.table, triangles: pushed.map(|()| triangles) })
    }
}

fn well_known(keyword: &[u8]) -> Option<&'static str> {
    match keyword {
        b"NORMALS" => Some("normal"),
        b"TEXTURE_COORDINATES" => Some("uv"),
        _ => None,
    }
}

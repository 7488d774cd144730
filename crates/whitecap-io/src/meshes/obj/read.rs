//! Reading OBJ: the lines are counted block by block, so that every block knows which vertex and
//! which line it begins with; then the blocks are parsed independently.

use std::borrow::Cow;
use std::path::Path;

use rayon::prelude::*;
use whitecap_core::glam::{Vec2, Vec3};
use whitecap_core::{Column, TriMesh};

use crate::attributes::point_table::PointTable;
use crate::encoding::tokens::{parse_integer, parse_real, shown};
use crate::{Error, Noted, Place};

/// Bytes in a block, up to the end of its last line.
const BLOCK_BYTES: usize = 1 << 20;
const NONE: u32 = u32::MAX;

/// How many lines and items precede a position in the file.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    lines: u64,
    positions: usize,
    uvs: usize,
    normals: usize,
}

/// What one block holds.
#[derive(Default)]
struct Block {
    positions: Vec<Vec3>,
    colors: Vec<Vec3>,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    /// The corners of each triangle.
    triangles: Vec<[Corner; 3]>,
}

/// Indices of a corner's values, [`NONE`] where it has none.
#[derive(Clone, Copy, Debug)]
struct Corner {
    position: u32,
    uv: u32,
    normal: u32,
}

/// Reads an OBJ file.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Noted<TriMesh>, Error> {
    let joined = joined_lines(bytes);
    let blocks = split_lines(&joined);
    let counts: Vec<Counts> = blocks.par_iter().map(|block| count(block)).collect();
    let mut total = Counts::default();
    let mut starts = Vec::with_capacity(blocks.len());
    for count in counts {
        starts.push(total);
        total.lines += count.lines;
        total.positions += count.positions;
        total.uvs += count.uvs;
        total.normals += count.normals;
    }
    if total.positions.max(total.uvs).max(total.normals) >= NONE as usize {
        return Err(Error::unsupported(path, "meshes of 2^32 vertices or more are not read"));
    }
    let parsed: Vec<Result<Block, Error>> = blocks
        .par_iter()
        .zip(starts)
        .map(|(block, start)| BlockParser::new(start, total, path).parse(block))
        .collect();
    let mut all = Block::default();
    // In the order of the file, so the error reported is the first one.
    for block in parsed {
        let block = block?;
        all.positions.extend(block.positions);
        all.colors.extend(block.colors);
        all.uvs.extend(block.uvs);
        all.normals.extend(block.normals);
        all.triangles.extend(block.triangles);
    }
    into_mesh(all, path)
}

/// The text with every line that ends in a backslash joined to the next one. The empty lines that this
/// saves come after it, so that later lines keep their numbers.
fn joined_lines(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_comment = |line: &[u8]| line.trim_ascii_start().starts_with(b"#");
    let is_continued = |line: &[u8]| line.trim_ascii_end().ends_with(b"\\") && !is_comment(line);
    if !bytes.contains(&b'\\') {
        return Cow::Borrowed(bytes);
    }
    let mut joined = Vec::with_capacity(bytes.len());
    let mut saved = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if is_continued(line) {
            let text = line.trim_ascii_end();
            joined.extend_from_slice(&text[..text.len() - 1]);
            joined.push(b' ');
            saved += 1;
        } else {
            joined.extend_from_slice(line);
            joined.extend(std::iter::repeat_n(b'\n', std::mem::take(&mut saved)));
        }
    }
    Cow::Owned(joined)
}

fn split_lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut blocks = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let after = BLOCK_BYTES.min(rest.len());
        let line_end = rest[after..].iter().position(|&byte| byte == b'\n');
        let (block, remaining) = rest.split_at(line_end.map_or(rest.len(), |end| after + end + 1));
        blocks.push(block);
        rest = remaining;
    }
    blocks
}

fn lines(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    block.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::trim_ascii)
}

fn count(block: &[u8]) -> Counts {
    let mut counts = Counts::default();
    for line in lines(block) {
        counts.lines += 1;
        match keyword(line).0 {
            b"v" => counts.positions += 1,
            b"vt" => counts.uvs += 1,
            b"vn" => counts.normals += 1,
            _ => {}
        }
    }
    counts
}

fn keyword(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    line.split_at(end)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

struct BlockParser<'a> {
    path: &'a Path,
    /// What precedes the block, and what the whole file holds.
    start: Counts,
    total: Counts,
    block: Block,
    line: u64,
    polygon: Vec<Corner>,
}

impl<'a> BlockParser<'a> {
    fn new(start: Counts, total: Counts, path: &'a Path) -> Self {
        Self { path, start, total, block: Block::default(), line: start.lines, polygon: Vec::new() }
    }

    fn parse(mut self, block: &[u8]) -> Result<Block, Error> {
        for line in lines(block) {
            self.line += 1;
            match keyword(line) {
                (b"v", rest) => self.position(rest)?,
                (b"vt", rest) => {
                    let [u, v] = self.reals(rest)?;
                    self.block.uvs.push(Vec2::new(u, v));
                }
                (b"vn", rest) => {
                    let normal = self.reals(rest)?;
                    self.block.normals.push(Vec3::from_array(normal));
                }
                (b"f", rest) => self.face(rest)?,
                _ => {}
            }
        }
        Ok(self.block)
    }

    fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, Place::Line(self.line), message)
    }

    /// The first `N` numbers of a line; a texture coordinate may lack its second.
    fn reals<const N: usize>(&self, text: &[u8]) -> Result<[f32; N], Error> {
        let mut numbers = [0.0; N];
        let mut words = words(text);
        for (index, number) in numbers.iter_mut().enumerate() {
            match words.next() {
                Some(word) => {
                    *number = parse_real(word).ok_or_else(|| {
                        self.malformed(format!("`{}` is not a number", shown(word)))
                    })?;
                }
                None if N == 2 && index == 1 => {}
                None => return Err(self.malformed(format!("this line must have {N} numbers"))),
            }
        }
        Ok(numbers)
    }

    fn position(&mut self, text: &[u8]) -> Result<(), Error> {
        let position = self.reals(text)?;
        self.block.positions.push(Vec3::from_array(position));
        if words(text).nth(5).is_some() {
            let [_, _, _, r, g, b] = self.reals(text)?;
            self.block.colors.push(Vec3::new(r, g, b));
        }
        Ok(())
    }

    fn face(&mut self, text: &[u8]) -> Result<(), Error> {
        let mut polygon = std::mem::take(&mut self.polygon);
        polygon.clear();
        for word in words(text) {
            polygon.push(self.corner(word)?);
        }
        if polygon.len() < 3 {
            return Err(self.malformed("a face must have three corners or more"));
        }
        for pair in polygon[1..].windows(2) {
            self.block.triangles.push([polygon[0], pair[0], pair[1]]);
        }
        self.polygon = polygon;
        Ok(())
    }

    fn corner(&self, word: &[u8]) -> Result<Corner, Error> {
        let mut parts = word.split(|&byte| byte == b'/');
        let positions = self.start.positions + self.block.positions.len();
        let uvs = self.start.uvs + self.block.uvs.len();
        let normals = self.start.normals + self.block.normals.len();
        let mut index = |before, total| match parts.next() {
            None | Some(b"") => Ok(NONE),
            Some(part) => self.index(part, before, total),
        };
        let corner = Corner {
            position: index(positions, self.total.positions)?,
            uv: index(uvs, self.total.uvs)?,
            normal: index(normals, self.total.normals)?,
        };
        match corner.position == NONE || parts.next().is_some() {
            false => Ok(corner),
            true => Err(self.malformed(format!("`{}` is not a corner of a face", shown(word)))),
        }
    }

    /// A zero-based index into `total` items, from one that counts from 1, or backwards from the items
    /// `before` this line.
    fn index(&self, word: &[u8], before: usize, total: usize) -> Result<u32, Error> {
        let index = parse_integer(word)
            .ok_or_else(|| self.malformed(format!("`{}` is not an index", shown(word))))?;
        let place = match index {
            1.. => index - 1,
            0 => return Err(self.malformed("indices count from 1, but this one is 0")),
            _ => index.saturating_add(before as i64),
        };
        u32::try_from(place).ok().filter(|&place| (place as usize) < total).ok_or_else(|| {
            self.malformed(format!("index {index} is outside the {total} items of the file"))
        })
    }
}

fn into_mesh(all: Block, path: &Path) -> Result<Noted<TriMesh>, Error> {
    let corners = || all.triangles.iter().flatten();
    let count = all.positions.len();
    let uvs = one_per_vertex(count, &all.uvs, corners().map(|c| (c.position, c.uv)));
    let normals = one_per_vertex(count, &all.normals, corners().map(|c| (c.position, c.normal)));
    let triangles = all.triangles.iter().map(|corners| corners.map(|c| c.position)).collect();

    let mut notes = Vec::new();
    let mut kept = |what: &str, lost: Lost| {
        match lost {
        Lost::Nothing => {}
        Lost::Differ => notes.push(format!(
            "the {what} differ from face to face at some vertices, where a mesh here has one value; they are left out"
        )),
        Lost::Missing => {
            notes.push(format!("the {what} are missing at some vertices; they are left out"));
        }
    }
    };
    let mut table = PointTable::new(all.positions);
    match normals {
        Ok(normals) => table.push_column("normal", Column::Vec3(normals)),
        Err(lost) => kept("normals", lost),
    }
    match uvs {
        Ok(uvs) => table.push_column("uv", Column::Vec2(uvs)),
        Err(lost) => kept("texture coordinates", lost),
    }
    match all.colors.len() {
        0 => {}
        colors if colors == count => table.push_column("color", Column::Vec3(all.colors)),
        _ => kept("colours", Lost::Missing),
    }
    Ok(Noted { data: table.into_mesh(triangles, path)?, notes })
}

/// Why vertices have no values.
enum Lost {
    /// The file has none.
    Nothing,
    /// A vertex has several.
    Differ,
    /// A vertex or a corner has none.
    Missing,
}

/// The value of every vertex, if each has exactly one.
fn one_per_vertex<T: Copy + PartialEq>(
    vertex_count: usize,
    values: &[T],
    pairs: impl Iterator<Item = (u32, u32)>,
) -> Result<Vec<T>, Lost> {
    if values.is_empty() {
        return Err(Lost::Nothing);
    }
    // With one value per vertex in the vertices' order, a vertex without a face has one as well.
    let mut place_of = vec![NONE; vertex_count];
    let mut in_order = values.len() == vertex_count;
    for (vertex, place) in pairs {
        let slot = &mut place_of[vertex as usize];
        match (*slot, place) {
            (_, NONE) => return Err(Lost::Missing),
            (NONE, _) => *slot = place,
            (known, _) if known == place => {}
            (known, _) if values[known as usize] == values[place as usize] => {}
            _ => return Err(Lost::Differ),
        }
        in_order &= vertex == place;
    }
    if in_order {
        return Ok(values.to_vec());
    }
    let found = place_of.iter().map(|&place| values.get(place as usize).copied());
    found.collect::<Option<_>>().ok_or(Lost::Missing)
}

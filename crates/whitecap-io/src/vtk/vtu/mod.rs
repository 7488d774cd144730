//! VTK's XML format for unstructured grids, `.vtu`, for particles and for meshes.
//!
//! # Guarantees
//! * Arrays in text, inline base64 and appended (raw or base64), plain or zlib-compressed, of both
//!   byte orders, are read. Several pieces are joined.
//! * What an array claims to hold is checked against the file before anything is allocated.
//!
//! # Non-guarantees
//! Cell data are skipped, and so are field data other than [facts](whitecap_core::Facts) about particles, in
//! which texts are arrays of bytes. LZ4 and LZMA compression and volumetric cells (in a
//! mesh) are not read.

mod data;
mod document;
mod write;

use std::path::Path;

use whitecap_core::{Particles, TriMesh};

use crate::attributes::point_table::PointTable;
use crate::encoding::scalar::Values;
use crate::vtk::vtk_cells::{Content, push_cell};
use crate::{Error, Kind, Noted, Place};
use document::{Document, Piece};
pub use write::{Encoding, mesh_to_bytes, particles_to_bytes};

/// The points of a `.vtu` file as particles.
pub fn parse_particles(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    parse(bytes, path)?.table.into_noted_particles(path)
}

/// A `.vtu` file as a mesh. A file with points and no polygons is an error; an empty one is not.
pub fn parse_mesh(bytes: &[u8], path: &Path) -> Result<TriMesh, Error> {
    parse(bytes, path)?.into_mesh(path)
}

/// Whether the file has polygons.
pub(crate) fn kind(bytes: &[u8], path: &Path) -> Result<Kind, Error> {
    parse(bytes, path).map(|content| content.kind())
}

fn parse(bytes: &[u8], path: &Path) -> Result<Content, Error> {
    let document = Document::parse(bytes, path)?;
    let mut content = Content { table: PointTable::default(), triangles: Ok(Vec::new()) };
    for piece in &document.pieces {
        let first = content.table.positions.len() as u64;
        content.table.append(parse_points(&document, piece, path)?);
        let points = content.table.positions.len();
        if let Ok(triangles) = &mut content.triangles {
            let added = parse_cells(&document, piece, first, points, triangles, path)?;
            if let Err(message) = added {
                content.triangles = Err(message);
            }
        }
    }
    for array in &document.facts {
        let known = array.as_ref().map(|array| (array, document.values(array, path)));
        match known {
            Some((array, Ok(values))) => content.table.facts.take_values(&array.name, &values),
            _ => content.table.facts.unreadable(),
        }
    }
    Ok(content)
}

fn parse_points(document: &Document, piece: &Piece, path: &Path) -> Result<PointTable, Error> {
    let Some(points) = &piece.points else {
        return Err(Error::malformed(path, Place::File, "a piece has no array of points"));
    };
    let values = document.values(points, path)?;
    let mut table = PointTable::new(match points.components {
        3 => values.into_vectors(3),
        _ => return Err(Error::malformed(path, Place::File, "points must have 3 components")),
    });
    for array in &piece.point_data {
        let values = document.values(array, path)?;
        let expected = table.positions.len().checked_mul(array.components);
        if expected != Some(values.len()) {
            let message = format!(
                "array `{}` has {} numbers instead of {} for each of {} points",
                array.name,
                values.len(),
                array.components,
                table.positions.len()
            );
            return Err(Error::malformed(path, Place::File, message));
        }
        table.push(&array.name, array.components, values);
    }
    Ok(table)
}

/// Appends a piece's triangles, whose vertices count from `first`. The inner error says why a cell
/// cannot be made into triangles.
fn parse_cells(
    document: &Document,
    piece: &Piece,
    first: u64,
    points: usize,
    triangles: &mut Vec<[u32; 3]>,
    path: &Path,
) -> Result<Result<(), String>, Error> {
    let malformed = |message: &str| Error::malformed(path, Place::File, message);
    let integers = |name: &str| match piece.cells.iter().find(|array| array.name == name) {
        None => Ok(Vec::new()),
        Some(array) => match document.values(array, path)? {
            Values::I64(values) => Ok(values),
            Values::I32(values) => Ok(values.into_iter().map(i64::from).collect()),
            Values::F32(_) => Err(malformed("cells must be integers")),
        },
    };
    let (connectivity, ends, kinds) =
        (integers("connectivity")?, integers("offsets")?, integers("types")?);
    if ends.len() != kinds.len() {
        return Err(malformed("there must be as many cell `types` as `offsets`"));
    }
    let vertices: Option<Vec<u32>> = connectivity
        .iter()
        .map(|&vertex| {
            let vertex = u64::try_from(vertex).ok()?.checked_add(first)?;
            u32::try_from(vertex).ok().filter(|&vertex| (vertex as usize) < points)
        })
        .collect();
    let vertices =
        vertices.ok_or_else(|| malformed("a cell refers to a point that does not exist"))?;
    let mut start = 0;
    for (&end, &kind) in ends.iter().zip(&kinds) {
        let cell = usize::try_from(end).ok().and_then(|end| vertices.get(start..end));
        let cell = cell.ok_or_else(|| malformed("the cell `offsets` do not ascend"))?;
        if let Err(message) = push_cell(triangles, u8::try_from(kind).unwrap_or(0), cell) {
            return Ok(Err(message));
        }
        start += cell.len();
    }
    Ok(Ok(()))
}

//! The cells of VTK files: which of them are triangles or can be cut into them.

use std::path::Path;

use whitecap_core::TriMesh;

use crate::attributes::point_table::{PointTable, push_fan};
use crate::{Error, Kind, Place};

/// What a VTK file holds.
pub(crate) struct Content {
    pub table: PointTable,
    /// The triangles, or why its cells cannot be made into triangles.
    pub triangles: Result<Vec<[u32; 3]>, String>,
}

impl Content {
    /// A file with points and no polygons is an error; an empty one is not.
    pub fn into_mesh(self, path: &Path) -> Result<TriMesh, Error> {
        let triangles = self.triangles.map_err(|message| Error::unsupported(path, message))?;
        if triangles.is_empty() && !self.table.positions.is_empty() {
            let message = "the file has points but no polygons: it holds particles, not a mesh";
            return Err(Error::malformed(path, Place::File, message));
        }
        self.table.into_mesh(triangles, path)
    }

    /// Whether the file has polygons.
    pub fn kind(&self) -> Kind {
        match &self.triangles {
            Ok(triangles) if !triangles.is_empty() => Kind::Mesh,
            _ => Kind::Particles,
        }
    }
}

/// VTK's numbers for the kinds of cells met here.
pub(crate) mod cell_type {
    pub const VERTEX: u8 = 1;
    pub const TRIANGLE: u8 = 5;
}

/// Appends the triangles of one cell; points and lines have none. Fails with a sentence for
/// volumetric and curved cells.
pub(crate) fn push_cell(
    triangles: &mut Vec<[u32; 3]>,
    kind: u8,
    corners: &[u32],
) -> Result<(), String> {
    match (kind, corners) {
        // Vertex, poly-vertex, line, poly-line.
        (1..=4, _) => {}
        // Triangle, polygon, quadrilateral.
        (5 | 7 | 9, _) => push_fan(triangles, corners),
        (6, _) => push_strip(triangles, corners),
        // A pixel's corners run in rows, not around it.
        (8, &[a, b, c, d]) => push_fan(triangles, &[a, b, d, c]),
        _ => {
            return Err(format!(
                "cells of VTK type {kind} with {} corners are not read, only triangles, strips, quadrilaterals and polygons",
                corners.len()
            ));
        }
    }
    Ok(())
}

/// Appends the triangles of a strip, every second one flipped.
pub(crate) fn push_strip(triangles: &mut Vec<[u32; 3]>, strip: &[u32]) {
    for (place, corners) in strip.windows(3).enumerate() {
        triangles.push(match place % 2 {
            0 => [corners[0], corners[1], corners[2]],
            _ => [corners[1], corners[0], corners[2]],
        });
    }
}

//! Wavefront OBJ meshes.
//!
//! # Guarantees
//! * Polygons become fans of triangles; indices may be negative and have slashes.
//! * Texture coordinates and normals become the vertex attributes `uv` and `normal` if every vertex
//!   has a single value of them; vertex colours (`v x y z r g b`) become `color` if all have one.
//! * Large files are read in parallel; the result does not depend on the number of threads.
//! * An error names its line.
//!
//! # Non-guarantees
//! Materials, groups, lines, points, curves and surfaces are skipped. A seam in the texture
//! coordinates means that `uv` is left out, and a note says so. Only the attributes `normal` and `uv` are written.

mod read;

use std::fmt::Write as _;

use rayon::prelude::*;
use whitecap_core::{Column, TriMesh};

pub use read::parse;

const ITEMS_AT_ONCE: usize = 16 * 1024;

/// An OBJ file that holds `mesh`.
pub fn to_bytes(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = b"# Whitecap\n".to_vec();
    // The debug form of a float is the shortest that reads back exactly. Writing to a String
    // cannot fail.
    append(&mut bytes, mesh.positions(), |text, p| {
        let _ = writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z);
    });
    let uv = match mesh.attribute("uv") {
        Some(Column::Vec2(values)) => Some(values),
        _ => None,
    };
    let normal = match mesh.attribute("normal") {
        Some(Column::Vec3(values)) => Some(values),
        _ => None,
    };
    append(&mut bytes, uv.map_or(&[], Vec::as_slice), |text, uv| {
        let _ = writeln!(text, "vt {:?} {:?}", uv.x, uv.y);
    });
    append(&mut bytes, normal.map_or(&[], Vec::as_slice), |text, n| {
        let _ = writeln!(text, "vn {:?} {:?} {:?}", n.x, n.y, n.z);
    });
    append(&mut bytes, mesh.triangles(), |text, triangle| {
        text.push('f');
        for vertex in triangle.map(|vertex| u64::from(vertex) + 1) {
            let _ = match (uv.is_some(), normal.is_some()) {
                (false, false) => write!(text, " {vertex}"),
                (true, false) => write!(text, " {vertex}/{vertex}"),
                (false, true) => write!(text, " {vertex}//{vertex}"),
                (true, true) => write!(text, " {vertex}/{vertex}/{vertex}"),
            };
        }
        text.push('\n');
    });
    bytes
}

fn append<T: Sync>(bytes: &mut Vec<u8>, items: &[T], write: impl Fn(&mut String, &T) + Sync) {
    let blocks: Vec<String> = items
        .par_chunks(ITEMS_AT_ONCE)
        .map(|items| {
            let mut text = String::with_capacity(items.len() * 32);
            items.iter().for_each(|item| write(&mut text, item));
            text
        })
        .collect();
    blocks.iter().for_each(|block| bytes.extend_from_slice(block.as_bytes()));
}

//! Little-endian binary PLY.

use std::fmt::Write as _;
use std::path::Path;

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::{Attributes, FactValue, Facts, Particles, TriMesh};

use crate::encoding::row_writer::{RowColumn, append_rows};
use crate::{Error, attributes::component_names, encoding::narrow};

const FACE_BYTES: usize = 13;
const FACES_AT_ONCE: usize = 16 * 1024;

/// A PLY file that holds `particles`. `path` is for messages.
pub fn particles_to_bytes(particles: &Particles, path: &Path) -> Result<Vec<u8>, Error> {
    to_bytes(particles.positions(), particles.attributes(), particles.facts(), None, path)
}

/// A PLY file that holds `mesh`. `path` is for messages.
pub fn mesh_to_bytes(mesh: &TriMesh, path: &Path) -> Result<Vec<u8>, Error> {
    let facts = Facts::default();
    to_bytes(mesh.positions(), mesh.attributes(), &facts, Some(mesh.triangles()), path)
}

fn to_bytes(
    positions: &[Vec3],
    attributes: &Attributes,
    facts: &Facts,
    triangles: Option<&[[u32; 3]]>,
    path: &Path,
) -> Result<Vec<u8>, Error> {
    if triangles.is_some() && positions.len() > i32::MAX as usize {
        return Err(Error::unwritable(path, "PLY meshes have at most 2^31 - 1 vertices"));
    }
    let mut header = String::from("ply\nformat binary_little_endian 1.0\ncomment Whitecap\n");
    push_facts(&mut header, facts);
    let _ = writeln!(header, "element vertex {}", positions.len());
    header.push_str("property float x\nproperty float y\nproperty float z\n");
    let mut columns = vec![RowColumn::Reals3(positions)];
    for (name, column) in attributes.iter() {
        let scalar = if column.is_integer() { "int" } else { "float" };
        for part in component_names::split(name, column) {
            let _ = writeln!(header, "property {scalar} {part}");
        }
        columns.push(match RowColumn::of_reals(column) {
            Some(reals) => reals,
            None => RowColumn::I32(narrow::integers(name, column, "PLY", path)?),
        });
    }
    if let Some(triangles) = triangles {
        let _ = writeln!(header, "element face {}", triangles.len());
        header.push_str("property list uchar int vertex_indices\n");
    }
    header.push_str("end_header\n");

    let mut bytes = header.into_bytes();
    append_rows(&mut bytes, positions.len(), &columns);
    if let Some(triangles) = triangles {
        append_faces(&mut bytes, triangles);
    }
    Ok(bytes)
}

/// A line for each fact, and for each line of a text.
fn push_facts(header: &mut String, facts: &Facts) {
    for (name, value) in facts.to_named() {
        match value {
            FactValue::Number(number) => {
                // The debug form of a float is the shortest that reads back exactly.
                let _ = writeln!(header, "obj_info {name} {number:?}");
            }
            FactValue::Text(text) => text.lines().for_each(|line| {
                let _ = writeln!(header, "obj_info {name} {line}");
            }),
        }
    }
}

fn append_faces(bytes: &mut Vec<u8>, triangles: &[[u32; 3]]) {
    let start = bytes.len();
    bytes.resize(start + triangles.len() * FACE_BYTES, 0);
    bytes[start..]
        .par_chunks_mut(FACES_AT_ONCE * FACE_BYTES)
        .zip(triangles.par_chunks(FACES_AT_ONCE))
        .for_each(|(rows, triangles)| {
            for (row, triangle) in rows.as_chunks_mut::<FACE_BYTES>().0.iter_mut().zip(triangles) {
                row[0] = 3;
                row[1..].copy_from_slice(triangle.map(u32::to_le_bytes).as_flattened());
            }
        });
}

//! Binary legacy VTK, big-endian.

use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Attributes, Column, FactValue, Facts, Particles, TriMesh};

use super::names;
use crate::Error;
use crate::vtk::vtk_cells::cell_type;

/// A `.vtk` file that holds `particles`. `path` is for messages.
pub fn particles_to_bytes(particles: &Particles, path: &Path) -> Result<Vec<u8>, Error> {
    let count = particles.len();
    check_size(2 * count, path)?;
    let mut bytes = header("particles", "UNSTRUCTURED_GRID");
    push_facts(&mut bytes, particles.facts());
    push_points(&mut bytes, particles.positions());
    push_line(&mut bytes, &format!("CELLS {count} {}", 2 * count));
    for particle in 0..count as u32 {
        bytes.extend(1_u32.to_be_bytes());
        bytes.extend(particle.to_be_bytes());
    }
    push_line(&mut bytes, &format!("\nCELL_TYPES {count}"));
    bytes.extend(std::iter::repeat_n(u32::from(cell_type::VERTEX).to_be_bytes(), count).flatten());
    bytes.push(b'\n');
    push_attributes(&mut bytes, particles.attributes(), count);
    Ok(bytes)
}

/// A `.vtk` file that holds `mesh`. `path` is for messages.
pub fn mesh_to_bytes(mesh: &TriMesh, path: &Path) -> Result<Vec<u8>, Error> {
    let count = mesh.triangles().len();
    check_size(4 * count, path)?;
    let mut bytes = header("mesh", "POLYDATA");
    push_points(&mut bytes, mesh.positions());
    push_line(&mut bytes, &format!("POLYGONS {count} {}", 4 * count));
    bytes.reserve(16 * count);
    for &[a, b, c] in mesh.triangles() {
        bytes.extend_from_slice([3, a, b, c].map(u32::to_be_bytes).as_flattened());
    }
    bytes.push(b'\n');
    push_attributes(&mut bytes, mesh.attributes(), mesh.positions().len());
    Ok(bytes)
}

fn check_size(indices: usize, path: &Path) -> Result<(), Error> {
    match indices <= i32::MAX as usize {
        true => Ok(()),
        false => Err(Error::unwritable(
            path,
            "the cells need more than 2^31 - 1 indices, the most that .vtk holds; write .vtu",
        )),
    }
}

fn header(title: &str, dataset: &str) -> Vec<u8> {
    format!("# vtk DataFile Version 3.0\nWhitecap {title}\nBINARY\nDATASET {dataset}\n")
        .into_bytes()
}

fn push_line(bytes: &mut Vec<u8>, line: &str) {
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
}

/// Field data of the whole; a text is an array of its bytes.
fn push_facts(bytes: &mut Vec<u8>, facts: &Facts) {
    let facts = facts.to_named();
    if facts.is_empty() {
        return;
    }
    push_line(bytes, &format!("FIELD FieldData {}", facts.len()));
    for (name, value) in &facts {
        match value {
            FactValue::Number(number) => {
                push_line(bytes, &format!("{name} 1 1 float"));
                bytes.extend(number.to_be_bytes());
            }
            FactValue::Text(text) => {
                push_line(bytes, &format!("{name} 1 {} unsigned_char", text.len()));
                bytes.extend(text.as_bytes());
            }
        }
        bytes.push(b'\n');
    }
}

fn push_points(bytes: &mut Vec<u8>, positions: &[Vec3]) {
    push_line(bytes, &format!("POINTS {} float", positions.len()));
    push_vectors(bytes, positions.iter().map(|p| p.to_array()));
    bytes.push(b'\n');
}

fn push_vectors<const N: usize>(
    bytes: &mut Vec<u8>,
    rows: impl ExactSizeIterator<Item = [f32; N]>,
) {
    bytes.reserve(4 * N * rows.len());
    rows.for_each(|row| bytes.extend_from_slice(row.map(f32::to_be_bytes).as_flattened()));
}

fn push_attributes(bytes: &mut Vec<u8>, attributes: &Attributes, count: usize) {
    push_line(bytes, &format!("POINT_DATA {count}"));
    push_line(bytes, &format!("FIELD FieldData {}", attributes.len()));
    for (name, column) in attributes.iter() {
        let kind = match column {
            Column::I32(_) => "int",
            Column::I64(_) => "vtktypeint64",
            _ => "float",
        };
        let components = column.components();
        push_line(bytes, &format!("{} {components} {count} {kind}", names::encoded(name)));
        match column {
            Column::F32(values) => push_vectors(bytes, values.iter().map(|&v| [v])),
            Column::Vec2(values) => push_vectors(bytes, values.iter().map(|v| v.to_array())),
            Column::Vec3(values) => push_vectors(bytes, values.iter().map(|v| v.to_array())),
            Column::Vec4(values) => push_vectors(bytes, values.iter().map(|v| v.to_array())),
            Column::I32(values) => bytes.extend(values.iter().flat_map(|v| v.to_be_bytes())),
            Column::I64(values) => bytes.extend(values.iter().flat_map(|v| v.to_be_bytes())),
        }
        bytes.push(b'\n');
    }
}

//! STL, the triangle soup of 3D printing: binary and text are read, binary is written.
//!
//! # Guarantees
//! Corners at exactly the same position become one vertex, numbered in the order of the file.
//!
//! # Non-guarantees
//! Facet normals, colours and vertex attributes are not read; only triangles are written, with the
//! normals their corners give.

use std::path::Path;

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::{CoordinateIndex, TriMesh};

use crate::attributes::point_table::PointTable;
use crate::encoding::scalar::Endian;
use crate::encoding::tokens::Tokens;
use crate::{Error, encoding::byte_reader::ByteReader};

const HEADER_BYTES: usize = 80;
const FACET_BYTES: usize = 50;
const FACETS_AT_ONCE: usize = 8192;

/// Reads an STL file, binary or text.
pub fn parse(bytes: &[u8], path: &Path) -> Result<TriMesh, Error> {
    // Binary files may begin with `solid` too, but then their length gives them away.
    let corners = match bytes.trim_ascii_start().starts_with(b"solid") && !has_binary_length(bytes)
    {
        true => parse_text(bytes, path)?,
        false => parse_binary(bytes, path)?,
    };
    weld(&corners, path)
}

fn has_binary_length(bytes: &[u8]) -> bool {
    let count = bytes[HEADER_BYTES.min(bytes.len())..].first_chunk::<4>();
    count.is_some_and(|&count| {
        let facets = u64::from(u32::from_le_bytes(count)) * FACET_BYTES as u64;
        bytes.len() as u64 == HEADER_BYTES as u64 + 4 + facets
    })
}

fn parse_binary(bytes: &[u8], path: &Path) -> Result<Vec<Vec3>, Error> {
    let mut reader = ByteReader::new(bytes, path, Endian::Little);
    reader.take(HEADER_BYTES, "the header")?;
    let count = reader.u32("the number of facets")?;
    let count = reader.check_count(u64::from(count), FACET_BYTES, "facets")?;
    let facets = reader.take(count * FACET_BYTES, "the facets")?;
    let corner = |facet: &[u8; FACET_BYTES], corner: usize| {
        let number = |axis: usize| {
            let start = 12 + 12 * corner + 4 * axis;
            f32::from_le_bytes([facet[start], facet[start + 1], facet[start + 2], facet[start + 3]])
        };
        Vec3::new(number(0), number(1), number(2))
    };
    let facets = facets.as_chunks::<FACET_BYTES>().0.iter();
    Ok(facets.flat_map(|facet| [0, 1, 2].map(|c| corner(facet, c))).collect())
}

fn parse_text(bytes: &[u8], path: &Path) -> Result<Vec<Vec3>, Error> {
    let mut tokens = Tokens::new(bytes, path);
    let mut corners = Vec::new();
    while let Some(word) = tokens.next_word() {
        match word {
            b"vertex" => {
                let mut number = || tokens.real("a coordinate");
                corners.push(Vec3::new(number()?, number()?, number()?));
            }
            b"endfacet" if corners.len() % 3 != 0 => {
                return Err(tokens.malformed("a facet must have three vertices"));
            }
            _ => {}
        }
    }
    match corners.len() % 3 {
        0 => Ok(corners),
        _ => {
            Err(tokens
                .malformed("the last facet has fewer than three vertices; the file is cut short"))
        }
    }
}

fn weld(corners: &[Vec3], path: &Path) -> Result<TriMesh, Error> {
    if corners.len() >= u32::MAX as usize {
        return Err(Error::unsupported(path, "meshes of more than 2^32 corners are not read"));
    }
    // Adding zero turns −0 into 0: both are the same position.
    let bits = |p: &Vec3| IVec3::from_array((*p + 0.0).to_array().map(|x| x.to_bits() as i32));
    let keys: Vec<IVec3> = corners.par_iter().map(bits).collect();
    let index = CoordinateIndex::build(&keys);
    let first_places: Vec<u32> =
        keys.par_iter().map(|&key| index.get(key).unwrap_or_default() as u32).collect();
    let mut vertex_of_corner = vec![0u32; corners.len()];
    let mut positions = Vec::new();
    for (corner, &first) in first_places.iter().enumerate() {
        if corner == first as usize {
            vertex_of_corner[corner] = positions.len() as u32;
            positions.push(corners[corner]);
        } else {
            vertex_of_corner[corner] = vertex_of_corner[first as usize];
        }
    }
    PointTable::new(positions).into_mesh(vertex_of_corner.as_chunks().0.to_vec(), path)
}

/// A binary STL file that holds `mesh`. `path` is for messages.
pub fn to_bytes(mesh: &TriMesh, path: &Path) -> Result<Vec<u8>, Error> {
    let count = u32::try_from(mesh.triangles().len())
        .map_err(|_| Error::unwritable(path, "STL holds at most 2^32 - 1 triangles"))?;
    let mut bytes = vec![b' '; HEADER_BYTES];
    bytes[..8].copy_from_slice(b"Whitecap");
    bytes.extend(count.to_le_bytes());
    let start = bytes.len();
    bytes.resize(start + mesh.triangles().len() * FACET_BYTES, 0);
    bytes[start..].par_chunks_mut(FACETS_AT_ONCE * FACET_BYTES).enumerate().for_each(
        |(block, facets)| {
            let facets = facets.as_chunks_mut::<FACET_BYTES>().0.iter_mut();
            for (facet, triangle) in facets.zip(block * FACETS_AT_ONCE..) {
                let [a, b, c] = mesh.corners(triangle);
                let normal = (b - a).cross(c - a).normalize_or_zero();
                let numbers = [normal, a, b, c].map(|p| p.to_array().map(f32::to_le_bytes));
                facet[..48].copy_from_slice(numbers.as_flattened().as_flattened());
            }
        },
    );
    Ok(bytes)
}

//! NumPy archives: `position` of shape (n, 3) and one array of shape (n,) or (n, k) per attribute.
//!
//! # Guarantees
//! * Stored and deflated members, both byte orders and both array orders are read.
//! * The shape an array claims is checked against its bytes before anything is allocated.
//! * Every column keeps its type exactly.
//!
//! # Non-guarantees
//! Members that do not have one row per particle (a scalar, a text, a different length) are left out.

mod literal;
mod npy;
pub mod npy_file;

use std::io::{Cursor, Read, Write};
use std::path::Path;

use whitecap_core::{Column, Particles};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::attributes::point_table::{self, PointTable};
use crate::attributes::{component_names, naming};
use crate::{Error, Place, encoding::inflate};
use npy::{Array, Content};

/// How to store the arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// As they are: fastest, and `numpy.load` can map them.
    #[default]
    Stored,
    /// Deflated, as `numpy.savez_compressed` does.
    Deflated,
}

/// Reads a NumPy archive.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Particles, Error> {
    let damaged = |error: zip::result::ZipError| {
        Error::malformed(path, Place::File, format!("this is not a readable zip archive: {error}"))
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    point_table::check_column_count(archive.len(), path)?;
    let mut arrays = Vec::new();
    let mut room = inflate::inflated_limit(bytes.len());
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(damaged)?;
        let full_name = member.name().map_err(damaged)?.into_owned();
        let Some(name) = full_name.strip_suffix(".npy") else { continue };
        let content = read_member(&mut member, &mut room, path)?;
        if let Content::Plain(array) = npy::parse(&content, &format!("array `{name}`"), path)? {
            arrays.push((name.to_string(), array));
        }
    }
    into_particles(arrays, path)
}

/// The bytes of a member; `room` is what all members together may still inflate to.
fn read_member(member: &mut impl Read, room: &mut u64, path: &Path) -> Result<Vec<u8>, Error> {
    let mut content = Vec::new();
    member.take(*room + 1).read_to_end(&mut content).map_err(|error| {
        Error::malformed(path, Place::File, format!("a member of the archive is damaged: {error}"))
    })?;
    *room = room.checked_sub(content.len() as u64).ok_or_else(|| {
        Error::unsupported(
            path,
            "the archive inflates to hundreds of times its size; refused as a decompression bomb",
        )
    })?;
    Ok(content)
}

fn into_particles(mut arrays: Vec<(String, Array)>, path: &Path) -> Result<Particles, Error> {
    let place = arrays
        .iter()
        .position(|(name, array)| naming::is_position(name) && array.components == 3)
        .ok_or_else(|| {
            let found = component_names::listed(arrays.iter().map(|(name, _)| name.as_str()));
            let message = format!("the archive has no array `position` of shape (n, 3); {found}");
            Error::malformed(path, Place::File, message)
        })?;
    let (_, positions) = arrays.remove(place);
    let count = positions.rows;
    let mut table = PointTable::new(positions.values.into_vectors(3));
    for (name, array) in arrays {
        if array.rows == count && array.has_rows {
            table.push(&name, array.components, array.values);
        }
    }
    table.into_particles(path)
}

/// An archive that holds `particles`. `path` is for messages.
pub fn to_bytes(
    particles: &Particles,
    compression: Compression,
    path: &Path,
) -> Result<Vec<u8>, Error> {
    let method = match compression {
        Compression::Stored => CompressionMethod::Stored,
        Compression::Deflated => CompressionMethod::Deflated,
    };
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, array: Vec<u8>| {
        // The default time stamp is a constant, so the same particles give the same bytes.
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .large_file(array.len() > u32::MAX as usize);
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&array).map_err(zip::result::ZipError::from)
    };
    let unwritable = |error: zip::result::ZipError| Error::unwritable(path, error.to_string());
    let positions = npy::vectors(particles.positions().iter().map(|p| p.to_array()));
    add("position", positions).map_err(unwritable)?;
    for (name, column) in particles.attributes().iter() {
        if naming::is_position(name) {
            let message =
                format!("an attribute called `{name}` would be mistaken for the positions");
            return Err(Error::unwritable(path, message));
        }
        add(name, column_to_npy(column)).map_err(unwritable)?;
    }
    Ok(archive.finish().map_err(unwritable)?.into_inner())
}

fn column_to_npy(column: &Column) -> Vec<u8> {
    match column {
        Column::F32(values) => npy::scalars("<f4", values.iter().map(|v| v.to_le_bytes())),
        Column::I32(values) => npy::scalars("<i4", values.iter().map(|v| v.to_le_bytes())),
        Column::I64(values) => npy::scalars("<i8", values.iter().map(|v| v.to_le_bytes())),
        Column::Vec2(values) => npy::vectors(values.iter().map(|v| v.to_array())),
        Column::Vec3(values) => npy::vectors(values.iter().map(|v| v.to_array())),
        Column::Vec4(values) => npy::vectors(values.iter().map(|v| v.to_array())),
    }
}

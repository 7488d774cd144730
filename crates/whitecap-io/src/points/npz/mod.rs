//! NumPy archives: `position` of shape (n, 3), or `x`, `y` and `z` of shape (n,), and one array of shape
//! (n,) or (n, k) per attribute.
//!
//! # Guarantees
//! * An archive of a single array of numbers is read as [`npy_file`] reads that array.
//! * Arrays that do not have one row per particle, and arrays of anything but numbers, are left out; a note
//!   says so, unless they are single numbers or texts. Some of those are [facts](whitecap_core::Facts) about all particles.
//! * Stored and deflated members, both byte orders and both array orders are read.
//! * The shape an array claims is checked against its bytes before anything is allocated.
//! * Every column keeps its type exactly.

mod literal;
mod npy;
pub mod npy_file;

use std::io::{Cursor, Read, Write};
use std::path::Path;

use whitecap_core::{Column, FactValue, Facts, Particles, counted};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::attributes::component_names::{self, NamedScalars};
use crate::attributes::facts::FoundFacts;
use crate::attributes::naming;
use crate::attributes::point_table::{self, PointTable};
use crate::encoding::tokens::shown;
use crate::{Error, Noted, Place, encoding::inflate};
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
pub fn parse(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    let damaged = |error: zip::result::ZipError| {
        Error::malformed(path, Place::File, format!("this is not a readable zip archive: {error}"))
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    point_table::check_column_count(archive.len(), path)?;
    let mut arrays = Vec::new();
    let mut facts = FoundFacts::default();
    let mut notes = Vec::new();
    let mut room = inflate::inflated_limit(bytes.len());
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(damaged)?;
        let full_name = member.name().map_err(damaged)?.into_owned();
        let Some(name) = full_name.strip_suffix(".npy") else { continue };
        let content = read_member(&mut member, &mut room, path)?;
        match npy::parse(&content, &format!("array `{name}`"), path)? {
            Content::Plain(array) if !array.has_rows && Facts::is_name(name) => {
                facts.take_values(name, &array.values);
            }
            Content::Plain(array) => arrays.push((name.to_string(), array)),
            Content::Text(text) => facts.take_text(name, &text),
            Content::Records(_) => notes.push(not_used(name, "is an array of records")),
            Content::Other(what) => notes.push(not_used(name, &what)),
        }
    }
    let mut found = into_particles(arrays, path)?;
    found.notes.extend(notes);
    *found.data.facts_mut() = facts.facts;
    found.notes.extend(facts.notes);
    Ok(found)
}

fn not_used(name: &str, what: &str) -> String {
    format!("the array `{}` {what} and is left out", shown(name.as_bytes()))
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

fn into_particles(
    mut arrays: Vec<(String, Array)>,
    path: &Path,
) -> Result<Noted<Particles>, Error> {
    let is_position =
        |(name, array): &(String, Array)| naming::is_position(name) && array.components == 3;
    if let Some(place) = arrays.iter().position(is_position) {
        let (_, positions) = arrays.remove(place);
        let count = positions.rows;
        let table = PointTable::new(positions.values.into_vectors(3));
        return with_columns(table, count, arrays, path);
    }
    if arrays.len() == 1 && arrays[0].1.components >= 3 {
        let (columns, notes) = npy_file::columns(arrays.remove(0).1, path)?;
        let data = component_names::group(columns, path)?.into_particles(path)?;
        return Ok(Noted { data, notes });
    }
    let coordinate = |name: &str| {
        arrays
            .iter()
            .position(|(found, array)| found == name && array.components == 1 && array.has_rows)
    };
    let (Some(x), Some(y), Some(z)) = (coordinate("x"), coordinate("y"), coordinate("z")) else {
        let found = component_names::listed(arrays.iter().map(|(name, _)| name.as_str()));
        let message = format!(
            "the archive has neither an array `position` of shape (n, 3) nor `x`, `y` and `z` of shape (n,); {found}"
        );
        return Err(Error::malformed(path, Place::File, message));
    };
    let count = arrays[x].1.rows;
    let names = component_names::listed(arrays.iter().map(|(name, _)| name.as_str()));
    if arrays[y].1.rows != count || arrays[z].1.rows != count {
        let message = format!("the arrays `x`, `y` and `z` are not equally long; {names}");
        return Err(Error::malformed(path, Place::File, message));
    }
    let (scalars, others): (Vec<_>, Vec<_>) = (arrays.into_iter())
        .partition(|(_, array)| array.components == 1 && array.has_rows && array.rows == count);
    let named = |(name, array): (String, Array)| NamedScalars {
        name,
        values: array.values,
        color_scale: 1.0,
    };
    let table = component_names::group(scalars.into_iter().map(named).collect(), path)?;
    with_columns(table, count, others, path)
}

/// Adds the arrays that have a row for each of `count` particles, and names those that have not.
fn with_columns(
    mut table: PointTable,
    count: usize,
    arrays: Vec<(String, Array)>,
    path: &Path,
) -> Result<Noted<Particles>, Error> {
    let mut notes = Vec::new();
    for (name, array) in arrays {
        match array.has_rows {
            true if array.rows == count => table.push(&name, array.components, array.values),
            true => notes.push(format!(
                "the array `{}` has {} for {} and is left out",
                shown(name.as_bytes()),
                counted(array.rows, "row"),
                counted(count, "particle"),
            )),
            false => {}
        }
    }
    Ok(Noted { data: table.into_particles(path)?, notes })
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
    // There is one member of a name, and columns come first.
    let is_free = |name: &str| particles.attribute(name).is_none();
    for (name, value) in particles.facts().to_named().into_iter().filter(|fact| is_free(fact.0)) {
        let array = match value {
            FactValue::Number(number) => npy::scalar("<f4", &number.to_le_bytes()),
            FactValue::Text(text) => npy::scalar(&format!("|S{}", text.len()), text.as_bytes()),
        };
        add(name, array).map_err(unwritable)?;
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

//! Which files a frame can be saved in and read from, by the kind of its data.

use std::path::Path;

use whitecap_io::{FormatInfo, Kind};

use crate::{DataKind, FrameData};

/// Formats that may hold every bit of a frame; reading back the others need not be tried.
const MAYBE_EXACT: [&str; 4] = ["bgeo", "npz", "ply", "vdb"];

fn kind_of(kind: DataKind) -> Kind {
    match kind {
        DataKind::Particles => Kind::Particles,
        DataKind::Mesh => Kind::Mesh,
        DataKind::Volume => Kind::Volume,
    }
}

/// The formats that frames of this kind can be saved in, by file extension.
pub fn savable(kind: DataKind) -> Vec<&'static str> {
    let writes = |info: &&FormatInfo| info.writes.contains(&kind_of(kind));
    let formats = whitecap_io::formats().iter().filter(writes);
    formats.flat_map(|info| info.extensions).copied().collect()
}

/// The formats that frames of this kind can be read from, by file extension.
pub(crate) fn readable(kind: DataKind) -> Vec<&'static str> {
    let reads = |info: &&FormatInfo| info.reads.contains(&kind_of(kind));
    let formats = whitecap_io::formats().iter().filter(reads);
    formats.flat_map(|info| info.extensions).copied().collect()
}

/// Whether a file has one of these extensions.
pub(crate) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    let ends_in = |extension: &str| name.strip_suffix(extension).is_some_and(|s| s.ends_with('.'));
    extensions.iter().any(|extension| ends_in(extension))
}

/// Whether a file's format may hold every bit of a frame.
pub(crate) fn may_be_exact(path: &Path) -> bool {
    has_extension(path, &MAYBE_EXACT)
}

/// Reads a file as data of this kind.
pub(crate) fn read(path: &Path, kind: DataKind) -> Result<FrameData, whitecap_io::Error> {
    Ok(match kind {
        DataKind::Particles => FrameData::Particles(whitecap_io::read_particles(path)?),
        DataKind::Mesh => FrameData::Mesh(whitecap_io::read_mesh(path)?),
        DataKind::Volume => FrameData::Volume(whitecap_io::vdb::read(path)?),
    })
}

/// Writes data in the format of the file's extension: whole, or not at all.
pub(crate) fn write(path: &Path, data: &FrameData) -> Result<(), whitecap_io::Error> {
    match data {
        FrameData::Particles(particles) => whitecap_io::write_particles(path, particles),
        FrameData::Mesh(mesh) => whitecap_io::write_mesh(path, mesh),
        FrameData::Volume(volume) => whitecap_io::vdb::write(path, volume),
    }
}

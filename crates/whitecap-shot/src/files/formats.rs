//! Which files a frame can be saved in and read from, by the kind of its data.

use std::path::Path;

use whitecap_io::image::{self, PngDepth};
use whitecap_io::{FormatInfo, Kind, Noted, has_extension};

use crate::{DataKind, FrameData};

/// Formats that may hold every bit of a frame; the others need not be tried.
const MAYBE_EXACT: [&str; 4] = ["bgeo", "npz", "ply", "vdb"];

/// Formats that pictures are saved in.
const PICTURES: [&str; 2] = ["exr", "png"];

fn kind_of(kind: DataKind) -> Option<Kind> {
    match kind {
        DataKind::Particles => Some(Kind::Particles),
        DataKind::Mesh => Some(Kind::Mesh),
        DataKind::Volume => Some(Kind::Volume),
        DataKind::Picture => None,
    }
}

/// The formats that frames of this kind can be saved in, by file extension.
pub fn savable(kind: DataKind) -> Vec<&'static str> {
    let Some(kind) = kind_of(kind) else { return PICTURES.to_vec() };
    let writes = |info: &&FormatInfo| info.writes.contains(&kind);
    let formats = whitecap_io::formats().iter().filter(writes);
    formats.flat_map(|info| info.extensions).copied().collect()
}

/// The formats that frames of this kind can be read from, by file extension.
pub(crate) fn readable(kind: DataKind) -> Vec<&'static str> {
    let Some(kind) = kind_of(kind) else { return Vec::new() };
    let reads = |info: &&FormatInfo| info.reads.contains(&kind);
    let formats = whitecap_io::formats().iter().filter(reads);
    formats.flat_map(|info| info.extensions).copied().collect()
}

/// Whether a file's format may hold every bit of a frame.
pub(crate) fn may_be_exact(path: &Path) -> bool {
    has_extension(path, &MAYBE_EXACT)
}

/// Reads a file as data of this kind. Pictures are not read back: their files hold less than they do.
pub(crate) fn read(path: &Path, kind: DataKind) -> Result<Noted<FrameData>, whitecap_io::Error> {
    fn converted<T: Into<FrameData>>(noted: Noted<T>) -> Noted<FrameData> {
        Noted { data: noted.data.into(), notes: noted.notes }
    }
    Ok(match kind {
        DataKind::Particles => converted(whitecap_io::read_particles_noted(path)?),
        DataKind::Mesh => converted(whitecap_io::read_mesh_noted(path)?),
        DataKind::Volume => Noted::plain(whitecap_io::vdb::read(path)?.into()),
        DataKind::Picture => {
            return Err(whitecap_io::Error::unsupported(path, "pictures are not read back"));
        }
    })
}

/// Reads the bytes of a file as data of this kind; `None` if that fails.
pub(crate) fn decode(path: &Path, bytes: &[u8], kind: DataKind) -> Option<FrameData> {
    let format = || FormatInfo::of(path).map(|info| info.format);
    Some(match kind {
        DataKind::Particles => whitecap_io::parse_particles(bytes, format()?, path).ok()?.into(),
        DataKind::Mesh => whitecap_io::parse_mesh(bytes, format()?, path).ok()?.into(),
        DataKind::Volume => whitecap_io::vdb::parse(bytes, path).ok()?.into(),
        DataKind::Picture => return None,
    })
}

/// The bytes of a file that holds the data, in the format of the file's extension.
pub(crate) fn encode(path: &Path, data: &FrameData) -> Result<Vec<u8>, whitecap_io::Error> {
    match data {
        FrameData::Particles(particles) => whitecap_io::particle_bytes(path, particles),
        FrameData::Mesh(mesh) => whitecap_io::mesh_bytes(path, mesh),
        FrameData::Volume(volume) => whitecap_io::vdb::to_bytes(volume),
        FrameData::Picture(picture) => match has_extension(path, &["png"]) {
            true => image::png_bytes(&picture.preview, PngDepth::Eight, path),
            false => image::layers_to_bytes(&picture.layers, path),
        },
    }
}

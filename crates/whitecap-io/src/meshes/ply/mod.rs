//! PLY, the Stanford polygon format, for particles and for meshes: text and binary of both byte
//! orders are read, little-endian binary is written.
//!
//! # Guarantees
//! * Elements may come in any order and have any properties, lists included; those that are not
//!   `vertex` or `face` are skipped.
//! * Polygons become fans of triangles. Named numbers become vectors (`vx vy vz` → `velocity`;
//!   [the table](crate#attributes)); bytes of a colour become 0 to 1.
//! * [Facts](whitecap_core::Facts) about particles are lines such as `obj_info frame_rate 24.0`.
//!
//! # Non-guarantees
//! * Face attributes and list properties of vertices are left out; a note says so of texture
//!   coordinates, which belong to corners.
//! * The format has integers of 32 bits; larger ones are refused on writing. Triangle strips are
//!   not read.

mod header;
mod read;
mod write;

use std::path::Path;

use whitecap_core::{Particles, TriMesh};

use crate::{Error, Kind, Noted, Place};
pub use write::{mesh_to_bytes, particles_to_bytes};

/// The vertices of a PLY file as particles.
pub fn parse_particles(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    read::parse(bytes, path)?.table.into_noted_particles(path)
}

/// A PLY file as a mesh. A file that declares no faces is an error; one with 0 faces is not.
pub fn parse_mesh(bytes: &[u8], path: &Path) -> Result<Noted<TriMesh>, Error> {
    let content = read::parse(bytes, path)?;
    match content.triangles {
        Some(triangles) => {
            let data = content.table.into_mesh(triangles, path)?;
            Ok(Noted { data, notes: content.notes })
        }
        None => {
            let message = "the file has vertices but no faces: it holds particles, not a mesh";
            Err(Error::malformed(path, Place::File, message))
        }
    }
}

/// Whether the header declares faces.
pub(crate) fn kind(bytes: &[u8], path: &Path) -> Result<Kind, Error> {
    let header = header::parse(bytes, path)?;
    Ok(if header.element("face").is_some() { Kind::Mesh } else { Kind::Particles })
}

//! VTK's legacy format, `.vtk`, for particles and for meshes: text and big-endian binary,
//! `POLYDATA` and `UNSTRUCTURED_GRID`, of all versions up to 5.1.
//!
//! # Guarantees
//! * Point data of all kinds (`SCALARS`, `VECTORS`, `NORMALS`, `TEXTURE_COORDINATES`, `FIELD`, …)
//!   become columns. Polygons and strips become triangles.
//! * [Facts](whitecap_core::Facts) about particles are field data of the whole; texts are arrays of bytes.
//! * Binary files are written as SPlisHSPlasH writes its particles: one vertex cell per particle.
//!
//! # Non-guarantees
//! Cell data are skipped. Structured and rectilinear grids, volumetric cells (in a mesh) and
//! text arrays are not read.

mod names;
mod read;
mod write;

use std::path::Path;

use whitecap_core::{Particles, TriMesh};

use crate::{Error, Kind, Noted};
pub use write::{mesh_to_bytes, particles_to_bytes};

/// The points of a `.vtk` file as particles.
pub fn parse_particles(bytes: &[u8], path: &Path) -> Result<Noted<Particles>, Error> {
    read::parse(bytes, path)?.table.into_noted_particles(path)
}

/// A `.vtk` file as a mesh. A file with points and no polygons is an error; an empty one is not.
pub fn parse_mesh(bytes: &[u8], path: &Path) -> Result<TriMesh, Error> {
    read::parse(bytes, path)?.into_mesh(path)
}

/// Whether the file has polygons.
pub(crate) fn kind(bytes: &[u8], path: &Path) -> Result<Kind, Error> {
    read::parse(bytes, path).map(|content| content.kind())
}

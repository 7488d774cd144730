//! File formats, frame sequences and atomic writes.
//!
//! ```no_run
//! # fn main() -> Result<(), whitecap_io::Error> {
//! use whitecap_io::{Sequence, read_particles, write_particles};
//!
//! let output = Sequence::new("out/water.####.ply")?;
//! for (frame, path) in Sequence::new("sim/frame_%04d.bgeo")?.expand(None)? {
//!     write_particles(output.path(frame), &read_particles(path)?)?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//! * A reader gives an error, never a panic, whatever the bytes; and it allocates no more than a
//!   fixed multiple of the file's size, because every count is checked against what is left of the
//!   file first. Decompression is bounded.
//! * A writer leaves either the whole file or none ([`atomic`]).
//! * Positions and attributes survive writing and reading bit for bit in every format that can hold
//!   them; each format's module says what it cannot.
//!
//! # Non-guarantees
//! Positions that are NaN or infinite are read as they are; the caller must check. Lengths
//! are taken as metres and y as up: none of these formats says otherwise.
//!
//! # Attributes
//! Well-known attributes have one name here, whatever the file calls them:
//!
//! | here | Houdini | PLY, CSV, XYZ | also read as |
//! |---|---|---|---|
//! | `velocity` | `v` | `vx vy vz` | `vel`, `Velocity`, `velocities` |
//! | `radius` | `pscale` | `radius` | `radii`, `Radius`, `radiusPP` |
//! | `color` | `Cd` | `red green blue [alpha]` | `r g b [a]`, `colors`, `Color`, `rgbPP` |
//! | `normal` | `N` | `nx ny nz` | `Normals`, `normals`, `Normal` |
//! | `uv` | `uv` | `u v` | `s t`, `texture_u texture_v`, `TCoords`, `TextureCoord` |
//! | `id` | `id` | `id` | `ids`, `ID`, `Id`, `particleId` |
//! | another vector `NAME` | `NAME` | `NAME_x NAME_y [NAME_z [NAME_w]]` | `NAME:0`, `NAME.x`, `NAME[x]`, `NAME[0]`… |

mod attributes;
pub mod changes;
mod encoding;
mod error;
mod files;
mod houdini;
pub mod image;
mod meshes;
mod noted;
mod points;
pub mod vdb;
mod vtk;

pub use error::{Error, Place};
pub use files::format::{Format, FormatInfo, Kind, formats, has_extension};
pub use files::frame_range::FrameRange;
pub use files::number_ranges::number_ranges;
pub use files::open::{
    kind_of, mesh_bytes, parse_mesh, parse_mesh_noted, parse_particles, parse_particles_noted,
    particle_bytes, read_mesh, read_mesh_noted, read_particles, read_particles_noted, write_mesh,
    write_mesh_as, write_particles, write_particles_as,
};
pub use files::{atomic, path_text, plain, sequence};
pub use houdini::{bgeo_classic, geo_classic, houdini_json};
pub use meshes::{gltf, obj, ply, stl};
pub use noted::Noted;
pub use points::npz::npy_file;
pub use points::{npz, pdb, prt, text_points};
pub use sequence::{Present, Sequence};
pub use vtk::{vtk_legacy, vtu};

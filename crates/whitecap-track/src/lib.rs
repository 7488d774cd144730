//! Detail-preserving mesh tracking (Dagenais, Gagnon & Paquette 2017): a detailed closed mesh is
//! carried by a coarse particle liquid, keeps its detail where the liquid keeps its shape, and takes
//! the liquid's topology where that changes. A post-process on a particle sequence plus one mesh at
//! its first frame; the simulated motion does not change.
//!
//! [`Tracker`] is the entry point. [`close_mesh`] repairs a scan that is not closed.
//!
//! ```
//! use whitecap_core::glam::Vec3;
//! use whitecap_core::{Column, Particles, Unwatched};
//! use whitecap_surface::{SurfaceSettings, surface_particles};
//! use whitecap_track::{TrackSettings, Tracker};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A falling block of 8 × 8 × 8 particles, 10 cm apart.
//! let place = |i: i32| Vec3::new((i % 8) as f32, (i / 8 % 8) as f32, (i / 64) as f32) * 0.1;
//! let frame = |number: i32| {
//!     let fall = Vec3::NEG_Y * 0.05 * number as f32;
//!     let mut particles = Particles::new((0..512).map(|i| place(i) + fall).collect());
//!     particles.set_attribute("id", Column::I32((0..512).collect()))?;
//!     Ok::<_, whitecap_core::Error>(particles)
//! };
//! // Any detailed closed mesh works; here it is the surface of the particles.
//! let mesh = surface_particles(&frame(0)?, &SurfaceSettings::default(), &Unwatched)?.mesh;
//! let mut tracker = Tracker::new(&mesh, &frame(0)?, TrackSettings::default(), &Unwatched)?;
//! for number in 0..3 {
//!     let (from, to) = (frame(number)?, frame(number + 1)?);
//!     let report = tracker.advance(&from, &to, 1.0 / 24.0, &Unwatched)?;
//!     assert_eq!((report.topology.components, report.remeshed_cells), (1, 0));
//! }
//! assert_eq!(tracker.mesh().triangles().len(), mesh.triangles().len());
//! # Ok(())
//! # }
//! ```
//!
//! # A frame in detail
//! 1. `movement`, `advect`: vertices follow the particles.
//! 2. `quality`: stretched edges are split, squeezed ones collapsed.
//! 3. `coarse_surface`, `coarse_distance`: φ, the surface of the particles, as a distance.
//! 4. `project`: vertices go to the distance from φ that they had at birth; those that would jump are
//!    flagged. `kept_volume`: φ is moved until the mesh encloses the volume of the particles.
//! 5. `crossings`: inside and outside along the lines of the grid; where the mesh passes through itself.
//!    `topology`: where φ and the mesh differ by more than detail.
//! 6. `gamma`, `matching`: near flagged cells Γ, the distance to the mesh, takes the topology of φ.
//! 7. `cut`, `patch`, `remesh`: the mesh is cut along the faces of marked cells, which are filled with
//!    the surface of Γ, closed by construction.
//! 8. `rebuild`: what cannot be repaired in place is rebuilt from φ, and the report says so.
//!
//! # Several bodies
//! One tracker carries any number of closed parts; parts whose liquids touch merge. Bodies that must
//! not merge get a tracker each, with the particles of that body.

mod advect;
mod error;
mod local_origin;
mod mesh;
mod movement;
mod projection;
mod remeshing;
mod report;
mod settings;
mod state;
mod topology;
mod tracker;

pub use error::TrackError;
pub use mesh::close::{CloseReport, close_mesh};
pub use mesh::input_check::check_size;
pub use movement::MatchedBy;
pub use report::{TrackReport, TrackTimes};
pub use settings::{Projection, TrackSettings};
pub use topology::Topology;
pub use tracker::Tracker;
pub use whitecap_core::saved_bytes::StateError;

//! From particles to closed surfaces and distance fields.
//!
//! [`surface_particles`] is the entry point: particles and [`SurfaceSettings`] go in, a closed,
//! 2-manifold, consistently oriented mesh comes out.

mod distance;
mod error;
mod implicit;
mod input;
mod level_set;
pub mod marching_cubes;
mod report;
mod self_intersection;
mod settings;
pub mod smoothing;
mod spacing;
mod surfacing;
mod transfer;

pub use error::Error;
pub use implicit::particle_field::{FieldKind, FieldParticle, ParticleField};
pub use level_set::{LevelSet, LevelSetError, distance_volume};
pub use report::{MeshReport, area, report, volume};
pub use self_intersection::self_intersections;
pub use settings::{CropBox, Method, SurfaceSettings};
pub use spacing::{SpacingEstimate, particle_spacing, radius_warning, spacing_of, surface_spacing};
pub use surfacing::{Surfaced, implicit_field, surface_particles};

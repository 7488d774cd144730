//! φ, the coarse surface, and keeping the mesh at its distance from it (Dagenais et al. 2017, §2.3).
//!
//! `coarse_surface` makes φ from the particles and `coarse_distance` makes it a distance; `cubic` reads it
//! between nodes; `project` moves each vertex to the distance from φ that it had at birth; `kept_volume` moves φ
//! until the mesh encloses the volume of the particles.

pub(crate) mod coarse_distance;
pub(crate) mod coarse_surface;
pub(crate) mod cubic;
pub(crate) mod kept_volume;
pub(crate) mod project;

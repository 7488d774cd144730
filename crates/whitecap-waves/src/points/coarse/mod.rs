//! The coarse particles, and what the points take from them (Mercier et al. 2015, Eq. 4.1 to 4.9).
//!
//! `particles` sorts them and knows the densities near the surface. `advection` moves points with them,
//! `averages` brings their attributes to the points, `band` is the smooth band round them that points
//! must stay in, and `patches` evaluates it at many points at once.

pub(crate) mod advection;
pub(crate) mod averages;
pub(crate) mod band;
mod particles;
pub(crate) mod patches;

pub(crate) use particles::CoarseParticles;

//! Coarse liquids and smoke: the motion that finer methods add detail to.
//!
//! [`sph`] is a particle liquid: incompressible smoothed-particle hydrodynamics with solids,
//! viscosity and surface tension. [`flip`] is a liquid on a grid that particles carry, put together from the
//! operators of [`mac`], which can be used one by one. [`particle_level_set`] carries the surface of a liquid
//! along with a flow on such a grid, and [`smoke`] is air with something in it, made of the same operators.

pub mod flip;
pub mod mac;
pub mod particle_level_set;
pub mod smoke;
pub mod sph;
pub mod surroundings;

//! Coarse liquids and smoke: the motion that finer methods add detail to.
//!
//! [`sph`] is a particle liquid: incompressible smoothed-particle hydrodynamics with solids,
//! viscosity and surface tension. [`flip`] is a liquid on a grid that particles carry, put together from the
//! operators of [`mac`], which can be used one by one, and [`smoke`] is air with something in it, made of the same
//! operators.

pub mod flip;
pub mod mac;
pub mod smoke;
pub mod sph;
pub mod surroundings;

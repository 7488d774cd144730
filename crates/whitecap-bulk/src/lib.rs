//! Coarse liquids: the motion that finer methods add detail to.
//!
//! [`sph`] is a particle liquid: incompressible smoothed-particle hydrodynamics with solids,
//! viscosity and surface tension.

pub mod sph;

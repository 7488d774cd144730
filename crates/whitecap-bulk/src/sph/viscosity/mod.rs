//! Viscosity as a force between neighbours.
//!
//! ν ∇²v ≈ 10 ν Σ_j m/ρ_j (v_ij·x_ij) / (r² + 0.01 h²) ∇W_ij (Monaghan 2005): it acts along the line
//! between two particles, so linear and angular momentum are conserved, and it never adds energy.

mod implicit;

use rayon::prelude::*;
use wide::f32x4;

use crate::sph::neighbours::{CHUNK, PairChunk, Pairs};
use crate::sph::resolution::Resolution;

pub(crate) use implicit::{ImplicitViscosity, MOST_ITERATIONS};

/// 2 (d + 2) in three dimensions.
const DIMENSION_FACTOR: f32 = 10.0;
/// Share of the squared support that keeps the denominator from vanishing.
const SOFTENING: f32 = 0.01;

/// The viscous acceleration as a linear function of the velocity.
#[derive(Clone, Copy)]
pub(crate) struct ViscousForce<'a> {
    pub pairs: &'a Pairs,
    /// Positions in the first three lanes.
    pub positions: &'a [f32x4],
    pub density: &'a [f32],
    /// Dynamic viscosity in Pa·s.
    pub viscosity: f32,
    pub support: f32,
}

impl ViscousForce<'_> {
    /// Acceleration of one particle.
    #[inline(always)]
    pub fn of(&self, velocity: &[f32x4], chunk: &PairChunk, local: usize, i: usize) -> f32x4 {
        let (here, mine) = (self.positions[i], velocity[i]);
        let xyz = f32x4::new([1.0, 1.0, 1.0, 0.0]);
        let softening = SOFTENING * self.support * self.support;
        let sum = chunk.sum(local, |sum, j, slope| {
            let offset = (here - self.positions[j]) * xyz;
            let along = (offset * (mine - velocity[j])).reduce_add();
            let squared = (offset * offset).reduce_add();
            let factor = slope * along / ((squared + softening) * self.density[j]);
            offset.mul_add(f32x4::splat(factor), sum)
        });
        // ν ∇²v with ν = μ/ρ_i (Monaghan 2005; Weiler et al. 2018).
        sum * f32x4::splat(DIMENSION_FACTOR * self.viscosity / self.density[i])
    }

    /// Adds the accelerations of all particles.
    pub fn add_to(&self, acceleration: &mut [f32x4], velocity: &[f32x4]) {
        acceleration.par_chunks_mut(CHUNK).zip(self.pairs.chunks()).enumerate().for_each(
            |(number, (acceleration, chunk))| {
                for (local, acceleration) in acceleration.iter_mut().enumerate() {
                    *acceleration += self.of(velocity, chunk, local, number * CHUNK + local);
                }
            },
        );
    }
}

/// The longest time step for which explicit viscosity is stable.
pub(crate) fn stable_time_step(viscosity: f32, resolution: &Resolution) -> f32 {
    let kinematic = viscosity / resolution.rest_density;
    if kinematic > 0.0 { 0.1 * resolution.spacing.powi(2) / kinematic } else { f32::INFINITY }
}

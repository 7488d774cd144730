//! The pressure that keeps the liquid incompressible.
//!
//! [`Dfsph`] (Bender & Koschier 2017) and [`Pcisph`] (Solenthaler & Pajarola 2009) find it, on the
//! [`PressureSystem`] of the neighbours; `settle` corrects after the step what they could not predict.
//! Both solvers iterate until [`Stop`] says so and report [`Iterations`].

use rayon::prelude::*;
use wide::f32x4;

mod dfsph;
mod iterations;
mod pcisph;
mod settle;
mod system;

pub(crate) use dfsph::Dfsph;
pub use iterations::Iterations;
pub(crate) use iterations::{IterationSums, Momentum, Stop};
pub(crate) use pcisph::Pcisph;
pub(crate) use system::{PressureSystem, pack, vector};

use crate::sph::neighbours::{CHUNK, Pairs};
use crate::sph::resolution::Resolution;

/// A step as a pressure solver sees it: neighbours, boundary and velocities are known, pressure
/// is wanted.
pub(crate) struct PressureProblem<'a> {
    pub resolution: &'a Resolution,
    pub pairs: &'a Pairs,
    /// Holds positions and diagonal; receives pressure and acceleration.
    pub system: &'a mut PressureSystem,
    /// Velocities in m/s; −1 in the last lane (see `SolidRow` of the pairs).
    pub velocity: &'a mut [f32x4],
    /// Densities in kg/m³.
    pub density: &'a [f32],
    /// Δt in seconds.
    pub time_step: f32,
    /// When iterations stop.
    pub stop: Stop,
}

impl PressureProblem<'_> {
    /// v += Δt a, with the pressure acceleration of the system.
    pub fn accelerate(&mut self) {
        let time_step = f32x4::splat(self.time_step);
        self.velocity
            .par_chunks_mut(CHUNK)
            .zip(self.system.acceleration.par_chunks(CHUNK))
            .for_each(|(velocity, acceleration)| {
                for (velocity, acceleration) in velocity.iter_mut().zip(acceleration) {
                    *velocity = acceleration.mul_add(time_step, *velocity);
                }
            });
    }
}

/// A method that keeps the liquid incompressible.
pub(crate) trait PressureSolver: Send + Sync + std::fmt::Debug {
    /// Called before the forces act: may change the velocity so that it does not compress.
    fn remove_divergence(&mut self, problem: &mut PressureProblem<'_>) -> Option<Iterations> {
        let _ = problem;
        None
    }

    /// Called with the velocity after all other forces: finds the pressure that keeps the density
    /// after the step below the rest density, and changes the velocity by it. Pressure and
    /// pressure acceleration are left in the system.
    fn remove_compression(&mut self, problem: &mut PressureProblem<'_>) -> Iterations;

    /// Bytes held by the solver itself.
    fn bytes(&self) -> usize;
}

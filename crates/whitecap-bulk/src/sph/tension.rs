//! Surface tension as cohesion between neighbours (Becker & Teschner 2007, Eq. 12).
//!
//! a_i = −κ/m Σ_j m W(r) (x_i − x_j), with W(r) capped at its value at one spacing so that close
//! particles are not pulled together. The force is symmetric: momentum is conserved.
//!
//! κ follows from the surface tension σ in N/m. Pairs that attract each other with the force f(r)
//! in a liquid of n particles per volume have the surface tension σ = π n²/8 ∫ f(r) r⁴ dr (Rayleigh
//! 1890); with f = κ m r W and n = ρ0/m that gives κ = 8 σ m / (π ρ0² ∫ r⁵ W dr).
//!
//! # Non-guarantees
//! σ is nominal. Rayleigh's relation ignores the pressure, which counters the attraction with
//! a repulsion of almost the same range and removes most of the tension: a drop with a radius of
//! 8 spacings oscillates 1.5 to 3.6 times as slowly as Lamb 1932 predicts, depending on the time step, and
//! one of 14 spacings does not return within four of his periods (example `1_oscillating_drop`).
//! A stronger force does not help: above about four times the nominal strength, the particles lock into
//! a solid.

use rayon::prelude::*;
use whitecap_core::kernels::{CubicSpline, Kernel};
use wide::f32x4;

use crate::sph::neighbours::{CHUNK, Pairs};
use crate::sph::resolution::Resolution;

/// The cohesion force.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cohesion {
    kernel: CubicSpline,
    /// W is capped at its value at this squared distance.
    least_squared: f32,
    /// κ.
    strength: f32,
}

impl Cohesion {
    /// The cohesion that gives a liquid the surface tension in N/m.
    pub fn new(surface_tension: f32, resolution: &Resolution) -> Self {
        let kernel = CubicSpline::new(resolution.support);
        let mut cohesion =
            Self { kernel, least_squared: resolution.spacing.powi(2), strength: 1.0 };
        // ∫ r⁵ W dr by the midpoint rule.
        const STEPS: u32 = 1000;
        let step = f64::from(resolution.support) / f64::from(STEPS);
        let integral: f64 = (0..STEPS)
            .map(|i| {
                let r = (f64::from(i) + 0.5) * step;
                r.powi(5) * f64::from(cohesion.weight((r * r) as f32)) * step
            })
            .sum();
        let (mass, density) = (f64::from(resolution.mass), f64::from(resolution.rest_density));
        let tension = f64::from(surface_tension);
        let strength = 8.0 * tension * mass / (std::f64::consts::PI * density.powi(2) * integral);
        cohesion.strength = strength as f32;
        cohesion
    }

    #[inline(always)]
    fn weight(&self, squared: f32) -> f32 {
        self.kernel.value(squared.max(self.least_squared))
    }

    /// Adds the accelerations of all particles. Positions are in the first three lanes.
    pub fn add_to(&self, acceleration: &mut [f32x4], pairs: &Pairs, positions: &[f32x4]) {
        let xyz = f32x4::new([1.0, 1.0, 1.0, 0.0]);
        acceleration.par_chunks_mut(CHUNK).zip(pairs.chunks()).enumerate().for_each(
            |(number, (acceleration, chunk))| {
                for (local, acceleration) in acceleration.iter_mut().enumerate() {
                    let here = positions[number * CHUNK + local];
                    let sum = chunk.sum(local, |sum, j, _| {
                        let offset = (here - positions[j]) * xyz;
                        let weight = self.weight((offset * offset).reduce_add());
                        offset.mul_add(f32x4::splat(weight), sum)
                    });
                    // Becker & Teschner 2007, Eq. 12.
                    *acceleration -= sum * f32x4::splat(self.strength);
                }
            },
        );
    }
}

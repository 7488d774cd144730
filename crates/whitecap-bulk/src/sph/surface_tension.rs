//! Surface tension as cohesion between neighbours.
//!
//! Becker & Teschner 2007 draw neighbours together with a force that falls off like the kernel. In an
//! incompressible liquid that hardly makes a tension: pressure answers with a repulsion of almost
//! the same range, and at the surface the two cancel (to 0.1 % for the cubic spline). What counts is
//! how much farther the attraction reaches than the repulsion. The force here has the profile of
//! Akinci et al. 2013, Eq. 2, which attracts in the outer half of the support and repels in the
//! core; it is symmetric, so momentum is conserved.
//!
//! Its strength follows from the surface tension σ in N/m. Pairs with the force f(r) in a liquid of n
//! particles per volume have the tension π n²/8 ∫ f r⁴ dr and the inner pressure 2π n²/3 · ∫ f r³ dr / 2
//! (Rayleigh 1890). The pressure force, with the profile |W'|, balances the inner pressure and takes
//! its own part of the tension away, which leaves
//! σ = π n²/8 (∫ f r⁴ dr − ⟨r⟩ ∫ f r³ dr), ⟨r⟩ = ∫ |W'| r⁴ dr / ∫ |W'| r³ dr.
//!
//! # Non-guarantees
//! The relation assumes a liquid that is smooth on the scale of the spacing.

use rayon::prelude::*;
use whitecap_core::kernels::{CubicSpline, Kernel};
use wide::f32x4;

use super::pairs::{CHUNK, Pairs};
use super::resolution::Resolution;

/// The cohesion force.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cohesion {
    inverse_support: f32,
    /// Acceleration where the profile is one, in m/s².
    strength: f32,
}

/// The profile of Akinci et al. 2013 with q = r / support, scaled to one at its maximum.
#[inline(always)]
fn profile(q: f32) -> f32 {
    let hump = 64.0 * ((1.0 - q) * q).max(0.0).powi(3);
    if q > 0.5 { hump } else { 2.0 * hump - 1.0 }
}

impl Cohesion {
    /// The cohesion that gives a liquid the surface tension in N/m.
    pub fn new(surface_tension: f32, resolution: &Resolution) -> Self {
        let kernel = CubicSpline::new(1.0);
        let (mut attraction, mut repulsion) = ([0.0f64; 2], [0.0f64; 2]);
        const STEPS: u32 = 1000;
        for i in 0..STEPS {
            let q = (f64::from(i) + 0.5) / f64::from(STEPS);
            let pull = f64::from(profile(q as f32)) / f64::from(STEPS);
            let push = -f64::from(kernel.slope(q as f32)) / f64::from(STEPS);
            for (moment, power) in [3, 4].into_iter().enumerate() {
                attraction[moment] += pull * q.powi(power);
                repulsion[moment] += push * q.powi(power);
            }
        }
        let net = attraction[1] - repulsion[1] / repulsion[0] * attraction[0];
        let number_density = f64::from(resolution.rest_density) / f64::from(resolution.mass);
        let support = f64::from(resolution.support);
        let unit = std::f64::consts::PI / 8.0 * number_density.powi(2) * support.powi(5) * net;
        let force = f64::from(surface_tension) / unit;
        Self {
            inverse_support: 1.0 / resolution.support,
            strength: (force / f64::from(resolution.mass)) as f32,
        }
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
                        let distance = (offset * offset).reduce_add().sqrt();
                        let pull = profile(distance * self.inverse_support);
                        offset.mul_add(f32x4::splat(pull / distance.max(f32::MIN_POSITIVE)), sum)
                    });
                    *acceleration -= sum * f32x4::splat(self.strength);
                }
            },
        );
    }
}

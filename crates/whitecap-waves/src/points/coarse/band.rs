//! The smooth band that surface points must stay in (Mercier et al. 2015, Eq. 4.5 to 4.9).
//!
//! A level φ is defined everywhere: 0 on a smooth surface around the inner spheres of the coarse
//! particles (radius λ_c / 2), 1 on one around their outer spheres (radius λ_c), and nearly linear in
//! between.

use glam::Vec3;
use wide::f32x8;

use crate::points::sums::lanes::{Weighted, dot, offsets, splat, sum};

/// Distance beyond which particles are left out of Eq. 4.5, in coarse lengths.
const REACH: f32 = 1.75;

/// The band of one coarse length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    /// Radius R of the outer spheres.
    outer: f32,
    /// Radius r of the inner spheres.
    inner: f32,
    /// The falloff a, Eq. 4.8.
    falloff: f32,
}

/// The level at a point, and the direction out of the liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Level {
    /// φ; infinite where no particle is near.
    pub level: f32,
    /// The normalised gradient of φ; zero where there is none.
    pub outward: Vec3,
}

impl Band {
    /// The band of coarse particles of the length λ_c.
    pub fn new(coarse: f32) -> Self {
        let (outer, inner) = (coarse, 0.5 * coarse);
        // Particles nearer than this lie in one inner volume.
        let merging = 1.5 * outer;
        let falloff = (2.0 / (1.0 + density(merging / coarse))).ln()
            / ((0.5 * merging).powi(2) - inner * inner);
        Self { outer, inner, falloff }
    }

    /// Distance beyond which particles are left out of the sums. The paper uses 2 λ_c; the particles
    /// in between change the level by less than a hundredth and cost a third of the time.
    pub fn reach(&self) -> f32 {
        REACH * self.outer
    }

    /// Thickness R − r of the band round one particle.
    pub fn thickness(&self) -> f32 {
        self.outer - self.inner
    }

    /// The level at `point`. The lanes hold the particles near it with the weights 1 / ψ (Eq. 4.5).
    pub fn level(&self, point: Vec3, particles: &Weighted) -> Level {
        let here = splat(point);
        let reach_squared = f32x8::splat(self.reach() * self.reach());
        let falloff = f32x8::splat(self.falloff);
        let mut metaballs = f32x8::ZERO;
        let mut slope = [f32x8::ZERO; 3];
        for group in particles.groups() {
            let offset = offsets(group, here);
            let squared = dot(offset, offset);
            let inside = squared.simd_lt(reach_squared);
            let weight = inside.bitselect(group[3], f32x8::ZERO);
            let value = weight * decay(squared.fast_min(reach_squared) * falloff);
            metaballs += value;
            for (sum, offset) in slope.iter_mut().zip(offset) {
                *sum = value.mul_add(offset, *sum);
            }
        }
        Level {
            level: self.rescaled(metaballs.reduce_add()),
            // The metaballs decrease towards the outside.
            outward: -sum(slope).normalize_or_zero(),
        }
    }

    /// Eq. 4.7. Inside a dense liquid the metaballs may exceed one, the value at a lone centre.
    fn rescaled(&self, metaballs: f32) -> f32 {
        if metaballs <= 0.0 {
            return f32::INFINITY;
        }
        let distance = (-metaballs.ln() / self.falloff).max(0.0).sqrt();
        (distance - self.inner) / self.thickness()
    }
}

impl Level {
    /// How far to move along [`Level::outward`] to be in the band (Eq. 4.9), in band thicknesses.
    pub fn correction(&self) -> f32 {
        self.level.clamp(0.0, 1.0) - self.level
    }
}

/// D of Eq. 4.6 at a distance in coarse lengths.
fn density(distance: f32) -> f32 {
    (-2.0 * distance * distance).exp()
}

/// D of Eq. 4.6 at eight squared distances in coarse lengths.
#[inline(always)]
pub(crate) fn densities(squared: f32x8) -> f32x8 {
    decay(squared * 2.0)
}

/// e^(-x) for x from 0 to 7, to a relative error of 2·10⁻⁵: the best polynomial of degree five for e^(-x/8),
/// to the power of eight.
#[inline(always)]
fn decay(x: f32x8) -> f32x8 {
    let t = x * 0.125;
    let mut value = f32x8::splat(-0.0053437375);
    for coefficient in [0.03884642, -0.16537592, 0.49972442, -0.9999778, 0.9999997] {
        value = value.mul_add(t, f32x8::splat(coefficient));
    }
    for _ in 0..3 {
        value *= value;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::sums::lanes::weighted;

    /// Contract: the fast exponential is the exponential.
    #[test]
    fn decay_is_the_exponential() {
        for i in 0..=700 {
            let x = i as f32 * 0.01;
            let found = decay(f32x8::splat(x)).as_array()[0];
            assert!((found / (-x).exp() - 1.0).abs() < 2e-5, "e^-{x} is not {found}");
        }
    }

    /// Contract: round one particle the level is linear, 0 at half a coarse length and 1 at one; two
    /// particles 1.5 coarse lengths apart just share an inner volume.
    #[test]
    fn levels_are_those_of_the_paper() {
        let band = Band::new(0.2);
        let mut lanes = Weighted::default();
        lanes.fill(&[0], &[weighted(Vec3::ONE, 1.0)]);
        for share in [0.5f32, 0.6, 0.75, 1.0, 1.2] {
            let found = band.level(Vec3::ONE + Vec3::Y * 0.2 * share, &lanes);
            assert!((found.level - (2.0 * share - 1.0)).abs() < 1e-3, "{found:?} at {share}");
            assert!((found.outward - Vec3::Y).length() < 1e-5);
        }
        let weight = 1.0 / (1.0 + density(1.5));
        let pair = [weighted(Vec3::ZERO, weight), weighted(0.3 * Vec3::X, weight)];
        lanes.fill(&[0, 1], &pair);
        assert!(band.level(Vec3::X * 0.15, &lanes).level.abs() < 1e-3);
        lanes.fill(&[], &[]);
        assert_eq!(band.level(Vec3::ZERO, &lanes).level, f32::INFINITY);
    }
}

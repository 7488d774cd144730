//! The phase function of Henyey & Greenstein (1941).

use std::f32::consts::{PI, TAU};

use glam::Vec3;

/// How light is deflected at a scatter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HenyeyGreenstein {
    anisotropy: f32,
}

impl HenyeyGreenstein {
    /// With a mean cosine, which is kept slightly away from ±1, where the function is not a
    /// density.
    pub fn new(anisotropy: f32) -> Self {
        Self { anisotropy: anisotropy.clamp(-0.9999, 0.9999) }
    }

    /// Density per steradian for light that leaves at an angle of this cosine to its old direction;
    /// 1 is straight ahead. It is also the value of the phase function.
    pub fn pdf(&self, cosine: f32) -> f32 {
        let g = self.anisotropy;
        // 1 + g² − 2 g cos, written so that nothing cancels near the peak.
        let spread = (1.0 - g.abs()).powi(2) + 2.0 * (g.abs() - g * cosine.clamp(-1.0, 1.0));
        (1.0 - g * g) / (4.0 * PI * spread * spread.sqrt())
    }

    /// A new direction for light travelling in `direction`, of length one, with its density.
    pub fn sample(&self, direction: Vec3, [first, second]: [f32; 2]) -> (Vec3, f32) {
        let g = self.anisotropy;
        let cosine = match g.abs() < 1e-3 {
            true => 1.0 - 2.0 * first,
            false => {
                let ratio = (1.0 - g * g) / (1.0 - g + 2.0 * g * first);
                ((1.0 + g * g - ratio * ratio) / (2.0 * g)).clamp(-1.0, 1.0)
            }
        };
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let (across, along) = direction.any_orthonormal_pair();
        let (sin_angle, cos_angle) = (TAU * second).sin_cos();
        let sideways = cos_angle * across + sin_angle * along;
        ((cosine * direction + sine * sideways).normalize(), self.pdf(cosine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;

    const ANISOTROPIES: [f32; 7] = [-0.9, -0.3, 0.0, 1e-4, 0.5, 0.85, 0.97];

    /// Contract: the density integrates to one over the sphere and its mean cosine is the anisotropy.
    #[test]
    fn it_is_normalised_with_the_mean_cosine_asked_for() {
        for anisotropy in ANISOTROPIES {
            let phase = HenyeyGreenstein::new(anisotropy);
            let steps = 400_000;
            let (mut total, mut mean) = (0.0f64, 0.0f64);
            for step in 0..steps {
                let cosine = -1.0 + 2.0 * (step as f64 + 0.5) / steps as f64;
                let density = f64::from(phase.pdf(cosine as f32)) * std::f64::consts::TAU;
                total += density * 2.0 / steps as f64;
                mean += cosine * density * 2.0 / steps as f64;
            }
            assert!((total - 1.0).abs() < 2e-4, "g = {anisotropy}: {total}");
            assert!((mean - f64::from(anisotropy)).abs() < 3e-4, "g = {anisotropy}: {mean}");
        }
    }

    /// Contract: sampled directions have length one, the density returned with each is that of its cosine,
    /// and their mean cosine and its square are those of the function.
    #[test]
    fn samples_follow_the_density() {
        for anisotropy in ANISOTROPIES {
            let phase = HenyeyGreenstein::new(anisotropy);
            let mut sampler = Sampler::new(7, [1, 2], 3);
            let flight = Vec3::new(0.36, -0.48, 0.8);
            let count = 200_000;
            let (mut mean, mut square) = (0.0f64, 0.0f64);
            for _ in 0..count {
                let (direction, density) = phase.sample(flight, sampler.next_2d());
                let cosine = direction.dot(flight);
                assert!((direction.length() - 1.0).abs() < 1e-5);
                assert!((density / phase.pdf(cosine) - 1.0).abs() < 0.02);
                mean += f64::from(cosine) / f64::from(count);
                square += f64::from(cosine).powi(2) / f64::from(count);
            }
            // The second Legendre moment of the function is g².
            let g = f64::from(anisotropy);
            let expected = (1.0 + 2.0 * g * g) / 3.0;
            assert!((mean - g).abs() < 0.005, "g = {g}: {mean}");
            assert!((square - expected).abs() < 0.005, "g = {g}: {square}, {expected}");
        }
    }
}

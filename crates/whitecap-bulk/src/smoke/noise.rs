//! Gradient noise in space and time (Perlin 1985, 2002), from hashed lattice points, and its curl (Bridson,
//! Houriham and Nordenstam 2007), a flow without divergence.
//!
//! # Guarantees
//! The same place, time and seed give the same bits. Values are between −1 and 1, with a mean of 0.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::glam::{Vec3, Vec4};
use whitecap_core::scatter;

/// Octaves, each half as wide and half as strong as the one before.
const OCTAVES: u64 = 3;
/// Mean size of the curl of three noises of width 1, measured.
const CURL_SIZE: f32 = 1.6;

/// Unevenness of a source.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoiseSettings {
    /// Width of the largest features.
    #[schemars(extend("unit" = "m"), range(min = 1e-6, max = 1e6))]
    pub scale: f32,
    /// How much the rate and the temperature vary, as a share of them.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 10.0))]
    pub amplitude: f32,
    /// Speed that air in the source gains by swirls in a period.
    #[schemars(extend("unit" = "m/s"), range(min = 0.0, max = 1e4))]
    pub swirl: f32,
    /// Time in which the pattern becomes another one.
    #[schemars(extend("unit" = "s"), range(min = 1e-4, max = 1e6))]
    pub period: f32,
    /// Another number, another pattern.
    #[schemars(extend("unit" = "none"))]
    pub seed: u32,
}

impl Default for NoiseSettings {
    fn default() -> Self {
        Self { scale: 0.1, amplitude: 0.5, swirl: 0.0, period: 0.5, seed: 0 }
    }
}

impl NoiseSettings {
    /// The factor for the rate and the temperature at a position and time: 1 on average, never negative.
    pub fn factor(&self, position: Vec3, time: f64) -> f32 {
        (1.0 + self.amplitude * self.value(position, time, 0)).max(0.0)
    }

    /// The swirl at a position and time in m/s: the curl of three noises.
    pub fn swirl(&self, position: Vec3, time: f64) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|axis| self.swirl_along(axis, position, time)))
    }

    /// One component of the swirl: a face needs no other, and each takes a third of the noise.
    pub fn swirl_along(&self, axis: usize, position: Vec3, time: f64) -> f32 {
        if self.swirl == 0.0 {
            return 0.0;
        }
        let step = 0.05 * self.scale;
        // How the potential on one axis changes along another, over a scale.
        let change = |potential: usize, along: usize| {
            let side = step * Vec3::AXES[along];
            let value = |at: Vec3| self.value(at, time, potential as u64 + 1);
            (value(position + side) - value(position - side)) * (self.scale / (2.0 * step))
        };
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        self.swirl / CURL_SIZE * (change(last, next) - change(next, last))
    }

    /// Several octaves of noise.
    fn value(&self, position: Vec3, time: f64, channel: u64) -> f32 {
        let place = position / self.scale;
        let moment = (time / f64::from(self.period)) as f32;
        let (mut sum, mut weights, mut weight, mut rate) = (0.0, 0.0, 1.0, 1.0);
        for octave in 0..OCTAVES {
            let seed = (u64::from(self.seed) << 16) + (channel << 8) + octave;
            sum += weight * gradient_noise((rate * place).extend(rate * moment), seed);
            weights += weight;
            weight *= 0.5;
            rate *= 2.0;
        }
        sum / weights
    }
}

/// Noise in four dimensions: between the lattice points around a place, each with a gradient of its own.
pub fn gradient_noise(place: Vec4, seed: u64) -> f32 {
    let low = place.floor();
    let t = place - low;
    // Perlin's quintic has no first and second derivative at lattice points.
    let fade = t * t * t * (t * (6.0 * t - 15.0) + 10.0);
    let hashes = corner_hashes(low, seed);
    let mut sum = 0.0;
    for (corner, hash) in hashes.into_iter().enumerate() {
        let step = Vec4::from_array(std::array::from_fn(|axis| (corner >> axis & 1) as f32));
        let weights = step * fade + (Vec4::ONE - step) * (Vec4::ONE - fade);
        let weight = weights.x * weights.y * weights.z * weights.w;
        sum += weight * gradient(hash).dot(t - step);
    }
    sum.clamp(-1.0, 1.0)
}

/// The hashes of the sixteen lattice points from a lowest one: bit a of the place says whether a point is the higher
/// one on axis a. Points with the same first coordinates share the work on them.
fn corner_hashes(low: Vec4, seed: u64) -> [u64; 16] {
    let mut hashes = [seed; 16];
    for (axis, low) in low.to_array().into_iter().enumerate() {
        let [lower, higher] = [low, low + 1.0].map(|coordinate| coordinate as i64 as u64);
        let known = 1 << axis;
        for corner in 0..known {
            let hash = hashes[corner];
            hashes[corner] = scatter::mix(hash ^ lower);
            hashes[corner + known] = scatter::mix(hash ^ higher);
        }
    }
    hashes
}

/// The gradient of a lattice point: to the middle of an edge of a hypercube, as Perlin (2002) chose them.
fn gradient(hash: u64) -> Vec4 {
    let missing = (hash & 3) as usize;
    let sign = |axis: usize| if hash >> (4 + axis) & 1 == 0 { 1.0 } else { -1.0 };
    Vec4::from_array(std::array::from_fn(|axis| if axis == missing { 0.0 } else { sign(axis) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::scatter::Sequence;

    /// Contract: noise is 0 on average, between −1 and 1, varies by a good part of that, is continuous, and
    /// another seed or a later time gives another pattern.
    #[test]
    fn noise_varies_evenly() {
        let noise = NoiseSettings { scale: 0.3, ..NoiseSettings::default() };
        let mut random = Sequence::new(3);
        let (mut sum, mut squares, mut change) = (0.0, 0.0, 0.0f32);
        let count = 20_000;
        for _ in 0..count {
            let place = 20.0 * random.point() - 10.0;
            let value = noise.value(place, 0.4, 0);
            assert!(value.abs() <= 1.0);
            sum += f64::from(value);
            squares += f64::from(value * value);
            change = change.max((noise.value(place + 1e-4 * Vec3::X, 0.4, 0) - value).abs());
        }
        assert!((sum / f64::from(count)).abs() < 0.01, "mean {}", sum / f64::from(count));
        assert!((squares / f64::from(count)).sqrt() > 0.1);
        assert!(change < 0.01, "a jump of {change}");
        let place = Vec3::new(0.11, 0.23, 0.35);
        let other = NoiseSettings { seed: 1, ..noise };
        assert_ne!(noise.value(place, 0.4, 0), other.value(place, 0.4, 0));
        assert_ne!(noise.value(place, 0.4, 0), noise.value(place, 0.6, 0));
    }

    /// Contract: swirls are as fast as their setting on average, within 15 %, and have no divergence, to the
    /// accuracy of differences.
    #[test]
    fn swirls_have_no_divergence() {
        let noise = NoiseSettings { scale: 0.5, swirl: 2.0, ..NoiseSettings::default() };
        let mut random = Sequence::new(4);
        let step = 0.05 * noise.scale;
        let (mut divergences, mut slopes, mut squares) = (0.0, 0.0, 0.0);
        for _ in 0..200 {
            let place = 5.0 * random.point();
            let slope = |axis: usize| {
                let side = step * Vec3::AXES[axis];
                (noise.swirl(place + side, 0.0) - noise.swirl(place - side, 0.0)) / (2.0 * step)
            };
            divergences += (slope(0).x + slope(1).y + slope(2).z).abs();
            squares += noise.swirl(place, 0.0).length_squared();
            slopes += slope(0).length() + slope(1).length() + slope(2).length();
        }
        assert!(divergences < 1e-3 * slopes, "{divergences} of {slopes}");
        let speed = (squares / 200.0f32).sqrt();
        assert!((speed / 2.0 - 1.0).abs() < 0.15, "{speed} m/s instead of 2");
    }
}

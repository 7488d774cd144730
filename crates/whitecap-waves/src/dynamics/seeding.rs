//! Where waves come from: hidden oscillators on strongly curved surface (Mercier et al. 2015,
//! Alg. 2, lines 1–8).
//!
//! The paper adds the oscillation s to the visible wave d before a step of the wave equation and removes
//! it afterwards. With h = d + s, its lines 8–12 are equivalent to
//! ∂²d/∂t² = c² Δ(d + s): the oscillators act through the Laplacian of s alone. Since s is the
//! amplitude of a point times a function of time that all points share, Δs is the Laplacian of the
//! amplitudes, found once per frame, times that function.
//!
//! # Guarantees
//! * Where the amplitude is the same all around, nothing is seeded.
//! * Amplitudes change from frame to frame by no more than the share of their largest value given by
//!   `seed-rise`, and linearly in between.

use rayon::prelude::*;

use super::smooth_step;

/// How the amplitudes of oscillators grow and fade. Lengths in metres.
pub(super) struct SeedRule {
    /// Changes of curvature between which growth turns from full fading to full growing: c_min, c_max.
    pub curvature: (f32, f32),
    /// Largest amplitude A.
    pub largest: f32,
    /// Largest change Δa in a frame.
    pub change: f32,
}

impl SeedRule {
    /// Updates the amplitudes to the next frame. At calm points they only fade.
    pub fn advance(&self, amplitudes: &mut [f32], changes: &[f32], gains: &[f32], calm: &[bool]) {
        let (least, full) = self.curvature;
        amplitudes.par_iter_mut().enumerate().with_min_len(1024).for_each(|(point, amplitude)| {
            // Lines 2 and 3.
            let growth = match calm[point] {
                true => -1.0,
                false => 2.0 * smooth_step(changes[point], least, full) - 1.0,
            };
            let gain = gains[point];
            let grown = *amplitude + growth * self.change * gain.max(1.0);
            // A gain that falls from frame to frame lowers the amplitude at the same rate.
            let ceiling = (self.largest * gain).max(*amplitude - self.change);
            *amplitude = grown.min(ceiling).max(0.0);
        });
    }
}

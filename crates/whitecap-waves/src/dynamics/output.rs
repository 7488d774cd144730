//! The visible waves of one frame.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;

use crate::points::SurfacePoints;

use super::error::DynamicsError;
use super::state::WaveState;

/// The waves of one frame, one value for each surface point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaveOutput {
    /// Displacement d along the normal, in metres.
    pub height: Vec<f32>,
    /// Rate of change of the displacement, in metres per second.
    pub wave_velocity: Vec<f32>,
    /// Curvature of the liquid at its own scale, in metres.
    pub curvature: Vec<f32>,
    /// Amplitude of the hidden oscillator, in metres.
    pub seed_amplitude: Vec<f32>,
    /// Foam, 0 to 1.
    pub foam: Vec<f32>,
    /// The point moved along its normal by the displacement.
    pub displaced_position: Vec<Vec3>,
    /// Steps of the wave equation that the frame took, over all bands.
    pub steps: u64,
}

impl WaveOutput {
    /// The sum of the bands, faded where the gain is below one, within the largest height.
    pub(super) fn new(
        state: &WaveState,
        points: &SurfacePoints,
        curvature: Vec<f32>,
        gains: &[f32],
        largest_height: f32,
        steps: u64,
    ) -> Self {
        let seen = |point: usize| {
            let fade = gains[point].min(1.0);
            let bands = state.bands.iter();
            let sum: f32 = bands.clone().map(|band| band.height[point]).sum();
            let rate: f32 = bands.map(|band| band.velocity[point]).sum();
            let height = fade * sum;
            // A comparison rather than `clamp`, so that a NaN is not hidden.
            if height.abs() > largest_height {
                (largest_height.copysign(height), 0.0)
            } else {
                (height, fade * rate)
            }
        };
        let (height, wave_velocity): (Vec<f32>, Vec<f32>) =
            (0..points.len()).into_par_iter().with_min_len(1024).map(seen).unzip();
        let displaced_position = (0..points.len())
            .into_par_iter()
            .with_min_len(1024)
            .map(|point| points.position[point] + height[point] * points.normal[point])
            .collect();
        Self {
            height,
            wave_velocity,
            curvature,
            seed_amplitude: state.seed_amplitude.clone(),
            foam: state.foam.clone(),
            displaced_position,
            steps,
        }
    }

    /// Fails at the first point whose wave is not finite.
    pub(super) fn check_finite(&self, points: &SurfacePoints) -> Result<(), DynamicsError> {
        let broken = |point: usize| {
            !(self.height[point].is_finite() && self.wave_velocity[point].is_finite())
        };
        match (0..self.height.len()).find(|&point| broken(point)) {
            Some(index) => {
                Err(DynamicsError::NotFinite { index, position: points.position[index] })
            }
            None => Ok(()),
        }
    }
}

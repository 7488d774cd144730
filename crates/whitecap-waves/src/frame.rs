//! One frame of waves, and what it reports about itself.

use std::time::Duration;

use glam::Vec3;
use whitecap_core::attributes::{ID, NORMAL, VELOCITY};
use whitecap_core::{Column, Error, Particles};

use crate::dynamics::WaveOutput;
use crate::points::{PointReport, SurfacePoints};

/// Name of the column with the displacement along the normal, in metres.
pub const DISPLACEMENT: &str = "displacement";
/// Name of the column with the displaced position, in metres.
pub const DISPLACED_POSITION: &str = "displaced-position";
/// Name of the column with the rate of change of the displacement, in metres per second.
pub const WAVE_VELOCITY: &str = "wave-velocity";
/// Name of the column with the curvature of the coarse surface, in metres.
pub const CURVATURE: &str = "curvature";
/// Name of the column with the amplitude of the hidden oscillators, in metres.
pub const SEED_AMPLITUDE: &str = "seed-amplitude";
/// Name of the column with the foam, 0 to 1.
pub const FOAM: &str = "foam";

/// Waves on the surface of one frame.
#[derive(Clone, Debug, Default)]
pub struct WaveFrame {
    /// The surface points.
    pub points: SurfacePoints,
    /// Velocity of the liquid at each point, in metres per second; zero in the first frame.
    pub velocity: Vec<Vec3>,
    /// The waves, one value per point.
    pub waves: WaveOutput,
    /// What happened.
    pub report: WaveReport,
}

impl WaveFrame {
    /// The points as particles, with all columns.
    pub fn particles(&self) -> Result<Particles, Error> {
        let mut particles = Particles::new(self.points.position.clone());
        let waves = &self.waves;
        let ids = self.points.id.iter().map(|&id| id as i64).collect();
        for (name, column) in [
            (NORMAL, Column::Vec3(self.points.normal.clone())),
            (ID, Column::I64(ids)),
            (VELOCITY, Column::Vec3(self.velocity.clone())),
            (DISPLACEMENT, Column::F32(waves.height.clone())),
            (DISPLACED_POSITION, Column::Vec3(waves.displaced_position.clone())),
            (WAVE_VELOCITY, Column::F32(waves.wave_velocity.clone())),
            (CURVATURE, Column::F32(waves.curvature.clone())),
            (SEED_AMPLITUDE, Column::F32(waves.seed_amplitude.clone())),
            (FOAM, Column::F32(waves.foam.clone())),
        ] {
            particles.set_attribute(name, column)?;
        }
        Ok(particles)
    }
}

/// What a frame of waves reports about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaveReport {
    /// The surface points.
    pub points: PointReport,
    /// Time to make the samples for sums over a coarse length.
    pub aggregation: Duration,
    /// Time to seed and move the waves.
    pub dynamics: Duration,
    /// Time for everything.
    pub total: Duration,
    /// Steps of the wave equation, over all bands.
    pub wave_steps: u64,
    /// Root mean square of the displacement, in metres.
    pub mean_height: f32,
    /// Largest displacement, in metres.
    pub largest_height: f32,
}

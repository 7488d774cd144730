//! What a frame of a liquid reports about itself.

use crate::sph::pressure::Iterations;

/// One time step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Time at its end, in seconds.
    pub time: f64,
    /// Its length in seconds.
    pub time_step: f32,
    /// How often it was tried with a longer step first.
    pub retries: u32,
    /// The solve that keeps the density.
    pub compression: Iterations,
    /// The solve that removes divergence, if there is one.
    pub divergence: Option<Iterations>,
    /// Iterations of the implicit viscosity.
    pub viscosity_iterations: u32,
    /// Whether the implicit viscosity stopped at its largest number of iterations.
    pub viscosity_at_limit: bool,
    /// Speed of the fastest particle at its end, in m/s.
    pub largest_speed: f32,
    /// Largest density at its end, as a share of the rest density.
    pub largest_density: f32,
    /// How often the densities at its end were corrected.
    pub settling: u32,
}

impl StepReport {
    /// Whether a solve of the pressure stopped at `most-iterations`, before it was good enough.
    pub fn pressure_at_limit(&self) -> bool {
        self.compression.at_limit || self.divergence.is_some_and(|solve| solve.at_limit)
    }
}

/// All time steps of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// The steps in order.
    pub steps: Vec<StepReport>,
    /// Particles at the end of the frame.
    pub particles: usize,
    /// Kinetic energy at the end, in joules.
    pub kinetic_energy: f64,
    /// Bytes of memory held for particles and neighbours.
    pub bytes: usize,
}

impl FrameReport {
    /// Mean number of pressure iterations in a step, both solves together.
    pub fn mean_iterations(&self) -> f64 {
        let of = |step: &StepReport| {
            f64::from(step.compression.count + step.divergence.map_or(0, |solve| solve.count))
        };
        self.steps.iter().map(of).sum::<f64>() / self.steps.len().max(1) as f64
    }

    /// Largest compression that a step left, as a share of the rest density.
    pub fn largest_compression(&self) -> f32 {
        self.steps.iter().map(|step| step.compression.largest_error).fold(0.0, f32::max)
    }
}

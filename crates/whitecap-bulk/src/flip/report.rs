//! What happened in a step and in a frame.

/// A step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlipStepReport {
    /// Its length in s.
    pub time_step: f64,
    /// Iterations of the pressure.
    pub iterations: usize,
    /// Iterations of the viscosity.
    pub viscosity_iterations: usize,
    /// Residual of the pressure, relative to what it corrected.
    pub residual: f64,
    /// Speed of the fastest particle in m/s.
    pub largest_speed: f32,
}

/// A frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlipFrameReport {
    /// Its steps.
    pub steps: Vec<FlipStepReport>,
    /// Particles at its end.
    pub particles: usize,
    /// Cells of the core, which have none, at its end.
    pub core_cells: usize,
}

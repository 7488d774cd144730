//! What happened in a step and in a frame, with a ledger of the density.

/// Where density came from and went to, as integrals over space (density times m³).
///
/// # Guarantees
/// The total after a step is that before it, plus what was emitted, less everything else here, to rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DensityLedger {
    /// Came from sources.
    pub emitted: f64,
    /// Dissipated.
    pub dissipated: f64,
    /// Left through open sides.
    pub left: f64,
    /// Was in tiles that were given up because everything in them was below the threshold.
    pub pruned: f64,
}

impl DensityLedger {
    /// Adds the entries of another ledger.
    pub fn add(&mut self, other: &DensityLedger) {
        self.emitted += other.emitted;
        self.dissipated += other.dissipated;
        self.left += other.left;
        self.pruned += other.pruned;
    }

    /// By how much the total has changed.
    pub fn change(&self) -> f64 {
        self.emitted - self.dissipated - self.left - self.pruned
    }
}

/// A step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SmokeStepReport {
    /// Its length in s.
    pub time_step: f64,
    /// Iterations of the pressure.
    pub iterations: usize,
    /// Residual of the pressure, relative to what it corrected.
    pub residual: f64,
    /// Largest speed along an axis at the end, in m/s.
    pub largest_speed: f32,
    /// Tiles of 8³ cells in which air moved.
    pub tiles: usize,
}

/// A frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SmokeFrameReport {
    /// Its steps.
    pub steps: Vec<SmokeStepReport>,
    /// What happened to the density.
    pub ledger: DensityLedger,
    /// Total density at its end (density times m³).
    pub total: f64,
    /// Sources, counted from 0, that should have released smoke but are inside solids or outside the domain.
    pub blocked_sources: Vec<usize>,
}

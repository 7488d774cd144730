//! The arithmetic of one pipe and one column, the same for every solver.

use crate::settings::{PipeArea, PipeSettings};

/// Waves may cross this share of a cell in a step. An explicit step on a square grid is stable up to
/// 0.71; the rest is for terrain and dry ground.
const COURANT: f64 = 0.5;
/// Depths in metres and fluxes in cubic metres per second below this are nothing: numbers that fade
/// away would otherwise become so small that processors slow down on them.
const NOTHING: f64 = 1e-30;
/// Keeps quotients of zeros finite.
const TINY: f64 = 1e-300;

/// What is the same for all pipes during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rules {
    /// Duration of the step, Δt.
    pub step: f64,
    /// Size of a cell, Δx.
    pub cell: f64,
    /// Acceleration of gravity, g.
    pub gravity: f64,
    /// Share of a flux that stays, ζ = ω^Δt.
    pub retained: f64,
    /// Three times Δt ν.
    pub drag: f64,
    /// Depth beyond which a pipe does not grow: deeper waves would be too fast for the step.
    pub deepest: f64,
    /// Change of depth by a flux of one: Δt / Δx².
    pub rise: f64,
    /// Cross-section of a pipe.
    pub area: PipeArea,
}

impl Rules {
    /// The rules of a step of so many seconds on cells of size `cell`.
    pub fn new(settings: &PipeSettings, cell: f32, step: f64) -> Self {
        let cell = f64::from(cell);
        let gravity = f64::from(settings.gravity);
        Self {
            step,
            cell,
            gravity,
            retained: f64::from(settings.retained).powf(step),
            drag: 3.0 * step * f64::from(settings.viscosity),
            deepest: (COURANT * cell / step).powi(2) / gravity.max(TINY),
            rise: step / (cell * cell),
            area: settings.pipe_area,
        }
    }

    /// New flux of a pipe between two columns (Dagenais et al. 2018, Eqs. 1 and 5).
    #[inline(always)]
    pub fn flux<const PHYSICAL: bool>(&self, flux: f64, height: [f64; 2], depth: [f64; 2]) -> f64 {
        let drop = height[0] - height[1];
        let section = if PHYSICAL {
            let upstream = if drop > 0.0 { depth[0] } else { depth[1] };
            upstream.min(self.deepest)
        } else {
            self.cell
        };
        // A / l is the section times Δx over Δx.
        let driven = self.retained * flux + self.step * self.gravity * section * drop;
        self.slowed(driven, if driven > 0.0 { depth[0] } else { depth[1] })
    }

    /// A flux after viscosity has acted on liquid of a depth (Eq. 5).
    #[inline(always)]
    pub fn slowed(&self, flux: f64, depth: f64) -> f64 {
        let squared = depth * depth;
        let slowed = flux * (squared / (squared + self.drag + TINY));
        if slowed.abs() < NOTHING { 0.0 } else { slowed }
    }

    /// The share of its outflow that a column can give (K_min, Mei et al. 2007).
    #[inline(always)]
    pub fn gives(&self, depth: f64, outflow: f64) -> f64 {
        (depth / (self.rise * outflow + TINY)).min(1.0)
    }

    /// The share of its inflow that a column can take (K_max, Kellomäki 2014).
    #[inline(always)]
    pub fn takes(&self, room: f64, inflow: f64) -> f64 {
        (room.max(0.0) / (self.rise * inflow + TINY)).min(1.0)
    }

    /// New depth of a column from the sum of what flows in (Eq. 2).
    #[inline(always)]
    pub fn depth(&self, depth: f64, inflow: f64) -> f64 {
        let depth = depth + self.rise * inflow;
        if depth < NOTHING { 0.0 } else { depth }
    }
}

//! The arithmetic of one pipe and one column, the same for every solver.
//!
//! Depths and heights are double precision, so that volume is exact and a lake is level. Fluxes are
//! single precision: half the memory and twice the speed. What a pipe takes from one column is
//! exactly the number that it adds to the other, at any precision.

use crate::settings::{PipeArea, PipeSettings};

/// Waves may cross this fraction of a cell in a step. An explicit step on a square grid is stable up to 0.71;
/// the rest is for terrain and dry ground.
const COURANT: f64 = 0.5;
/// Fluxes below this, in cubic metres per second, count as zero: fading numbers would otherwise
/// become denormal, which slows processors down.
const NO_FLUX: f32 = 1e-30;
/// Depths below this, in metres, count as zero, for the same reason.
const NO_DEPTH: f64 = 1e-18;
/// Keeps quotients of zeros finite.
const TINY: f32 = 1e-37;
/// What columns give and take stays this much below the limit, so that rounding cannot exceed it.
const CAUTION: f32 = 1.0 - 1e-6;

/// Constants of all pipes during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rules {
    /// Duration of the step, Δt.
    pub step: f64,
    /// Size of a cell, Δx.
    pub cell: f64,
    /// Acceleration of gravity, g.
    pub gravity: f64,
    /// Fraction of a flux that remains, ζ = ω^Δt.
    pub retained: f32,
    /// Gravity times Δt.
    pub push: f32,
    /// Three times Δt ν.
    pub drag: f32,
    /// Depth beyond which a pipe through liquid without viscosity does not grow.
    deepest: f32,
    /// Change of depth by a flux of one: Δt / Δx².
    pub rise: f64,
    /// Cross-section of a pipe.
    pub area: PipeArea,
}

impl Rules {
    /// The rules of a step of `step` seconds on cells of size `cell`.
    pub fn new(settings: &PipeSettings, cell: f32, step: f64) -> Self {
        let cell = f64::from(cell);
        let gravity = f64::from(settings.gravity);
        Self {
            step,
            cell,
            gravity,
            retained: f64::from(settings.retained).powf(step) as f32,
            push: (gravity * step) as f32,
            drag: (3.0 * step * f64::from(settings.viscosity)) as f32,
            deepest: ((COURANT * cell / step).powi(2) / gravity.max(1e-30)) as f32,
            rise: step / (cell * cell),
            area: settings.pipe_area,
        }
    }

    /// New flux of a pipe between two columns, the second of them lower by `drop` (Dagenais et al. 2018, Eqs.
    /// 1 and 5). `section` and `left` are the [`Rules::section`] and [`Rules::left_by_viscosity`] of each:
    /// the higher column counts for the first, and the one that gives for the second.
    #[inline(always)]
    pub fn flux(&self, flux: f32, drop: f32, section: [f32; 2], left: [f32; 2]) -> f32 {
        // A / l is the section times Δx over Δx.
        let driven = self.retained * flux + self.push * times_either(drop, section);
        let slowed = times_either(driven, left);
        if slowed.abs() < NO_FLUX { 0.0 } else { slowed }
    }

    /// Cross-section of a pipe from a column of some depth, over Δx. With the physical area it is the
    /// depth, unless its waves would be too fast for the step.
    ///
    /// A step f ← φ (f + …), h ← h − … with the fraction φ that viscosity leaves is stable as long as waves
    /// cross at most √((1 + φ) / 4φ) of a cell; with φ = H² / (H² + 3Δtν), (1 + φ) / 2φ is 1 + 3Δtν / 2H².
    #[inline(always)]
    pub fn section(&self, depth: f32) -> f32 {
        match self.area {
            PipeArea::Physical => {
                least(depth, self.deepest * (1.0 + 0.5 * self.drag / (depth * depth + TINY)))
            }
            PipeArea::Square => self.cell as f32,
        }
    }

    /// The fraction φ of a flux that viscosity leaves in liquid of a given depth (Eq. 5).
    #[inline(always)]
    pub fn left_by_viscosity(&self, depth: f32) -> f32 {
        let squared = depth * depth;
        squared / (squared + self.drag + TINY)
    }

    /// The fraction of its outflow that a column can give (K_min, Mei et al. 2007).
    #[inline(always)]
    pub fn gives(&self, depth: f32, outflow: f32) -> f32 {
        least(CAUTION * depth / (self.rise as f32 * outflow + TINY), 1.0)
    }

    /// The fraction of its inflow that a column can take (K_max, Kellomäki 2014).
    #[inline(always)]
    pub fn takes(&self, room: f32, inflow: f32) -> f32 {
        least(CAUTION * positive(room) / (self.rise as f32 * inflow + TINY), 1.0)
    }

    /// New depth of a column from the sum of what flows in (Eq. 2).
    #[inline(always)]
    pub fn depth(&self, depth: f64, inflow: f64) -> f64 {
        let depth = depth + self.rise * inflow;
        if depth < NO_DEPTH { 0.0 } else { depth }
    }
}

/// The smaller of two numbers, neither of them NaN: one instruction, where [`f32::min`] takes several.
#[inline(always)]
pub(crate) fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// A number times the first of two factors if it is positive, and the second if it is negative. One
/// of the two products is zero; a condition would be a branch that is often mispredicted.
#[inline(always)]
pub(crate) fn times_either(value: f32, factors: [f32; 2]) -> f32 {
    positive(value) * factors[0] - positive(-value) * factors[1]
}

/// A number, or zero if it is negative.
#[inline(always)]
pub(crate) fn positive(value: f32) -> f32 {
    if value > 0.0 { value } else { 0.0 }
}

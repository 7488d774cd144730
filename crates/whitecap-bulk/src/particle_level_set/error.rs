//! What can go wrong in a particle level set.

use whitecap_core::budget::OverBudget;
use whitecap_scene::SettingError;

/// An error of a particle level set.
#[derive(Debug, thiserror::Error)]
pub enum LevelSetError {
    /// A setting that cannot be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The level set needs more memory than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// Cells without a size, or somewhere that is not finite.
    #[error(
        "cells must be larger than 0 m and at a finite place, but their size is {cell} m and their origin {origin:?}"
    )]
    Lattice {
        /// Size of the cells in m.
        cell: f32,
        /// Where they start.
        origin: [f32; 3],
    },
    /// The box that holds the liquid is not finite.
    #[error("the box around the surface must be finite, but reaches from {low:?} to {high:?}")]
    Bounds {
        /// Its low corner.
        low: [f32; 3],
        /// Its high corner.
        high: [f32; 3],
    },
    /// A value that is not a number.
    #[error("the {what} at {place:?} is not a finite, possible number")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Position in m.
        place: [f32; 3],
    },
    /// The velocity lives on other cells.
    #[error(
        "the velocity has cells of {found} m from {found_origin:?}, the level set cells of {expected} m from {expected_origin:?}"
    )]
    OtherCells {
        /// Size of the velocity's cells in m.
        found: f32,
        /// Where they start.
        found_origin: [f32; 3],
        /// Size of the cells in m.
        expected: f32,
        /// Where they start.
        expected_origin: [f32; 3],
    },
    /// A step without a duration.
    #[error("a step must last longer than 0 s, but it lasts {duration} s")]
    Duration {
        /// The duration in s.
        duration: f64,
    },
    /// The flow crosses too many cells.
    #[error(
        "the flow moves at {speed:.3e} m/s near the surface, which would need {steps} steps: it is wrong, or the step is too long"
    )]
    TooFast {
        /// Speed in m/s.
        speed: f32,
        /// Steps that would be needed.
        steps: u64,
    },
    /// A saved state cannot be used.
    #[error(transparent)]
    State(#[from] whitecap_core::saved_bytes::StateError),
    /// The caller asked to stop.
    #[error("the motion of the surface was cancelled")]
    Cancelled,
}

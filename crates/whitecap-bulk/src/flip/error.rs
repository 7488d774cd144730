//! What can go wrong in a grid liquid.

use whitecap_core::budget::OverBudget;
use whitecap_scene::{SceneError, SettingError};

/// An error of a grid liquid.
#[derive(Debug, thiserror::Error)]
pub enum FlipError {
    /// A setting that cannot be simulated.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Something around the liquid cannot be used.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The pressure could not be solved.
    #[error(transparent)]
    Solver(whitecap_core::Error),
    /// The liquid needs more memory than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A frame without a duration.
    #[error("a frame must last longer than 0 s, but it lasts {duration} s")]
    Duration {
        /// The duration in s.
        duration: f64,
    },
    /// The motion has become absurd.
    #[error(
        "at {time:.4} s the liquid moves at {speed:.3e} m/s, which would need {steps} steps in a frame: forces or solids are too fast, or a setting is wrong"
    )]
    TooFast {
        /// Time in s.
        time: f64,
        /// Speed in m/s.
        speed: f32,
        /// Steps that one frame would take.
        steps: u64,
    },
    /// A value that is not finite was given.
    #[error("the {column} of particle {index} is not a finite number")]
    NotFinite {
        /// Which column.
        column: &'static str,
        /// Which particle.
        index: usize,
    },
    /// A viscosity that no liquid has.
    #[error("the viscosity of particle {index} is {viscosity} Pa·s, but must be 0 or more")]
    Viscosity {
        /// Which particle.
        index: usize,
        /// The viscosity in Pa·s.
        viscosity: f32,
    },
    /// A saved state cannot be used.
    #[error(transparent)]
    State(#[from] whitecap_core::saved_bytes::StateError),
    /// The caller asked to stop.
    #[error("the simulation was cancelled")]
    Cancelled,
}

impl From<whitecap_core::Error> for FlipError {
    fn from(error: whitecap_core::Error) -> Self {
        match error {
            whitecap_core::Error::Cancelled => Self::Cancelled,
            other => Self::Solver(other),
        }
    }
}

//! What can go wrong with smoke.

use whitecap_core::budget::OverBudget;
use whitecap_scene::{SceneError, SettingError};

/// An error of smoke.
#[derive(Debug, thiserror::Error)]
pub enum SmokeError {
    /// A setting that cannot be simulated.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Something around the smoke cannot be used.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The pressure could not be solved.
    #[error(transparent)]
    Solver(whitecap_core::Error),
    /// The smoke needs more memory than there is.
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
        "at {time:.4} s the air moves at {speed:.3e} m/s, which would need {steps} steps in a frame: forces, sources or solids are too fast, or a setting is wrong"
    )]
    TooFast {
        /// Time in s.
        time: f64,
        /// Speed in m/s.
        speed: f32,
        /// Steps that one frame would take.
        steps: u64,
    },
    /// Something that is not a number has appeared.
    #[error(
        "at {time:.4} s the {what} is not a finite number: forces or sources are too strong, or a setting is wrong"
    )]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Time in s.
        time: f64,
    },
    /// Nowhere to go.
    #[error("solids fill the whole domain: there is no room for smoke")]
    NoRoom,
    /// A source was given values that are not finite.
    #[error("the {what} {index} that smoke comes from is not a finite number")]
    BadSource {
        /// Which quantity.
        what: &'static str,
        /// Which of them.
        index: usize,
    },
    /// A saved state cannot be used.
    #[error(transparent)]
    State(#[from] whitecap_core::saved_bytes::StateError),
    /// The caller asked to stop.
    #[error("the simulation was cancelled")]
    Cancelled,
}

impl From<whitecap_core::Error> for SmokeError {
    fn from(error: whitecap_core::Error) -> Self {
        match error {
            whitecap_core::Error::Cancelled => Self::Cancelled,
            other => Self::Solver(other),
        }
    }
}

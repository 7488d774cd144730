//! What can go wrong with a liquid.

use whitecap_core::budget::OverBudget;
use whitecap_core::saved_bytes::StateError;

use whitecap_scene::{SceneError, SettingError};

/// Why a liquid cannot be made or stepped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SphError {
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A solid or a source is unusable.
    #[error(transparent)]
    Scene(SceneError),
    /// The given particles are unusable.
    #[error(transparent)]
    Particles(#[from] whitecap_core::Error),
    /// A value given for a particle is not finite.
    #[error("the {column} of particle {index} is not a finite number")]
    NotFinite {
        /// Which column.
        column: &'static str,
        /// Which particle of those given.
        index: usize,
    },
    /// A given column has the wrong type.
    #[error("the column `{name}` must be a {expected}, but it is a {found}")]
    ColumnType {
        /// Its name.
        name: &'static str,
        /// The type it must have.
        expected: &'static str,
        /// The type it has.
        found: &'static str,
    },
    /// The number of accelerations is not the number of particles.
    #[error("{found} accelerations were given for {expected} particles")]
    AccelerationCount {
        /// How many were given.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// The duration of a frame is not a time.
    #[error("a frame must last a positive number of seconds, not {duration}")]
    Duration {
        /// The duration.
        duration: f64,
    },
    /// A step failed at every length that was tried.
    #[error(
        "the liquid blew up at {time:.6} s: {reason}, even with a time step of {time_step:.3e} s. The last good state is kept. Try a smaller `cfl` or `time-step`, and check for liquid that starts squeezed between solids"
    )]
    BlowUp {
        /// Time of the last good state.
        time: f64,
        /// The shortest step tried.
        time_step: f32,
        /// What happened.
        reason: BlowUp,
    },
    /// A saved state cannot be continued from.
    #[error(transparent)]
    Snapshot(#[from] StateError),
    /// More memory or time is needed than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The caller asked to stop.
    #[error("the simulation was cancelled")]
    Cancelled,
}

/// How a failed step was detected.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BlowUp {
    /// A velocity is NaN or infinite.
    #[error("particle {id} has a velocity that is not a finite number")]
    NotFinite {
        /// Identity of the particle.
        id: i64,
    },
    /// A particle moved farther than its neighbourhood.
    #[error("particle {id} moves at {speed:.3e} m/s, which is {spacings:.1} spacings in a step")]
    TooFast {
        /// Identity of the particle.
        id: i64,
        /// Its speed.
        speed: f32,
        /// Distance moved in spacings.
        spacings: f32,
    },
    /// The liquid would be compressed far beyond its density.
    #[error("the liquid would be compressed to {factor:.1} times its density")]
    TooDense {
        /// Density over rest density.
        factor: f32,
    },
}

impl From<SceneError> for SphError {
    fn from(error: SceneError) -> Self {
        match error {
            SceneError::Setting(error) => Self::Setting(error),
            SceneError::OverBudget(refused) => Self::OverBudget(refused),
            other => Self::Scene(other),
        }
    }
}

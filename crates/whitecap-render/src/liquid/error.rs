//! What can be wrong with a liquid.

use whitecap_core::budget::OverBudget;
use whitecap_scene::SettingError;
use whitecap_surface::LevelSetError;

/// What is wrong with a liquid or its menisci.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LiquidError {
    /// The particles or lengths are unusable.
    #[error(transparent)]
    Surface(whitecap_surface::Error),
    /// A velocity is NaN or infinite.
    #[error(
        "particle {index} has a velocity that is not a finite number ({value}); motion blur needs finite velocities"
    )]
    Velocity {
        /// Which particle.
        index: usize,
        /// Its velocity.
        value: glam::Vec3,
    },
    /// The shutter is unusable.
    #[error(
        "the shutter opens at {open} s and closes at {close} s; both must be finite, and it cannot close before it opens"
    )]
    Shutter {
        /// Opening time.
        open: f32,
        /// Closing time.
        close: f32,
    },
    /// A column has values of the wrong type.
    #[error("the column `{name}` holds a {found}, but must hold {expected}")]
    ColumnType {
        /// Which column.
        name: &'static str,
        /// Type found.
        found: &'static str,
        /// Type expected.
        expected: &'static str,
    },
    /// A solid's mesh is unusable.
    #[error("the solid `{name}`: {error}")]
    Solid {
        /// Which solid.
        name: String,
        /// What is wrong with it.
        error: LevelSetError,
    },
    /// More memory or time is needed than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

impl From<whitecap_surface::Error> for LiquidError {
    fn from(error: whitecap_surface::Error) -> Self {
        match error {
            whitecap_surface::Error::OverBudget(refused) => Self::OverBudget(refused),
            other => Self::Surface(other),
        }
    }
}

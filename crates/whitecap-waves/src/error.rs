//! What can go wrong with waves on a liquid.

use whitecap_core::saved_bytes::StateError;

use crate::dynamics::DynamicsError;
use crate::points::PointError;

/// Why waves cannot be made or advanced.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WaveError {
    /// The surface points cannot be made.
    #[error(transparent)]
    Points(PointError),
    /// The waves on them cannot be moved.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// A saved state cannot be continued from.
    #[error(transparent)]
    Snapshot(#[from] StateError),
    /// The painted gain does not belong to these particles.
    #[error(
        "there are {particles} particles but {found} painted values; there must be one for each"
    )]
    Paint {
        /// Values found.
        found: usize,
        /// Particles of the liquid.
        particles: usize,
    },
    /// The caller asked to stop.
    #[error("the waves were cancelled")]
    Cancelled,
}

impl From<PointError> for WaveError {
    fn from(error: PointError) -> Self {
        match error {
            PointError::Cancelled => Self::Cancelled,
            other => Self::Points(other),
        }
    }
}

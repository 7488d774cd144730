//! What can go wrong with surface points.

use whitecap_core::budget::OverBudget;
use whitecap_scene::SettingError;

/// Why surface points cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PointError {
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The two lengths are incompatible.
    #[error(
        "the fine spacing of {fine} m does not fit the coarse length of {coarse} m: it must lie between {smallest} m and {largest} m"
    )]
    Lengths {
        /// Coarse length.
        coarse: f32,
        /// Fine spacing.
        fine: f32,
        /// Smallest fine spacing.
        smallest: f32,
        /// Largest fine spacing.
        largest: f32,
    },
    /// The size of the particles is unknown.
    #[error(
        "the coarse length cannot be estimated, because all particles ({count}) are at one position; set `coarse` to about twice the distance between particles"
    )]
    CoarseUnknown {
        /// Number of particles.
        count: usize,
    },
    /// The particles are too far from the origin for their size.
    #[error(
        "particle {index} is {distance} m from the origin, too far for a fine spacing of {fine} m in single precision; move the liquid closer or use a larger `fine`"
    )]
    TooFar {
        /// Which particle.
        index: usize,
        /// Its largest coordinate.
        distance: f32,
        /// Fine spacing.
        fine: f32,
    },
    /// Two particles have the same identity.
    #[error(
        "particles {first} and {second} have the same id, {id}; every particle needs its own, or none at all"
    )]
    DuplicateId {
        /// The identity.
        id: i64,
        /// Index of one.
        first: usize,
        /// Index of the other.
        second: usize,
    },
    /// The particles are unusable.
    #[error(transparent)]
    Particles(#[from] whitecap_core::Error),
    /// More memory is needed than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// More points than can be numbered.
    #[error("more than {most} surface points would be needed; use a larger `fine` spacing")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// The caller asked to stop.
    #[error("the surface points were cancelled")]
    Cancelled,
}

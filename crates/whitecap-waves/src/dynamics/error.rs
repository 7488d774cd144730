//! What can go wrong while waves run.

use whitecap_core::glam::Vec3;
use whitecap_scene::SettingError;

/// Why waves could not be moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DynamicsError {
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The fine spacing is not below the coarse length.
    #[error(
        "the fine spacing, {fine} m, must be a positive length below the coarse length, {coarse} m"
    )]
    Lengths {
        /// Coarse length λ_c.
        coarse: f32,
        /// Fine spacing λ_f.
        fine: f32,
    },
    /// Waves too fast for the spacing of the points.
    #[error(
        "waves of {speed} m/s would need {needed} steps in a frame of {duration} s at a spacing of {fine} m, more than the {most} allowed; use a lower wave speed or a larger spacing"
    )]
    TooFast {
        /// Speed of the fastest band.
        speed: f32,
        /// Steps a frame would take.
        needed: u64,
        /// Duration of the frame.
        duration: f64,
        /// Fine spacing.
        fine: f32,
        /// Number of steps allowed.
        most: u32,
    },
    /// A frame without duration.
    #[error("the time between frames is {duration} s, but must be positive")]
    Duration {
        /// Time between frames.
        duration: f64,
    },
    /// Columns of one surface have different lengths.
    #[error(
        "the surface has {points} points but {found} values of {column}; there must be one for each point"
    )]
    ColumnLength {
        /// Which column.
        column: &'static str,
        /// Values found.
        found: usize,
        /// Points of the surface.
        points: usize,
    },
    /// A wave became NaN or infinite.
    #[error("the wave at surface point {index}, at {position}, is not a finite number")]
    NotFinite {
        /// Which point.
        index: usize,
        /// Where it lies.
        position: Vec3,
    },
    /// The restored state has a different number of bands.
    #[error("the saved waves have no column `{column}`; they were made with other settings")]
    MissingColumn {
        /// Which column.
        column: String,
    },
}

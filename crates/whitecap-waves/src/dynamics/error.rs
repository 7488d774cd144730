//! What can go wrong while waves run.

use whitecap_core::glam::Vec3;

/// Why waves could not be moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DynamicsError {
    /// A setting is outside its range.
    #[error("`{name}` is {value}, but must lie between {least} and {most}")]
    Setting {
        /// Which setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Smallest value allowed.
        least: f64,
        /// Largest value allowed.
        most: f64,
    },
    /// One limit is above another.
    #[error(
        "`{low}` is {low_value}, which is not below `{high}`, {high_value}; raise the second or lower the first"
    )]
    Order {
        /// The setting that must be smaller.
        low: &'static str,
        /// Its value.
        low_value: f32,
        /// The setting that must be larger.
        high: &'static str,
        /// Its value.
        high_value: f32,
    },
    /// A box of a region of gain has its corners the wrong way round.
    #[error(
        "region {index} has its `min` {min} above its `max` {max}; swap the numbers that are the wrong way round"
    )]
    EmptyBox {
        /// Which region, counted from 0.
        index: usize,
        /// Low corner.
        min: Vec3,
        /// High corner.
        max: Vec3,
    },
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
    /// Waves that outrun the points.
    #[error(
        "waves of {speed} m/s would need {needed} steps in a frame of {duration} s at a spacing of {fine} m, more than the {most} that are allowed; use a lower wave speed or a larger spacing"
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
        /// Steps that are allowed.
        most: u32,
    },
    /// A frame that does not last.
    #[error("the time between frames is {duration} s; waves need a positive one")]
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
    /// A wave stopped being a number.
    #[error("the wave at surface point {index}, at {position}, is not a finite number")]
    NotFinite {
        /// Which point.
        index: usize,
        /// Where it lies.
        position: Vec3,
    },
    /// The state of another number of bands was restored.
    #[error("the saved waves have no column `{column}`; they were made with other settings")]
    MissingColumn {
        /// Which column.
        column: String,
    },
}

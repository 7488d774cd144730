//! What can go wrong when surfacing.

use whitecap_core::budget::OverBudget;

use crate::input::{LARGEST_RADIUS, SMALLEST_RADIUS};

/// An error of whitecap-surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The particles themselves are unusable.
    #[error(transparent)]
    Input(#[from] whitecap_core::Error),
    /// A length is zero, negative or not finite.
    #[error("{name} must be a positive length in metres, but it is {value}")]
    Length {
        /// Which setting.
        name: &'static str,
        /// Its value.
        value: f32,
    },
    /// A particle's own radius is unusable.
    #[error("particle {index} has the radius {value}; radii must be positive and finite")]
    ParticleRadius {
        /// Which particle.
        index: usize,
        /// Its radius.
        value: f32,
    },
    /// The radius can neither be read nor estimated.
    #[error(
        "the particle radius cannot be estimated: of {count} particles, none has a neighbour at a distinct position; give `radius` (half the particle spacing, in metres)"
    )]
    RadiusUnknown {
        /// How many particles there are.
        count: usize,
    },
    /// The support is too small for the cells or the particles.
    #[error(
        "support {support} m is below the {what} of {limit} m; the surface would fall apart into single nodes. Use a support of about four particle radii"
    )]
    SupportTooSmall {
        /// The support radius.
        support: f32,
        /// What it is compared with.
        what: &'static str,
        /// The smallest usable value.
        limit: f32,
    },
    /// The cells are so small that the grid would not fit.
    #[error(
        "a cell of {cell} m is too small for a support of {support} m: each particle would touch {nodes:.1e} grid nodes. Use a cell of at least {smallest} m"
    )]
    CellTooSmall {
        /// Cell size.
        cell: f32,
        /// Support radius.
        support: f32,
        /// Nodes per particle.
        nodes: f64,
        /// Smallest accepted cell.
        smallest: f32,
    },
    /// A requested column does not exist.
    #[error("the particles have no attribute `{name}`; they have: {available}")]
    UnknownAttribute {
        /// The requested name.
        name: String,
        /// The names that exist.
        available: String,
    },
    /// The crop box is inside out.
    #[error("the crop box is empty: its min exceeds its max on the {axis} axis")]
    EmptyCrop {
        /// Which axis.
        axis: char,
    },
    /// Positions too far from the origin for the cell size.
    #[error(
        "particle {index} at {distance:.3e} m from the origin is too far away for cells of {cell:e} m; move the scene closer to the origin or use larger cells"
    )]
    TooFar {
        /// Which particle.
        index: usize,
        /// Its distance.
        distance: f64,
        /// Cell size.
        cell: f32,
    },
    /// A particle's own radius is out of all proportion.
    #[error(
        "particle {index} has the radius {value:e} m; the largest possible is {LARGEST_RADIUS:e} m. Leave it out (`--outliers leave-out`, or `outliers` of its cache) or give `radius`"
    )]
    AbsurdRadius {
        /// Which particle.
        index: usize,
        /// Its radius.
        value: f32,
    },
    /// Particles smaller than anything that flows.
    #[error(
        "a particle radius of {radius:e} m is too small; the smallest possible is {SMALLEST_RADIUS:e} m. Is the file in another unit? `whitecap convert --scale` changes it"
    )]
    RadiusTooSmall {
        /// The radius.
        radius: f32,
    },
    /// The surface needs more memory than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The caller asked to stop.
    #[error("surfacing was cancelled")]
    Cancelled,
}

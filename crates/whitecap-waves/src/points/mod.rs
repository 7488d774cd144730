//! The points that carry waves: where they lie, and how they stay even.
//!
//! * [`SurfacePoints`]: an even set of oriented points, λ_f (`fine`) apart, on the surface of coarse
//!   particles whose scale is λ_c (`coarse`).
//! * [`Neighbourhood`]: for each point, those within 2 λ_f on the same side of the liquid.
//! * [`Carry`]: how columns that belong to the points of one frame become columns of the next.
//! * [`Aggregates`]: the surface as a bounded number of samples per λ_c, for sums at that scale.
//!
//! The method is that of Mercier et al. 2015, §4.3.

mod carry;
mod coarse;
mod error;
mod neighbourhood;
mod regularisation;
mod report;
mod settings;
mod state;
mod sums;
mod surface_points;
mod tracker;

pub use carry::{Carried, Carry};
pub use error::PointError;
pub use neighbourhood::Neighbourhood;
pub use report::{PointReport, PointTimes, Spacing};
pub use settings::PointSettings;
pub use state::Lengths;
pub(crate) use state::{LastParticles, TrackerState};
pub use sums::aggregates::{Aggregates, Sums};
pub(crate) use sums::lanes::{dot, offsets, splat};
pub use surface_points::SurfacePoints;
pub use tracker::{PointFrame, SurfaceTracker};

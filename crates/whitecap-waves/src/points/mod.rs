//! The points that carry waves: where they lie, and how they stay even.
//!
//! * [`SurfacePoints`]: an even set of oriented points, λ_f (`fine`) apart, on the surface of coarse
//!   particles whose scale is λ_c (`coarse`).
//! * [`Neighbourhood`]: for each point, those within 2 λ_f on the same side of the liquid.
//! * [`Carry`]: how columns that belong to the points of one frame become columns of the next.
//! * [`Aggregates`]: the surface in a bounded number of samples per λ_c, for sums at that scale.
//!
//! The method is that of Mercier et al. 2015, §4.3.

mod aggregates;
mod carry;
mod neighbourhood;
mod surface_points;

pub use aggregates::{Aggregates, Sums};
pub use carry::{Carried, Carry};
pub use neighbourhood::Neighbourhood;
pub use surface_points::SurfacePoints;

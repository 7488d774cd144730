//! Sums at the scale of λ_c, at a cost that does not grow with the number of points.
//!
//! `blocks` are points in Z-order that share their searches. A sample stands for several points:
//! `samples` makes them while points are regularised, `aggregates` for finished points. `near_box` finds
//! those near a block, and `lanes` holds them in groups of eight.

pub(crate) mod aggregates;
pub(crate) mod blocks;
pub(crate) mod lanes;
pub(crate) mod near_box;
pub(crate) mod samples;

//! Which particles act on each other, and how strongly.
//!
//! [`Candidates`] finds the neighbours of one particle, [`MassSpline`] is the kernel, [`Pairs`] the list of
//! all neighbours with everything about them that does not change during a step.

mod candidates;
mod list_memory;
mod pairs;
mod spline;

pub(crate) use candidates::Candidates;
pub(crate) use list_memory::{clear_and_shrink, reserve_with_slack};
pub(crate) use pairs::{CHUNK, PairChunk, Pairs};
pub(crate) use spline::MassSpline;

//! The numerical tools that methods share.
//!
//! Smoothing `kernels`, small problems of `eigen`values, the `poisson` equation on sparse grids, sums with
//! a fixed order (`reduce`), numbers in whole registers (`padded_columns`), and numbers that look random
//! (`scatter`).
//!
//! # Guarantees
//! * The same input gives the same bits for any number of threads.

pub mod eigen;
pub mod kernels;
pub mod padded_columns;
pub mod poisson;
pub mod reduce;
pub mod scatter;

//! Which of many things belong together.
//!
//! `neighbours` finds particles within a radius, sorted along the Z-order curve of `morton`; `identities`
//! finds the same particle in another frame, `partners` does without identities; `outliers` finds particles
//! that do not belong with the rest; `disjoint_sets` finds what is connected pair by pair.
//!
//! # Guarantees
//! * Results depend on the input only, not on the number of threads or the order of a hash map.

pub mod disjoint_sets;
pub mod identities;
pub mod morton;
pub mod neighbours;
pub mod outliers;
pub mod partners;

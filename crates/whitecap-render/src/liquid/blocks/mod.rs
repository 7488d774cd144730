//! Where the surface can be.
//!
//! `bounds` decides before the first ray which blocks of space cannot hold the surface; `block_grid` keeps
//! the others and leads a ray through them. `lists` says which particles reach each block (with `buckets`
//! and `active_rows`, tile by tile), `nearby` the same for boxes that are not blocks.

pub(crate) mod active_rows;
mod block_grid;
pub(crate) mod bounds;
pub(crate) mod buckets;
pub(crate) mod lists;
pub(crate) mod nearby;

pub(crate) use block_grid::{BlockGrid, FIRST_SIGN, INSIDE, OUTSIDE};

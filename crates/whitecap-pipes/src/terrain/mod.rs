//! Where there is room for liquid (Dagenais et al. 2018, §3.1).
//!
//! `grid` is the horizontal grid, `spaces` the [`Terrain`]: for every cell the spaces between solids, from
//! heights or layers. `casting` finds them from a mesh or a distance field.

pub(crate) mod casting;
pub(crate) mod grid;
mod spaces;

pub(crate) use spaces::check_cell;
pub use spaces::{MOST_COLUMNS, Space, Terrain};

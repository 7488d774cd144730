//! Values on a regular lattice of nodes.
//!
//! `lattice` says where the nodes are. `sparse_grid` stores tiles of 8³ of them in sorted order, found
//! through `coordinate_index`; `tile_cover` finds the tiles that boxes overlap; `dense_grid` stores every node of a box; `mac_grid` is three of those, one
//! for each component of a velocity, on the faces of cells.

pub(crate) mod coordinate_index;
pub mod dense_grid;
pub(crate) mod lattice;
pub mod mac_grid;
pub mod sparse_grid;
pub mod tile_cover;

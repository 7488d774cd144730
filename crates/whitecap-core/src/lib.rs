//! The ground floor of Whitecap: the data that travels between methods and the numerical tools
//! they share.
//!
//! * data: [`Particles`], [`TriMesh`], [`Attributes`], [`SparseGrid`], [`dense_grid`], [`mac_grid`]
//! * search: [`neighbours`], [`identities`], [`partners`], [`triangle_bvh`], [`winding_number`]
//! * numerics: [`kernels`], [`eigen`], [`padded_columns`], [`poisson`], [`reduce`], [`scatter`], [`transform`]
//! * bytes of files and of saved states: [`checked_bytes`], [`saved_bytes`]
//! * memory and time that a computation is about to need: [`budget`]
//!
//! # Conventions
//! SI units, y up, right-handed. Triangles wind counter-clockwise seen from outside. A signed
//! distance is negative inside.
//!
//! # Determinism
//! On one machine no result depends on the number of threads: no float atomics, no unordered
//! reduction, no hash order. Across machines, results may differ in the last bits, because the
//! compiler may fuse or vectorise differently for another processor.

pub mod budget;
mod bytes;
mod data;
mod error;
mod geometry;
mod grids;
mod numerics;
mod search;
mod watch;

pub use attributes::{Attributes, Column};
pub use bytes::{checked_bytes, saved_bytes};
pub use data::attributes;
pub use data::counted::{counted, counted_as};
pub use data::facts::{FactValue, Facts};
pub use data::mesh::{Adjacency, TriMesh};
pub use data::mesh_shapes::open_edges;
pub use data::particles::Particles;
pub use data::volume::{GridClass, GridValues, Volume, VolumeGrid};
pub use dense_grid::DenseGrid;
pub use error::Error;
pub use geometry::bounds::Bounds;
pub use geometry::{
    closest_point, surface_area_heuristic, transform, triangle_bvh, winding_number,
};
pub use glam;
pub use grids::coordinate_index::CoordinateIndex;
pub use grids::lattice::Lattice;
pub use grids::{dense_grid, mac_grid, sparse_grid, tile_cover};
pub use identities::Identities;
pub use mac_grid::MacGrid;
pub use numerics::{eigen, kernels, padded_columns, poisson, reduce, scatter};
pub use search::{disjoint_sets, identities, morton, neighbours, outliers, partners};
pub use sparse_grid::{SparseGrid, Tile};
pub use transform::{KeyframedTransform, Transform};
pub use watch::{Unwatched, Watch};

//! The ground floor of Whitecap: the data that travels between methods and the numerical tools
//! they share.
//!
//! * data: [`Particles`], [`TriMesh`], [`Attributes`], [`SparseGrid`], [`dense_grid`], [`mac_grid`]
//! * search: [`neighbours`], [`identities`], [`triangle_bvh`], [`winding_number`]
//! * numerics: [`kernels`], [`eigen`], [`padded_columns`], [`poisson`], [`reduce`], [`scatter`], [`transform`]
//! * bytes of files and of saved states: [`checked_bytes`], [`saved_bytes`]
//!
//! # Conventions
//! SI units, y up, right-handed. Triangles wind counter-clockwise seen from outside. A signed
//! distance is negative inside.
//!
//! # Determinism
//! On one machine no result depends on the number of threads: no float atomics, no unordered
//! reduction, no hash order. Across machines, results may differ in the last bits, because the
//! compiler may fuse or vectorise differently for another processor.

pub mod attributes;
mod bounds;
pub mod checked_bytes;
pub mod closest_point;
mod coordinate_index;
pub mod dense_grid;
pub mod disjoint_sets;
pub mod eigen;
mod error;
pub mod identities;
pub mod kernels;
mod lattice;
pub mod mac_grid;
mod mesh;
mod mesh_shapes;
pub mod morton;
pub mod neighbours;
pub mod padded_columns;
mod particles;
pub mod poisson;
pub mod reduce;
pub mod saved_bytes;
pub mod scatter;
pub mod sparse_grid;
pub mod surface_area_heuristic;
pub mod transform;
pub mod triangle_bvh;
mod volume;
mod watch;
pub mod winding_number;

pub use attributes::{Attributes, Column};
pub use bounds::Bounds;
pub use coordinate_index::CoordinateIndex;
pub use dense_grid::DenseGrid;
pub use error::Error;
pub use glam;
pub use identities::Identities;
pub use lattice::Lattice;
pub use mac_grid::MacGrid;
pub use mesh::{Adjacency, TriMesh};
pub use mesh_shapes::open_edges;
pub use particles::Particles;
pub use sparse_grid::{SparseGrid, Tile};
pub use transform::{KeyframedTransform, Transform};
pub use volume::{GridClass, GridValues, Volume, VolumeGrid};
pub use watch::{Unwatched, Watch};

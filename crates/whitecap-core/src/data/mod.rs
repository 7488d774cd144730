//! What travels between methods: particles, meshes and named grids.
//!
//! [`Particles`](crate::Particles) and [`TriMesh`](crate::TriMesh) are positions with the named, typed
//! columns of `attributes`; `mesh_shapes` makes meshes from a few numbers or from other meshes. `volume`
//! gives grids a name and a class, as a `.vdb` file holds them. `facts` is what holds for all particles of a
//! frame.

pub mod attributes;
pub mod counted;
pub(crate) mod facts;
pub(crate) mod mesh;
pub(crate) mod mesh_shapes;
pub(crate) mod particles;
pub(crate) mod volume;

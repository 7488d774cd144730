//! Path tracing of liquids: triangle meshes, implicit particle surfaces hit directly, distance
//! fields, menisci, thin films and volumes.
//!
//! A scene is made of [`Shape`]s. Whatever can say where a [`Ray`] meets it, and whether a point lies
//! inside, can be rendered.
//!
//! # Conventions
//! SI units, y up, right-handed. Normals point out of the solid or liquid. Radiance is linear RGB with
//! the primaries of Rec. 709.

mod hit;
pub mod mesh;
mod ray;
mod sampler;
mod shape;
pub mod shapes;
pub mod thin_film;
pub mod volume;
mod wide_bvh;

pub use hit::Hit;
pub use mesh::{MeshError, MeshOptions, TriangleMesh};
pub use ray::Ray;
pub use sampler::Sampler;
pub use shape::Shape;

//! Formats made for triangle meshes: `obj`, `ply`, `stl` and, written only, `gltf`. PLY holds particles as
//! well; each module says which attributes its format can hold.

pub mod gltf;
pub mod obj;
pub mod ply;
pub mod stl;

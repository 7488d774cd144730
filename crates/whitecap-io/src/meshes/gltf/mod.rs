//! glTF 2.0 meshes, `.glb` (one binary file) and `.gltf` (JSON with the data embedded, or in files
//! beside it), for viewers, game engines and Blender.
//!
//! # Guarantees
//! * `normal`, `uv` and `color` are `NORMAL`, `TEXCOORD_0` and `COLOR_0`; every other attribute
//!   is a custom one, `_VELOCITY` for `velocity`. The texture's origin is moved between the lower left,
//!   where it is here, and the upper left.
//! * Written: the requirements of the standard are met: bounds of the positions, four-byte alignment,
//!   unit normals (a vertex without one gets +y), colours from 0 to 1, finite numbers.
//! * Read: all meshes of the scene as one, each where its nodes put it, as triangles, strips or fans,
//!   with numbers of every type. What does not fit together is left out with a note.
//! * Read: counts are checked before anything is allocated; a scene that repeats a mesh beyond
//!   hundreds of times the size of the file is refused. Files beside a `.gltf` are read only if they
//!   are plain files in its folder or below.
//!
//! # Non-guarantees
//! The standard has no 32-bit integers at vertices, so integer attributes are written as reals,
//! exact up to 2²⁴. Materials, skins, animations, cameras, points and lines are not read, nor are
//! sparse accessors and the extensions that compress geometry. A scene is y up and in metres, like
//! everything here.

mod buffers;
mod document;
mod read;
mod write;

pub use buffers::companions;
pub use read::parse;
pub use write::{to_glb, to_gltf};

const GLB_MAGIC: &[u8; 4] = b"glTF";
const GLB_VERSION: u32 = 2;

//! From particles to closed surfaces and distance fields.

mod settings;

pub use settings::{CropBox, Method, SurfaceSettings};

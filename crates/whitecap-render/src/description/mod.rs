//! What is in a picture, as plain data with units, ranges and defaults: materials, objects and lights.
//!
//! Shot files and commands are made of these settings. Files that they name are read by the caller.

mod lights;
mod materials;
mod objects;

pub use lights::{
    EnvironmentImageSettings, EnvironmentSettings, LampSettings, LightSettings, SkySettings,
    SunSettings,
};
pub use materials::{
    DielectricSettings, FilmSettings, MaterialSettings, MediumSettings, PaintSettings,
    TextureSettings,
};
pub use objects::{FloorSettings, ObjectSettings, ShapeSettings};

//! Particles in Houdini's formats: `bgeo_classic` is `.bgeo` version 5, `houdini_json` the format of
//! newer versions, as text (`.geo`) or binary (`.bgeo`). Only points and their attributes are read.

pub mod bgeo_classic;
pub mod houdini_json;

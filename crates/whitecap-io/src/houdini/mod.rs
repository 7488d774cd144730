//! Particles in Houdini's formats: `bgeo_classic` and `geo_classic` are version 5, binary and as text,
//! `houdini_json` the format of newer versions, as text (`.geo`) or binary (`.bgeo`). Only points and
//! their attributes are read.

pub mod bgeo_classic;
pub mod geo_classic;
pub mod houdini_json;

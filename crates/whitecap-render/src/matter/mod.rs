//! What things are made of: the `material` of a surface, with values that a `texture` may vary; the
//! `medium` that a ray is in, also where transparent bodies overlap; and the `volume`s of snow, mist and
//! smoke that scatter and absorb light in between.

pub(crate) mod material;
pub(crate) mod medium;
pub(crate) mod texture;
pub mod volume;

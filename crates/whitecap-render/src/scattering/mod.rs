//! What an interface does to light.
//!
//! `bsdf` puts the parts together for each kind of surface: `fresnel` says how much light is reflected,
//! `microfacet` in which directions if the interface is rough, `albedo` how much a single bounce loses,
//! and `thin_film` which colours a film adds.
//!
//! # Guarantees
//! * A surface that absorbs nothing returns all light, at every roughness, within 0.5 %.

pub(crate) mod albedo;
pub(crate) mod bsdf;
pub mod fresnel;
pub(crate) mod microfacet;
pub mod thin_film;

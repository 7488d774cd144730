//! Path tracing of liquids: triangle meshes, implicit particle surfaces hit directly, distance
//! fields, menisci, thin films and volumes.
//!
//! A [`Scene`] is made of [`Shape`]s. Anything that can say where a [`Ray`] hits it, and whether a
//! point lies inside, can be rendered; [`render`] makes the picture.
//!
//! * shapes: [`TriangleMesh`], [`shapes`], particle liquids and distance fields in [`liquid`]
//! * matter: [`Material`], [`Texture`], [`thin_film`], [`volume`]
//! * light: [`Light`], [`Environment`]
//! * picture: [`Camera`], [`RenderSettings`], [`Rendered`], [`Tone`]
//!
//! # Conventions
//! SI units, y up, right-handed. Normals point out of the solid or liquid. Radiance is linear RGB with
//! the primaries of Rec. 709.

mod albedo;
mod bsdf;
mod camera;
mod error;
mod frame;
pub mod fresnel;
mod hit;
mod light;
pub mod liquid;
mod material;
mod medium;
pub mod meniscus;
pub mod mesh;
mod microfacet;
mod path;
mod picture;
mod ray;
mod rendered;
mod sampler;
mod scene;
mod settings;
mod shape;
pub mod shapes;
mod texture;
pub mod thin_film;
mod tone;
pub mod volume;
mod wide_bvh;

pub use camera::{Camera, Projection};
pub use error::RenderError;
pub use glam;
pub use hit::Hit;
pub use light::{Environment, Light, LightKind};
pub use liquid::{LevelSetLiquid, ParticleLiquid};
pub use material::{Dielectric, FilmCoat, FilmThickness, Material, MetalColor, Surface};
pub use meniscus::MeniscusLiquid;
pub use mesh::{MeshError, MeshOptions, TriangleMesh};
pub use picture::{Progress, render, render_progressively};
pub use ray::Ray;
pub use rendered::{Channel, Layer, Rendered, Statistics, Values};
pub use sampler::Sampler;
pub use scene::{Object, Scene};
pub use settings::{Pass, PixelFilter, RenderSettings};
pub use shape::Shape;
pub use texture::{Mapping, Texture, TextureImage, TextureValue};
pub use tone::Tone;

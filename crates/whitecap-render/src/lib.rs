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

mod camera;
pub mod description;
mod error;
mod light;
pub mod liquid;
mod matter;
pub mod meniscus;
pub mod mesh;
mod path;
mod picture;
mod rays;
mod rendered;
mod sampling;
mod scattering;
mod scene;
mod settings;
pub mod shapes;
pub mod survey;
mod tone;

pub use camera::{Camera, CameraMatrices, Projection};
pub use error::RenderError;
pub use glam;
pub use light::{Environment, Light, LightKind};
pub use liquid::{LevelSetLiquid, ParticleLiquid};
pub use matter::material::{Dielectric, FilmCoat, FilmThickness, Material, MetalColor, Surface};
pub use matter::texture::{Mapping, Texture, TextureImage, TextureValue};
pub use matter::volume;
pub use meniscus::MeniscusLiquid;
pub use mesh::{MeshError, MeshOptions, TriangleMesh};
pub use picture::{Progress, render, render_progressively};
pub use rays::hit::Hit;
pub use rays::ray::Ray;
pub use rays::shape::Shape;
pub use rendered::{Channel, Layer, Rendered, Statistics, Values};
pub use sampling::sampler::Sampler;
pub use scattering::{fresnel, thin_film};
pub use scene::{Object, Scene};
pub use settings::{Pass, PixelFilter, RenderSettings};
pub use tone::Tone;

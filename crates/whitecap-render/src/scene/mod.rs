//! What is in a picture.

mod check;
mod prepared;
mod shading;

use std::sync::Arc;

use crate::volume::VolumeObject;
use crate::{Camera, Environment, Light, Material, Shape};

pub(crate) use prepared::PreparedScene;
pub(crate) use shading::{ShadingPoint, passed};

/// Everything that a picture shows.
///
/// ```
/// use std::sync::Arc;
/// use whitecap_render::glam::Vec3;
/// use whitecap_render::shapes::{Plane, Sphere};
/// use whitecap_render::{Dielectric, Environment, Material, RenderSettings, Scene, render};
/// use whitecap_core::Unwatched;
///
/// let mut scene = Scene::default();
/// let chalk = scene.add_material(Material::diffuse(Vec3::splat(0.7)));
/// let water = scene.add_material(Material::dielectric(Dielectric::water()));
/// scene.add("floor", Arc::new(Plane::floor(0.0)), chalk);
/// scene.add("drop", Arc::new(Sphere { center: Vec3::Y, radius: 0.5 }), water);
/// scene.environment = Environment::Constant(Vec3::ONE);
/// let settings = RenderSettings { width: 16, height: 9, samples: 4, ..RenderSettings::default() };
/// let picture = render(&scene, &settings, &Unwatched)?;
/// assert_eq!(picture.rgb("beauty").map(|pixels| pixels.len()), Some(16 * 9));
/// # Ok::<(), whitecap_render::RenderError>(())
/// ```
#[derive(Clone, Default)]
pub struct Scene {
    /// Surfaces.
    pub objects: Vec<Object>,
    /// What the surfaces are made of; objects refer to them by index.
    pub materials: Vec<Material>,
    /// Media that scatter light.
    pub volumes: Vec<Arc<VolumeObject>>,
    /// Lamps and suns.
    pub lights: Vec<Light>,
    /// Light from all around.
    pub environment: Environment,
    /// Where the scene is seen from.
    pub camera: Camera,
    /// Where it is seen from in the previous and in the next frame, for the layer of motion. `None`: from
    /// the same place.
    pub cameras_around: Option<[Camera; 2]>,
}

/// A shape made of a material.
#[derive(Clone)]
pub struct Object {
    /// For messages and masks.
    pub name: String,
    /// The shape.
    pub shape: Arc<dyn Shape>,
    /// Index of its material in the scene.
    pub material: usize,
}

impl Scene {
    /// Adds a material and returns its index.
    pub fn add_material(&mut self, material: Material) -> usize {
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Adds an object and returns its index.
    pub fn add(&mut self, name: &str, shape: Arc<dyn Shape>, material: usize) -> usize {
        self.objects.push(Object { name: name.to_owned(), shape, material });
        self.objects.len() - 1
    }

    /// Bytes held by shapes and volumes.
    pub fn bytes(&self) -> usize {
        let shapes: usize = self.objects.iter().map(|object| object.shape.bytes()).sum();
        let volumes: usize = self.volumes.iter().map(|volume| volume.bytes()).sum();
        shapes + volumes
    }
}

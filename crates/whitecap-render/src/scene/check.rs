//! Whether a scene can be rendered.

use glam::Vec3;

use super::Scene;
use crate::matter::material::{FilmCoat, FilmThickness, MetalColor, Surface};
use crate::matter::texture::Texture;
use crate::{Material, RenderError};

const COLOR: &str = "a colour or tint is not a number from 0 to 1";
const ROUGHNESS: &str = "a roughness is not a number from 0 to 1";
const INDEX: &str = "an index of refraction is not a number from 1 to 10";
const METAL_INDEX: &str = "a metal's index and extinction must be numbers, zero or more";
const ABSORPTION: &str = "an absorption is negative or not a finite number of 1/m";
const EMISSION: &str = "an emission is negative or not a finite number of W/(m² sr)";
const OPACITY: &str = "an opacity is not a number from 0 to 1";
const FILM: &str = "a film's thickness is negative or not a finite number of m";

impl Scene {
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let count = self.materials.len();
        if let Some(object) = self.objects.iter().find(|object| object.material >= count) {
            let (object, material) = (object.name.clone(), object.material);
            return Err(RenderError::MissingMaterial { object, material, count });
        }
        for (material, value) in self.materials.iter().enumerate() {
            wrong_in(value).map_or(Ok(()), |what| Err(RenderError::Material { material, what }))?;
        }
        for (place, light) in self.lights.iter().enumerate() {
            light.check(place)?;
        }
        self.environment.check()
    }
}

fn is_share(value: &f32) -> bool {
    (0.0..=1.0).contains(value)
}

fn is_color(color: &Vec3) -> bool {
    color.to_array().iter().all(is_share)
}

fn is_positive(value: &Vec3) -> bool {
    value.is_finite() && value.min_element() >= 0.0
}

fn wrong_in(material: &Material) -> Option<&'static str> {
    let all =
        |texture: &Texture<Vec3>, good: fn(&Vec3) -> bool| texture.extremes().iter().all(good);
    let shares = |texture: &Texture<f32>| texture.extremes().iter().all(is_share);
    let index_ok = |index: f32| (1.0..=10.0).contains(&index);
    if !all(&material.emission, is_positive) {
        return Some(EMISSION);
    }
    if !shares(&material.opacity) {
        return Some(OPACITY);
    }
    match &material.surface {
        Surface::Diffuse { color } => (!all(color, is_color)).then_some(COLOR),
        Surface::Metal { roughness, .. } if !shares(roughness) => Some(ROUGHNESS),
        Surface::Metal { reflectance, .. } => match reflectance {
            MetalColor::Color(color) => (!all(color, is_color)).then_some(COLOR),
            MetalColor::Index { index, extinction } => {
                (!is_positive(index) || !is_positive(extinction)).then_some(METAL_INDEX)
            }
            MetalColor::Film(coat) => wrong_in_film(coat),
        },
        Surface::Plastic { color, .. } if !all(color, is_color) => Some(COLOR),
        Surface::Plastic { roughness, .. } if !shares(roughness) => Some(ROUGHNESS),
        Surface::Plastic { index, .. } => (!index_ok(*index)).then_some(INDEX),
        Surface::Dielectric(body) if !index_ok(body.index) => Some(INDEX),
        Surface::Dielectric(body) if !shares(&body.roughness) => Some(ROUGHNESS),
        Surface::Dielectric(body) if !is_positive(&body.absorption) => Some(ABSORPTION),
        Surface::Dielectric(body) => body.film.as_ref().and_then(wrong_in_film),
        Surface::ThinGlass { index, .. } if !index_ok(*index) => Some(INDEX),
        Surface::ThinGlass { tint, .. } => (!is_color(tint)).then_some(COLOR),
        Surface::ThinFilm(coat) => wrong_in_film(coat),
    }
}

fn wrong_in_film(coat: &FilmCoat) -> Option<&'static str> {
    match &coat.thickness {
        FilmThickness::OfShape => None,
        FilmThickness::Given(thickness) => {
            let sound = |t: &f32| t.is_finite() && *t >= 0.0;
            (!thickness.extremes().iter().all(sound)).then_some(FILM)
        }
    }
}

//! What surfaces are made of.

use std::sync::Arc;

use glam::Vec3;

use crate::Hit;
use crate::matter::texture::Texture;
use crate::thin_film::ThinFilm;

/// A material.
#[derive(Clone)]
pub struct Material {
    /// How the surface scatters light.
    pub surface: Surface,
    /// Radiance that the surface sends out on both sides, in W/(m² sr). Found by rays that happen
    /// to hit it; a [`crate::Light`] is sampled deliberately and gives less noise.
    pub emission: Texture<Vec3>,
    /// Fraction of rays that the surface stops, from 0 to 1; the others pass as if it were not
    /// there.
    pub opacity: Texture<f32>,
}

/// How a surface scatters light.
#[derive(Clone)]
pub enum Surface {
    /// Equally bright from every direction: chalk, paper, dry stone.
    Diffuse {
        /// Fraction of light that is reflected, in each colour; 0 to 1.
        color: Texture<Vec3>,
    },
    /// A mirror of metal.
    Metal {
        /// What it reflects.
        reflectance: MetalColor,
        /// 0 a mirror, 1 matt.
        roughness: Texture<f32>,
    },
    /// A diffuse base under a transparent coat.
    Plastic {
        /// Colour of the base; 0 to 1.
        color: Texture<Vec3>,
        /// Roughness of the coat: 0 polished, 1 matt.
        roughness: Texture<f32>,
        /// Index of refraction of the coat; 1.5 for most.
        index: f32,
    },
    /// A transparent body: water, glass, ice.
    Dielectric(Dielectric),
    /// A sheet so thin that light goes straight through: a window pane. It has no inside.
    ThinGlass {
        /// Index of refraction.
        index: f32,
        /// Fraction of the light not reflected that is transmitted; 0 to 1.
        tint: Vec3,
    },
    /// A film in the air, coloured by its thickness: a soap bubble. It has no inside.
    ThinFilm(FilmCoat),
}

/// What a metal reflects.
#[derive(Clone)]
pub enum MetalColor {
    /// Reflectance at normal incidence, 0 to 1; all light at grazing incidence.
    Color(Texture<Vec3>),
    /// Complex index of refraction for red, green and blue.
    Index {
        /// Its real part.
        index: Vec3,
        /// Its imaginary part.
        extinction: Vec3,
    },
    /// A film on metal; the film's settings hold the metal's index.
    Film(FilmCoat),
}

/// A transparent body.
#[derive(Clone)]
pub struct Dielectric {
    /// Index of refraction: 1.333 for water, 1.31 for ice, 1.5 for glass.
    pub index: f32,
    /// 0 smooth, 1 frosted.
    pub roughness: Texture<f32>,
    /// Fraction of light absorbed per metre inside, in 1/m, in each colour (Beer & Lambert).
    pub absorption: Vec3,
    /// Where bodies overlap, the one with the higher priority counts (Schmidt & Budge 2002). Give
    /// glass a higher one than the liquid in it and let the liquid extend into the glass.
    pub priority: i32,
    /// A film on the surface, such as oil on water.
    pub film: Option<FilmCoat>,
}

/// A thin film on a surface.
#[derive(Clone)]
pub struct FilmCoat {
    /// The colours of the film.
    pub film: Arc<ThinFilm>,
    /// How thick it is.
    pub thickness: FilmThickness,
}

/// Where the thickness of a film comes from.
#[derive(Clone)]
pub enum FilmThickness {
    /// From the shape: the vertex attribute `film_thickness` of a mesh.
    OfShape,
    /// Given, in m.
    Given(Texture<f32>),
}

impl Dielectric {
    /// A smooth, clear body.
    pub fn clear(index: f32) -> Self {
        Self { index, roughness: 0.0.into(), absorption: Vec3::ZERO, priority: 0, film: None }
    }

    /// Clean water at 20 °C; it absorbs red first (Pope & Fry 1997, at 620, 550 and 450 nm).
    pub fn water() -> Self {
        Self { absorption: Vec3::new(0.2755, 0.0565, 0.0092), ..Self::clear(1.333) }
    }

    /// Window glass, of higher priority than liquids.
    pub fn glass() -> Self {
        Self { priority: 10, ..Self::clear(1.5) }
    }

    /// The same with light coloured `color` after a path of `depth` metres.
    pub fn tinted(self, color: Vec3, depth: f32) -> Self {
        let absorption = -color.max(Vec3::splat(1e-6)).map(f32::ln) / depth.max(1e-9);
        Self { absorption: absorption.max(Vec3::ZERO), ..self }
    }
}

impl Material {
    /// Whether the material itself is transparent.
    pub(crate) fn is_transparent(&self) -> bool {
        matches!(
            self.surface,
            Surface::Dielectric(_) | Surface::ThinGlass { .. } | Surface::ThinFilm(_)
        )
    }

    /// Fraction of rays that it stops at a hit. The shape's own opacity, which represents the depth
    /// of a liquid, does not apply to transparent materials: these show the depth themselves.
    pub(crate) fn opacity_at(&self, hit: &Hit, point: Vec3) -> f32 {
        let of_shape = if self.is_transparent() { 1.0 } else { hit.opacity };
        of_shape * self.opacity.at(hit.uv, point)
    }

    /// An opaque material that does not glow.
    pub fn new(surface: Surface) -> Self {
        Self { surface, emission: Vec3::ZERO.into(), opacity: 1.0.into() }
    }

    /// A diffuse material.
    pub fn diffuse(color: impl Into<Texture<Vec3>>) -> Self {
        Self::new(Surface::Diffuse { color: color.into() })
    }

    /// A metal from its colour at normal incidence.
    pub fn metal(color: impl Into<Texture<Vec3>>, roughness: impl Into<Texture<f32>>) -> Self {
        let reflectance = MetalColor::Color(color.into());
        Self::new(Surface::Metal { reflectance, roughness: roughness.into() })
    }

    /// A diffuse base under a coat of index 1.5.
    pub fn plastic(color: impl Into<Texture<Vec3>>, roughness: impl Into<Texture<f32>>) -> Self {
        let (color, roughness) = (color.into(), roughness.into());
        Self::new(Surface::Plastic { color, roughness, index: 1.5 })
    }

    /// A transparent body.
    pub fn dielectric(dielectric: Dielectric) -> Self {
        Self::new(Surface::Dielectric(dielectric))
    }

    /// A black surface that glows, in W/(m² sr).
    pub fn glowing(radiance: Vec3) -> Self {
        Self { emission: radiance.into(), ..Self::diffuse(Vec3::ZERO) }
    }

    /// The transparent body, if the material is one.
    pub fn as_dielectric(&self) -> Option<&Dielectric> {
        match &self.surface {
            Surface::Dielectric(dielectric) => Some(dielectric),
            _ => None,
        }
    }
}

//! How surfaces scatter light, in the frame of the surface: z is the normal on the side light is seen
//! from, directions have length one and point away from the surface.
//!
//! # Guarantees
//! * A surface that absorbs nothing returns all light, at every roughness, within 0.5 %.
//! * `sample` finds directions with the density that `evaluate` reports.
//!
//! # Non-guarantees
//! Refracted light is counted as power, not as radiance: a caller that follows radiance divides by
//! the square of the relative index.

mod interface;
mod metal;
mod plastic;
mod sheet;

use std::f32::consts::FRAC_1_PI;

use glam::Vec3;

use crate::sampling::frame::cosine_hemisphere;

pub(crate) use interface::{Interface, InterfaceReflectance};
pub(crate) use metal::{Metal, MetalReflectance};
pub(crate) use plastic::Plastic;
pub(crate) use sheet::Sheet;

/// How light was scattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lobe {
    Diffuse,
    Reflection,
    Transmission,
}

/// Light scattered between two given directions, times the cosine of the second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scattering {
    pub(crate) diffuse: Vec3,
    /// Reflected if both directions are on one side, refracted otherwise.
    pub(crate) specular: Vec3,
    /// Probability density, per steradian, with which `sample` finds the second direction.
    pub(crate) pdf: f32,
}

/// A direction to follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BsdfSample {
    pub(crate) direction: Vec3,
    /// Scattered light times the cosine, divided by the density.
    pub(crate) weight: Vec3,
    /// Zero for a direction that no other sampling strategy can find.
    pub(crate) pdf: f32,
    pub(crate) lobe: Lobe,
}

impl BsdfSample {
    fn only(direction: Vec3, weight: Vec3, lobe: Lobe) -> Self {
        Self { direction, weight, pdf: 0.0, lobe }
    }
}

/// The scattering at one point of a surface.
pub(crate) enum Bsdf<'a> {
    Diffuse(Vec3),
    Metal(Metal),
    Plastic(Plastic<'a>),
    Interface(Interface<'a>),
    Sheet(Sheet),
}

impl Bsdf<'_> {
    /// Whether `evaluate` is zero everywhere.
    pub(crate) fn is_smooth(&self) -> bool {
        match self {
            Bsdf::Diffuse(_) | Bsdf::Plastic(_) => false,
            Bsdf::Metal(metal) => metal.ggx().is_none(),
            Bsdf::Interface(interface) => interface.ggx().is_none(),
            Bsdf::Sheet(_) => true,
        }
    }

    /// Light scattered from `to` to `from`.
    pub(crate) fn evaluate(&self, from: Vec3, to: Vec3) -> Scattering {
        if from.z <= 0.0 || to.z == 0.0 {
            return Scattering::default();
        }
        match self {
            Bsdf::Diffuse(_) | Bsdf::Plastic(_) | Bsdf::Metal(_) if to.z < 0.0 => {
                Scattering::default()
            }
            Bsdf::Diffuse(color) => {
                let pdf = to.z * FRAC_1_PI;
                Scattering { diffuse: *color * pdf, specular: Vec3::ZERO, pdf }
            }
            Bsdf::Metal(metal) => metal.evaluate(from, to),
            Bsdf::Plastic(plastic) => plastic.evaluate(from, to),
            Bsdf::Interface(interface) => interface.evaluate(from, to),
            Bsdf::Sheet(_) => Scattering::default(),
        }
    }

    /// A direction from which light comes to `from`; `None` if the light is lost.
    pub(crate) fn sample(&self, from: Vec3, point: [f32; 2], choice: f32) -> Option<BsdfSample> {
        if from.z <= 0.0 {
            return None;
        }
        match self {
            Bsdf::Diffuse(color) => {
                let direction = cosine_hemisphere(point);
                let pdf = direction.z * FRAC_1_PI;
                (pdf > 0.0).then_some(BsdfSample {
                    direction,
                    weight: *color,
                    pdf,
                    lobe: Lobe::Diffuse,
                })
            }
            Bsdf::Metal(metal) => metal.sample(from, point),
            Bsdf::Plastic(plastic) => plastic.sample(from, point, choice),
            Bsdf::Interface(interface) => interface.sample(from, point, choice),
            Bsdf::Sheet(sheet) => Some(sheet.sample(from, choice)),
        }
    }
}

/// Brightness of a colour as the eye weighs it (Rec. 709).
pub(crate) fn luminance(color: Vec3) -> f32 {
    color.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

#[cfg(test)]
mod tests;

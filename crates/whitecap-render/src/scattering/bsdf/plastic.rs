//! A diffuse base under a transparent coat: paint, plastic, glazed tiles, wet stone.
//!
//! What the coat does not reflect on the way in reaches the base, and what it reflects on the way
//! out does not leave at once (Kulla & Conty 2017): a white base returns everything.

use std::f32::consts::FRAC_1_PI;

use glam::Vec3;

use super::{BsdfSample, Lobe, Scattering, luminance};
use crate::fresnel;
use crate::sampling::frame::cosine_hemisphere;
use crate::scattering::albedo::AlbedoTable;
use crate::scattering::microfacet::{Ggx, mirrored};

/// A coated diffuse surface.
pub(crate) struct Plastic<'a> {
    pub(crate) color: Vec3,
    /// Index of refraction of the coat.
    pub(crate) index: f32,
    pub(crate) roughness: f32,
    /// Albedo of the coat.
    pub(crate) coat: &'a AlbedoTable,
}

impl Plastic<'_> {
    fn ggx(&self) -> Option<Ggx> {
        (self.roughness >= Ggx::SMOOTH).then(|| Ggx::from_roughness(self.roughness))
    }

    /// What the coat leaves to the base.
    fn left(&self, cosine: f32) -> f32 {
        let reflected = match self.ggx() {
            Some(_) => self.coat.at(cosine, self.roughness),
            None => fresnel::dielectric(cosine, self.index),
        };
        1.0 - reflected
    }

    /// The base's colour as seen through the coat: what scatters, before the cosine.
    fn base(&self, from: Vec3, to: Vec3) -> Vec3 {
        let mean_left = (1.0 - self.coat.mean(self.roughness)).max(1e-4);
        self.color * (self.left(from.z) * self.left(to.z) / mean_left)
    }

    /// Probability of following the coat.
    fn coat_share(&self, from: Vec3) -> f32 {
        let left = self.left(from.z);
        let base = left * luminance(self.color).max(0.0);
        ((1.0 - left) / (1.0 - left + base).max(1e-6)).clamp(0.1, 1.0)
    }

    pub(super) fn evaluate(&self, from: Vec3, to: Vec3) -> Scattering {
        let share = self.coat_share(from);
        let cosine_pdf = to.z * FRAC_1_PI;
        let diffuse = self.base(from, to) * cosine_pdf;
        let mut pdf = (1.0 - share) * cosine_pdf;
        let mut specular = Vec3::ZERO;
        if let Some(ggx) = self.ggx() {
            let half = (from + to).normalize_or(Vec3::Z);
            let cosine = from.dot(half);
            let value = ggx.density(half) * ggx.visible_from_both(from, to) / (4.0 * from.z);
            specular = Vec3::splat(value * fresnel::dielectric(cosine, self.index));
            pdf += share * ggx.pdf(from, half) / (4.0 * cosine).max(1e-7);
        }
        Scattering { diffuse, specular, pdf }
    }

    pub(super) fn sample(&self, from: Vec3, point: [f32; 2], choice: f32) -> Option<BsdfSample> {
        let share = self.coat_share(from);
        let (direction, lobe) = if choice >= share {
            (cosine_hemisphere(point), Lobe::Diffuse)
        } else if let Some(ggx) = self.ggx() {
            (mirrored(from, ggx.sample(from, point)), Lobe::Reflection)
        } else {
            let direction = Vec3::new(-from.x, -from.y, from.z);
            let weight = Vec3::splat(fresnel::dielectric(from.z, self.index) / share);
            return Some(BsdfSample::only(direction, weight, Lobe::Reflection));
        };
        if direction.z <= 0.0 {
            return None;
        }
        let scattering = self.evaluate(from, direction);
        let weight = (scattering.diffuse + scattering.specular) / scattering.pdf;
        let found = scattering.pdf > 0.0 && weight.is_finite();
        found.then_some(BsdfSample { direction, weight, pdf: scattering.pdf, lobe })
    }
}

//! Metals: mirrors, smooth or rough.

use glam::Vec3;

use super::{BsdfSample, Lobe, Scattering};
use crate::fresnel;
use crate::scattering::albedo::AlbedoTable;
use crate::scattering::microfacet::{Ggx, mirrored};

/// How much a metal reflects.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MetalReflectance {
    /// From the reflectance at normal incidence.
    Schlick(Vec3),
    /// From the complex index of refraction of each colour.
    Index { index: Vec3, extinction: Vec3 },
    /// Computed for the current angle.
    Given(Vec3),
}

impl MetalReflectance {
    pub(crate) fn at(&self, cosine: f32) -> Vec3 {
        match *self {
            MetalReflectance::Schlick(normal) => fresnel::schlick(cosine, normal),
            MetalReflectance::Given(reflectance) => reflectance,
            MetalReflectance::Index { index, extinction } => {
                Vec3::from_array(std::array::from_fn(|color| {
                    fresnel::metal(cosine, index[color], extinction[color])
                }))
            }
        }
    }
}

/// A metal surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metal {
    pub(crate) reflectance: MetalReflectance,
    pub(crate) roughness: f32,
}

impl Metal {
    pub(crate) fn ggx(&self) -> Option<Ggx> {
        (self.roughness >= Ggx::SMOOTH).then(|| Ggx::from_roughness(self.roughness))
    }

    /// Restores what bounces between facets; each further bounce is tinted once more (Turquin
    /// 2019).
    fn compensation(&self, from: Vec3) -> Vec3 {
        let kept = AlbedoTable::of_mirror().at(from.z, self.roughness);
        Vec3::ONE + self.reflectance.at(1.0) * ((1.0 - kept) / kept)
    }

    pub(super) fn evaluate(&self, from: Vec3, to: Vec3) -> Scattering {
        let Some(ggx) = self.ggx() else { return Scattering::default() };
        let half = (from + to).normalize_or(Vec3::Z);
        let value = ggx.density(half) * ggx.visible_from_both(from, to) / (4.0 * from.z);
        let color = self.reflectance.at(from.dot(half)) * self.compensation(from);
        Scattering {
            diffuse: Vec3::ZERO,
            specular: value * color,
            pdf: ggx.pdf(from, half) / (4.0 * from.dot(half)).max(1e-7),
        }
    }

    pub(super) fn sample(&self, from: Vec3, point: [f32; 2]) -> Option<BsdfSample> {
        let Some(ggx) = self.ggx() else {
            let direction = Vec3::new(-from.x, -from.y, from.z);
            return Some(BsdfSample::only(
                direction,
                self.reflectance.at(from.z),
                Lobe::Reflection,
            ));
        };
        let half = ggx.sample(from, point);
        let direction = mirrored(from, half);
        if direction.z <= 0.0 {
            return None;
        }
        let kept = ggx.visible_from_both(from, direction) / ggx.visible(from);
        let cosine = from.dot(half);
        let weight = kept * self.reflectance.at(cosine) * self.compensation(from);
        let pdf = ggx.pdf(from, half) / (4.0 * cosine).max(1e-7);
        Some(BsdfSample { direction, weight, pdf, lobe: Lobe::Reflection })
    }
}

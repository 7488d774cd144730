//! The interface between two transparent media, smooth or rough (Walter et al. 2007).

use glam::Vec3;

use super::{BsdfSample, Lobe, Scattering, luminance};
use crate::fresnel;
use crate::scattering::albedo::AlbedoTable;
use crate::scattering::microfacet::{Ggx, mirrored, refracted};
use crate::thin_film::ThinFilm;

/// What fraction of light an interface reflects.
#[derive(Clone, Copy)]
pub(crate) enum InterfaceReflectance<'a> {
    /// Fresnel's equations.
    Bare,
    /// A film between the media; `from_below` if light is seen in the body that carries the film.
    Film { film: &'a ThinFilm, thickness: f32, from_below: bool },
}

/// The boundary between the medium that light is seen in and another.
pub(crate) struct Interface<'a> {
    /// Index of the medium beyond divided by that of the medium light is seen in.
    pub(crate) index: f32,
    pub(crate) roughness: f32,
    /// Fraction of light that one bounce keeps; needed by rough interfaces.
    pub(crate) kept: Option<&'a AlbedoTable>,
    pub(crate) reflectance: InterfaceReflectance<'a>,
    /// Reflection, if there is any, is followed at least this often: what a camera sees directly
    /// deserves more samples than its fraction of the light.
    pub(crate) least_reflection: f32,
}

impl Interface<'_> {
    pub(crate) fn ggx(&self) -> Option<Ggx> {
        (self.roughness >= Ggx::SMOOTH && self.kept.is_some())
            .then(|| Ggx::from_roughness(self.roughness))
    }

    fn reflectance(&self, cosine: f32) -> Vec3 {
        match self.reflectance {
            InterfaceReflectance::Bare => Vec3::splat(fresnel::dielectric(cosine, self.index)),
            InterfaceReflectance::Film { film, thickness, from_below } => match from_below {
                false => film.reflectance(cosine, thickness),
                true => film.reflectance_from_below(cosine, thickness),
            },
        }
    }

    /// Probability of following the reflection.
    fn reflection_share(&self, reflectance: Vec3) -> f32 {
        let share = luminance(reflectance).clamp(0.0, 1.0);
        if share == 0.0 || share == 1.0 {
            return share;
        }
        share.clamp(self.least_reflection, 1.0 - self.least_reflection)
    }

    fn compensation(&self, from: Vec3) -> f32 {
        self.kept.map_or(1.0, |kept| 1.0 / kept.at(from.z, self.roughness))
    }

    pub(super) fn evaluate(&self, from: Vec3, to: Vec3) -> Scattering {
        let Some(ggx) = self.ggx() else { return Scattering::default() };
        let reflects = to.z > 0.0;
        let half = if reflects { from + to } else { from + self.index * to };
        let half = half.normalize_or(Vec3::Z);
        let half = if half.z < 0.0 { -half } else { half };
        let (from_cosine, to_cosine) = (from.dot(half), to.dot(half));
        // A facet cannot be seen from behind.
        if from_cosine <= 0.0 || (to_cosine > 0.0) != reflects {
            return Scattering::default();
        }
        let reflectance = self.reflectance(from_cosine);
        let share = self.reflection_share(reflectance);
        let facets = ggx.density(half) * ggx.visible_from_both(from, to) / from.z;
        let pdf = ggx.pdf(from, half);
        let compensation = self.compensation(from);
        let (specular, pdf) = if reflects {
            (reflectance * facets / 4.0, share * pdf / (4.0 * from_cosine).max(1e-7))
        } else {
            // Solid angle of refracted directions per solid angle of facet normals.
            let spread = to_cosine + from_cosine / self.index;
            let spread = to_cosine.abs() / (spread * spread).max(1e-12);
            let through = Vec3::ONE - reflectance;
            (through * (facets * from_cosine * spread), (1.0 - share) * pdf * spread)
        };
        Scattering { diffuse: Vec3::ZERO, specular: specular * compensation, pdf }
    }

    pub(super) fn sample(&self, from: Vec3, point: [f32; 2], choice: f32) -> Option<BsdfSample> {
        let half = self.ggx().map_or(Vec3::Z, |ggx| ggx.sample(from, point));
        let reflectance = self.reflectance(from.dot(half));
        let share = self.reflection_share(reflectance);
        let (direction, color, lobe) = if choice < share {
            (mirrored(from, half), reflectance / share, Lobe::Reflection)
        } else {
            let through = (Vec3::ONE - reflectance) / (1.0 - share);
            (refracted(from, half, self.index)?, through, Lobe::Transmission)
        };
        if (direction.z > 0.0) != (lobe == Lobe::Reflection) {
            return None;
        }
        let Some(ggx) = self.ggx() else { return Some(BsdfSample::only(direction, color, lobe)) };
        let kept = ggx.visible_from_both(from, direction) / ggx.visible(from);
        let weight = color * (kept * self.compensation(from));
        let pdf = self.evaluate(from, direction).pdf;
        (pdf > 0.0).then_some(BsdfSample { direction, weight, pdf, lobe })
    }
}

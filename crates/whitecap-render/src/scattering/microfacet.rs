//! Rough interfaces as many small mirrors with the GGX distribution (Walter et al. 2007), sampled
//! among the visible ones (Heitz 2018, in the form of Dupuy & Benyoub 2023).

use std::f32::consts::{PI, TAU};

use glam::Vec3;

/// The distribution of facet normals around z. Vectors are of length one, in the frame of the
/// surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ggx {
    /// Width of the distribution; the square of what artists call roughness.
    pub(crate) alpha: f32,
}

impl Ggx {
    /// Roughness below which an interface counts as perfectly smooth.
    pub(crate) const SMOOTH: f32 = 0.03;

    pub(crate) fn from_roughness(roughness: f32) -> Self {
        let roughness = roughness.clamp(Self::SMOOTH, 1.0);
        Self { alpha: roughness * roughness }
    }

    /// Density of facets with a normal, per area of the surface.
    pub(crate) fn density(&self, normal: Vec3) -> f32 {
        let slope = (normal.x * normal.x + normal.y * normal.y) / (self.alpha * self.alpha);
        let sum = normal.z * normal.z + slope;
        1.0 / (PI * self.alpha * self.alpha * sum * sum)
    }

    /// Hidden area per visible area, Smith's Λ.
    fn hidden(&self, direction: Vec3) -> f32 {
        let cosine_squared = direction.z * direction.z;
        let sine_squared = direction.x * direction.x + direction.y * direction.y;
        let squared = self.alpha * self.alpha * sine_squared / cosine_squared.max(1e-30);
        0.5 * ((1.0 + squared).sqrt() - 1.0)
    }

    /// Fraction of facets seen from a direction.
    pub(crate) fn visible(&self, direction: Vec3) -> f32 {
        1.0 / (1.0 + self.hidden(direction))
    }

    /// Fraction of facets seen from both directions, with correlated heights (Heitz 2014).
    pub(crate) fn visible_from_both(&self, a: Vec3, b: Vec3) -> f32 {
        1.0 / (1.0 + self.hidden(a) + self.hidden(b))
    }

    /// Probability density with which [`Ggx::sample`] finds a normal from a direction above the surface.
    pub(crate) fn pdf(&self, from: Vec3, normal: Vec3) -> f32 {
        self.visible(from) * from.dot(normal).max(0.0) * self.density(normal) / from.z.max(1e-7)
    }

    /// A facet normal, as often as facets with that normal are seen from a direction.
    pub(crate) fn sample(&self, from: Vec3, [u, v]: [f32; 2]) -> Vec3 {
        let stretched =
            Vec3::new(self.alpha * from.x, self.alpha * from.y, from.z).normalize_or(Vec3::Z);
        let angle = TAU * u;
        let z = (1.0 - v) * (1.0 + stretched.z) - stretched.z;
        let ring = (1.0 - z * z).max(0.0).sqrt();
        let half = Vec3::new(ring * angle.cos(), ring * angle.sin(), z) + stretched;
        Vec3::new(self.alpha * half.x, self.alpha * half.y, half.z.max(0.0)).normalize_or(Vec3::Z)
    }
}

/// A direction mirrored at a normal; both point away from the surface.
pub(crate) fn mirrored(direction: Vec3, normal: Vec3) -> Vec3 {
    2.0 * direction.dot(normal) * normal - direction
}

/// A direction refracted at a normal on its own side; `index` is that of the other side divided by that
/// of this side. `None` where all light is reflected.
pub(crate) fn refracted(direction: Vec3, normal: Vec3, index: f32) -> Option<Vec3> {
    let cosine = direction.dot(normal);
    let transmitted = crate::fresnel::transmitted_cosine(cosine, index)?;
    Some((-direction / index + (cosine / index - transmitted) * normal).normalize())
}

//! How much light gets from a light to a position.

use glam::Vec3;

use super::{Path, transmitted};
use crate::matter::medium::MediumStack;
use crate::scene::passed;
use crate::{Ray, Sampler};

/// Transparent surfaces that one shadow ray may pass; beyond that it is dark.
const MOST_SURFACES: u32 = 128;
/// A shadow ray stops this fraction of its length before the light.
const SHORTER: f32 = 1.0 - 1e-4;

impl Path<'_, '_> {
    /// Fraction of light that comes along a ray from its far end.
    pub(super) fn visibility(
        &mut self,
        mut ray: Ray,
        mut media: MediumStack,
        sampler: &mut Sampler,
    ) -> Vec3 {
        ray.far *= SHORTER;
        self.brought.rays += 1;
        if self.scene.blocks(&ray) {
            return Vec3::ZERO;
        }
        let mut share = Vec3::ONE;
        for volume in &self.scene.scene().volumes {
            share *= volume.transmittance(&ray, sampler);
        }
        for _ in 0..MOST_SURFACES {
            if share.max_element() < 1e-6 {
                return Vec3::ZERO;
            }
            let absorption = self.scene.absorption(&media);
            let Some((object, hit)) = self.scene.intersect_transparent(&ray) else {
                return share * transmitted(absorption, ray.far);
            };
            let (behind, crossing) = self.scene.across(object, ray.direction, &hit, &media);
            let opacity = self.scene.material(object).opacity_at(&hit, ray.at(hit.distance));
            let through = self.scene.straight_through(&ray, object, &hit, crossing);
            let through = match through {
                Some(through) if self.settings.fast_shadows || through == Vec3::ONE => through,
                _ => Vec3::ZERO,
            };
            share *= transmitted(absorption, hit.distance) * (1.0 - opacity + opacity * through);
            media = behind;
            ray = passed(&ray, &hit);
        }
        Vec3::ZERO
    }
}

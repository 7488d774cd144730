//! Direct light from the lights.

use glam::Vec3;

use super::{Layer, Path, power_heuristic};
use crate::light::LightPoint;
use crate::matter::medium::MediumStack;
use crate::scene::ShadingPoint;
use crate::volume::Scatter;
use crate::{Ray, Sampler};

impl Path<'_, '_> {
    fn choose_light(&self, place: Vec3, sampler: &mut Sampler) -> Option<LightPoint> {
        let (choice, point) = (sampler.next(), sampler.next_2d());
        let found = self.scene.lights.sample(place, self.ray.time, choice, point)?;
        (found.pdf > 0.0 && found.radiance != Vec3::ZERO).then_some(found)
    }

    /// Adds light that one of the lights sends straight to a surface.
    pub(super) fn ask_lights(
        &mut self,
        point: &ShadingPoint,
        media_behind: &MediumStack,
        sampler: &mut Sampler,
    ) {
        let Some(light) = self.choose_light(point.point(), sampler) else { return };
        let scattering = point.evaluate(-self.ray.direction, light.direction);
        if scattering.diffuse + scattering.specular == Vec3::ZERO {
            return;
        }
        let shadow = Ray { far: light.distance, ..point.leave(light.direction) };
        let through = !point.is_before(light.direction);
        let media = if through { media_behind } else { &self.media };
        let visible = self.visibility(shadow, *media, sampler);
        if visible == Vec3::ZERO {
            return;
        }
        let weight = power_heuristic(light.pdf, scattering.pdf);
        let arrives = self.throughput * light.radiance * visible * (weight / light.pdf);
        let specular = if through { Layer::Refraction } else { Layer::Reflection };
        let settled = self.layer;
        for (layer, share) in
            [(Layer::Diffuse, scattering.diffuse), (specular, scattering.specular)]
        {
            self.layer = settled.or(Some(layer));
            self.add(arrives * share);
        }
        self.layer = settled;
    }

    /// Light that one of the lights sends straight to a point of a volume.
    pub(super) fn ask_lights_in_volume(
        &mut self,
        place: Vec3,
        scatter: &Scatter,
        sampler: &mut Sampler,
    ) -> Vec3 {
        let Some(light) = self.choose_light(place, sampler) else { return Vec3::ZERO };
        let pdf = scatter.phase.pdf(self.ray.direction.dot(light.direction));
        let shadow = Ray {
            origin: place,
            direction: light.direction,
            time: self.ray.time,
            far: light.distance,
        };
        let visible = self.visibility(shadow, self.media, sampler);
        let weight = power_heuristic(light.pdf, pdf);
        self.throughput * light.radiance * visible * (pdf * weight / light.pdf)
    }
}

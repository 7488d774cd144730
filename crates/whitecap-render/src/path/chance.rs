//! Lights hit by chance.

use super::{LastAsked, Path, power_heuristic, transmitted};
use crate::Ray;
use crate::light::{LightPoint, PreparedLight};

impl Path<'_, '_> {
    /// Adds the lights that a flight passes.
    pub(super) fn meet_lights(&mut self, flown: f32) {
        let flight = Ray { far: flown, ..self.ray };
        let behind = self.asked.as_ref().map_or(0.0, |asked| asked.flown);
        let directly = self.bounces == 0;
        for light in self.scene.lights.lights().iter().filter(|l| l.visible || !directly) {
            let Some(met) = light.meet(&flight, behind) else { continue };
            let weight = self.weight(Some((light, &met)));
            if weight > 0.0 {
                let through = transmitted(self.scene.absorption(&self.media), met.distance);
                self.add(self.throughput * through * met.radiance * weight);
            }
        }
    }

    /// Adds the environment at the end of a flight that hit nothing.
    pub(super) fn meet_environment(&mut self) {
        if self.bounces == 0 && !self.settings.background {
            return;
        }
        let radiance = self.scene.lights.environment().radiance(self.ray.direction);
        self.add(self.throughput * radiance * self.weight(None));
    }

    /// Weight of a light, or of the environment.
    fn weight(&self, met: Option<(&PreparedLight, &LightPoint)>) -> f32 {
        let Some(asked) = &self.asked else { return 1.0 };
        if asked.reflected {
            // No other strategy could have found it.
            return f32::from(u8::from(met.is_none() || self.settings.reflected_caustics));
        }
        if asked.transmitted {
            return if self.settings.fast_shadows { self.bent_weight(asked, met) } else { 1.0 };
        }
        let selection = &self.scene.lights;
        let light_pdf = match met {
            Some((light, point)) => selection.light_pdf(light, asked.place, point.pdf),
            None => selection.environment_pdf(asked.place, self.ray.direction),
        };
        power_heuristic(asked.pdf, light_pdf)
    }

    /// Weight of light that was refracted on its path, if light is also assumed to come straight:
    /// that of the straight path from the same point of the light, so that both together count it
    /// once.
    fn bent_weight(&self, asked: &LastAsked, met: Option<(&PreparedLight, &LightPoint)>) -> f32 {
        let selection = &self.scene.lights;
        let mut direction = self.ray.direction;
        let light_pdf = match met {
            None => selection.environment_pdf(asked.place, direction),
            Some((light, point)) => {
                if point.distance.is_finite() {
                    let offset = self.ray.at(point.distance) - asked.place;
                    direction = offset.normalize_or(direction);
                }
                let origin = asked.place;
                let straight = Ray { origin, direction, time: self.ray.time, far: f32::INFINITY };
                light
                    .meet(&straight, 0.0)
                    .map_or(0.0, |seen| selection.light_pdf(light, origin, seen.pdf))
            }
        };
        let own_pdf = asked.pdf_towards(direction);
        // What cannot come straight comes only refracted.
        if own_pdf > 0.0 { power_heuristic(own_pdf, light_pdf) } else { 1.0 }
    }
}

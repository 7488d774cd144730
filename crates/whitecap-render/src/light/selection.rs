//! Which light to choose at a position.

use std::f32::consts::PI;

use glam::Vec3;

use super::{Environment, Light, LightPoint, PreparedEnvironment, PreparedLight};

/// All lights of a scene. Each is chosen about as often as it matters at a position, and never with
/// probability zero.
pub(crate) struct LightSelection {
    lights: Vec<PreparedLight>,
    environment: PreparedEnvironment,
}

/// Fraction of choices that is the same for all lights, regardless of the estimate.
const EVEN_SHARE: f32 = 0.1;

impl LightSelection {
    pub(crate) fn new(lights: &[Light], environment: &Environment) -> Self {
        Self {
            lights: lights.iter().map(PreparedLight::new).collect(),
            environment: PreparedEnvironment::new(environment),
        }
    }

    pub(crate) fn environment(&self) -> &PreparedEnvironment {
        &self.environment
    }

    pub(crate) fn lights(&self) -> &[PreparedLight] {
        &self.lights
    }

    fn environment_importance(&self) -> f32 {
        PI * self.environment.mean()
    }

    /// Number of lights that shine, and the sum of their importances at a position.
    fn total(&self, place: Vec3) -> (f32, f32) {
        let environment = self.environment_importance();
        let shining = f32::from(u8::from(environment > 0.0));
        self.lights.iter().fold((shining, environment), |(count, sum), light| {
            let importance = light.importance(place);
            (count + f32::from(u8::from(importance > 0.0)), sum + importance)
        })
    }

    /// Probability of a light of some importance.
    fn share(importance: f32, (count, sum): (f32, f32)) -> f32 {
        if importance <= 0.0 {
            return 0.0;
        }
        (1.0 - EVEN_SHARE) * importance / sum + EVEN_SHARE / count
    }

    /// A point on one of the lights, as seen from a position.
    pub(crate) fn sample(
        &self,
        place: Vec3,
        time: f32,
        choice: f32,
        point: [f32; 2],
    ) -> Option<LightPoint> {
        let total = self.total(place);
        let mut left = choice;
        for light in &self.lights {
            let share = Self::share(light.importance(place), total);
            if left < share {
                let found = light.sample(place, time, point)?;
                return Some(LightPoint { pdf: found.pdf * share, ..found });
            }
            left -= share;
        }
        let share = Self::share(self.environment_importance(), total);
        if share <= 0.0 {
            return None;
        }
        let (direction, pdf) = self.environment.sample(point);
        let radiance = self.environment.radiance(direction);
        let found = LightPoint { direction, distance: f32::INFINITY, radiance, pdf: pdf * share };
        (pdf > 0.0).then_some(found)
    }

    /// Density, per steradian, with which `sample` at `place` finds the point of a light that a ray
    /// hit.
    pub(crate) fn light_pdf(&self, light: &PreparedLight, place: Vec3, pdf: f32) -> f32 {
        pdf * Self::share(light.importance(place), self.total(place))
    }

    /// Density, per steradian, with which `sample` at `place` finds a direction of the environment.
    pub(crate) fn environment_pdf(&self, place: Vec3, direction: Vec3) -> f32 {
        let share = Self::share(self.environment_importance(), self.total(place));
        share * self.environment.pdf(direction)
    }
}

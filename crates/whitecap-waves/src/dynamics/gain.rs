//! Art direction: where waves are seeded more, less, or not at all.
//!
//! The gain of a point starts at the background value; then each region blends its own gain over it: in
//! full inside the region, fading to nothing over the falloff outside it. A painted value per point
//! multiplies the result.
//!
//! # Guarantees
//! * The gain is continuous in space where every region has a falloff.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::glam::Vec3;

use super::settings::DynamicsSettings;
use super::smooth_step;

/// A box with a gain of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GainBox {
    /// Low corner (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub min: [f32; 3],
    /// High corner (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub max: [f32; 3],
    /// How strongly waves are seeded inside: 0 not at all, 1 as usual.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 100.0))]
    pub gain: f32,
    /// Distance outside the box over which the gain fades to that of the surroundings.
    #[serde(default)]
    #[schemars(extend("unit" = "m"), range(min = 0.0, max = 1e9))]
    pub falloff: f32,
}

/// A sphere with a gain of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GainSphere {
    /// Centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Radius.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
    /// How strongly waves are seeded inside: 0 not at all, 1 as usual.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 100.0))]
    pub gain: f32,
    /// Distance outside the sphere over which the gain fades to that of the surroundings.
    #[serde(default)]
    #[schemars(extend("unit" = "m"), range(min = 0.0, max = 1e9))]
    pub falloff: f32,
}

impl GainBox {
    fn distance(&self, position: Vec3) -> f32 {
        let (min, max) = (Vec3::from(self.min), Vec3::from(self.max));
        position.distance(position.clamp(min, max))
    }
}

impl GainSphere {
    fn distance(&self, position: Vec3) -> f32 {
        (position.distance(Vec3::from(self.center)) - self.radius).max(0.0)
    }
}

/// The gain of each point.
pub(super) fn gains(
    settings: &DynamicsSettings,
    positions: &[Vec3],
    painted: Option<&[f32]>,
) -> Vec<f32> {
    let of = |(index, &position): (usize, &Vec3)| {
        let boxes = settings.gain_boxes.iter().map(|r| (r.distance(position), r.gain, r.falloff));
        let spheres =
            settings.gain_spheres.iter().map(|r| (r.distance(position), r.gain, r.falloff));
        let blended =
            boxes.chain(spheres).fold(settings.gain, |below, (distance, gain, falloff)| {
                below + (gain - below) * presence(distance, falloff)
            });
        // A painted value that is NaN is ignored.
        let painted =
            painted.map_or(1.0, |values| if values[index] > 0.0 { values[index] } else { 0.0 });
        blended * painted.min(100.0)
    };
    positions.par_iter().enumerate().map(of).collect()
}

/// Weight of a region at a distance from it.
fn presence(distance: f32, falloff: f32) -> f32 {
    if distance <= 0.0 {
        1.0
    } else if distance >= falloff {
        0.0
    } else {
        1.0 - smooth_step(distance, 0.0, falloff)
    }
}

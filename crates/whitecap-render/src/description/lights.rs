//! Settings of lights and of the light from all around.

use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::describe_choices;

use crate::shapes::Rectangle;
use crate::{Light, LightKind};

/// A light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum LightSettings {
    /// A bright disc, infinitely far away.
    Sun(SunSettings),
    /// A square that shines towards a point.
    Lamp(LampSettings),
}

/// A bright disc, infinitely far away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SunSettings {
    /// Direction to it, seen from the scene (x, y, z).
    #[schemars(extend("unit" = "none"))]
    pub direction: [f32; 3],
    /// Its apparent diameter; 0.53 for the real sun. A larger one makes softer shadows.
    #[schemars(extend("unit" = "degrees"), range(min = 0.01, max = 180.0))]
    pub diameter: f32,
    /// Light on a surface that faces it: red, green, blue.
    #[schemars(extend("unit" = "W/m²"))]
    pub irradiance: [f32; 3],
}

impl Default for SunSettings {
    fn default() -> Self {
        Self { direction: [-0.6, 0.8, 0.4], diameter: 3.0, irradiance: [2.2, 2.0, 1.7] }
    }
}

/// A square that shines towards a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LampSettings {
    /// Its centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub position: [f32; 3],
    /// The point that it faces (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub target: [f32; 3],
    /// Its edge length. A larger one makes softer shadows.
    #[schemars(extend("unit" = "m"), range(min = 1e-6, max = 1e6))]
    pub size: f32,
    /// How bright it is: red, green, blue.
    #[schemars(extend("unit" = "W/(m² sr)"))]
    pub radiance: [f32; 3],
}

/// Light from all around.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum EnvironmentSettings {
    /// A sky that blends from the horizon to the zenith.
    Sky(SkySettings),
    /// A picture with longitude from left to right and latitude from top to bottom.
    Image(EnvironmentImageSettings),
}

impl Default for EnvironmentSettings {
    fn default() -> Self {
        EnvironmentSettings::Sky(SkySettings::default())
    }
}

/// A sky. Equal colours make an even light; zeros make darkness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SkySettings {
    /// Colour straight up: red, green, blue.
    #[schemars(extend("unit" = "W/(m² sr)"))]
    pub zenith: [f32; 3],
    /// Around.
    #[schemars(extend("unit" = "W/(m² sr)"))]
    pub horizon: [f32; 3],
    /// Below.
    #[schemars(extend("unit" = "W/(m² sr)"))]
    pub ground: [f32; 3],
}

impl Default for SkySettings {
    fn default() -> Self {
        Self { zenith: [0.1, 0.2, 0.45], horizon: [0.5, 0.56, 0.62], ground: [0.15; 3] }
    }
}

/// A picture of the surroundings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentImageSettings {
    /// The picture: OpenEXR, Radiance HDR or PNG, relative to the shot file.
    #[schemars(extend("unit" = "none"))]
    pub path: String,
    /// Rotation about the vertical, anticlockwise seen from above.
    #[serde(default)]
    #[schemars(extend("unit" = "degrees"), range(min = -360.0, max = 360.0))]
    pub rotation: f32,
    /// Factor by which its light is multiplied.
    #[serde(default = "one")]
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1e9))]
    pub strength: f32,
}

fn one() -> f32 {
    1.0
}

impl LightSettings {
    /// The light.
    pub fn light(&self) -> Light {
        match self {
            LightSettings::Sun(sun) => Light::from(LightKind::Sun {
                direction: Vec3::from(sun.direction).normalize_or_zero(),
                diameter: sun.diameter,
                irradiance: sun.irradiance.into(),
            }),
            LightSettings::Lamp(lamp) => {
                let (position, target) = (Vec3::from(lamp.position), Vec3::from(lamp.target));
                let normal = (target - position).normalize_or_zero();
                let (u, v) = match normal == Vec3::ZERO {
                    true => (Vec3::ZERO, Vec3::ZERO),
                    false => normal.any_orthonormal_pair(),
                };
                let (edge_u, edge_v) = (lamp.size * u, lamp.size * v);
                let corner = position - 0.5 * (edge_u + edge_v);
                let shape = Rectangle { corner, edge_u, edge_v };
                Light {
                    kind: LightKind::Rectangle {
                        shape,
                        radiance: lamp.radiance.into(),
                        two_sided: false,
                    },
                    visible: false,
                }
            }
        }
    }
}

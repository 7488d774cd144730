//! Settings of a source of smoke.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::shape::{BallShape, BoxShape};
use whitecap_scene::time_span::TimeSpan;
use whitecap_scene::{BodySettings, SettingError, check_ranges, describe_choices};

use super::noise::NoiseSettings;

/// Where smoke comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum SourceShape {
    /// A box.
    Box(BoxShape),
    /// A ball.
    Ball(BallShape),
    /// The inside of a closed mesh, at rest or in motion.
    Mesh(BodySettings),
    /// A ball around each of the particles that are given.
    Particles(ParticleSource),
    /// The volume that is given: the rate is for a value of 1.
    Volume(VolumeSource),
}

/// Balls around particles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ParticleSource {
    /// Radius of the balls.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
}

impl Default for ParticleSource {
    fn default() -> Self {
        Self { radius: 0.04 }
    }
}

/// A grid of a volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VolumeSource {
    /// Name of the grid.
    #[schemars(extend("unit" = "none"))]
    pub grid: String,
}

impl Default for VolumeSource {
    fn default() -> Self {
        Self { grid: String::from("density") }
    }
}

/// A source of smoke.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmokeSourceSettings {
    /// Where smoke comes from.
    #[schemars(extend("unit" = "none"))]
    pub from: SourceShape,
    /// Density that is added in a second.
    #[serde(default = "default_rate")]
    #[schemars(extend("unit" = "1/s"), range(min = 0.0, max = 1e6))]
    pub rate: f32,
    /// Temperature above that of the air around: everything in the source is held at it.
    #[serde(default = "default_temperature")]
    #[schemars(extend("unit" = "K"), range(min = -1e6, max = 1e6))]
    pub temperature: f32,
    /// Velocity that everything in the source is held at (x, y, z). Left out: that of the flow, or of the
    /// particles that smoke comes from.
    #[schemars(extend("unit" = "m/s"))]
    pub velocity: Option<[f32; 3]>,
    /// Unevenness. Left out: none.
    #[schemars(extend("unit" = "none"))]
    pub noise: Option<NoiseSettings>,
    /// When smoke comes out. Left out: always.
    #[schemars(extend("unit" = "s"))]
    pub during: Option<TimeSpan>,
}

fn default_rate() -> f32 {
    5.0
}

fn default_temperature() -> f32 {
    100.0
}

impl SmokeSourceSettings {
    /// A source of the default rate and temperature.
    pub fn new(from: SourceShape) -> Self {
        Self {
            from,
            rate: default_rate(),
            temperature: default_temperature(),
            velocity: None,
            noise: None,
            during: None,
        }
    }

    /// Whether the numbers describe a source.
    pub fn check(&self) -> Result<(), SettingError> {
        check_ranges(self)?;
        if let SourceShape::Box(shape) = self.from {
            shape.check().map_err(|error| error.inside("from.box"))?;
        }
        self.during.unwrap_or_default().check().map_err(|error| error.inside("during"))
    }
}

//! Settings of menisci.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::{Range, SettingError, check_ranges};

use crate::liquid::LiquidError;

/// What is done where the liquid meets a solid (Morgenroth 2021, Fig. 4.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeniscusMode {
    /// Nothing: the edge is rounded off by the missing neighbours.
    None,
    /// The surface is continued into the solid, so that it meets a vertical wall at 90°.
    Ghost,
    /// The surface is moved to the shape of the meniscus.
    #[default]
    Geometric,
    /// The surface stays as in `ghost`, but is shaded with the normals of the meniscus.
    Normal,
}

/// How high the liquid rises at an inclined wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactHeight {
    /// 2 l sin((β − α)/2): the solution of the Young–Laplace equation.
    #[default]
    Exact,
    /// l (2 sin((π − 2α)/4) − 2 sin((π − 2β)/4)): Morgenroth 2021, Eq. 4.2. The same at vertical
    /// walls, and where no correction is needed.
    Difference,
}

/// Settings of menisci.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeniscusSettings {
    /// What is done where the liquid meets a solid.
    #[schemars(extend("unit" = "none"))]
    pub mode: MeniscusMode,
    /// How high the liquid rises at an inclined wall.
    #[schemars(extend("unit" = "none"))]
    pub height: ContactHeight,
    /// Surface tension; water at 20 °C.
    #[schemars(extend("unit" = "N/m"), range(min = 0.0, max = 10.0))]
    pub surface_tension: f32,
    /// Density of the liquid; water at 20 °C.
    #[schemars(extend("unit" = "kg/m³"), range(min = 0.001, max = 30000.0))]
    pub density: f32,
    /// Density of what is above the liquid; air.
    #[schemars(extend("unit" = "kg/m³"), range(min = 0.0, max = 30000.0))]
    pub outer_density: f32,
    /// Acceleration of gravity.
    #[schemars(extend("unit" = "m/s²"), range(min = 1e-6, max = 1000.0))]
    pub gravity: f32,
    /// Capillary length: the size of the meniscus. Left out: √(surface tension / (gravity ·
    /// difference of the densities)), 2.7 mm for water.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e3))]
    pub capillary_length: Option<f32>,
    /// Whether the liquid is cut off at the solids.
    #[schemars(extend("unit" = "none"))]
    pub clip: bool,
    /// How far the liquid extends into the solids when it is cut off. A small overlap avoids two
    /// surfaces in one place.
    #[schemars(extend("unit" = "m"), range(min = 0.0, max = 1.0))]
    pub overlap: f32,
    /// Thickness of the layer of ghost particles inside the solids. Left out: the reach of a
    /// particle.
    #[schemars(extend("unit" = "m"), range(min = 0.0, max = 1e3))]
    pub ghost_layer: Option<f32>,
}

impl Default for MeniscusSettings {
    fn default() -> Self {
        Self {
            mode: MeniscusMode::default(),
            height: ContactHeight::default(),
            surface_tension: 0.0728,
            density: 998.2,
            outer_density: 1.2,
            gravity: 9.81,
            capillary_length: None,
            clip: true,
            overlap: 0.0,
            ghost_layer: None,
        }
    }
}

impl MeniscusSettings {
    /// The capillary length l in m.
    pub fn length(&self) -> Result<f32, LiquidError> {
        check_ranges(self)?;
        if let Some(length) = self.capillary_length {
            return Ok(length);
        }
        let difference = self.density - self.outer_density;
        check("density", "density minus outer-density", difference, Range::between(1e-3, 3e4))?;
        let length = (self.surface_tension / (self.gravity * difference)).sqrt();
        let what = "the capillary length that follows from the settings";
        check("surface-tension", what, length, Range::between(1e-9, 1e3))?;
        Ok(length)
    }
}

/// Fails if a quantity that follows from several settings is out of range.
fn check(key: &str, what: &str, value: f32, range: Range) -> Result<(), SettingError> {
    if range.contains_single(value) {
        return Ok(());
    }
    Err(SettingError::new(key, range.told(what, value)))
}

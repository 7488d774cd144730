//! Settings of a thin film.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::check_ranges;

use super::ThinFilmError;

/// A film on a substrate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThinFilmSettings {
    /// Index of refraction above the film; 1 for air.
    #[schemars(extend("unit" = "none"), range(min = 0.1, max = 10.0))]
    pub outside_index: f32,
    /// Index of refraction of the film; 1.47 for oil, 1.33 for soap water.
    #[schemars(extend("unit" = "none"), range(min = 0.1, max = 10.0))]
    pub film_index: f32,
    /// Index of refraction below the film; 1.333 for water, 1 for a soap film in air.
    #[schemars(extend("unit" = "none"), range(min = 0.1, max = 10.0))]
    pub substrate_index: f32,
    /// Extinction coefficient below the film: the imaginary part of its index. Zero for anything but
    /// metals.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 20.0))]
    pub substrate_extinction: f32,
}

impl Default for ThinFilmSettings {
    fn default() -> Self {
        Self {
            outside_index: 1.0,
            film_index: 1.47,
            substrate_index: 1.333,
            substrate_extinction: 0.0,
        }
    }
}

impl ThinFilmSettings {
    /// Fails unless every number is meaningful.
    pub fn check(&self) -> Result<(), ThinFilmError> {
        Ok(check_ranges(self)?)
    }
}

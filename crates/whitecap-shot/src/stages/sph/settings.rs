//! Settings of the stage `sph`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_bulk::sph::{Selection, SphSettings};

use crate::stages::liquid_scene::LiquidSceneSettings;

/// Settings of the stage: where the liquid comes from, what it flows around, and how it is
/// simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SphStageSettings {
    /// What surrounds the liquid.
    #[serde(flatten)]
    pub scene: LiquidSceneSettings,
    /// Which particles to give and save. A surface around the visible ones has an inner side too,
    /// so a `surface` stage should be given all.
    #[schemars(extend("unit" = "none"))]
    pub keep: Selection,
    /// The liquid itself.
    #[serde(flatten)]
    pub liquid: SphSettings,
}

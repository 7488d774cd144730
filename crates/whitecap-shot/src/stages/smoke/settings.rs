//! Settings of the stage `smoke`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_bulk::smoke::{SmokeSettings, SmokeSourceSettings};
use whitecap_scene::BodySettings;

/// Settings of the stage: where smoke comes from, what it flows around, and how it is simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SmokeStageSettings {
    /// Where smoke comes from: boxes, balls, closed meshes, and the inputs `particles` and `volume`.
    #[schemars(extend("unit" = "none"))]
    pub sources: Vec<SmokeSourceSettings>,
    /// Closed meshes that the smoke flows around: at rest, moved from key to key, or deforming.
    #[schemars(extend("unit" = "none"))]
    pub solids: Vec<BodySettings>,
    /// The smoke itself.
    #[serde(flatten)]
    pub smoke: SmokeSettings,
}

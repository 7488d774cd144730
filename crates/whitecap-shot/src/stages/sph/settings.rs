//! Settings of the stage `sph`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_bulk::sph::{Selection, SphSettings};
use whitecap_scene::BodySettings;
use whitecap_scene::emitter::EmitterSettings;
use whitecap_scene::fill::Fill;

/// Settings of the stage: where the liquid comes from, what it flows around, and how it is
/// simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SphStageSettings {
    /// Where the liquid is at the first frame: boxes, spheres and closed meshes. Later ones leave
    /// out what earlier ones already filled; all leave out what is inside a solid.
    #[schemars(extend("unit" = "none"))]
    pub fill: Vec<Fill>,
    /// Where more liquid comes from while it runs: discs, rectangles and surfaces of meshes.
    #[schemars(extend("unit" = "none"))]
    pub emitters: Vec<EmitterSettings>,
    /// Closed meshes that the liquid flows around: at rest, moved from key to key, or deforming.
    #[schemars(extend("unit" = "none"))]
    pub solids: Vec<BodySettings>,
    /// Which particles to give and save. A surface around the visible ones has an inner side too,
    /// so a `surface` stage should be given all.
    #[schemars(extend("unit" = "none"))]
    pub keep: Selection,
    /// The liquid itself.
    #[serde(flatten)]
    pub liquid: SphSettings,
}

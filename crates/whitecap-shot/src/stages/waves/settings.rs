//! Settings of the stage `waves`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::shape::BoxShape;
use whitecap_waves::WaveSettings;

/// What a stage of waves gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WaveResult {
    /// A mesh of the liquid, moved by the waves, with `height`, `foam`, `velocity` and `normal`.
    #[default]
    Mesh,
    /// The surface points, with `displacement` and everything else that is known about them.
    Points,
}

/// Settings of the stage: what it gives, how its mesh is made, and the waves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct WavesStageSettings {
    /// What the stage gives: the mesh, or the points that carry the waves. A stage `displace` can
    /// make a mesh from such points.
    #[schemars(extend("unit" = "none"))]
    pub give: WaveResult,
    /// Edge length of the cells of the mesh, when no `surface` is connected. Left out: three
    /// quarters of the fine spacing.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub cell: Option<f32>,
    /// Rounds of smoothing of that mesh before it is moved: bumps of single particles would hide the
    /// waves.
    #[schemars(extend("unit" = "rounds"), range(max = 1000))]
    pub smooth: u32,
    /// A box that holds the liquid: its walls throw waves back. Left out: waves run on round the
    /// edges of the liquid.
    #[schemars(extend("unit" = "m"))]
    pub domain: Option<BoxShape>,
    /// A mask that was painted on the liquid: a column of the particles with a number for each, by
    /// which the gain around it is multiplied. Left out: nothing is painted.
    #[schemars(extend("unit" = "none"), length(min = 1))]
    pub paint: Option<String>,
    /// The waves and the points that carry them.
    #[serde(flatten)]
    pub waves: WaveSettings,
}

impl Default for WavesStageSettings {
    fn default() -> Self {
        Self {
            give: WaveResult::default(),
            cell: None,
            smooth: 20,
            domain: None,
            paint: None,
            waves: WaveSettings::default(),
        }
    }
}

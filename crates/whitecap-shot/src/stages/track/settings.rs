//! Settings of the stage `track`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_track::TrackSettings;

/// Settings of the stage: how its first mesh is repaired, and how it is tracked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct TrackStageSettings {
    /// Repairs the first mesh if it is open, not a surface everywhere or passes through itself, as
    /// scans do.
    #[schemars(extend("unit" = "none"))]
    pub close: bool,
    /// Edge length of the cells for `close`: detail is kept to half of it. Left out: a quarter of the
    /// particle spacing.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub close_cell: Option<f32>,
    /// Tracking itself.
    #[serde(flatten)]
    pub track: TrackSettings,
}

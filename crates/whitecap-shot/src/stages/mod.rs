//! The kinds of stages that Whitecap brings along.

pub(crate) mod cache;
mod displace;
mod example;
mod pipes;
mod render;
mod sph;
mod surface;
mod track;
mod waves;

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::stage::{SettingProblem, StageError, StageKind};

pub use cache::{CacheContent, CacheSettings};
pub use displace::DisplaceSettings;
pub use example::ExampleSettings;
pub use pipes::{
    DrawnTerrain, MovingTerrain, PipeFill, PipeResult, PipeRun, PipeScene, PipeTerrain,
    PipesStageSettings, live_pipes,
};
pub use render::*;
pub use sph::SphStageSettings;
pub use track::{TrackFrame, TrackRun, TrackStageSettings};
pub use waves::{WaveResult, WaveRun, WavesStageSettings, wave_metrics};

/// Every kind, in the order in which documentation lists them.
pub(crate) fn standard() -> Vec<Arc<dyn StageKind>> {
    vec![
        Arc::new(cache::Cache),
        Arc::new(sph::Sph),
        Arc::new(surface::Surface),
        Arc::new(waves::Waves),
        Arc::new(displace::Displace),
        Arc::new(track::Track),
        Arc::new(pipes::Pipes),
        Arc::new(render::Render),
        Arc::new(example::Example),
    ]
}

/// Reads settings that passed their schema.
fn read_settings<S: DeserializeOwned>(settings: &Value) -> Result<S, StageError> {
    S::deserialize(settings).map_err(StageError::failed)
}

/// Reads settings and completes them with their defaults. Should the schema have let something
/// pass that the type refuses, that becomes a problem of the stage as a whole.
fn complete<S: DeserializeOwned + Serialize>(
    settings: &Value,
) -> Result<(S, Value), Vec<SettingProblem>> {
    let refused = |error: serde_json::Error| {
        vec![SettingProblem { key: "kind".into(), message: error.to_string(), help: None }]
    };
    let settings = S::deserialize(settings).map_err(refused)?;
    // Through text, so that single-precision numbers keep their short form.
    let text = serde_json::to_string(&settings).map_err(refused)?;
    let completed = serde_json::from_str(&text).map_err(refused)?;
    Ok((settings, completed))
}

//! The built-in kinds of stages.

pub(crate) mod cache;
mod displace;
mod example;
mod flip;
mod liquid_scene;
mod pipes;
mod render;
mod smoke;
mod sph;
mod surface;
mod track;
mod waves;

use std::sync::Arc;

use crate::contract::phenomenon::Kind;
use crate::stage::StageKind;

pub use cache::{CacheContent, CacheSettings};
pub use displace::DisplaceSettings;
pub use example::ExampleSettings;
pub use flip::FlipStageSettings;
pub use liquid_scene::LiquidSceneSettings;
pub use pipes::{PipeFill, PipeResult, PipeTerrain, PipesStageSettings, live_pipes};
pub use render::*;
pub use smoke::SmokeStageSettings;
pub use sph::SphStageSettings;
pub use surface::{SurfaceResult, SurfaceStageSettings};
pub use track::TrackStageSettings;
pub use waves::{WaveResult, WavesStageSettings};

/// Every kind, in the order in which documentation lists them.
pub(crate) fn standard() -> Vec<Arc<dyn StageKind>> {
    vec![
        Kind::<cache::Cache>::entry(),
        Kind::<sph::Sph>::entry(),
        Kind::<flip::Flip>::entry(),
        Kind::<smoke::Smoke>::entry(),
        Kind::<surface::Surface>::entry(),
        Kind::<waves::Waves>::entry(),
        Kind::<displace::Displace>::entry(),
        Kind::<track::Track>::entry(),
        Kind::<pipes::Pipes>::entry(),
        Kind::<render::Render>::entry(),
        Kind::<example::Example>::entry(),
    ]
}

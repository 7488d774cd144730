//! `kind = "pipes"`: shallow liquid on a terrain, by extended virtual pipes.
//!
//! The first frame is the liquid as it was filled; every later frame is one frame duration on. The stage
//! is stateful: its state is that of the liquid, to the bit.

mod fill;
mod ground;
mod moving_terrain;
mod pipe_run;
mod pipe_scene;
mod settings;

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::{complete, read_settings};
use crate::stage::{
    Depends, InputPort, Inputs, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameTime};

pub use fill::PipeFill;
pub use moving_terrain::{DrawnTerrain, MovingTerrain};
pub use pipe_run::PipeRun;
pub use pipe_scene::{PipeScene, live_pipes};
pub use settings::{PipeResult, PipeTerrain, PipesStageSettings};

/// Name of the kind.
const NAME: &str = "pipes";

pub(super) struct Pipes;

impl StageKind for Pipes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "Lets shallow liquid run over a terrain, by virtual pipes."
    }

    fn version(&self) -> u32 {
        3
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        PipesStageSettings::json_schema(generator)
    }

    fn inputs(&self) -> &'static [InputPort] {
        &[]
    }

    fn can_give(&self) -> &'static [DataKind] {
        &[DataKind::Mesh, DataKind::Particles]
    }

    fn gives(&self, settings: &Value) -> DataKind {
        match settings["give"].as_str() {
            Some("drops") => DataKind::Particles,
            _ => DataKind::Mesh,
        }
    }

    fn depends(&self) -> Depends {
        Depends { on_time: true, on_seed: false }
    }

    fn is_stateful(&self) -> bool {
        true
    }

    fn check(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Value, Vec<SettingProblem>> {
        let (settings, completed) = complete::<PipesStageSettings>(settings)?;
        match PipeScene::new(&settings, shot) {
            Ok(_) => Ok(completed),
            Err(problem) => Err(vec![problem]),
        }
    }

    fn sources(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
        frame: FrameTime,
    ) -> Result<Vec<PathBuf>, StageError> {
        let settings: PipesStageSettings = read_settings(settings)?;
        let files = settings.terrain.files(shot);
        let files = files.map_err(|problem| StageError::failed(problem.message))?;
        Ok(files.map(|files| files.file(frame.index)).into_iter().collect())
    }

    fn start(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        let run = PipeRun::new(&read_settings(settings)?, shot);
        Ok(Box::new(run.map_err(|problem| StageError::failed(problem.message))?))
    }
}

impl Stage for PipeRun {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        PipeRun::step(self, context.frame, context.watch)
    }

    fn save_state(&self) -> Vec<u8> {
        PipeRun::save_state(self)
    }

    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        PipeRun::restore_state(self, state)
    }
}

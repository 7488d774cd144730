//! `kind = "track"`: a detailed mesh that a particle liquid carries along.
//!
//! The stage is stateful: its state is the mesh with all it remembers, and the particles of its frame.
//! Every frame of the particles is needed, in order.

mod settings;
mod track_run;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use whitecap_track::TrackError;

use super::{complete, read_settings};
use crate::stage::{
    Depends, InputPort, Inputs, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameData};

pub use settings::TrackStageSettings;
pub use track_run::{TrackFrame, TrackRun};

pub(super) struct Track;

impl StageKind for Track {
    fn name(&self) -> &'static str {
        "track"
    }

    fn doc(&self) -> &'static str {
        "Carries a detailed mesh along with a particle liquid."
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        TrackStageSettings::json_schema(generator)
    }

    fn inputs(&self) -> &'static [InputPort] {
        &[
            InputPort {
                key: "particles",
                accepts: &[DataKind::Particles],
                required: true,
                doc: "The liquid. Its particles should have ids that stay the same.",
            },
            InputPort {
                key: "mesh",
                accepts: &[DataKind::Mesh],
                required: true,
                doc: "The detailed, closed surface of the liquid in the first frame; later frames of it are not looked at.",
            },
        ]
    }

    fn can_give(&self) -> &'static [DataKind] {
        &[DataKind::Mesh]
    }

    fn gives(&self, _settings: &Value) -> DataKind {
        DataKind::Mesh
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
        let (settings, completed) = complete::<TrackStageSettings>(settings)?;
        match TrackRun::new(settings, 1.0 / shot.fps) {
            Ok(_) => Ok(completed),
            Err(TrackError::Setting(problem)) => Err(vec![problem]),
            Err(error) => Err(vec![SettingProblem::new("kind", error)]),
        }
    }

    fn start(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        let settings = read_settings(settings)?;
        let run = TrackRun::new(settings, 1.0 / shot.fps).map_err(StageError::failed)?;
        Ok(Box::new(run))
    }
}

impl Stage for TrackRun {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let (particles, mesh) = (inputs.particles("particles")?, inputs.mesh("mesh")?);
        let TrackFrame { mesh, notes, metrics } =
            TrackRun::step(self, particles, Some(mesh), context.watch)?;
        Ok(StageOutput { data: FrameData::Mesh(mesh), notes, metrics })
    }

    fn save_state(&self) -> Vec<u8> {
        TrackRun::save_state(self)
    }

    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        TrackRun::restore_state(self, state)
    }
}

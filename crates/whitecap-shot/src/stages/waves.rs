//! `kind = "waves"`: fine waves on the surface of a particle liquid.
//!
//! The stage is stateful: its state is that of the surface points and of the waves on them, to the
//! bit. Every frame of the particles is needed, in order.

mod settings;
mod wave_run;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use whitecap_waves::WaveError;
use whitecap_waves::dynamics::DynamicsError;
use whitecap_waves::points::PointError;

use super::{complete, read_settings};
use crate::stage::{
    Depends, InputPort, Inputs, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameData};

pub use settings::{WaveResult, WavesStageSettings};
pub use wave_run::{WaveRun, wave_metrics};

pub(super) struct Waves;

impl StageKind for Waves {
    fn name(&self) -> &'static str {
        "waves"
    }

    fn doc(&self) -> &'static str {
        "Adds fine waves to the surface of a particle liquid."
    }

    fn version(&self) -> u32 {
        2
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        WavesStageSettings::json_schema(generator)
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
                key: "surface",
                accepts: &[DataKind::Mesh],
                required: false,
                doc: "A mesh of the liquid to be moved by the waves. Left out: one is made.",
            },
            InputPort {
                key: "obstacles",
                accepts: &[DataKind::Mesh],
                required: false,
                doc: "Closed meshes of solids, at rest or moving, that throw waves back.",
            },
        ]
    }

    fn can_give(&self) -> &'static [DataKind] {
        &[DataKind::Mesh, DataKind::Particles]
    }

    fn gives(&self, settings: &Value) -> DataKind {
        match read_settings(settings).unwrap_or_else(|_| WavesStageSettings::default()).give {
            WaveResult::Mesh => DataKind::Mesh,
            WaveResult::Points => DataKind::Particles,
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
        let (settings, completed) = complete::<WavesStageSettings>(settings)?;
        if let Some(Err(problem)) = settings.domain.map(|domain| domain.check()) {
            return Err(vec![problem.inside("domain")]);
        }
        match WaveRun::new(settings, 1.0 / shot.fps) {
            Ok(_) => Ok(completed),
            Err(error) => Err(vec![problem(error)]),
        }
    }

    fn start(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        let settings: WavesStageSettings = read_settings(settings)?;
        let give = settings.give;
        let run = WaveRun::new(settings, 1.0 / shot.fps).map_err(StageError::failed)?;
        Ok(Box::new(RunningWaves { run, give }))
    }
}

/// The problem that an error is.
fn problem(error: WaveError) -> SettingProblem {
    match error {
        WaveError::Points(PointError::Setting(problem))
        | WaveError::Dynamics(DynamicsError::Setting(problem)) => problem,
        WaveError::Points(PointError::Lengths { .. }) => SettingProblem::new("fine", error),
        _ => SettingProblem::new("kind", error),
    }
}

struct RunningWaves {
    run: WaveRun,
    give: WaveResult,
}

impl Stage for RunningWaves {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let particles = inputs.particles("particles")?;
        let mesh = |key| inputs.get(key).map(|_| inputs.mesh(key)).transpose();
        let mut frame = self.run.step(particles, mesh("obstacles")?, context.watch)?;
        let metrics = wave_metrics(&frame);
        let notes = std::mem::take(&mut frame.report.points.notes);
        let data = match self.give {
            WaveResult::Points => {
                FrameData::Particles(frame.particles().map_err(StageError::failed)?)
            }
            WaveResult::Mesh => FrameData::Mesh(self.run.mesh(
                &frame,
                particles,
                mesh("surface")?,
                context.watch,
            )?),
        };
        Ok(StageOutput { data, notes, metrics })
    }

    fn save_state(&self) -> Vec<u8> {
        self.run.save_state()
    }

    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        self.run.restore_state(state)
    }
}

//! `kind = "sph"`: a liquid simulated by smoothed-particle hydrodynamics.
//!
//! The first frame is the liquid as it was filled; every later frame is one frame duration on.
//! The stage is stateful: its state is that of the liquid, to the bit.

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use whitecap_bulk::sph::fill::Fill;
use whitecap_bulk::sph::solid::ClosedShape;
use whitecap_bulk::sph::{Liquid, SphError, SphSettings};

use super::{complete, read_settings};
use crate::stage::{
    Depends, InputPort, Inputs, Metric, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameData, FrameTime};

/// Settings of the stage: where the liquid is, and how it is simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SphStageSettings {
    /// Where the liquid is at the first frame: boxes, spheres and closed meshes. Later ones leave
    /// out what earlier ones already filled.
    #[schemars(extend("unit" = "none"))]
    pub fill: Vec<Fill>,
    /// The liquid itself.
    #[serde(flatten)]
    pub liquid: SphSettings,
}

pub(super) struct Sph;

impl StageKind for Sph {
    fn name(&self) -> &'static str {
        "sph"
    }

    fn doc(&self) -> &'static str {
        "Simulates a liquid by smoothed-particle hydrodynamics."
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        SphStageSettings::json_schema(generator)
    }

    fn inputs(&self) -> &'static [InputPort] {
        &[]
    }

    fn can_give(&self) -> &'static [DataKind] {
        &[DataKind::Particles]
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
        let (settings, completed) = complete::<SphStageSettings>(settings)?;
        let mut problems = Vec::new();
        if settings.fill.is_empty() {
            problems.push(SettingProblem {
                key: "fill",
                message: String::from("there is no liquid"),
                help: Some(String::from(
                    "say where it is, such as fill = [{ box = { min = [0, 0, 0], max = [1, 0.3, 1] } }]",
                )),
            });
        }
        for path in mesh_paths(&settings, shot) {
            if !path.is_file() {
                problems.push(SettingProblem {
                    key: "fill",
                    message: format!("there is no mesh file {}", path.display()),
                    help: Some(String::from("paths start from the folder of the shot file")),
                });
            }
        }
        if let Err(error) = settings.liquid.check() {
            problems.push(SettingProblem { key: "kind", message: error.to_string(), help: None });
        }
        if problems.is_empty() { Ok(completed) } else { Err(problems) }
    }

    fn sources(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
        _frame: FrameTime,
    ) -> Result<Vec<PathBuf>, StageError> {
        Ok(mesh_paths(&read_settings(settings)?, shot))
    }

    fn start(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        let settings: SphStageSettings = read_settings(settings)?;
        let mut liquid = Liquid::new(settings.liquid).map_err(StageError::failed)?;
        let mut notes = Vec::new();
        for fill in &settings.fill {
            notes.extend(pour(&mut liquid, fill, shot)?);
        }
        Ok(Box::new(RunningLiquid { liquid, notes }))
    }
}

fn mesh_paths(settings: &SphStageSettings, shot: &ShotContext<'_>) -> Vec<PathBuf> {
    settings.fill.iter().filter_map(Fill::path).map(|path| shot.folder.join(path)).collect()
}

/// Fills one shape; returns sentences about what was left out.
fn pour(
    liquid: &mut Liquid,
    fill: &Fill,
    shot: &ShotContext<'_>,
) -> Result<Vec<String>, StageError> {
    let shape = match fill.path() {
        Some(path) => {
            let mesh =
                whitecap_io::read_mesh(shot.folder.join(path)).map_err(StageError::failed)?;
            Some(ClosedShape::new(mesh).map_err(StageError::failed)?)
        }
        None => None,
    };
    let volume = fill.volume(shape.as_ref()).map_err(StageError::failed)?;
    liquid.fill(volume, fill.velocity()).map_err(StageError::failed)
}

struct RunningLiquid {
    liquid: Liquid,
    /// What the fills said, told with the first frame.
    notes: Vec<String>,
}

impl Stage for RunningLiquid {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let mut metrics = Vec::new();
        if context.frame.time > 0.0 {
            let outcome = self.liquid.step_frame(context.frame.dt, context.watch);
            let report = outcome.map_err(|error| match error {
                SphError::Cancelled => StageError::Cancelled,
                error => StageError::failed(error),
            })?;
            metrics.push(Metric::count("steps", report.steps.len()));
            metrics.push(Metric::new("iterations per step", "", report.mean_iterations()));
            let compression = f64::from(report.largest_compression());
            metrics.push(Metric::new("largest compression", "%", 100.0 * compression));
            metrics.push(Metric::new("kinetic energy", "J", report.kinetic_energy));
        }
        metrics.push(Metric::count("particles", self.liquid.len()));
        let particles = self.liquid.particles().map_err(StageError::failed)?;
        let notes = std::mem::take(&mut self.notes);
        Ok(StageOutput { data: FrameData::Particles(particles), notes, metrics })
    }

    fn save_state(&self) -> Vec<u8> {
        self.liquid.save()
    }

    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        self.notes.clear();
        self.liquid.restore(state).map_err(StageError::failed)
    }
}

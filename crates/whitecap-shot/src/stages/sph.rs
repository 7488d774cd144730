//! `kind = "sph"`: a liquid simulated by smoothed-particle hydrodynamics.
//!
//! The first frame is the liquid as it was filled; every later frame is one frame duration on.
//! The stage is stateful: its state is that of the liquid, to the bit. Solids come first, then
//! fills, which leave out what is inside a solid.

mod scene;
mod settings;

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use whitecap_bulk::sph::{Liquid, Selection, SphError};

use super::{complete, read_settings};
use crate::stage::{
    Depends, InputPort, Inputs, Metric, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameData, FrameTime};

pub use settings::SphStageSettings;

pub(super) struct Sph;

impl StageKind for Sph {
    fn name(&self) -> &'static str {
        "sph"
    }

    fn doc(&self) -> &'static str {
        "Simulates a liquid by smoothed-particle hydrodynamics."
    }

    fn version(&self) -> u32 {
        2
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
        let problems = scene::problems(&settings, shot);
        if problems.is_empty() { Ok(completed) } else { Err(problems) }
    }

    fn sources(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
        frame: FrameTime,
    ) -> Result<Vec<PathBuf>, StageError> {
        scene::sources(&read_settings(settings)?, shot, frame.index)
    }

    fn start(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Box<dyn Stage>, StageError> {
        let settings: SphStageSettings = read_settings(settings)?;
        let mut liquid = Liquid::new(settings.liquid.clone()).map_err(StageError::failed)?;
        scene::add_solids(&mut liquid, &settings.solids, shot)?;
        let notes = scene::add_fills(&mut liquid, &settings, shot)?;
        scene::add_emitters(&mut liquid, &settings, shot)?;
        if liquid.is_empty() && settings.emitters.is_empty() {
            let reasons = notes.join("; ");
            return Err(StageError::failed(format!("there is no liquid: {reasons}")));
        }
        let (first, keep) = (shot.first, settings.keep);
        Ok(Box::new(RunningLiquid { liquid, keep, first, notes }))
    }
}

struct RunningLiquid {
    liquid: Liquid,
    keep: Selection,
    /// First frame of the shot.
    first: u32,
    /// What the fills said, told with the first frame.
    notes: Vec<String>,
}

impl RunningLiquid {
    /// Advances to a frame; gives how that went.
    fn advance(&mut self, context: &StepContext<'_>) -> Result<Vec<Metric>, StageError> {
        let outcome = self.liquid.step_frame(context.frame.dt, context.watch);
        let report = outcome.map_err(|error| match error {
            SphError::Cancelled => StageError::Cancelled,
            error => StageError::failed(error),
        })?;
        let densities = report.steps.iter().map(|step| f64::from(step.largest_density));
        let compression = densities.fold(1.0, f64::max) - 1.0;
        let residual = f64::from(report.largest_compression());
        Ok(vec![
            Metric::count("steps", report.steps.len()),
            Metric::new("iterations per step", "", report.mean_iterations()),
            Metric::new("largest compression", "%", 100.0 * compression),
            Metric::new("residual of the pressure", "%", 100.0 * residual),
            Metric::new("kinetic energy", "J", report.kinetic_energy),
        ])
    }
}

impl Stage for RunningLiquid {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let mut metrics = vec![];
        if context.frame.index > self.first {
            metrics = self.advance(context)?;
        }
        let strays = self.liquid.strays();
        metrics.insert(0, Metric::count("particles", self.liquid.len()));
        metrics.push(Metric::count("particles inside a solid", strays.inside_solids));
        metrics.push(Metric::count("particles outside the domain", strays.outside_domain));
        let particles = self.liquid.selected_particles(self.keep).map_err(StageError::failed)?;
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

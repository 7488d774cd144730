//! `kind = "flip"`: a liquid on a grid, carried by particles.
//!
//! The first frame is the liquid as it was filled; every later frame is one frame duration later.
//! The stage is stateful: its state is that of the liquid, to the bit.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_bulk::flip::{FlipError, FlipLiquid, FlipSettings};
use whitecap_core::Facts;

use super::liquid_scene::{LiquidScene, LiquidSceneSettings};
use crate::stage::{
    Depends, Gives, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError, StageOutput,
    StepContext,
};
use crate::{CommandInfo, DataKind, Phenomenon};

const EXAMPLES: &str = "\
Examples:
  whitecap flip --fill-box 0,0,0,1,1,1 --domain 0,0,0,3,2,1 --spacing 0.02 --frames 48 \\
      -o 'out/water.####.bgeo'
  whitecap flip --fill-box -1,0,-1,1,0.3,1 --fill-sphere 0,0.8,0,0.2 \\
      --domain -1,0,-1,1,2,1 -o 'out/drop.####.vtu'
  whitecap flip --fill-box 0,0,0,1,1,1 --domain 0,0,0,3,2,1 --solids '[{\"path\": \"rock.ply\"}]' \\
      --transfer flip -o 'out/water.####.bgeo'

The first frame is the liquid at rest. The next step is often:
  whitecap surface 'out/water.####.bgeo' -o 'out/surface.####.ply'
For emitters, moving solids and several stages a shot file is easier to write; see whitecap run.";

/// Settings of the stage: where the liquid comes from, what it flows around, and how it is
/// simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct FlipStageSettings {
    /// What surrounds the liquid.
    #[serde(flatten)]
    pub scene: LiquidSceneSettings,
    /// The liquid itself.
    #[serde(flatten)]
    pub liquid: FlipSettings,
}

pub(super) struct Flip {
    settings: FlipSettings,
    scene: LiquidScene,
    /// What later stages and readers of the files learn of the liquid.
    facts: Facts,
    /// First frame of the shot.
    first: i64,
}

/// A liquid while it runs.
pub(super) struct RunningLiquid {
    liquid: FlipLiquid,
    /// Notes from the fills, reported with the first frame.
    notes: Vec<String>,
}

impl Phenomenon for Flip {
    const KIND: KindInfo = KindInfo {
        name: "flip",
        doc: "Simulates a liquid on a grid that particles carry (APIC, FLIP or PIC).",
        version: 2,
        gives: Gives::Always(DataKind::Particles),
        depends: Depends { on_time: true, on_seed: false },
        stateful: true,
        command: Some(CommandInfo {
            examples: EXAMPLES,
            told: &["particles", "steps", "iterations per step"],
            ..CommandInfo::PLAIN
        }),
        ..KindInfo::PLAIN
    };
    type Settings = FlipStageSettings;
    type State = RunningLiquid;

    fn check(settings: FlipStageSettings, shot: &ShotContext) -> Result<Self, Vec<SettingProblem>> {
        let FlipStageSettings { scene, liquid } = settings;
        let facts = scene.facts(liquid.spacing, liquid.rest_density, shot);
        let scene = LiquidScene::load(&scene, liquid.spacing, liquid.problems(), shot)?;
        Ok(Self { settings: liquid, scene, facts, first: shot.first })
    }

    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        Ok(self.scene.sources(frame))
    }

    fn start(&self) -> Result<RunningLiquid, StageError> {
        let mut liquid = FlipLiquid::new(self.settings.clone()).map_err(StageError::failed)?;
        let mut notes = self.scene.fill(&mut liquid)?;
        notes.extend(liquid.warnings());
        Ok(RunningLiquid { liquid, notes })
    }

    fn step(
        &self,
        state: &mut RunningLiquid,
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let notes = std::mem::take(&mut state.notes);
        let mut metrics = vec![];
        if context.frame.index > self.first {
            metrics = advance(&mut state.liquid, context)?;
        }
        let mut particles = state.liquid.output().map_err(StageError::failed)?;
        metrics.insert(0, Metric::count("particles", particles.len()));
        if self.settings.narrow_band.is_some() {
            metrics.push(Metric::count("particles in band", state.liquid.particles().len()));
            metrics.push(Metric::count("core cells", state.liquid.core_cells()));
        }
        *particles.facts_mut() = self.facts.clone();
        Ok(StageOutput::new(particles).with_notes(notes).with_metrics(metrics))
    }

    fn save(&self, state: &RunningLiquid) -> Vec<u8> {
        state.liquid.save()
    }

    fn restore(&self, saved: &[u8]) -> Result<RunningLiquid, StageError> {
        let mut state = self.start()?;
        state.notes.clear();
        state.liquid.restore(saved).map_err(StageError::failed)?;
        Ok(state)
    }
}

/// Advances to a frame; returns what was measured.
fn advance(liquid: &mut FlipLiquid, context: &StepContext<'_>) -> Result<Vec<Metric>, StageError> {
    let outcome = liquid.step_frame(context.frame.dt, context.watch);
    let report = outcome.map_err(|error| match error {
        FlipError::Cancelled => StageError::Cancelled,
        error => StageError::failed(error),
    })?;
    let speeds = report.steps.iter().map(|step| f64::from(step.largest_speed));
    let iterations: usize = report.steps.iter().map(|step| step.iterations).sum();
    Ok(vec![
        Metric::count("steps", report.steps.len()).summed(),
        Metric::new("iterations per step", "", iterations as f64 / report.steps.len() as f64),
        Metric::new("largest speed", "m/s", speeds.fold(0.0, f64::max)).largest(),
        Metric::new("kinetic energy", "J", liquid.kinetic_energy()),
    ])
}

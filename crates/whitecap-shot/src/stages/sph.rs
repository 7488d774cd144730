//! `kind = "sph"`: a liquid simulated by smoothed-particle hydrodynamics.
//!
//! The first frame is the liquid as it was filled; every later frame is one frame duration later.
//! The stage is stateful: its state is that of the liquid, to the bit.

mod settings;

use std::path::PathBuf;

use whitecap_bulk::sph::{Liquid, SphError};
use whitecap_core::Facts;

use super::liquid_scene::LiquidScene;
use crate::stage::{
    Depends, Gives, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError, StageOutput,
    StepContext,
};
use crate::{CommandInfo, DataKind, Phenomenon};

pub use settings::SphStageSettings;

/// Share of the steps of a frame whose solvers may stop at their limit without a note.
const MOST_UNSETTLED: f64 = 0.1;

const EXAMPLES: &str = "\
Examples:
  whitecap sph --fill-box 0,0,0,1,1,1 --domain 0,0,0,3,2,1 --spacing 0.04 --frames 48 \\
      -o 'out/water.####.bgeo'
  whitecap sph --fill-sphere 0,0.5,0,0.1 --fill-box -0.5,0,-0.5,0.5,0.2,0.5 \\
      --domain -0.5,0,-0.5,0.5,1,0.5 -o 'out/drop.####.ply'
  whitecap sph --fill-mesh toy.ply --viscosity 50 --domain -1,0,-1,1,2,1 -o 'out/toy.####.vtu'
  whitecap sph --fill-box 0,0,0,1,1,1 --domain 0,0,0,3,2,1 --solids '[{\"path\": \"rock.ply\"}]' \\
      -o 'out/water.####.bgeo'

The first frame is the liquid at rest. The next step is often:
  whitecap surface 'out/water.####.bgeo' -o 'out/surface.####.ply'
For emitters, moving solids and several stages a shot file is easier to write; see whitecap run.";

pub(super) struct Sph {
    settings: SphStageSettings,
    scene: LiquidScene,
    /// What later stages and readers of the files learn of the liquid.
    facts: Facts,
    /// First frame of the shot.
    first: i64,
}

/// A liquid while it runs.
pub(super) struct RunningLiquid {
    liquid: Liquid,
    /// Notes from the fills, reported with the first frame.
    notes: Vec<String>,
}

impl Phenomenon for Sph {
    const KIND: KindInfo = KindInfo {
        name: "sph",
        doc: "Simulates a liquid by smoothed-particle hydrodynamics.",
        version: 4,
        gives: Gives::Always(DataKind::Particles),
        depends: Depends { on_time: true, on_seed: false },
        stateful: true,
        command: Some(CommandInfo {
            examples: EXAMPLES,
            told: &["particles", "largest compression"],
            ..CommandInfo::PLAIN
        }),
        ..KindInfo::PLAIN
    };
    type Settings = SphStageSettings;
    type State = RunningLiquid;

    fn check(settings: SphStageSettings, shot: &ShotContext) -> Result<Self, Vec<SettingProblem>> {
        let SphStageSettings { scene, liquid, .. } = &settings;
        let facts = scene.facts(liquid.spacing, liquid.rest_density, shot);
        let scene = LiquidScene::load(scene, liquid.spacing, liquid.problems(), shot)?;
        Ok(Self { settings, scene, facts, first: shot.first })
    }

    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        Ok(self.scene.sources(frame))
    }

    fn start(&self) -> Result<RunningLiquid, StageError> {
        let mut liquid = Liquid::new(self.settings.liquid.clone()).map_err(StageError::failed)?;
        let notes = self.scene.fill(&mut liquid)?;
        Ok(RunningLiquid { liquid, notes })
    }

    fn step(
        &self,
        state: &mut RunningLiquid,
        context: &StepContext<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let mut notes = std::mem::take(&mut state.notes);
        let mut metrics = vec![];
        if context.frame.index > self.first {
            metrics = self.advance(&mut state.liquid, context, &mut notes)?;
        }
        let strays = state.liquid.strays();
        metrics.insert(0, Metric::count("particles", state.liquid.len()));
        metrics.push(Metric::count("particles inside a solid", strays.inside_solids).largest());
        metrics
            .push(Metric::count("particles outside the domain", strays.outside_domain).largest());
        if strays.inside_solids + strays.outside_domain > 0 {
            notes.push(String::from("some particles are inside a solid or outside the domain"));
        }
        let particles = state.liquid.selected_particles(self.settings.keep);
        let mut particles = particles.map_err(StageError::failed)?;
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

impl Sph {
    /// Advances to a frame; returns what was measured, and notes what did not settle.
    fn advance(
        &self,
        liquid: &mut Liquid,
        context: &StepContext<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Metric>, StageError> {
        let outcome = liquid.step_frame(context.frame.dt, context.watch);
        let report = outcome.map_err(|error| match error {
            SphError::Cancelled => StageError::Cancelled,
            error => StageError::failed(error),
        })?;
        let densities = report.steps.iter().map(|step| f64::from(step.largest_density));
        let compression = densities.fold(1.0, f64::max) - 1.0;
        let residual = f64::from(report.largest_compression());
        let pressure = report.steps.iter().filter(|step| step.pressure_at_limit()).count();
        let viscosity = report.steps.iter().filter(|step| step.viscosity_at_limit).count();
        notes.extend(unsettled(report.steps.len(), pressure, viscosity));
        Ok(vec![
            Metric::count("steps", report.steps.len()).summed(),
            Metric::new("iterations per step", "", report.mean_iterations()),
            Metric::new("largest compression", "%", 100.0 * compression).largest(),
            Metric::new("residual of the pressure", "%", 100.0 * residual).largest(),
            Metric::new("kinetic energy", "J", report.kinetic_energy),
            Metric::count("steps with unsettled pressure", pressure).summed(),
            Metric::count("steps with unsettled viscosity", viscosity).summed(),
        ])
    }
}

/// What to say of a frame in which solvers stopped at their limit in too many of its steps.
fn unsettled(steps: usize, pressure: usize, viscosity: usize) -> Option<String> {
    let most = MOST_UNSETTLED * steps as f64;
    let remedies = [
        (pressure, "pressure", "raise `most-iterations` or lower `cfl`"),
        (viscosity, "viscosity", "lower `viscosity` or `cfl`"),
    ];
    let said: Vec<String> = remedies
        .into_iter()
        .filter(|(count, ..)| *count as f64 > most)
        .map(|(count, what, remedy)| {
            format!("the {what} did not settle in {count} of {steps} steps: {remedy}")
        })
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a frame gets one note, with what to change, if solvers stopped at their limit in more than a
    /// tenth of its steps.
    #[test]
    fn unsettled_solvers_are_noted() {
        assert_eq!(unsettled(0, 0, 0), None);
        assert_eq!(unsettled(20, 2, 1), None);
        let note = unsettled(20, 3, 2).unwrap();
        assert!(note.contains("pressure did not settle in 3 of 20 steps"), "{note}");
        assert!(note.contains("`most-iterations`") && !note.contains("viscosity"), "{note}");
        assert!(unsettled(20, 3, 20).unwrap().contains("; the viscosity did not settle in 20"));
    }
}

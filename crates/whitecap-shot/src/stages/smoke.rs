//! `kind = "smoke"`: smoke on a sparse grid.
//!
//! The first frame is still air without smoke; every later frame is one frame duration later. The stage is
//! stateful: its state is that of the smoke, to the bit.

mod scene;
mod settings;

use std::path::PathBuf;

use whitecap_bulk::smoke::{Smoke as Air, SmokeError, SmokeFrameReport};

use crate::stage::{
    Depends, Gives, InputPort, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError,
    StageOutput, StepContext,
};
use crate::{CommandInfo, DataKind, Phenomenon};
use scene::Scene;

pub use settings::SmokeStageSettings;

const EXAMPLES: &str = "\
Examples:
  whitecap smoke --sources '[{\"from\": {\"ball\": {\"center\": [0, 0.2, 0], \"radius\": 0.1}}}]' \\
      --cell 0.02 --frames 72 -o 'out/smoke.####.vdb'
  whitecap smoke --sources '[{\"from\": {\"mesh\": {\"path\": \"logs.ply\"}}, \"temperature\": 300}]' \\
      --cooling 0.5 --dissipation 0.2 -o 'out/smoke.####.vdb'
  whitecap smoke --sources '[{\"from\": {\"box\": {\"min\": [-1, 0, -1], \"max\": [1, 0.2, 1]}}}]' \\
      --domain -2,0,-2,2,4,2 --open-sides +y --solids '[{\"path\": \"rock.ply\"}]' \\
      -o 'out/smoke.####.vdb'

The first frame is still air. For sources with noise, moving solids and pictures a shot file is easier to
write; see whitecap run.";

pub(super) struct Smoke {
    settings: SmokeStageSettings,
    scene: Scene,
    /// First frame of the shot.
    first: i64,
}

impl Phenomenon for Smoke {
    const KIND: KindInfo = KindInfo {
        name: "smoke",
        doc: "Simulates smoke that rises, billows and flows round solids.",
        version: 1,
        inputs: &[
            InputPort {
                key: "particles",
                accepts: &[DataKind::Particles],
                required: false,
                doc: "Particles that smoke comes from, for sources that ask for them.",
            },
            InputPort {
                key: "volume",
                accepts: &[DataKind::Volume],
                required: false,
                doc: "A volume that smoke comes from, for sources that ask for it.",
            },
        ],
        gives: Gives::Always(DataKind::Volume),
        depends: Depends { on_time: true, on_seed: false },
        stateful: true,
        command: Some(CommandInfo {
            examples: EXAMPLES,
            told: &["cells", "total density"],
            ..CommandInfo::PLAIN
        }),
        ..KindInfo::PLAIN
    };
    type Settings = SmokeStageSettings;
    type State = Air;

    fn check(
        settings: SmokeStageSettings,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        let scene = Scene::load(&settings, shot)?;
        Ok(Self { settings, scene, first: shot.first })
    }

    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        Ok(self.scene.files(frame))
    }

    fn start(&self) -> Result<Air, StageError> {
        let mut smoke = Air::new(self.settings.smoke.clone()).map_err(StageError::failed)?;
        self.scene.fill(&mut smoke)?;
        Ok(smoke)
    }

    fn step(
        &self,
        smoke: &mut Air,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let mut report = SmokeFrameReport::default();
        if context.frame.index > self.first {
            scene::connect(smoke, inputs)?;
            let outcome = smoke.step_frame(context.frame.dt, context.watch);
            report = outcome.map_err(|error| match error {
                SmokeError::Cancelled => StageError::Cancelled,
                error => StageError::failed(error),
            })?;
        }
        let blocked = report.blocked_sources.iter().map(|source| {
            let number = source + 1;
            format!(
                "source {number} covers no cell that is free: it is inside a solid, outside the domain or smaller than a cell"
            )
        });
        let is_first = context.frame.index == self.first;
        let warnings = if is_first { smoke.warnings() } else { Vec::new() };
        let notes = warnings.into_iter().chain(blocked).collect();
        let metrics = metrics(smoke, &report);
        Ok(StageOutput::new(smoke.output()).with_notes(notes).with_metrics(metrics))
    }

    fn save(&self, smoke: &Air) -> Vec<u8> {
        smoke.save()
    }

    fn restore(&self, saved: &[u8]) -> Result<Air, StageError> {
        let mut smoke = self.start()?;
        smoke.restore(saved).map_err(StageError::failed)?;
        Ok(smoke)
    }
}

fn metrics(smoke: &Air, report: &SmokeFrameReport) -> Vec<Metric> {
    let steps = report.steps.len();
    let iterations: usize = report.steps.iter().map(|step| step.iterations).sum();
    let speeds = report.steps.iter().map(|step| f64::from(step.largest_speed));
    vec![
        Metric::count("cells", 512 * smoke.density().tile_count()).largest(),
        Metric::count("steps", steps).summed(),
        Metric::new("iterations per step", "", iterations as f64 / steps.max(1) as f64),
        Metric::new("total density", "m³", report.total),
        Metric::new("left through open sides", "m³", report.ledger.left).summed(),
        Metric::new("given up below the threshold", "m³", report.ledger.pruned).summed(),
        Metric::new("largest speed", "m/s", speeds.fold(0.0, f64::max)).largest(),
    ]
}

//! `kind = "render"`: pictures by path tracing.
//!
//! A frame's noise depends on the shot's seed and the frame's number, so that it changes like film
//! grain and does not stick to the screen.

mod look;
mod materials;
mod scene;
mod settings;
mod sheet;

use std::path::PathBuf;

use whitecap_core::counted;
use whitecap_render::{Progress, RenderError, RenderSettings, Rendered, render_progressively};

use crate::contract::picture::Picture;
use crate::stage::{
    Depends, Gives, InputPort, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError,
    StageOutput, StepContext,
};
use crate::{CommandInfo, DataKind, FrameTime, Phenomenon, Subject};
use scene::SceneMaker;

pub use look::{Look, look};
pub use settings::RenderStageSettings;
pub use sheet::is_sheet;
pub use whitecap_render::description::*;

const EXAMPLES: &str = "\
Examples:
  whitecap render splash.ply -o splash.png
  whitecap render splash.bgeo -o splash.png --liquid-method anisotropic --samples 256
  whitecap render 'out/surface.####.ply' -o 'pictures/splash.####.exr' --passes depth,normal,motion
  whitecap render splash.ply -o 'turn.####.png' --turntable 48 --scale 0.5
  whitecap render glass.bgeo -o glass.png --region 0.4,0.4,0.6,0.6 \\
      --objects '[{\"shape\": {\"mesh\": {\"path\": \"glass.ply\"}}, \"material\": {\"glass\": {}}}]'

Particles are hit directly: no mesh is made. A picture called .exr gets a .png beside it to look
at. Without --camera-position the camera sees all of the liquid, without --objects or --terrain it
stands on a floor of squares that are 1, 2 or 5 times a power of ten wide, without --material it is
coloured like water of its size, and without --exposure the light is measured once for all frames.
Objects, lamps and materials are easier to write in a shot file; see whitecap run. To put pictures
side by side: whitecap sheet.";

/// Largest light that a path adds where `clamp` is left out, in the light that is shown as white.
const CLAMP: f32 = 8.0;

pub(super) struct Render {
    scenes: SceneMaker,
}

impl Phenomenon for Render {
    const KIND: KindInfo = KindInfo {
        name: "render",
        doc: "Makes pictures by path tracing. Particles are hit directly, without a mesh.",
        version: 4,
        inputs: &[
            InputPort {
                key: "surface",
                accepts: &[DataKind::Mesh, DataKind::Particles, DataKind::Volume],
                required: false,
                doc: "The liquid: a mesh, particles, or a volume with a distance field.",
            },
            InputPort {
                key: "terrain",
                accepts: &[DataKind::Mesh],
                required: false,
                doc: "What the liquid lies on: a mesh, shown as matt stone.",
            },
            InputPort {
                key: "mist",
                accepts: &[DataKind::Particles, DataKind::Volume],
                required: false,
                doc: "Something that scatters light: particles, or a volume with densities.",
            },
        ],
        gives: Gives::Always(DataKind::Picture),
        depends: Depends { on_time: true, on_seed: true },
        command: Some(CommandInfo {
            examples: EXAMPLES,
            subject: Subject::Input("surface"),
            told: &["rays"],
            ..CommandInfo::PLAIN
        }),
        ..KindInfo::PLAIN
    };
    type Settings = RenderStageSettings;
    type State = ();

    fn check(
        settings: RenderStageSettings,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        let mut problems = setting_problems(&settings);
        match SceneMaker::load(settings, shot) {
            Ok(scenes) if problems.is_empty() => Ok(Self { scenes }),
            loaded => {
                problems.extend(loaded.err().into_iter().flatten());
                Err(problems)
            }
        }
    }

    fn check_formats(&self, formats: &[&str]) -> Result<(), SettingProblem> {
        let asked = !self.scenes.settings().picture.passes.is_empty();
        if !asked || formats.is_empty() || formats.contains(&"exr") {
            return Ok(());
        }
        let message = "passes are saved in .exr files, but `save` names none";
        let help = "add \"exr\" to `save`, or remove `passes`";
        Err(SettingProblem::new("passes", message).with_help(help))
    }

    fn sources(&self, frame: i64) -> Result<Vec<PathBuf>, StageError> {
        Ok(self.scenes.sources(frame))
    }

    fn start(&self) -> Result<(), StageError> {
        Ok(())
    }

    fn step(
        &self,
        _state: &mut (),
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let settings = self.scenes.settings();
        let frame = context.frame;
        let (scene, mut notes) = self.scenes.scene(frame, &|key| inputs.get(key))?;
        let picture_settings = picture_settings(settings, frame, context.seed);
        let exposure = settings.exposure.unwrap_or(0.0);
        let finish = |rendered: &Rendered| {
            let picture = Picture::new(rendered, exposure, settings.tone);
            picture.seen_from(&scene.camera, &picture_settings)
        };
        let mut after_pass = |rendered: &Rendered, progress: Progress| {
            // The last pass is the picture itself.
            if let Some(preview) = context.preview.filter(|_| progress.finished < 1.0) {
                preview(&finish(rendered).into());
            }
        };
        let rendered =
            render_progressively(&scene, &picture_settings, context.watch, &mut after_pass);
        let rendered = rendered.map_err(|error| match error {
            RenderError::Cancelled => StageError::Cancelled,
            error => StageError::failed(error),
        })?;
        let lost = rendered.statistics.lost_paths;
        if lost > 0 {
            notes.push(format!("{} left out: not finite", counted(lost as usize, "path")));
        }
        let metrics = vec![
            Metric::count("rays", rendered.statistics.rays as usize).summed(),
            Metric::new("scene memory", "bytes", scene.bytes() as f64).largest(),
        ];
        Ok(StageOutput::new(finish(&rendered)).with_notes(notes).with_metrics(metrics))
    }
}

/// The settings of a frame's picture.
fn picture_settings(settings: &RenderStageSettings, frame: FrameTime, seed: u64) -> RenderSettings {
    let noise = seed.wrapping_add(settings.picture.seed).wrapping_mul(1 << 20);
    let white = settings.exposure.map_or(1.0, |stops| (-stops).exp2());
    RenderSettings {
        seed: noise.wrapping_add(frame.index as u64),
        frame_duration: frame.dt as f32,
        clamp: settings.picture.clamp.or(Some(CLAMP * white)),
        ..settings.picture.clone()
    }
}

/// What is wrong with the settings, as far as it can be told without files.
fn setting_problems(settings: &RenderStageSettings) -> Vec<SettingProblem> {
    let mut problems = Vec::new();
    match settings.picture.check() {
        Ok(()) => {}
        Err(RenderError::Setting(problem)) => problems.push(problem),
        Err(error @ RenderError::Region { .. }) => {
            problems.push(SettingProblem::new("region", error));
        }
        Err(error) => problems.push(SettingProblem::new("kind", error)),
    }
    if let Some(error) = settings.meniscus.as_ref().and_then(|meniscus| meniscus.length().err()) {
        problems.push(SettingProblem::new("meniscus", error));
    }
    problems
}

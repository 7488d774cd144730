//! `kind = "render"`: pictures.
//!
//! A frame's noise depends on the shot's seed and the frame's number, so that it moves like film grain
//! and does not stick to the screen.

mod materials;
mod scene;
mod settings;

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use whitecap_core::Watch;
use whitecap_render::{Progress, RenderError, RenderSettings, Rendered, render_progressively};

use super::{complete, read_settings};
use crate::picture::Picture;
use crate::stage::{
    Depends, InputPort, Inputs, Metric, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};
use crate::{DataKind, FrameData, FrameTime};

use scene::SceneMaker;

pub use settings::*;

pub(super) struct Render;

impl StageKind for Render {
    fn name(&self) -> &'static str {
        "render"
    }

    fn doc(&self) -> &'static str {
        "Makes pictures by path tracing. Particles are hit directly, without a mesh."
    }

    fn version(&self) -> u32 {
        2
    }

    fn settings_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        RenderStageSettings::json_schema(generator)
    }

    fn inputs(&self) -> &'static [InputPort] {
        &[
            InputPort {
                key: "surface",
                accepts: &[DataKind::Mesh, DataKind::Particles, DataKind::Volume],
                required: false,
                doc: "The liquid: a mesh, particles, or a volume with a distance field.",
            },
            InputPort {
                key: "mist",
                accepts: &[DataKind::Particles, DataKind::Volume],
                required: false,
                doc: "Something that scatters light: particles, or a volume with densities.",
            },
        ]
    }

    fn can_give(&self) -> &'static [DataKind] {
        &[DataKind::Picture]
    }

    fn depends(&self) -> Depends {
        Depends { on_time: true, on_seed: true }
    }

    fn check(
        &self,
        settings: &Value,
        shot: &ShotContext<'_>,
    ) -> Result<Value, Vec<SettingProblem>> {
        let (settings, completed) = complete::<RenderStageSettings>(settings)?;
        let problems = problems(&settings, shot);
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
        Ok(Box::new(PictureMaker::new(read_settings(settings)?, shot)?))
    }
}

/// What is wrong with the settings, each at its own place.
fn problems(settings: &RenderStageSettings, shot: &ShotContext<'_>) -> Vec<SettingProblem> {
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
    let missing = |path: &PathBuf| !path.is_file();
    match scene::sources(settings, shot, shot.first) {
        Ok(paths) => problems.extend(paths.iter().filter(|path| missing(path)).map(|path| {
            let message = format!("there is no file {}", path.display());
            SettingProblem::new("kind", message)
                .with_help("paths of meshes and pictures start from the folder of the shot file")
        })),
        Err(error) => problems.push(SettingProblem::new("objects", error)),
    }
    problems
}

/// Makes the pictures of a shot.
pub struct PictureMaker {
    scenes: SceneMaker,
}

/// A picture that is being made or is finished.
pub struct Made {
    /// The picture.
    pub picture: Picture,
    /// Sentences that the user should see.
    pub notes: Vec<String>,
    /// Rays cast.
    pub rays: u64,
    /// Bytes held by the scene.
    pub bytes: usize,
}

impl PictureMaker {
    /// Reads the files that serve every frame.
    pub fn new(settings: RenderStageSettings, shot: &ShotContext<'_>) -> Result<Self, StageError> {
        Ok(Self { scenes: SceneMaker::new(settings, shot)? })
    }

    /// Makes the picture of a frame, handing out what there is after every pass.
    pub fn picture(
        &self,
        frame: FrameTime,
        seed: u64,
        (surface, mist): (Option<&FrameData>, Option<&FrameData>),
        watch: &dyn Watch,
        after_pass: &mut dyn FnMut(&Picture, Progress),
    ) -> Result<Made, StageError> {
        let settings = self.scenes.settings();
        let (scene, mut notes) = self.scenes.scene(frame, surface, mist)?;
        let noise = seed.wrapping_add(settings.picture.seed).wrapping_mul(1 << 20);
        let picture_settings = RenderSettings {
            seed: noise.wrapping_add(u64::from(frame.index)),
            frame_duration: frame.dt as f32,
            ..settings.picture.clone()
        };
        let finish = |rendered: &Rendered| Picture::new(rendered, settings.exposure, settings.tone);
        let mut pass = |rendered: &Rendered, progress: Progress| {
            // The last pass is the picture itself, which the caller gets anyway.
            if progress.finished < 1.0 {
                after_pass(&finish(rendered), progress);
            }
        };
        let rendered = render_progressively(&scene, &picture_settings, watch, &mut pass);
        let rendered = rendered.map_err(|error| match error {
            RenderError::Cancelled => StageError::Cancelled,
            error => StageError::failed(error),
        })?;
        if rendered.statistics.lost_paths > 0 {
            let lost = rendered.statistics.lost_paths;
            notes.push(format!("{lost} path(s) brought no number and were left out"));
        }
        let (rays, bytes) = (rendered.statistics.rays, scene.bytes());
        Ok(Made { picture: finish(&rendered), notes, rays, bytes })
    }
}

impl Stage for PictureMaker {
    fn step(
        &mut self,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let data = (inputs.get("surface"), inputs.get("mist"));
        let made =
            self.picture(context.frame, context.seed, data, context.watch, &mut |_, _| ())?;
        let metrics = vec![
            Metric::count("rays", made.rays as usize),
            Metric::new("scene memory", "MB", made.bytes as f64 * 1e-6),
        ];
        Ok(StageOutput { data: FrameData::Picture(made.picture), notes: made.notes, metrics })
    }
}

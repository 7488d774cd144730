//! A liquid on its terrain with all that is needed to draw it: what the stage, the command and a live
//! view start from.

use whitecap_core::TriMesh;
use whitecap_pipes::{MeniscusSettings, MinimumHeights, PipeError, Pipes, SurfaceSettings};

use super::NAME;
use super::fill::depths;
use super::ground::Ground;
use super::moving_terrain::{DrawnTerrain, MovingTerrain};
use super::settings::PipesStageSettings;
use crate::Shot;
use crate::stage::{SettingProblem, ShotContext, StageError};
use crate::stages::read_settings;

/// A liquid as it was filled, at rest, on its terrain.
#[derive(Clone, Debug)]
pub struct PipeScene {
    /// The liquid.
    pub pipes: Pipes,
    /// The terrain to draw: the mesh of the shot with its ground, or one made from the columns.
    pub terrain: TriMesh,
    /// How far the surface must stay above the terrain.
    pub minimum: MinimumHeights,
    /// Settings of the surface.
    pub surface: SurfaceSettings,
    /// Settings of the meniscus, if there is to be one.
    pub meniscus: Option<MeniscusSettings>,
    /// The terrain at other frames, if it moves.
    pub moving: Option<MovingTerrain>,
    /// The frame that the terrain is at.
    frame: u32,
}

impl PipeScene {
    /// The scene of some settings at the first frame of a shot.
    pub fn new(
        settings: &PipesStageSettings,
        shot: &ShotContext<'_>,
    ) -> Result<Self, SettingProblem> {
        check(settings)?;
        let files = settings.terrain.checked_files(shot)?;
        let file = files.as_ref().map(|files| files.file(shot.first));
        let ground = Ground::new(settings, file.as_deref(), None)?;
        let DrawnTerrain { terrain, mesh, minimum } = DrawnTerrain::new(ground, settings);
        let mut pipes = Pipes::new(&terrain, settings.liquid.clone()).map_err(problem)?;
        let depths = depths(pipes.columns(), &settings.fill);
        pipes.fill(|column| depths[column]);
        let (moving, grid) = (files.filter(|files| !files.is_single()), *pipes.columns().grid());
        Ok(Self {
            pipes,
            terrain: mesh,
            minimum,
            surface: settings.surface,
            meniscus: meniscus(settings),
            moving: moving.map(|files| MovingTerrain::new(files, settings.clone(), grid, shot)),
            frame: shot.first,
        })
    }

    /// Brings a terrain that moves to where it is at a frame; the liquid stays in its cells. Any other
    /// terrain stays as it is.
    pub fn move_terrain(&mut self, frame: u32) -> Result<(), SettingProblem> {
        let Some(moving) = self.moving.as_ref().filter(|_| self.frame != frame) else {
            return Ok(());
        };
        let DrawnTerrain { terrain, mesh, minimum } = moving.at(frame)?;
        self.pipes.replace_terrain(&terrain).map_err(problem)?;
        (self.terrain, self.minimum, self.frame) = (mesh, minimum, frame);
        Ok(())
    }
}

/// The liquid of a `pipes` stage of a shot, before its first frame: the stage called `name`, or the first
/// of its kind that gives a liquid.
///
/// # Errors
/// When the shot has no such stage, or its terrain cannot be read any more.
pub fn live_pipes(shot: &Shot, name: Option<&str>) -> Result<PipeScene, StageError> {
    let mut stages = shot.stages.iter().filter(|stage| stage.kind.name() == NAME);
    let stage = match name {
        Some(name) => stages.find(|stage| stage.name == name),
        None => stages.find(|stage| stage.settings["give"] != "terrain"),
    };
    let stage = stage.ok_or_else(|| {
        let wanted = name.map_or(String::from("stage"), |name| format!("stage `{name}`"));
        StageError::failed(format!("the shot has no {wanted} of the kind \"{NAME}\""))
    })?;
    let settings: PipesStageSettings = read_settings(&stage.settings)?;
    PipeScene::new(&settings, &shot.context())
        .map_err(|problem| StageError::failed(format!("[{}] {}", stage.name, problem.message)))
}

fn meniscus(settings: &PipesStageSettings) -> Option<MeniscusSettings> {
    let length = settings.meniscus_length;
    settings.contact_angle.map(|contact_angle| MeniscusSettings { contact_angle, length })
}

/// Everything that needs no file.
fn check(settings: &PipesStageSettings) -> Result<(), SettingProblem> {
    settings.liquid.check().map_err(problem)?;
    settings.surface.check().map_err(problem)?;
    if let Some(meniscus) = meniscus(settings) {
        meniscus.check().map_err(|error| {
            let mut problem = problem(error);
            if problem.key == "length" {
                problem.key = String::from("meniscus-length");
            }
            problem
        })?;
    }
    for (place, fill) in settings.fill.iter().enumerate() {
        if let Some(problem) = fill.problem() {
            return Err(problem.within("fill", place));
        }
    }
    Ok(())
}

fn problem(error: PipeError) -> SettingProblem {
    match error {
        PipeError::Setting(problem) => problem,
        error => SettingProblem::new("kind", error),
    }
}

//! Where a simulated liquid comes from and what it flows round: the same for every solver.
//!
//! Every problem that can be found before the run is reported by [`LiquidScene::load`], at its place in
//! the shot file. What it loaded is what the liquid starts from: solids come first, then fills, which leave
//! out what is inside a solid.

use std::error::Error;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_bulk::flip::{FlipError, FlipLiquid};
use whitecap_bulk::sph::{Liquid, SphError};
use whitecap_core::Facts;
use whitecap_core::glam::Vec3;
use whitecap_scene::emitter::{Emitter, EmitterSettings};
use whitecap_scene::fill::{Fill, Filling};
use whitecap_scene::opening::Opening;
use whitecap_scene::{AnimatedBody, BodySettings, ClosedShape, SceneError};

use crate::files::body_files::{BodyFiles, animated_body, load_each, read_mesh};
use crate::stage::{SettingProblem, ShotContext, StageError};

/// Where the liquid comes from and what it flows around.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct LiquidSceneSettings {
    /// Where the liquid is at the first frame: boxes, spheres and closed meshes. Later ones leave
    /// out what earlier ones already filled; all leave out what is inside a solid.
    #[schemars(extend("unit" = "none"))]
    pub fill: Vec<Fill>,
    /// Where more liquid comes from while it runs: discs, rectangles and surfaces of meshes.
    #[schemars(extend("unit" = "none"))]
    pub emitters: Vec<EmitterSettings>,
    /// Closed meshes that the liquid flows around: at rest, moved from key to key, or deforming.
    #[schemars(extend("unit" = "none"))]
    pub solids: Vec<BodySettings>,
}

impl LiquidSceneSettings {
    /// What holds for all particles of all frames.
    pub fn facts(&self, spacing: f32, rest_density: f32, shot: &ShotContext) -> Facts {
        Facts {
            radius: Some(0.5 * spacing),
            radius_is_estimated: false,
            rest_density: Some(rest_density),
            frame_rate: Some(shot.fps as f32),
            solids: self.solids.iter().map(|solid| solid.path.clone()).collect(),
        }
    }
}

/// A liquid that a scene can be put into.
pub trait Fillable: Sync {
    /// What can go wrong.
    type Error: Error + Send + Sync + 'static;

    /// Adds a body that the liquid flows round.
    fn add_solid(&mut self, solid: AnimatedBody) -> Result<(), Self::Error>;

    /// Adds particles.
    fn add(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), Self::Error>;

    /// Adds an emitter.
    fn add_emitter(&mut self, emitter: Emitter);

    /// Distance to the nearest wall or solid in m, negative inside one.
    fn clearance(&self, position: Vec3) -> f32;
}

macro_rules! fillable {
    ($liquid:ty, $error:ty) => {
        impl Fillable for $liquid {
            type Error = $error;

            fn add_solid(&mut self, solid: AnimatedBody) -> Result<(), $error> {
                self.add_solid(solid).map(drop)
            }

            fn add(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), $error> {
                self.add(positions, velocities).map(drop)
            }

            fn add_emitter(&mut self, emitter: Emitter) {
                self.add_emitter(emitter);
            }

            fn clearance(&self, position: Vec3) -> f32 {
                self.clearance(position)
            }
        }
    };
}

fillable!(Liquid, SphError);
fillable!(FlipLiquid, FlipError);

/// What surrounds a liquid, loaded.
pub struct LiquidScene {
    settings: LiquidSceneSettings,
    spacing: f32,
    /// The shape of each fill that has one.
    fills: Vec<Option<ClosedShape>>,
    emitters: Vec<Emitter>,
    solids: Vec<(AnimatedBody, BodyFiles)>,
    /// Files that serve every frame.
    files: Vec<PathBuf>,
}

impl LiquidScene {
    /// Loads the files that the settings name; or reports everything that is wrong, each at its own
    /// place, after the `problems` of the liquid itself. `spacing` is the distance between particles, in m.
    pub fn load(
        settings: &LiquidSceneSettings,
        spacing: f32,
        liquid_problems: Vec<SettingProblem>,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        if settings.fill.is_empty() && settings.emitters.is_empty() {
            problems.push(SettingProblem::new("fill", "there is no liquid").with_help(
                "say where it is, such as fill = [{ box = { min = [0, 0, 0], max = [1, 0.3, 1] } }], or where it comes from with `emitters`",
            ));
        }
        problems.extend(liquid_problems);
        let fills = load_each("fill", &settings.fill, &mut problems, |fill| shape_of(fill, shot));
        let solids = load_each("solids", &settings.solids, &mut problems, |solid| {
            let files = BodyFiles::new(solid, shot)?;
            Ok((animated_body(solid, &files, shot)?, files))
        });
        let emitters = load_each("emitters", &settings.emitters, &mut problems, |emitter| {
            loaded_emitter(emitter, spacing, shot)
        });
        let openings = settings.emitters.iter().filter_map(opening_path);
        let single = settings.fill.iter().filter_map(Fill::path).chain(openings);
        let files = single.map(|path| shot.file(path)).collect();
        match problems.is_empty() {
            true => {
                Ok(Self { settings: settings.clone(), spacing, fills, emitters, solids, files })
            }
            false => Err(problems),
        }
    }

    /// The mesh files that a frame is made from, besides those of the frames before it.
    pub fn sources(&self, frame: i64) -> Vec<PathBuf> {
        let solids = self.solids.iter().flat_map(|(_, files)| files.sources(frame));
        self.files.iter().cloned().chain(solids).collect()
    }

    /// Puts solids, liquid and emitters in place; returns sentences about what was left out.
    pub fn fill<L: Fillable>(&self, liquid: &mut L) -> Result<Vec<String>, StageError> {
        for (solid, _) in &self.solids {
            liquid.add_solid(solid.clone()).map_err(StageError::failed)?;
        }
        let mut filling = Filling::new(self.spacing, &[]).map_err(StageError::failed)?;
        for (fill, shape) in self.settings.fill.iter().zip(&self.fills) {
            let volume = fill.volume(shape.as_ref()).map_err(StageError::failed)?;
            let clearance = |position| liquid.clearance(position);
            filling.add(volume, fill.velocity(), &clearance).map_err(StageError::failed)?;
        }
        if filling.positions().is_empty() && self.emitters.is_empty() {
            let reasons = filling.notes().join("; ");
            return Err(StageError::failed(format!("there is no liquid: {reasons}")));
        }
        liquid.add(filling.positions(), filling.velocities()).map_err(StageError::failed)?;
        self.emitters.iter().for_each(|emitter| liquid.add_emitter(emitter.clone()));
        Ok(filling.notes().to_vec())
    }
}

fn shape_of(fill: &Fill, shot: &ShotContext) -> Result<Option<ClosedShape>, SettingProblem> {
    fill.check()?;
    let Some(path) = fill.path() else { return Ok(None) };
    let mesh = read_mesh("mesh.path", &shot.file(path))?;
    let shape = ClosedShape::new(mesh);
    shape.map(Some).map_err(|error| SettingProblem::new("mesh.path", error))
}

fn opening_path(emitter: &EmitterSettings) -> Option<&str> {
    match &emitter.from {
        Opening::Mesh(opening) => Some(&opening.path),
        _ => None,
    }
}

fn loaded_emitter(
    settings: &EmitterSettings,
    spacing: f32,
    shot: &ShotContext,
) -> Result<Emitter, SettingProblem> {
    let path = opening_path(settings).map(|path| shot.file(path));
    let mesh = path.map(|path| read_mesh("from.mesh.path", &path)).transpose()?;
    Emitter::new(settings, mesh.as_ref(), spacing).map_err(|error| match error {
        SceneError::Setting(problem) => problem,
        error => SettingProblem::new("", error),
    })
}

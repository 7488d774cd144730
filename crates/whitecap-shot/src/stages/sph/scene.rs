//! What surrounds the liquid of an `sph` stage: fills, emitters and solids with their mesh files.
//!
//! Every problem that can be found before the run is reported by [`Scene::load`], at its place in
//! the shot file. What it loaded is what the liquid starts from.

use std::path::PathBuf;

use whitecap_bulk::sph::Liquid;
use whitecap_scene::emitter::{Emitter, EmitterSettings};
use whitecap_scene::fill::{Fill, Filling};
use whitecap_scene::opening::Opening;
use whitecap_scene::{AnimatedBody, ClosedShape, SceneError};

use super::settings::SphStageSettings;
use crate::files::body_files::{BodyFiles, animated_body, load_each, read_mesh};
use crate::stage::{SettingProblem, ShotContext, StageError};

/// What surrounds a liquid, loaded.
pub struct Scene {
    /// The shape of each fill that has one.
    fills: Vec<Option<ClosedShape>>,
    emitters: Vec<Emitter>,
    solids: Vec<(AnimatedBody, BodyFiles)>,
    /// Files that serve every frame.
    files: Vec<PathBuf>,
}

impl Scene {
    /// Loads the files that the settings name; or reports everything that is wrong, each at its own
    /// place.
    pub fn load(
        settings: &SphStageSettings,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        if settings.fill.is_empty() && settings.emitters.is_empty() {
            problems.push(SettingProblem::new("fill", "there is no liquid").with_help(
                "say where it is, such as fill = [{ box = { min = [0, 0, 0], max = [1, 0.3, 1] } }], or where it comes from with `emitters`",
            ));
        }
        problems.extend(settings.liquid.problems());
        let fills = load_each("fill", &settings.fill, &mut problems, |fill| shape_of(fill, shot));
        let solids = load_each("solids", &settings.solids, &mut problems, |solid| {
            let files = BodyFiles::new(solid, shot)?;
            Ok((animated_body(solid, &files, shot)?, files))
        });
        let spacing = settings.liquid.spacing;
        let emitters = load_each("emitters", &settings.emitters, &mut problems, |emitter| {
            loaded_emitter(emitter, spacing, shot)
        });
        let openings = settings.emitters.iter().filter_map(opening_path);
        let single = settings.fill.iter().filter_map(Fill::path).chain(openings);
        let files = single.map(|path| shot.file(path)).collect();
        match problems.is_empty() {
            true => Ok(Self { fills, emitters, solids, files }),
            false => Err(problems),
        }
    }

    /// The mesh files that a frame is made from, besides those of the frames before it.
    pub fn sources(&self, frame: i64) -> Vec<PathBuf> {
        let solids = self.solids.iter().flat_map(|(_, files)| files.sources(frame));
        self.files.iter().cloned().chain(solids).collect()
    }

    /// Puts solids, liquid and emitters in place; returns sentences about what was left out.
    pub fn fill(
        &self,
        liquid: &mut Liquid,
        settings: &SphStageSettings,
    ) -> Result<Vec<String>, StageError> {
        for (solid, _) in &self.solids {
            liquid.add_solid(solid.clone()).map_err(StageError::failed)?;
        }
        let mut filling = Filling::new(settings.liquid.spacing, liquid.positions())
            .map_err(StageError::failed)?;
        for (fill, shape) in settings.fill.iter().zip(&self.fills) {
            let volume = fill.volume(shape.as_ref()).map_err(StageError::failed)?;
            let clearance = |position| liquid.clearance(position);
            filling.add(volume, fill.velocity(), &clearance).map_err(StageError::failed)?;
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

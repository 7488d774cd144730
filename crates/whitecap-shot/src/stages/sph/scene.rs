//! What surrounds the liquid of an `sph` stage: fills, emitters and solids with their mesh files.
//!
//! Everything that can be told before the run is told by [`problems`], at the place in the shot
//! file that it is about.

use std::path::PathBuf;

use whitecap_bulk::sph::Liquid;
use whitecap_scene::emitter::{Emitter, EmitterSettings};
use whitecap_scene::fill::{Fill, Filling};
use whitecap_scene::opening::Opening;
use whitecap_scene::{BodySettings, ClosedShape, SceneError};

use super::settings::SphStageSettings;
use crate::body_files::{animated_body, body_sources, read_mesh};
use crate::stage::{SettingProblem, ShotContext, StageError};

/// What is wrong with the settings, each at its own place.
pub fn problems(settings: &SphStageSettings, shot: &ShotContext<'_>) -> Vec<SettingProblem> {
    let mut problems = Vec::new();
    if settings.fill.is_empty() && settings.emitters.is_empty() {
        problems.push(SettingProblem::new("fill", "there is no liquid").with_help(
            "say where it is, such as fill = [{ box = { min = [0, 0, 0], max = [1, 0.3, 1] } }], or where it comes from with `emitters`",
        ));
    }
    problems.extend(settings.liquid.problems());
    for (place, fill) in settings.fill.iter().enumerate() {
        problems.extend(fill_problem(fill, shot).map(|problem| problem.within("fill", place)));
    }
    for (place, solid) in settings.solids.iter().enumerate() {
        problems.extend(solid_problem(solid, shot).map(|problem| problem.within("solids", place)));
    }
    let spacing = settings.liquid.spacing;
    for (place, emitter) in settings.emitters.iter().enumerate() {
        let problem = emitter_problem(emitter, spacing, shot);
        problems.extend(problem.map(|problem| problem.within("emitters", place)));
    }
    problems
}

fn fill_problem(fill: &Fill, shot: &ShotContext<'_>) -> Option<SettingProblem> {
    if let Err(problem) = fill.check() {
        return Some(problem);
    }
    let path = shot.folder.join(fill.path()?);
    let mesh = match read_mesh("mesh.path", &path) {
        Ok(mesh) => mesh,
        Err(problem) => return Some(problem),
    };
    ClosedShape::new(mesh).err().map(|error| SettingProblem::new("mesh.path", error))
}

fn solid_problem(solid: &BodySettings, shot: &ShotContext<'_>) -> Option<SettingProblem> {
    animated_body(solid, shot).err()
}

fn emitter_problem(
    emitter: &EmitterSettings,
    spacing: f32,
    shot: &ShotContext<'_>,
) -> Option<SettingProblem> {
    let mesh = match &emitter.from {
        Opening::Mesh(opening) => {
            match read_mesh("from.mesh.path", &shot.folder.join(&opening.path)) {
                Ok(mesh) => Some(mesh),
                Err(problem) => return Some(problem),
            }
        }
        _ => None,
    };
    match Emitter::new(emitter, mesh.as_ref(), spacing).err()? {
        SceneError::Setting(problem) => Some(problem),
        error => Some(SettingProblem::new("", error)),
    }
}

/// The mesh files that a frame is made from, besides those of the frames before it.
pub fn sources(
    settings: &SphStageSettings,
    shot: &ShotContext<'_>,
    frame: u32,
) -> Result<Vec<PathBuf>, StageError> {
    let openings = settings.emitters.iter().filter_map(|emitter| match &emitter.from {
        Opening::Mesh(opening) => Some(opening.path.as_str()),
        _ => None,
    });
    let single = settings.fill.iter().filter_map(Fill::path).chain(openings);
    let mut sources: Vec<PathBuf> = single.map(|path| shot.folder.join(path)).collect();
    for solid in &settings.solids {
        sources.extend(body_sources(solid, shot, frame).map_err(StageError::failed)?);
    }
    Ok(sources)
}

/// Puts the solids into the liquid, which asks them where they are.
pub fn add_solids(
    liquid: &mut Liquid,
    solids: &[BodySettings],
    shot: &ShotContext<'_>,
) -> Result<(), StageError> {
    for settings in solids {
        let solid = animated_body(settings, shot).map_err(StageError::failed)?;
        liquid.add_solid(solid).map_err(StageError::failed)?;
    }
    Ok(())
}

/// Fills the volumes of the first frame; gives sentences about what was left out.
pub fn add_fills(
    liquid: &mut Liquid,
    settings: &SphStageSettings,
    shot: &ShotContext<'_>,
) -> Result<Vec<String>, StageError> {
    let mut filling =
        Filling::new(settings.liquid.spacing, liquid.positions()).map_err(StageError::failed)?;
    for fill in &settings.fill {
        let shape = match fill.path() {
            Some(path) => {
                let mesh =
                    whitecap_io::read_mesh(shot.folder.join(path)).map_err(StageError::failed)?;
                Some(ClosedShape::new(mesh).map_err(StageError::failed)?)
            }
            None => None,
        };
        let volume = fill.volume(shape.as_ref()).map_err(StageError::failed)?;
        let clearance = |position| liquid.clearance(position);
        filling.add(volume, fill.velocity(), &clearance).map_err(StageError::failed)?;
    }
    liquid.add(filling.positions(), filling.velocities()).map_err(StageError::failed)?;
    Ok(filling.notes().to_vec())
}

/// Puts the emitters to work.
pub fn add_emitters(
    liquid: &mut Liquid,
    settings: &SphStageSettings,
    shot: &ShotContext<'_>,
) -> Result<(), StageError> {
    for emitter in &settings.emitters {
        let mesh = match &emitter.from {
            Opening::Mesh(opening) => Some(
                whitecap_io::read_mesh(shot.folder.join(&opening.path))
                    .map_err(StageError::failed)?,
            ),
            _ => None,
        };
        let emitter = Emitter::new(emitter, mesh.as_ref(), settings.liquid.spacing);
        liquid.add_emitter(emitter.map_err(StageError::failed)?);
    }
    Ok(())
}

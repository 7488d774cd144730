//! What surrounds the smoke of a `smoke` stage: sources and solids with their mesh files.
//!
//! Every problem that can be found before the run is reported by [`Scene::load`], at its place in the shot
//! file. What it loaded is what the smoke starts from.

use std::path::PathBuf;

use whitecap_bulk::smoke::{Smoke, SmokeError, SmokeSourceSettings, Source, SourceShape};
use whitecap_core::{Column, GridValues, attributes};
use whitecap_scene::{AnimatedBody, SceneError};

use super::settings::SmokeStageSettings;
use crate::files::body_files::{BodyFiles, animated_body, load_each};
use crate::stage::{Inputs, SettingProblem, ShotContext, StageError};

/// What surrounds smoke, loaded.
pub struct Scene {
    sources: Vec<(Source, Option<BodyFiles>)>,
    solids: Vec<(AnimatedBody, BodyFiles)>,
}

impl Scene {
    /// Loads the files that the settings name; or reports everything that is wrong, each at its own place.
    pub fn load(
        settings: &SmokeStageSettings,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        let mut problems = Vec::new();
        if settings.sources.is_empty() {
            problems.push(SettingProblem::new("sources", "there is no smoke").with_help(
                "say where it comes from, such as sources = [{ from = { ball = { center = [0, 0.2, 0], radius = 0.1 } } }]",
            ));
        }
        problems.extend(settings.smoke.problems());
        let sources = load_each("sources", &settings.sources, &mut problems, |source| {
            loaded_source(source, shot)
        });
        let solids = load_each("solids", &settings.solids, &mut problems, |solid| {
            let files = BodyFiles::new(solid, shot)?;
            Ok((animated_body(solid, &files, shot)?, files))
        });
        if problems.is_empty() { Ok(Self { sources, solids }) } else { Err(problems) }
    }

    /// The mesh files that a frame is made from, besides those of the frames before it.
    pub fn files(&self, frame: i64) -> Vec<PathBuf> {
        let sources = self.sources.iter().filter_map(|(_, files)| files.as_ref());
        let solids = self.solids.iter().map(|(_, files)| files);
        sources.chain(solids).flat_map(|files| files.sources(frame)).collect()
    }

    /// Puts solids and sources in place.
    pub fn fill(&self, smoke: &mut Smoke) -> Result<(), StageError> {
        for (solid, _) in &self.solids {
            smoke.add_solid(solid.clone()).map_err(StageError::failed)?;
        }
        self.sources.iter().for_each(|(source, _)| smoke.add_source(source.clone()));
        Ok(())
    }
}

fn loaded_source(
    settings: &SmokeSourceSettings,
    shot: &ShotContext,
) -> Result<(Source, Option<BodyFiles>), SettingProblem> {
    let in_mesh = |problem: SettingProblem| problem.inside("from.mesh");
    let (body, files) = match &settings.from {
        SourceShape::Mesh(mesh) => {
            let files = BodyFiles::new(mesh, shot).map_err(in_mesh)?;
            (Some(animated_body(mesh, &files, shot).map_err(in_mesh)?), Some(files))
        }
        _ => (None, None),
    };
    let source = Source::new(settings.clone(), body).map_err(|error| match error {
        SmokeError::Setting(problem) | SmokeError::Scene(SceneError::Setting(problem)) => problem,
        error => SettingProblem::new("", error),
    })?;
    Ok((source, files))
}

/// Gives sources the particles and the volume of a frame; a source without its input is an error.
pub fn connect(smoke: &mut Smoke, inputs: &Inputs<'_>) -> Result<(), StageError> {
    for (number, source) in smoke.sources_mut().iter_mut().enumerate() {
        let missing = |what: &str| {
            StageError::failed(format!(
                "source {} lets smoke come from {what}, but the stage has no input `{what}`",
                number + 1
            ))
        };
        match source.settings().from.clone() {
            SourceShape::Particles(_) => {
                if inputs.get("particles").is_none() {
                    return Err(missing("particles"));
                }
                let particles = inputs.particles("particles")?;
                let velocities = match particles.attribute(attributes::VELOCITY) {
                    Some(Column::Vec3(velocities)) => velocities.as_slice(),
                    _ => &[],
                };
                let set = source.set_particles(particles.positions(), velocities);
                set.map_err(StageError::failed)?;
            }
            SourceShape::Volume(wanted) => {
                if inputs.get("volume").is_none() {
                    return Err(missing("volume"));
                }
                let grid = inputs.volume("volume")?.grid(&wanted.grid);
                let Some(GridValues::Scalar(grid)) = grid.map(|grid| &grid.values) else {
                    let name = &wanted.grid;
                    let message =
                        format!("the input `volume` has no grid of numbers called {name}");
                    return Err(StageError::failed(message));
                };
                source.set_volume(grid);
            }
            _ => {}
        }
    }
    Ok(())
}

//! What surrounds the liquid of an `sph` stage: fills, emitters and solids with their mesh files.
//!
//! Everything that can be told before the run is told by [`Scene::load`], at the place in the shot
//! file that it is about. What it loaded is what the liquid starts from.

use std::path::{Path, PathBuf};

use whitecap_bulk::sph::emitter::{Emitter, EmitterSettings, Opening};
use whitecap_bulk::sph::fill::{Fill, Filling};
use whitecap_bulk::sph::solid::{ClosedShape, Solid, SolidSettings, Walls};
use whitecap_bulk::sph::{Liquid, SourceError, SphError};
use whitecap_core::TriMesh;

use super::settings::SphStageSettings;
use crate::frame_files::FrameFiles;
use crate::stage::{SettingProblem, ShotContext, StageError};

/// What surrounds a liquid, loaded.
pub struct Scene {
    /// The shape of each fill that has one.
    fills: Vec<Option<ClosedShape>>,
    emitters: Vec<Emitter>,
    solids: Vec<LoadedSolid>,
    /// Files that serve every frame.
    files: Vec<PathBuf>,
}

/// A solid as it is at the first frame, and its files.
struct LoadedSolid {
    solid: Solid,
    files: FrameFiles,
}

impl Scene {
    /// Loads the files that the settings name; or tells all that is wrong, each at its own place.
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
        wall_problems(settings, &mut problems);
        let fills = each("fill", &settings.fill, &mut problems, |fill| shape_of(fill, shot));
        let solids =
            each("solids", &settings.solids, &mut problems, |solid| loaded_solid(solid, shot));
        let spacing = settings.liquid.spacing;
        let emitters = each("emitters", &settings.emitters, &mut problems, |emitter| {
            loaded_emitter(emitter, spacing, shot)
        });
        if problems.is_empty()
            && let Err(error) = settings.liquid.check()
        {
            let key = match &error {
                SphError::Setting { name, .. } => *name,
                _ => "kind",
            };
            problems.push(SettingProblem::new(key, error));
        }
        let openings = settings.emitters.iter().filter_map(opening_path);
        let single = settings.fill.iter().filter_map(Fill::path).chain(openings);
        let files = single.map(|path| shot.folder.join(path)).collect();
        match problems.is_empty() {
            true => Ok(Self { fills, emitters, solids, files }),
            false => Err(problems),
        }
    }

    /// The mesh files that a frame is made from, besides those of the frames before it.
    pub fn sources(&self, frame: i64) -> Vec<PathBuf> {
        let solids = self.solids.iter().map(|solid| solid.files.file(frame));
        self.files.iter().cloned().chain(solids).collect()
    }

    /// Puts solids, liquid and emitters in their places; gives sentences about what was left out.
    pub fn fill(
        &self,
        liquid: &mut Liquid,
        settings: &SphStageSettings,
    ) -> Result<Vec<String>, StageError> {
        for LoadedSolid { solid, .. } in &self.solids {
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

    /// Gives the liquid the meshes of its deforming solids at a frame.
    pub fn advance(&self, liquid: &mut Liquid, frame: i64, time: f64) -> Result<(), StageError> {
        let deforming = self.solids.iter().enumerate();
        for (number, solid) in deforming.filter(|(_, solid)| !solid.files.is_single()) {
            let path = solid.files.file(frame);
            let mesh = whitecap_io::read_mesh(&path).map_err(StageError::failed)?;
            liquid
                .advance_solid(number, time, mesh)
                .map_err(|error| StageError::failed(format!("{}: {error}", path.display())))?;
        }
        Ok(())
    }
}

/// Loads every item of a list; what is wrong is told with its place.
fn each<S, T>(
    list: &str,
    items: &[S],
    problems: &mut Vec<SettingProblem>,
    load: impl Fn(&S) -> Result<T, SettingProblem>,
) -> Vec<T> {
    let mut loaded = Vec::new();
    for (place, item) in items.iter().enumerate() {
        match load(item) {
            Ok(item) => loaded.push(item),
            Err(problem) => problems.push(within(list, place, problem)),
        }
    }
    loaded
}

/// The problem of an item of a list.
fn within(list: &str, place: usize, problem: SettingProblem) -> SettingProblem {
    let key = match problem.key.as_str() {
        "" => format!("{list}.{place}"),
        key => format!("{list}.{place}.{key}"),
    };
    SettingProblem { key, ..problem }
}

fn wall_problems(settings: &SphStageSettings, problems: &mut Vec<SettingProblem>) {
    let liquid = &settings.liquid;
    let walls = Walls::new;
    let domain = liquid.domain.iter().map(|&domain| {
        (String::from("domain"), walls().with_domain(domain, &liquid.open_sides).map(|_| ()))
    });
    let planes =
        liquid.planes.iter().enumerate().map(|(place, &plane)| {
            (format!("planes.{place}"), walls().with_plane(plane).map(|_| ()))
        });
    let obstacles = liquid.obstacles.iter().enumerate().map(|(place, &obstacle)| {
        (format!("obstacles.{place}"), walls().with_obstacle(obstacle).map(|_| ()))
    });
    let forces = liquid.forces.iter().enumerate();
    let forces = forces.map(|(place, force)| (format!("forces.{place}"), force.check()));
    let kill = liquid.kill.iter().enumerate();
    let kill = kill.map(|(place, volume)| (format!("kill.{place}"), volume.check()));
    let outcomes = domain.chain(planes).chain(obstacles).chain(forces).chain(kill);
    let wrong = outcomes.filter_map(|(key, outcome)| outcome.err().map(|error| (key, error)));
    problems.extend(wrong.map(|(key, error)| SettingProblem::new(key, error)));
}

fn shape_of(fill: &Fill, shot: &ShotContext) -> Result<Option<ClosedShape>, SettingProblem> {
    match fill {
        Fill::Box(fill) => match (0..3).find(|&axis| fill.min[axis] >= fill.max[axis]) {
            Some(axis) => {
                let message = format!("this box is empty along {}", ["x", "y", "z"][axis]);
                let help = "min is the lowest corner, max the highest";
                Err(SettingProblem::new("box", message).with_help(help))
            }
            None => Ok(None),
        },
        Fill::Sphere(_) => Ok(None),
        Fill::Mesh(fill) => {
            let mesh = read_mesh("mesh.path", &shot.folder.join(&fill.path))?;
            let shape = ClosedShape::new(mesh);
            shape.map(Some).map_err(|error| SettingProblem::new("mesh.path", error))
        }
    }
}

fn loaded_solid(
    settings: &SolidSettings,
    shot: &ShotContext,
) -> Result<LoadedSolid, SettingProblem> {
    let first = settings.first.map(i64::from);
    let files = FrameFiles::new(&settings.path, first, shot)
        .map_err(|error| SettingProblem::new("path", error))?;
    if !files.is_single() && !settings.keys.is_empty() {
        let message = "a mesh that deforms cannot be moved by keys as well";
        let help = "bake the motion into the files, or name one file";
        return Err(SettingProblem::new("keys", message).with_help(help));
    }
    if files.is_single() && settings.first.is_some() {
        let message = "`first` numbers the files of a deforming mesh, but this is one file";
        let help = "write #### in place of the frame number in `path`, or remove `first`";
        return Err(SettingProblem::new("first", message).with_help(help));
    }
    let motion = settings.motion().map_err(|error| SettingProblem::new("keys", error))?;
    if let Some(problem) = files.missing(shot).filter(|_| !files.is_single()) {
        return Err(problem);
    }
    let mesh = read_mesh("path", &files.file(shot.first))?;
    let solid = match files.is_single() {
        true => Solid::rigid(mesh, motion),
        false => Solid::deforming(vec![(0.0, mesh)]),
    };
    let solid = solid.map_err(|error| {
        let key = if matches!(error, SourceError::Keyframes(_)) { "keys" } else { "path" };
        SettingProblem::new(key, error)
    })?;
    Ok(LoadedSolid { solid, files })
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
    let path = opening_path(settings).map(|path| shot.folder.join(path));
    let mesh = path.map(|path| read_mesh("from.mesh.path", &path)).transpose()?;
    Emitter::new(settings, mesh.as_ref(), spacing).map_err(|error| SettingProblem::new("", error))
}

/// The mesh of a file, or what is wrong with it.
fn read_mesh(key: &str, path: &Path) -> Result<TriMesh, SettingProblem> {
    if !path.is_file() {
        let message = format!("there is no mesh file {}", path.display());
        let help = "paths start from the folder of the shot file";
        return Err(SettingProblem::new(key, message).with_help(help));
    }
    whitecap_io::read_mesh(path).map_err(|error| SettingProblem::new(key, error))
}

//! What surrounds the liquid of an `sph` stage: fills, emitters and solids with their mesh files.
//!
//! Everything that can be told before the run is told by [`problems`], at the place in the shot
//! file that it is about.

use std::path::{Path, PathBuf};

use whitecap_bulk::sph::emitter::{Emitter, EmitterSettings, Opening};
use whitecap_bulk::sph::fill::{Fill, Filling};
use whitecap_bulk::sph::solid::{ClosedShape, Solid, SolidSettings, Walls};
use whitecap_bulk::sph::{Liquid, SourceError, SphError};
use whitecap_core::TriMesh;

use super::settings::SphStageSettings;
use crate::stage::{SettingProblem, ShotContext, StageError};
use crate::stages::cache::CacheFiles;

/// What is wrong with the settings, each at its own place.
pub fn problems(settings: &SphStageSettings, shot: &ShotContext<'_>) -> Vec<SettingProblem> {
    let mut problems = Vec::new();
    if settings.fill.is_empty() && settings.emitters.is_empty() {
        problems.push(SettingProblem::new("fill", "there is no liquid").with_help(
            "say where it is, such as fill = [{ box = { min = [0, 0, 0], max = [1, 0.3, 1] } }], or where it comes from with `emitters`",
        ));
    }
    wall_problems(settings, &mut problems);
    for (place, fill) in settings.fill.iter().enumerate() {
        problems.extend(fill_problem(fill, shot).map(|problem| within("fill", place, problem)));
    }
    for (place, solid) in settings.solids.iter().enumerate() {
        problems.extend(solid_problem(solid, shot).map(|problem| within("solids", place, problem)));
    }
    let spacing = settings.liquid.spacing;
    for (place, emitter) in settings.emitters.iter().enumerate() {
        let problem = emitter_problem(emitter, spacing, shot);
        problems.extend(problem.map(|problem| within("emitters", place, problem)));
    }
    if problems.is_empty()
        && let Err(error) = settings.liquid.check()
    {
        let key = match &error {
            SphError::Setting { name, .. } => *name,
            _ => "kind",
        };
        problems.push(SettingProblem::new(key, error));
    }
    problems
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

fn fill_problem(fill: &Fill, shot: &ShotContext<'_>) -> Option<SettingProblem> {
    match fill {
        Fill::Box(fill) => {
            let axis = (0..3).find(|&axis| fill.min[axis] >= fill.max[axis])?;
            let message = format!("this box is empty along {}", ["x", "y", "z"][axis]);
            let help = "min is the lowest corner, max the highest";
            Some(SettingProblem::new("box", message).with_help(help))
        }
        Fill::Sphere(_) => None,
        Fill::Mesh(fill) => {
            let path = shot.folder.join(&fill.path);
            let shape = read_mesh("mesh.path", &path).and_then(|mesh| {
                ClosedShape::new(mesh).map_err(|error| SettingProblem::new("mesh.path", error))
            });
            shape.err()
        }
    }
}

fn solid_problem(solid: &SolidSettings, shot: &ShotContext<'_>) -> Option<SettingProblem> {
    let files = match CacheFiles::new(&solid.path, solid.first, shot) {
        Ok(files) => files,
        Err(error) => return Some(SettingProblem::new("path", error)),
    };
    if !files.is_single() && !solid.keys.is_empty() {
        let message = "a mesh that deforms cannot be moved by keys as well";
        let help = "bake the motion into the files, or name one file";
        return Some(SettingProblem::new("keys", message).with_help(help));
    }
    if files.is_single() && solid.first.is_some() {
        let message = "`first` numbers the files of a deforming mesh, but this is one file";
        let help = "write #### in place of the frame number in `path`, or remove `first`";
        return Some(SettingProblem::new("first", message).with_help(help));
    }
    if let Err(error) = solid.motion() {
        return Some(SettingProblem::new("keys", error));
    }
    if !files.is_single()
        && let Some(problem) = files.missing(shot)
    {
        return Some(problem);
    }
    let mesh = match read_mesh("path", &files.file(shot.first)) {
        Ok(mesh) => mesh,
        Err(problem) => return Some(problem),
    };
    let error = first_solid(solid, &files, mesh).err()?;
    let key = if matches!(error, SourceError::Keyframes(_)) { "keys" } else { "path" };
    Some(SettingProblem::new(key, error))
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
    Emitter::new(emitter, mesh.as_ref(), spacing).err().map(|error| SettingProblem::new("", error))
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

/// A solid as it is at the first frame.
fn first_solid(
    settings: &SolidSettings,
    files: &CacheFiles,
    mesh: TriMesh,
) -> Result<Solid, SourceError> {
    match files.is_single() {
        true => Solid::rigid(mesh, settings.motion()?),
        false => Solid::deforming(vec![(0.0, mesh)]),
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
        let files = CacheFiles::new(&solid.path, solid.first, shot).map_err(StageError::failed)?;
        sources.push(files.file(frame));
    }
    Ok(sources)
}

/// A deforming solid: its number in the liquid and its files.
pub struct DeformingSolid {
    pub number: usize,
    pub files: CacheFiles,
}

impl DeformingSolid {
    /// Gives the liquid the mesh of a frame at `time`.
    pub fn advance(&self, liquid: &mut Liquid, frame: u32, time: f64) -> Result<(), StageError> {
        let path = self.files.file(frame);
        let mesh = whitecap_io::read_mesh(&path).map_err(StageError::failed)?;
        liquid
            .advance_solid(self.number, time, mesh)
            .map_err(|error| StageError::failed(format!("{}: {error}", path.display())))
    }
}

/// Puts the solids into the liquid; gives those that deform.
pub fn add_solids(
    liquid: &mut Liquid,
    solids: &[SolidSettings],
    shot: &ShotContext<'_>,
) -> Result<Vec<DeformingSolid>, StageError> {
    let mut deforming = Vec::new();
    for (number, settings) in solids.iter().enumerate() {
        let files =
            CacheFiles::new(&settings.path, settings.first, shot).map_err(StageError::failed)?;
        let mesh = whitecap_io::read_mesh(files.file(shot.first)).map_err(StageError::failed)?;
        let solid = first_solid(settings, &files, mesh).map_err(StageError::failed)?;
        liquid.add_solid(solid).map_err(StageError::failed)?;
        if !files.is_single() {
            deforming.push(DeformingSolid { number, files });
        }
    }
    Ok(deforming)
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

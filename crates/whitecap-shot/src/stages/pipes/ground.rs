//! The terrain of a `pipes` stage at a frame: from a mesh, a picture or a plane.

use std::path::{Path, PathBuf};

use whitecap_core::TriMesh;
use whitecap_core::glam::{Vec2, Vec3, Vec3Swizzles};
use whitecap_io::image::{self, Image, linear_to_srgb};
use whitecap_pipes::{DrawnTerrain, Grid, SurfaceSettings, Terrain, TerrainMotion};
use whitecap_scene::MeshMotion;

use super::settings::{Area, PipeTerrain, PipesStageSettings};
use crate::files::body_files::{BodyFiles, PATH_HELP, mesh_motion};
use crate::files::frame_files::FrameFiles;
use crate::stage::{SettingProblem, ShotContext};

/// A terrain, and the mesh it was cast from.
pub(super) struct Ground {
    pub terrain: Terrain,
    pub mesh: Option<TriMesh>,
}

impl Ground {
    /// The same with everything needed to draw liquid on it.
    pub fn drawn(self, surface: &SurfaceSettings) -> DrawnTerrain {
        DrawnTerrain::new(self.terrain, self.mesh, surface)
    }
}

/// The terrain of a shot: the one at its first frame, and where it is at others.
#[derive(Debug)]
pub(super) struct ShotTerrain {
    settings: PipesStageSettings,
    /// The files it is made from, unless it is a plane.
    files: Option<FrameFiles>,
    /// The motion of a mesh that keys move.
    motion: Option<MeshMotion>,
    shot: ShotContext,
    /// The grid of the first frame, which later ones keep.
    grid: Option<Grid>,
}

impl ShotTerrain {
    /// The terrain that settings describe, with the files that they name.
    pub fn new(settings: &PipesStageSettings, shot: &ShotContext) -> Result<Self, SettingProblem> {
        let files = settings.terrain.files(shot)?;
        let motion = settings.terrain.body().map(|body| {
            let files = BodyFiles::new(&body, shot)?;
            mesh_motion(&body, &files, shot)
        });
        let motion = motion.transpose().map_err(|problem| match problem.key.as_str() {
            "path" => SettingProblem { key: String::from("terrain.mesh"), ..problem },
            _ => problem.inside("terrain"),
        })?;
        Ok(Self { settings: settings.clone(), files, motion, shot: shot.clone(), grid: None })
    }

    /// Keeps a grid for later frames.
    pub fn on(self, grid: Grid) -> Self {
        Self { grid: Some(grid), ..self }
    }

    /// Whether it is not the same in every frame.
    pub fn moves(&self) -> bool {
        self.motion.is_some() || self.files.as_ref().is_some_and(|files| !files.is_single())
    }

    /// The file that a frame is made from, if there is one.
    pub fn source(&self, frame: i64) -> Option<PathBuf> {
        self.files.as_ref().map(|files| files.file(frame))
    }

    /// The terrain at a frame.
    pub fn ground(&self, frame: i64) -> Result<Ground, SettingProblem> {
        let (settings, grid) = (&self.settings, self.grid);
        let told = |error: &dyn std::fmt::Display| SettingProblem::new("terrain.mesh", error);
        match (&self.motion, self.source(frame)) {
            (Some(motion), _) => {
                let mesh = motion.at(self.shot.time_of(frame).time);
                from_mesh(settings, mesh.map_err(|error| told(&error))?.0, grid)
            }
            (None, Some(file)) if settings.terrain.mesh.is_some() => {
                must_exist("terrain.mesh", &file)?;
                let mesh = whitecap_io::read_mesh(&file).map_err(|error| told(&error))?;
                from_mesh(settings, mesh, grid)
            }
            (None, Some(file)) => from_picture(settings, &file, grid),
            (None, None) => from_plane(settings),
        }
    }
}

impl TerrainMotion for ShotTerrain {
    /// After the end of the shot, its last frame.
    fn frame_at(&self, time: f64) -> i64 {
        let passed = (time * self.shot.fps + 1e-6) as i64;
        self.shot.first.saturating_add(passed).min(self.shot.last)
    }

    fn at(&self, frame: i64) -> Result<DrawnTerrain, String> {
        let ground = self.ground(frame).map_err(|problem| problem.message)?;
        Ok(ground.drawn(&self.settings.surface))
    }
}

fn from_mesh(
    settings: &PipesStageSettings,
    mesh: TriMesh,
    known: Option<Grid>,
) -> Result<Ground, SettingProblem> {
    let told = |error: &dyn std::fmt::Display| SettingProblem::new("terrain.mesh", error);
    if mesh.triangles().is_empty() {
        return Err(told(&"the terrain mesh has no triangle"));
    }
    let flat = || mesh.positions().iter().map(|position| position.xz());
    let bounds = Area {
        min: flat().fold(Vec2::INFINITY, Vec2::min).to_array(),
        max: flat().fold(Vec2::NEG_INFINITY, Vec2::max).to_array(),
    };
    let grid = known.map_or_else(|| grid(settings.area.unwrap_or(bounds), settings.cell), Ok)?;
    let ground = settings.terrain.ground;
    let terrain = Terrain::from_mesh(grid, &mesh, ground).map_err(|error| told(&error))?;
    if terrain.spaces().is_empty() {
        let message = "there is no room for liquid: the mesh covers no cell";
        let help = "move `area` to where the mesh is, or give the terrain a `ground`";
        return Err(SettingProblem::new("terrain.mesh", message).with_help(help));
    }
    let mesh = ground.map_or(Ok(mesh.clone()), |height| with_ground(&mesh, &grid, height));
    Ok(Ground { terrain, mesh: Some(mesh.map_err(|error| told(&error))?) })
}

/// The mesh and a rectangle beneath it, facing up.
fn with_ground(mesh: &TriMesh, grid: &Grid, height: f32) -> Result<TriMesh, whitecap_core::Error> {
    let low = grid.origin();
    let high = low + Vec2::new(grid.width() as f32, grid.length() as f32) * grid.cell();
    let corner = |x: f32, z: f32| Vec3::new(x, height, z);
    let mut positions = mesh.positions().to_vec();
    let first = positions.len() as u32;
    positions.extend([corner(low.x, low.y), corner(low.x, high.y)]);
    positions.extend([corner(high.x, high.y), corner(high.x, low.y)]);
    let mut triangles = mesh.triangles().to_vec();
    triangles.extend([[0, 1, 2], [0, 2, 3]].map(|corners| corners.map(|corner| first + corner)));
    TriMesh::new(positions, triangles)
}

fn from_picture(
    settings: &PipesStageSettings,
    path: &Path,
    known: Option<Grid>,
) -> Result<Ground, SettingProblem> {
    must_exist("terrain.heightfield", path)?;
    let told = |error: &dyn std::fmt::Display| SettingProblem::new("terrain.heightfield", error);
    let picture = image::read(path).map_err(|error| told(&error))?;
    let own = Area {
        min: [0.0; 2],
        max: [picture.width(), picture.height()].map(|count| count as f32 * settings.cell),
    };
    let grid = known.map_or_else(|| grid(settings.area.unwrap_or(own), settings.cell), Ok)?;
    // A PNG holds heights, not light: the conversion to linear light on reading is undone.
    let is_png = whitecap_io::has_extension(path, &["png"]);
    let share = |value: f32| if is_png { linear_to_srgb(value) } else { value };
    let low = settings.terrain.low;
    let high = match settings.terrain.high {
        None if is_png => return Err(unknown_height()),
        high => high.unwrap_or(low + 1.0),
    };
    let heights: Vec<f32> = (0..grid.cells())
        .map(|cell| {
            let (x, z) = (cell % grid.width(), cell / grid.width());
            let at = Vec2::new(
                (x as f32 + 0.5) / grid.width() as f32,
                (z as f32 + 0.5) / grid.length() as f32,
            );
            low + (high - low) * sample(&picture, at, share)
        })
        .collect();
    let terrain = Terrain::heightfield(grid, &heights).map_err(|error| told(&error))?;
    Ok(Ground { terrain, mesh: None })
}

/// A PNG holds shares of a height that only the user knows.
fn unknown_height() -> SettingProblem {
    let message = "the picture does not say how high its white is, so the terrain would be flat";
    SettingProblem::new("terrain.high", message)
        .with_help("give the height of white in metres, such as 0.03")
}

/// The first channel of a picture at a position from 0 to 1, interpolated from the four pixels
/// around it.
fn sample(picture: &Image, at: Vec2, share: impl Fn(f32) -> f32) -> f32 {
    let [width, height] = [picture.width(), picture.height()];
    let place = at * Vec2::new(width as f32, height as f32) - 0.5;
    let (low, part) = (place.floor(), place - place.floor());
    let pixel = |x: f32, y: f32| {
        let column = x.clamp(0.0, width as f32 - 1.0) as usize;
        let row = y.clamp(0.0, height as f32 - 1.0) as usize;
        share(picture.pixel(column, row)[0])
    };
    let row = |y: f32| {
        let (left, right) = (pixel(low.x, y), pixel(low.x + 1.0, y));
        left + (right - left) * part.x
    };
    let (upper, lower) = (row(low.y), row(low.y + 1.0));
    upper + (lower - upper) * part.y
}

fn from_plane(settings: &PipesStageSettings) -> Result<Ground, SettingProblem> {
    let area = settings.area.ok_or_else(|| {
        SettingProblem::new("terrain", "a plane has no bounds of its own").with_help(
            "say how much of it to simulate, such as area = { min = [0, 0], max = [0.1, 0.1] }, or give the terrain a `mesh` or a `heightfield`",
        )
    })?;
    let grid = grid(area, settings.cell)?;
    let PipeTerrain { height, slope, .. } = settings.terrain;
    let heights: Vec<f32> = (0..grid.cells())
        .map(|cell| {
            let center = grid.center(cell % grid.width(), cell / grid.width());
            height + Vec2::from(slope).dot(center)
        })
        .collect();
    let terrain = Terrain::heightfield(grid, &heights)
        .map_err(|error| SettingProblem::new("terrain.slope", error))?;
    Ok(Ground { terrain, mesh: None })
}

/// The grid over an area, of whole cells.
fn grid(area: Area, cell: f32) -> Result<Grid, SettingProblem> {
    let Area { min, max } = area;
    if let Some(axis) = (0..2).find(|&axis| min[axis] >= max[axis] || !max[axis].is_finite()) {
        let message = format!("the area is empty along {}", ["x", "z"][axis]);
        let help = "min is the lowest corner, max the highest";
        return Err(SettingProblem::new("area", message).with_help(help));
    }
    let count = |axis: usize| {
        let cells = (f64::from(max[axis]) - f64::from(min[axis])) / f64::from(cell);
        cells.round().clamp(1.0, u32::MAX.into()) as usize
    };
    Grid::new(Vec2::from(min), cell, count(0), count(1))
        .map_err(|error| SettingProblem::new("cell", error))
}

fn must_exist(key: &str, path: &Path) -> Result<(), SettingProblem> {
    if path.is_file() {
        return Ok(());
    }
    let message = format!("there is no terrain file {}", path.display());
    let help = PATH_HELP;
    Err(SettingProblem::new(key, message).with_help(help))
}

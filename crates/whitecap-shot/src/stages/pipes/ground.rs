//! The terrain of a `pipes` stage at a frame: from a mesh, a picture or a plane.

use std::path::Path;

use whitecap_core::TriMesh;
use whitecap_core::glam::{Vec2, Vec3, Vec3Swizzles};
use whitecap_io::image::{self, Image, linear_to_srgb};
use whitecap_pipes::{DrawnTerrain, Grid, SurfaceSettings, Terrain, TerrainMotion};

use super::settings::{Area, PipeTerrain, PipesStageSettings};
use crate::files::frame_files::FrameFiles;
use crate::stage::{SettingProblem, ShotContext};

/// A terrain, and the mesh it was cast from.
pub(super) struct Ground {
    pub terrain: Terrain,
    pub mesh: Option<TriMesh>,
}

impl Ground {
    /// The same with all that is needed to draw liquid on it.
    pub fn drawn(self, surface: &SurfaceSettings) -> DrawnTerrain {
        DrawnTerrain::new(self.terrain, self.mesh, surface)
    }

    /// The terrain that the settings describe, from its file if it has one; on a grid of its own, or on one
    /// that is given.
    pub fn new(
        settings: &PipesStageSettings,
        file: Option<&Path>,
        grid: Option<Grid>,
    ) -> Result<Self, SettingProblem> {
        match file {
            Some(file) if settings.terrain.mesh.is_some() => from_mesh(settings, file, grid),
            Some(file) => from_picture(settings, file, grid),
            None => from_plane(settings),
        }
    }
}

/// A terrain with a file for every frame of a shot.
#[derive(Debug)]
pub(super) struct FilesOfTerrain {
    files: FrameFiles,
    settings: PipesStageSettings,
    grid: Grid,
    shot: ShotContext,
}

impl FilesOfTerrain {
    pub fn new(
        files: FrameFiles,
        settings: PipesStageSettings,
        grid: Grid,
        shot: &ShotContext,
    ) -> Self {
        Self { files, settings, grid, shot: shot.clone() }
    }
}

impl TerrainMotion for FilesOfTerrain {
    /// From the end of the shot on, its last frame.
    fn frame_at(&self, time: f64) -> i64 {
        let passed = (time * self.shot.fps + 1e-6) as i64;
        self.shot.first.saturating_add(passed).min(self.shot.last)
    }

    fn at(&self, frame: i64) -> Result<DrawnTerrain, String> {
        let file = self.files.file(frame);
        let ground = Ground::new(&self.settings, Some(&file), Some(self.grid));
        Ok(ground.map_err(|problem| problem.message)?.drawn(&self.settings.surface))
    }
}

fn from_mesh(
    settings: &PipesStageSettings,
    path: &Path,
    known: Option<Grid>,
) -> Result<Ground, SettingProblem> {
    must_exist("terrain.mesh", path)?;
    let told = |error: &dyn std::fmt::Display| SettingProblem::new("terrain.mesh", error);
    let mesh = whitecap_io::read_mesh(path).map_err(|error| told(&error))?;
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
    // A PNG holds heights, not light: what reading it made linear is made uneven again.
    let is_png = whitecap_io::has_extension(path, &["png"]);
    let share = |value: f32| if is_png { linear_to_srgb(value) } else { value };
    let PipeTerrain { low, high, .. } = settings.terrain;
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

/// The first channel of a picture at a place from 0 to 1, blended from the four pixels around it.
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
            "say how much of it takes part, such as area = { min = [0, 0], max = [0.1, 0.1] }, or give the terrain a `mesh` or a `heightfield`",
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
    let help = "paths start from the folder of the shot file";
    Err(SettingProblem::new(key, message).with_help(help))
}

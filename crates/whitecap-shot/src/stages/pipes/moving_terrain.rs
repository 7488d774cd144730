//! A terrain with a file for every frame, as of soft tissue under a tool.

use whitecap_core::TriMesh;
use whitecap_pipes::{Columns, Grid, MinimumHeights, Terrain, terrain_mesh};

use super::ground::Ground;
use super::settings::PipesStageSettings;
use crate::stage::{SettingProblem, ShotContext};
use crate::stages::cache::CacheFiles;

/// A terrain with all that is needed to draw liquid on it.
#[derive(Clone, Debug)]
pub struct DrawnTerrain {
    /// The spaces for the liquid.
    pub terrain: Terrain,
    /// What is drawn: the mesh of the shot with its ground, or one made from the spaces.
    pub mesh: TriMesh,
    /// How far the surface must stay above that.
    pub minimum: MinimumHeights,
}

impl DrawnTerrain {
    pub(super) fn new(ground: Ground, settings: &PipesStageSettings) -> Self {
        let Ground { terrain, mesh } = ground;
        let columns = Columns::new(&terrain);
        let least = settings.surface.least_thickness;
        let minimum = mesh.as_ref().map(|mesh| MinimumHeights::over(&columns, mesh, least));
        Self {
            mesh: mesh.unwrap_or_else(|| terrain_mesh(&columns)),
            minimum: minimum.unwrap_or_else(MinimumHeights::none),
            terrain,
        }
    }
}

/// A terrain with a file for every frame of a shot.
#[derive(Clone, Debug)]
pub struct MovingTerrain {
    files: CacheFiles,
    settings: PipesStageSettings,
    grid: Grid,
    first: u32,
    last: u32,
    fps: f64,
}

impl MovingTerrain {
    pub(super) fn new(
        files: CacheFiles,
        settings: PipesStageSettings,
        grid: Grid,
        shot: &ShotContext<'_>,
    ) -> Self {
        let ShotContext { first, last, fps, .. } = *shot;
        Self { files, settings, grid, first, last, fps }
    }

    /// The frame of the shot at a time in seconds; from the end of the shot on, its last one.
    pub fn frame_at(&self, time: f64) -> u32 {
        // A number beyond all frames becomes the largest.
        let passed = (time * self.fps + 1e-6) as u32;
        self.first.saturating_add(passed).min(self.last)
    }

    /// The terrain at a frame.
    pub fn at(&self, frame: u32) -> Result<DrawnTerrain, SettingProblem> {
        let file = self.files.file(frame);
        let ground = Ground::new(&self.settings, Some(&file), Some(self.grid))?;
        Ok(DrawnTerrain::new(ground, &self.settings))
    }
}

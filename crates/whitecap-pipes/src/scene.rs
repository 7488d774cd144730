//! A liquid on its terrain with everything needed to draw it: the starting point of shots, live
//! views and games.

use std::fmt::Debug;
use std::sync::Arc;

use whitecap_core::TriMesh;

use crate::{
    Columns, MeniscusSettings, MinimumHeights, PipeError, Pipes, SurfaceSettings, Terrain,
    terrain_mesh,
};

/// A terrain with everything needed to draw liquid on it.
#[derive(Clone, Debug)]
pub struct DrawnTerrain {
    /// The spaces for the liquid.
    pub terrain: Terrain,
    /// What is drawn.
    pub mesh: TriMesh,
    /// How far the surface must stay above it.
    pub minimum: MinimumHeights,
}

impl DrawnTerrain {
    /// A terrain that is drawn as `mesh`, or else from its columns.
    pub fn new(terrain: Terrain, mesh: Option<TriMesh>, surface: &SurfaceSettings) -> Self {
        let columns = Columns::new(&terrain);
        let least = surface.least_thickness;
        let minimum = mesh.as_ref().map(|mesh| MinimumHeights::over(&columns, mesh, least));
        Self {
            mesh: mesh.unwrap_or_else(|| terrain_mesh(&columns)),
            minimum: minimum.unwrap_or_else(MinimumHeights::none),
            terrain,
        }
    }
}

/// A terrain that moves from frame to frame, as soft tissue under a tool does.
pub trait TerrainMotion: Debug + Send + Sync {
    /// The frame at a time of the liquid in seconds.
    fn frame_at(&self, time: f64) -> i64;

    /// The terrain at a frame, on the grid of the scene, or why there is none.
    fn at(&self, frame: i64) -> Result<DrawnTerrain, String>;
}

/// A liquid on its terrain.
#[derive(Clone, Debug)]
pub struct PipeScene {
    /// What it is called.
    pub name: String,
    /// The liquid.
    pub pipes: Pipes,
    /// The terrain to draw.
    pub terrain: TriMesh,
    /// How far the surface must stay above that terrain.
    pub minimum: MinimumHeights,
    /// Settings of the surface.
    pub surface: SurfaceSettings,
    /// Settings of the meniscus, if there is to be one.
    pub meniscus: Option<MeniscusSettings>,
    /// The terrain at other times, if it moves.
    pub motion: Option<Arc<dyn TerrainMotion>>,
}

/// Why a terrain cannot move to the next frame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// There is no terrain for the frame.
    #[error("{0}")]
    Terrain(String),
    /// The liquid does not fit on it.
    #[error(transparent)]
    Pipes(#[from] PipeError),
}

impl PipeScene {
    /// Moves the terrain to a frame, if it is a moving one; the liquid stays in its cells. Any
    /// other terrain stays as it is. Returns whether it moved.
    pub fn move_terrain(&mut self, frame: i64) -> Result<bool, MotionError> {
        let Some(motion) = &self.motion else { return Ok(false) };
        let DrawnTerrain { terrain, mesh, minimum } =
            motion.at(frame).map_err(MotionError::Terrain)?;
        self.pipes.replace_terrain(&terrain)?;
        (self.terrain, self.minimum) = (mesh, minimum);
        Ok(true)
    }
}

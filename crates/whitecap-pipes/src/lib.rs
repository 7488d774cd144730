//! Shallow liquid in real time on any terrain, including flooded passages: extended virtual pipes
//! (Dagenais et al. 2018; Dagenais 2025, chapter 4).
//!
//! A [`Terrain`] on a [`Grid`] lists the spaces between solids in every cell: from heights, from layers,
//! from a mesh or from a distance field. [`Pipes`] is the liquid on it. Its [`Columns`] hold, for every
//! space, a depth; virtual pipes between neighbouring columns exchange liquid, slowed by viscosity.
//! Where a passage is full up to its ceiling, an extended pipe joins its gateways.
//!
//! ```
//! use glam::{Vec2, Vec3};
//! use whitecap_pipes::{Brush, Grid, PipeSettings, Pipes, Terrain};
//!
//! # fn main() -> Result<(), whitecap_pipes::PipeError> {
//! // An incline of 5 cm × 5 cm in cells of half a millimetre, and a cubic centimetre of blood on it.
//! let grid = Grid::new(Vec2::ZERO, 0.0005, 100, 100)?;
//! let heights: Vec<f32> = (0..grid.cells()).map(|cell| 0.00005 * (cell % 100) as f32).collect();
//! let settings = PipeSettings { viscosity: 4e-6, ..PipeSettings::default() };
//! let mut pipes = Pipes::new(&Terrain::heightfield(grid, &heights)?, settings)?;
//! let brush = Brush { position: Vec3::new(0.04, 0.0, 0.025), radius: 0.008 };
//! pipes.pour(brush, 1e-6)?;
//! for _ in 0..60 {
//!     pipes.advance(1.0 / 60.0)?;
//! }
//! let report = pipes.report();
//! assert!((report.volume - 1e-6).abs() < 1e-14);
//! // It has run down to the low side.
//! let columns = pipes.columns();
//! assert!(columns.depth()[columns.of_cell(5, 50).start] > 0.0001);
//! # Ok(())
//! # }
//! ```
//!
//! # The step in detail (Dagenais et al. 2018, Alg. 1)
//! 1. The passages that are now full are found, and their gateways (§3.3, §7).
//! 2. Every pipe gets a new flux from the difference of heights (Eq. 1) and viscosity (Eq. 5); every gateway
//!    too (Eqs. 8 and 9). The shallow-water solver gets it from a velocity that is advected by itself.
//! 3. Fluxes are scaled to what columns can give (K_min) and then take (K_max).
//! 4. Depths follow from the fluxes (Eq. 2). Liquid that falls far becomes drops, if enabled.
//! 5. Sources add liquid and drains remove it.
//!
//! # Which pipe area
//! The paper's pipes have the area Δx², so that a viscous film of depth H on a slope S moves at Δx H g S / 3ν
//! and waves at √(g Δx), at any depth. With the area Δx H (the default) a film has the speed of a real one,
//! H² g S / 3ν, and waves run at √(g H), up to the depth that is stable for the time step; in deeper liquid,
//! waves are no faster than that. With either, a lake is level and the volume is exact.

mod error;
mod flow;
mod liquid;
mod meniscus;
mod opacity;
mod scene;
mod settings;
pub mod surface;
mod terrain;

pub use error::PipeError;
pub use flow::PipeFlux;
pub use liquid::brush::Brush;
pub use liquid::columns::{Columns, DRY_DEPTH};
pub use liquid::drops::Drop;
pub use liquid::pipes::Pipes;
pub use liquid::report::PipeReport;
pub use meniscus::{Meniscus, MeniscusSettings, Viewer};
pub use opacity::opacity;
pub use scene::{DrawnTerrain, MotionError, PipeScene, TerrainMotion};
pub use settings::{Edges, Passages, PipeArea, PipeSettings, Solver, Source};
pub use surface::{MinimumHeights, Surface, SurfaceSettings, VertexKind, terrain_mesh};
pub use terrain::grid::{Grid, MOST_CELLS};
pub use terrain::{MOST_COLUMNS, Space, Terrain};
pub use whitecap_core::saved_bytes::StateError;

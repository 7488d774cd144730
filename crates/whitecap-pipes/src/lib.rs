//! Shallow liquid in real time on any terrain, through flooded passages: extended virtual pipes
//! (Dagenais et al. 2018; Dagenais 2025, chapter 4).

mod brush;
mod casting;
mod chunks;
mod columns;
mod drops;
mod error;
mod flow;
mod grid;
mod heightfield;
mod layered;
mod meniscus;
mod network;
mod opacity;
mod passages;
mod pipes;
mod place;
mod report;
mod rows;
mod rules;
mod settings;
mod shallow_water;
mod snapshot;
pub mod surface;
mod terrain;
mod terrain_change;

pub use brush::Brush;
pub use columns::{Columns, DRY_DEPTH};
pub use drops::Drop;
pub use error::PipeError;
pub use flow::PipeFlux;
pub use grid::{Grid, MOST_CELLS};
pub use meniscus::{Meniscus, MeniscusSettings, Viewer};
pub use opacity::opacity;
pub use pipes::Pipes;
pub use report::PipeReport;
pub use settings::{Edges, Passages, PipeArea, PipeSettings, Solver, Source};
pub use snapshot::SnapshotError;
pub use surface::{MinimumHeights, Surface, SurfaceSettings, VertexKind, terrain_mesh};
pub use terrain::{MOST_COLUMNS, Space, Terrain};

//! Shallow liquid in real time on any terrain, through flooded passages: extended virtual pipes
//! (Dagenais et al. 2018; Dagenais 2025, chapter 4).

mod columns;
mod error;
mod grid;
mod settings;
mod snapshot;
mod terrain;

pub use columns::{Columns, DRY_DEPTH};
pub use error::PipeError;
pub use grid::{Grid, MOST_CELLS};
pub use settings::{Edges, Passages, PipeArea, PipeSettings, Solver, Source};
pub use snapshot::SnapshotError;
pub use terrain::{MOST_COLUMNS, Space, Terrain};

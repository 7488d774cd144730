//! What can go wrong with shallow liquid.

use whitecap_core::budget::OverBudget;
use whitecap_core::saved_bytes::StateError;
use whitecap_scene::{Range, SettingError};

/// Why a shallow liquid cannot be made or changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PipeError {
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The grid has no cell or too many.
    #[error(
        "the grid has {width} × {length} cells, but must have at least one and at most {most} in all"
    )]
    GridSize {
        /// Cells along x.
        width: usize,
        /// Cells along z.
        length: usize,
        /// Largest number of cells.
        most: usize,
    },
    /// The number of heights, or of lists of spaces, is not the number of cells.
    #[error("the terrain has {found} entries for {expected} cells; there must be one for each")]
    TerrainSize {
        /// Entries found.
        found: usize,
        /// Cells of the grid.
        expected: usize,
    },
    /// The terrain has more columns than can be counted.
    #[error("the terrain has {found} columns, but may have at most {most}; use larger cells")]
    TooManyColumns {
        /// Columns found.
        found: usize,
        /// Largest number of columns.
        most: usize,
    },
    /// A height of the terrain is not possible.
    #[error(
        "cell ({x}, {z}) of the terrain has a floor at {floor} m and a ceiling at {ceiling} m; the floor must be finite and below the ceiling, and both within a million metres"
    )]
    Height {
        /// Cell along x.
        x: usize,
        /// Cell along z.
        z: usize,
        /// Its floor.
        floor: f32,
        /// Its ceiling.
        ceiling: f32,
    },
    /// Two spaces of a cell overlap.
    #[error(
        "cell ({x}, {z}) of the terrain has a floor at {floor} m below the ceiling at {ceiling} m of the space beneath it; list spaces from bottom to top and keep them apart"
    )]
    Overlap {
        /// Cell along x.
        x: usize,
        /// Cell along z.
        z: usize,
        /// The upper floor.
        floor: f32,
        /// The lower ceiling.
        ceiling: f32,
    },
    /// A patch of terrain extends beyond the grid.
    #[error(
        "the patch of {width} × {length} cells at cell ({x}, {z}) extends beyond the grid of {grid_width} × {grid_length} cells"
    )]
    Patch {
        /// First cell along x.
        x: usize,
        /// First cell along z.
        z: usize,
        /// Cells of the patch along x.
        width: usize,
        /// Cells of the patch along z.
        length: usize,
        /// Cells of the grid along x.
        grid_width: usize,
        /// Cells of the grid along z.
        grid_length: usize,
    },
    /// A terrain that is to replace another is on a different grid.
    #[error(
        "the new terrain has {width} × {length} cells at a different place or of a different size from the {grid_width} × {grid_length} cells of the liquid; both must use one grid"
    )]
    OtherGrid {
        /// Cells of the new terrain along x.
        width: usize,
        /// Cells of the new terrain along z.
        length: usize,
        /// Cells of the grid along x.
        grid_width: usize,
        /// Cells of the grid along z.
        grid_length: usize,
    },
    /// A mesh cannot be a terrain.
    #[error("the terrain mesh has a vertex that is not finite: vertex {vertex}")]
    MeshVertex {
        /// Which vertex.
        vertex: usize,
    },
    /// More memory or time is needed than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A saved state cannot be continued from.
    #[error(transparent)]
    Snapshot(#[from] StateError),
}

/// Fails if an argument is not between two limits, or is not a number.
pub(crate) fn within(
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
) -> Result<(), PipeError> {
    Ok(Range::between(least, most).check(name, value)?)
}

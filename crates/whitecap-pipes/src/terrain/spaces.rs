//! Terrain: for every cell the spaces between solids, from bottom to top.
//!
//! # Guarantees
//! Floors are finite; spaces of one cell are sorted, not empty, and do not overlap. A ceiling of
//! infinity is the open sky. A cell without any space is solid.

use whitecap_core::budget;

use crate::error::PipeError;
use crate::terrain::grid::Grid;

/// Largest number of columns.
pub const MOST_COLUMNS: usize = 1 << 28;
/// Memory of a column with its space, its liquid and its flow.
const BYTES_PER_COLUMN: f64 = 100.0;
/// Largest height above or below zero, in metres.
const FARTHEST: f32 = 1e6;

/// A space between solids in one cell that liquid may fill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Height of the ground, b, in metres.
    pub floor: f32,
    /// Height of the solid above, in metres; infinity when there is none.
    pub ceiling: f32,
}

impl Space {
    /// A space under the open sky.
    pub fn open(floor: f32) -> Self {
        Self { floor, ceiling: f32::INFINITY }
    }

    /// Whether the heights of two spaces overlap, so that liquid can flow between them.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.floor.max(other.floor) < self.ceiling.min(other.ceiling)
    }
}

/// The spaces of every cell of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    grid: Grid,
    first: Vec<u32>,
    spaces: Vec<Space>,
}

impl Terrain {
    /// A terrain of one layer under the open sky: one height for each cell, row after row.
    pub fn heightfield(grid: Grid, heights: &[f32]) -> Result<Self, PipeError> {
        if heights.len() != grid.cells() {
            return Err(PipeError::TerrainSize { found: heights.len(), expected: grid.cells() });
        }
        Self::from_cells(grid, |x, z, spaces| {
            spaces.push(Space::open(heights[grid.index(x, z)]));
        })
    }

    /// A terrain from the spaces of each cell, row after row, each list from bottom to top.
    pub fn layers(grid: Grid, cells: &[Vec<Space>]) -> Result<Self, PipeError> {
        if cells.len() != grid.cells() {
            return Err(PipeError::TerrainSize { found: cells.len(), expected: grid.cells() });
        }
        Self::from_cells(grid, |x, z, spaces| spaces.extend(&cells[grid.index(x, z)]))
    }

    /// A terrain from a function that adds the spaces of cell (x, z), from bottom to top, to an empty
    /// list.
    pub fn from_cells(
        grid: Grid,
        mut add: impl FnMut(usize, usize, &mut Vec<Space>),
    ) -> Result<Self, PipeError> {
        let what = format!("a terrain of {} × {} cells", grid.width(), grid.length());
        budget::ask(grid.cells() as f64 * BYTES_PER_COLUMN, &what, "use larger cells")?;
        let mut first = Vec::with_capacity(grid.cells() + 1);
        let mut spaces: Vec<Space> = Vec::with_capacity(grid.cells());
        let mut cell = Vec::new();
        first.push(0);
        for z in 0..grid.length() {
            for x in 0..grid.width() {
                cell.clear();
                add(x, z, &mut cell);
                check_cell(x, z, &cell)?;
                let found = spaces.len() + cell.len();
                if found > MOST_COLUMNS {
                    return Err(PipeError::TooManyColumns { found, most: MOST_COLUMNS });
                }
                spaces.extend_from_slice(&cell);
                first.push(spaces.len() as u32);
            }
        }
        Ok(Self { grid, first, spaces })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Number of the first space of each cell, and the number of spaces at the end.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// All spaces, cell after cell, each cell's from bottom to top.
    pub fn spaces(&self) -> &[Space] {
        &self.spaces
    }

    /// The spaces of cell (x, z), from bottom to top.
    pub fn cell(&self, x: usize, z: usize) -> &[Space] {
        let cell = self.grid.index(x, z);
        &self.spaces[self.first[cell] as usize..self.first[cell + 1] as usize]
    }
}

/// Fails if the spaces of a cell are impossible.
pub(crate) fn check_cell(x: usize, z: usize, spaces: &[Space]) -> Result<(), PipeError> {
    for &Space { floor, ceiling } in spaces {
        let floor_is_possible = floor.abs() <= FARTHEST;
        let ceiling_is_possible = ceiling == f32::INFINITY || ceiling.abs() <= FARTHEST;
        if !(floor_is_possible && ceiling_is_possible && floor < ceiling) {
            return Err(PipeError::Height { x, z, floor, ceiling });
        }
    }
    for pair in spaces.windows(2) {
        if pair[1].floor < pair[0].ceiling {
            let (floor, ceiling) = (pair[1].floor, pair[0].ceiling);
            return Err(PipeError::Overlap { x, z, floor, ceiling });
        }
    }
    Ok(())
}

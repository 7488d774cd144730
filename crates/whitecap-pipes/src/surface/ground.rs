//! What the surface reads of the columns: their ranges and how high the liquid stands in them.

use std::ops::Range;

use crate::columns::{Columns, DRY_DEPTH};
use crate::surface::minimum::MinimumHeights;
use crate::surface::rows::over_rows;

/// Whether a column has a free surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Level {
    /// No liquid.
    #[default]
    Dry,
    /// Liquid with air above it.
    Free,
    /// Liquid up to the ceiling.
    Flooded,
}

/// Steps to the eight neighbours along x and z: four sides, counter-clockwise from +x to +z, then the
/// four diagonals after each of them.
pub(super) const STEPS: [(isize, isize); 8] =
    [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];

/// Levels of the liquid, kept from frame to frame for their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// Whether each column has a free surface.
    pub state: Vec<Level>,
    /// Height of the liquid, or of the ground where there is none (the paper's h).
    pub height: Vec<f32>,
    /// Height of the vertex of each column with a free surface: not below its minimum.
    pub raised: Vec<f32>,
}

impl Levels {
    /// Reads the levels of `columns`.
    pub fn read(&mut self, columns: &Columns, minimum: &MinimumHeights, thickness: f32) {
        self.state.resize(columns.len(), Level::Dry);
        self.height.resize(columns.len(), 0.0);
        self.raised.resize(columns.len(), 0.0);
        let (floor, ceiling, depth) = (columns.floor(), columns.ceiling(), columns.depth());
        let slices = (&mut self.state[..], &mut self.height[..], &mut self.raised[..]);
        let (length, start) = (columns.grid().length(), row_start(columns));
        over_rows(0..length, &start, slices, &|rows, (state, height, raised)| {
            let base = start(rows.start);
            let own = base..base + state.len();
            let (floor, ceiling) = (&floor[own.clone()], &ceiling[own.clone()]);
            let depth = &depth[own];
            for i in 0..state.len() {
                let level = (f64::from(floor[i]) + depth[i]) as f32;
                let wet = depth[i] > DRY_DEPTH;
                let below_ceiling = level < ceiling[i];
                state[i] = match (wet, below_ceiling) {
                    (false, _) => Level::Dry,
                    (true, true) => Level::Free,
                    (true, false) => Level::Flooded,
                };
                let lifted = floor[i] + thickness.max(minimum.above_floor(base + i));
                let chosen = if wet { level } else { floor[i] };
                height[i] = chosen;
                raised[i] = if wet { level.max(lifted.min(ceiling[i])) } else { floor[i] };
            }
        });
    }

    /// Whether a column has a free surface.
    pub fn is_free(&self, column: usize) -> bool {
        self.state[column] == Level::Free
    }
}

/// Number of the first column of each row of cells.
pub(super) fn row_start(columns: &Columns) -> impl Fn(usize) -> usize + Sync {
    let (first, width) = (columns.first(), columns.grid().width());
    move |row| first[row * width] as usize
}

/// Columns of a cell.
pub(super) fn of_cell(columns: &Columns, cell: usize) -> Range<usize> {
    columns.first()[cell] as usize..columns.first()[cell + 1] as usize
}

/// The cell one step away from cell (x, z), if it lies on the grid.
pub(super) fn neighbour_cell(
    columns: &Columns,
    (x, z): (usize, usize),
    direction: usize,
) -> Option<usize> {
    let (step_x, step_z) = STEPS[direction];
    let (x, z) = (x.wrapping_add_signed(step_x), z.wrapping_add_signed(step_z));
    let grid = columns.grid();
    (x < grid.width() && z < grid.length()).then(|| grid.index(x, z))
}

//! Finds a place for liquid: the column where it is, then others of the same cell, then the nearest
//! cells with room.

use crate::liquid::columns::Columns;

/// Liquid that needs a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Displaced {
    /// Its cell along x.
    pub x: usize,
    /// Its cell along z.
    pub z: usize,
    /// Its height in metres.
    pub y: f32,
    /// Cubic metres.
    pub volume: f64,
}

/// Puts a volume at height `y` of cell (x, z), or as near as there is room. Returns what found no
/// place.
pub(crate) fn place_volume(columns: &mut Columns, x: usize, z: usize, y: f32, volume: f64) -> f64 {
    let mut depth = volume / columns.base_area();
    let grid = *columns.grid();
    for ring in 0..grid.width().max(grid.length()) {
        let rows = z.saturating_sub(ring)..(z + ring + 1).min(grid.length());
        for row in rows {
            // Between its first and last row a ring has two cells.
            let stride = if row.abs_diff(z) == ring { 1 } else { 2 * ring };
            let cells = (0..2 * ring + 1).step_by(stride.max(1));
            for cell in cells.filter_map(|offset| (x + offset).checked_sub(ring)) {
                if cell < grid.width() {
                    depth = fill_cell(columns, cell, row, y, depth);
                }
                if depth <= 0.0 {
                    return 0.0;
                }
            }
        }
    }
    depth * columns.base_area()
}

/// Adds depth to the columns of a cell, first to the one at height `y`, then to those above it, then
/// to those below. Returns what is left.
fn fill_cell(columns: &mut Columns, x: usize, z: usize, y: f32, mut depth: f64) -> f64 {
    let Some(first) = columns.containing(x, z, y) else { return depth };
    let range = columns.of_cell(x, z);
    for column in (first..range.end).chain((range.start..first).rev()) {
        let room = (columns.capacity(column) - columns.depth[column]).max(0.0);
        let added = depth.min(room);
        columns.depth[column] += added;
        depth -= added;
        if depth <= 0.0 {
            return 0.0;
        }
    }
    depth
}

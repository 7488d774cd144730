//! The columns that are linked with one, near the shore or on request.

use crate::liquid::columns::Columns;
use crate::surface::Surface;
use crate::surface::ground::{STEPS, cell_of, neighbour_cell};
use crate::surface::links::NONE;

impl Surface {
    /// What lies around a column.
    pub(crate) fn around<'a>(&'a self, columns: &'a Columns, column: usize) -> Around<'a> {
        let (x, z) = cell_of(columns, column);
        let (width, length) = (columns.grid().width(), columns.grid().length());
        // Every neighbour is there.
        let is_inside = self.is_heightfield && x > 0 && z > 0 && x + 1 < width && z + 1 < length;
        Around { surface: self, columns, column, cell: (x, z), is_inside }
    }
}

/// The neighbourhood of a column.
pub(crate) struct Around<'a> {
    surface: &'a Surface,
    columns: &'a Columns,
    column: usize,
    cell: (usize, usize),
    /// Whether it is surrounded by terrain of one layer.
    is_inside: bool,
}

impl Around<'_> {
    /// As [`Surface::linked`].
    pub fn linked(&self, direction: usize) -> Option<usize> {
        let Self { surface, columns, column, cell, is_inside } = *self;
        let has_free =
            |other: usize| surface.levels.is_free(column) || surface.levels.is_free(other);
        if is_inside {
            let (x, z) = STEPS[direction];
            let other = column.wrapping_add_signed(z * columns.grid().width() as isize + x);
            return has_free(other).then_some(other);
        }
        if surface.is_heightfield {
            return neighbour_cell(columns, cell, direction).filter(|&other| has_free(other));
        }
        let other = surface.links.at(columns, &surface.levels, cell, column, direction);
        (other != NONE).then_some(other as usize)
    }
}

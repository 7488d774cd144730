//! Which neighbouring columns the surface joins (Dagenais et al. 2018, §4.1), and what lies where it
//! joins none (§4.3).
//!
//! Columns i and j of neighbouring cells are linked when each one's level lies within the other's range,
//! and at least one of them has a free surface. Ranges of one cell do not overlap, so a column has at
//! most one link in each of the eight directions.

use crate::columns::Columns;
use crate::surface::ground::{Level, Levels, neighbour_cell, of_cell, row_start};
use crate::surface::rows::over_rows;

/// No link.
pub(super) const NONE: u32 = u32::MAX;

/// What a column with a free surface finds at one of its four sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Side {
    /// The edge of the grid.
    #[default]
    Edge,
    /// A linked column.
    Link,
    /// Solid or liquid at the height of the surface, that belongs to no linked column.
    Wall,
    /// Air: the surface ends at the edge of an overhang.
    Lip,
}

/// Links and sides, kept from frame to frame for their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Linked column in each of eight directions, or [`NONE`].
    pub of: Vec<[u32; 8]>,
    /// Sides of the columns that have a free surface.
    pub sides: Vec<[Side; 4]>,
    cell_is_free: Vec<bool>,
}

impl Links {
    /// Finds all links.
    pub fn find(&mut self, columns: &Columns, levels: &Levels) {
        self.find_free_cells(columns, levels);
        self.of.resize(columns.len(), [NONE; 8]);
        self.sides.resize(columns.len(), [Side::Edge; 4]);
        let slices = (&mut self.of[..], &mut self.sides[..]);
        let (width, start) = (columns.grid().width(), row_start(columns));
        let free = &self.cell_is_free;
        over_rows(0..columns.grid().length(), &start, slices, &|rows, (of, sides)| {
            let base = start(rows.start);
            for z in rows {
                for x in 0..width {
                    let near = any_free_around(columns, free, x, z);
                    for column in columns.of_cell(x, z) {
                        let (links, sides) = (&mut of[column - base], &mut sides[column - base]);
                        (*links, *sides) = ([NONE; 8], [Side::Edge; 4]);
                        if near {
                            link_column(columns, levels, (x, z), column, links, sides);
                        }
                    }
                }
            }
        });
    }

    /// Whether any column of a cell has a free surface.
    pub fn cell_is_free(&self, cell: usize) -> bool {
        self.cell_is_free[cell]
    }

    fn find_free_cells(&mut self, columns: &Columns, levels: &Levels) {
        self.cell_is_free.resize(columns.grid().cells(), false);
        let width = columns.grid().width();
        let (length, start) = (columns.grid().length(), |row: usize| row * width);
        over_rows(0..length, &start, &mut self.cell_is_free[..], &|rows, free| {
            let base = start(rows.start);
            for (place, free) in free.iter_mut().enumerate() {
                *free = of_cell(columns, base + place).any(|column| levels.is_free(column));
            }
        });
    }
}

/// Whether the cell or one of its neighbours has a free surface: elsewhere there is nothing to link.
fn any_free_around(columns: &Columns, free: &[bool], x: usize, z: usize) -> bool {
    let grid = columns.grid();
    let (low_x, high_x) = (x.saturating_sub(1), (x + 2).min(grid.width()));
    let (low_z, high_z) = (z.saturating_sub(1), (z + 2).min(grid.length()));
    (low_z..high_z).any(|z| (low_x..high_x).any(|x| free[grid.index(x, z)]))
}

fn link_column(
    columns: &Columns,
    levels: &Levels,
    cell: (usize, usize),
    column: usize,
    links: &mut [u32; 8],
    sides: &mut [Side; 4],
) {
    let free = levels.is_free(column);
    let layer = column - columns.of_cell(cell.0, cell.1).start;
    for direction in 0..8 {
        let Some(beside) = neighbour_cell(columns, cell, direction) else { continue };
        let partner = partner(columns, levels.height[column], beside, layer);
        let link = partner.filter(|&other| is_linked(columns, levels, column, other));
        if let Some(other) = link {
            links[direction] = other as u32;
        }
        if free && direction < 4 {
            sides[direction] = match link {
                Some(_) => Side::Link,
                None if is_air(columns, levels, levels.height[column], partner) => Side::Lip,
                None => Side::Wall,
            };
        }
    }
}

/// The column of a cell in whose range a height lies; the search begins at `layer`.
fn partner(columns: &Columns, height: f32, cell: usize, layer: usize) -> Option<usize> {
    let range = of_cell(columns, cell);
    let last = range.end.checked_sub(1).filter(|&last| last >= range.start)?;
    let mut column = last.min(range.start + layer);
    while column < last && height >= columns.ceiling()[column] {
        column += 1;
    }
    while column > range.start && height <= columns.lowest()[column] {
        column -= 1;
    }
    lies_within(columns, height, column).then_some(column)
}

fn lies_within(columns: &Columns, height: f32, column: usize) -> bool {
    columns.lowest()[column] < height && height < columns.ceiling()[column]
}

/// Whether the link test holds, when the level of `column` is known to lie in the range of `other`.
fn is_linked(columns: &Columns, levels: &Levels, column: usize, other: usize) -> bool {
    (levels.is_free(column) || levels.is_free(other))
        && lies_within(columns, levels.height[other], column)
}

/// Whether a height lies in the air of a column.
fn is_air(columns: &Columns, levels: &Levels, height: f32, partner: Option<usize>) -> bool {
    partner.is_some_and(|column| {
        let solid = height <= columns.floor()[column];
        let liquid = levels.state[column] != Level::Dry && height < levels.height[column];
        !solid && !liquid
    })
}

/// Whether a height lies in the solid of a cell.
pub(super) fn is_solid(columns: &Columns, height: f32, cell: usize) -> bool {
    partner(columns, height, cell, 0).is_none_or(|column| height <= columns.floor()[column])
}

//! What the surface reads from the columns: their ranges and the level of the liquid in them.

use std::ops::Range;

use crate::flow::chunks::Found;
use crate::liquid::columns::Columns;
use crate::surface::films::Films;
use crate::surface::minimum::MinimumHeights;
use crate::surface::rows::over_rows;

/// Where the ground under liquid is more than this above the level beside it, in cells, the liquid
/// falls.
const CLIFF: f32 = 4.0;

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
pub(crate) const STEPS: [(isize, isize); 8] =
    [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];

/// Range and level of a column, side by side for speed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    /// Low end of the range.
    pub low: f32,
    /// High end of the range.
    pub high: f32,
    /// Height of the liquid, or of the ground where there is none (the paper's h).
    pub level: f32,
    /// Lowest level beside it to which a free surface slopes down without falling; −∞ without a
    /// free surface.
    pub brink: f32,
}

impl Span {
    /// Whether the column has a free surface.
    pub fn is_free(&self) -> bool {
        self.brink > f32::NEG_INFINITY
    }

    /// Whether a height lies in the range.
    pub fn contains(&self, height: f32) -> bool {
        self.low < height && height < self.high
    }
}

/// Levels of the liquid, kept from frame to frame to reuse their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// Whether each column has a free surface.
    pub state: Vec<Level>,
    /// Range and level of each column.
    pub spans: Vec<Span>,
    /// Height of the liquid in each column, or of the ground where there is none.
    level: Vec<f32>,
    /// [`Span::brink`] of each column.
    brink: Vec<f32>,
    /// Height of the vertex of each column with a free surface: not below its minimum.
    pub raised: Vec<f32>,
}

impl Levels {
    /// Reads the levels of `columns`, but not their ranges.
    pub fn read(&mut self, columns: &Columns, minimum: &MinimumHeights, thickness: f32) {
        self.state.resize(columns.len(), Level::Dry);
        self.raised.resize(columns.len(), 0.0);
        self.level.resize(columns.len(), 0.0);
        self.brink.resize(columns.len(), 0.0);
        let cell = columns.grid().cell();
        let (below, films) = (CLIFF * cell, Films::new(cell, thickness));
        let slices = (&mut self.state[..], &mut self.raised[..]);
        let slices = (slices, (&mut self.level[..], &mut self.brink[..]));
        let (length, start) = (columns.grid().length(), row_start(columns));
        over_rows(0..length, &start, slices, &|rows, ((state, raised), (levels, brink))| {
            let base = start(rows.start);
            let own = base..base + state.len();
            let (floor, ceiling) = (&columns.floor()[own.clone()], &columns.ceiling()[own.clone()]);
            let depth = &columns.depth()[own.clone()];
            let minimum = minimum.of(own);
            films.find_heights(floor, ceiling, depth, minimum, state, raised);
            find_brinks(floor, depth, films, state, below, levels, brink);
        });
    }

    /// Whether liquid falls from one cell to a neighbour anywhere, on terrain of one layer.
    pub fn has_falls(&self, columns: &Columns) -> bool {
        let (width, length) = (columns.grid().width(), columns.grid().length());
        let row = |z: usize| {
            let cells = z * width..(z + 1) * width;
            (&self.level[cells.clone()], &self.brink[cells])
        };
        let is_found = Found::default();
        over_rows(0..length, &|row: usize| row * width, (), &|rows, ()| {
            let found = rows.into_iter().any(|z| {
                let (own, next) = (row(z), row((z + 1).min(length - 1)));
                falls(own, without_first(own))
                    || falls(own, next)
                    || falls(own, without_first(next))
                    || falls(without_first(own), next)
            });
            is_found.include(found);
        });
        is_found.any()
    }

    /// Uses the ground as the level, with a free surface on the columns that are `covered`. The others have
    /// no level at all, so that nothing is linked with them.
    pub fn read_floors(&mut self, columns: &Columns, covered: impl Fn(usize) -> bool) {
        self.raised = columns.floor().to_vec();
        let state = |column| if covered(column) { Level::Free } else { Level::Dry };
        self.state = (0..columns.len()).map(state).collect();
        let span = |column: usize| Span {
            low: columns.lowest()[column],
            high: columns.ceiling()[column],
            level: if covered(column) { columns.floor()[column] } else { f32::NAN },
            brink: if covered(column) { f32::MIN } else { f32::NEG_INFINITY },
        };
        self.spans = (0..columns.len()).map(span).collect();
    }

    /// The ranges of `columns`, whose levels have been read.
    pub fn read_spans(&mut self, columns: &Columns) {
        self.spans.resize(columns.len(), Span::default());
        let (level, brink, start) = (&self.level, &self.brink, row_start(columns));
        over_rows(0..columns.grid().length(), &start, &mut self.spans[..], &|rows, spans| {
            let base = start(rows.start);
            for (place, span) in spans.iter_mut().enumerate() {
                let column = base + place;
                *span = Span {
                    low: columns.lowest()[column],
                    high: columns.ceiling()[column],
                    level: level[column],
                    brink: brink[column],
                };
            }
        });
    }

    /// Whether a column has a free surface.
    pub fn is_free(&self, column: usize) -> bool {
        self.state[column] == Level::Free
    }
}

/// Levels and brinks of some columns. A separate function, because only then does the compiler know
/// that the slices do not overlap.
#[inline(never)]
fn find_brinks(
    floor: &[f32],
    depth: &[f64],
    films: Films,
    state: &[Level],
    below: f32,
    levels: &mut [f32],
    brink: &mut [f32],
) {
    let count = levels.len();
    let (floor, depth, state) = (&floor[..count], &depth[..count], &state[..count]);
    let brink = &mut brink[..count];
    for i in 0..count {
        levels[i] = films.level(floor[i], depth[i]);
        brink[i] = if state[i] == Level::Free { floor[i] - below } else { f32::NEG_INFINITY };
    }
}

/// Levels and brinks of a row, except for its first column.
fn without_first<'a>((level, brink): (&'a [f32], &'a [f32])) -> (&'a [f32], &'a [f32]) {
    (&level[1..], &brink[1..])
}

/// Whether liquid falls from one row of columns, of some levels and brinks, to another or back.
fn falls((level, brink): (&[f32], &[f32]), (other_level, other_brink): (&[f32], &[f32])) -> bool {
    let pairs = level.iter().zip(brink).zip(other_level.iter().zip(other_brink));
    pairs.fold(false, |falls, ((level, brink), (other_level, other_brink))| {
        falls | (brink > other_level) | (other_brink > level)
    })
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

/// The x and z of a column's cell.
pub(crate) fn cell_of(columns: &Columns, column: usize) -> (usize, usize) {
    let (cell, width) = (columns.cell()[column], columns.grid().width() as u32);
    ((cell % width) as usize, (cell / width) as usize)
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

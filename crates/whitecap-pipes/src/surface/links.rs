//! Which neighbouring columns the surface joins (Dagenais et al. 2018, §4.1), and what is there if it
//! joins none (§4.3).
//!
//! Columns i and j of neighbouring cells are linked when each one's level lies within the other's range,
//! and at least one of them has a free surface. Ranges of one cell do not overlap, so a column has at
//! most one link in each of the eight directions.
//!
//! Where the paper's links would span a cliff, from liquid on its top to a level more than four cells
//! below its ground, there is none: the surface ends there as at the edge of an overhang.

use crate::liquid::columns::Columns;
use crate::surface::ground::{Level, Levels, Span, cell_of, neighbour_cell, of_cell, row_start};
use crate::surface::rows::over_rows;
use crate::surface::scan::places;

/// Bit for all layers from this one on.
const LAST_LAYER: usize = 31;

/// No link.
pub(super) const NONE: u32 = u32::MAX;

/// What a column with a free surface finds at one of its four sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Side {
    /// The edge of the grid.
    Edge,
    /// A linked column.
    Link,
    /// Solid or liquid at the height of the surface that belongs to no linked column.
    Wall,
    /// Air: the surface ends at the edge of an overhang.
    Lip,
}

/// The four sides of a column, two bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides(u8);

impl Sides {
    /// All four sides linked.
    const LINKED: Self = Self(0b0101_0101);

    /// What lies in a direction.
    pub fn at(self, direction: usize) -> Side {
        match self.0 >> (2 * direction) & 3 {
            0 => Side::Edge,
            1 => Side::Link,
            2 => Side::Wall,
            _ => Side::Lip,
        }
    }

    /// Whether there is a wall or a lip at all.
    pub fn has_extra(self) -> bool {
        self.0 & 0b1010_1010 != 0
    }

    /// Whether all four sides are linked.
    pub fn are_linked(self) -> bool {
        self == Self::LINKED
    }

    /// Walls and lips in the directions before one.
    pub fn extra_before(self, direction: usize) -> u32 {
        let before = (1u8 << (2 * direction)) - 1;
        (self.0 & before & 0b1010_1010).count_ones()
    }

    fn set(&mut self, direction: usize, side: Side) {
        self.0 |= (side as u8) << (2 * direction);
    }
}

/// Links and sides, kept from frame to frame to reuse their memory. Links along diagonals are found
/// on request, which is only near the shore.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Linked columns towards +x and +z, or [`NONE`].
    ahead: Vec<[u32; 2]>,
    /// Linked columns towards −x and −z, or [`NONE`].
    behind: Vec<[u32; 2]>,
    /// Sides of the columns that have a free surface.
    pub sides: Vec<Sides>,
    /// For each column with a free surface a bit for each pair of neighbouring sides that have none.
    corners: Vec<u8>,
    /// For each cell a bit for each column with a free surface; the last bit stands for all from there on.
    free_layers: Vec<u32>,
}

impl Links {
    /// Finds all links along x and z.
    pub fn find(&mut self, columns: &Columns, levels: &Levels) {
        self.find_free_cells(columns, levels);
        self.ahead.resize(columns.len(), [NONE; 2]);
        self.behind.resize(columns.len(), [NONE; 2]);
        self.sides.resize(columns.len(), Sides::default());
        self.corners.resize(columns.len(), 0);
        self.find_ahead(columns, levels);
        self.find_behind(columns, levels);
    }

    /// Links towards +x and +z.
    fn find_ahead(&mut self, columns: &Columns, levels: &Levels) {
        let (width, length, start) =
            (columns.grid().width(), columns.grid().length(), row_start(columns));
        let free = &self.free_layers;
        over_rows(0..length, &start, &mut self.ahead[..], &|rows, ahead| {
            let base = start(rows.start);
            ahead.fill([NONE; 2]);
            for (x, z) in rows.flat_map(|z| (0..width).map(move |x| (x, z))) {
                let range = columns.of_cell(x, z);
                let own = &mut ahead[range.start - base..range.end - base];
                link_ahead(columns, levels, free, (x, z), own);
            }
        });
    }

    /// Links towards −x and −z, which are the forward links seen from the other end, and all sides.
    fn find_behind(&mut self, columns: &Columns, levels: &Levels) {
        let (ahead, start) = (&self.ahead, row_start(columns));
        let slices = (&mut self.behind[..], &mut self.sides[..], &mut self.corners[..]);
        let length = columns.grid().length();
        over_rows(0..length, &start, slices, &|rows, (behind, sides, corners)| {
            let base = start(rows.start);
            behind.fill([NONE; 2]);
            for (place, &[other, _]) in ahead[base..][..behind.len()].iter().enumerate() {
                if other != NONE {
                    behind[other as usize - base][0] = (base + place) as u32;
                }
            }
            let (first, last) = (start(rows.start.saturating_sub(1)), start(rows.end - 1));
            for (place, &[_, other]) in ahead[first..last].iter().enumerate() {
                if other != NONE && other as usize >= base {
                    behind[other as usize - base][1] = (first + place) as u32;
                }
            }
            for place in 0..sides.len() {
                (sides[place], corners[place]) = (Sides::default(), 0);
                let column = base + place;
                if levels.is_free(column) {
                    let ([east, north], [west, south]) = (ahead[column], behind[place]);
                    let links = [east, north, west, south];
                    sides[place] = sides_of(columns, levels, column, links);
                    corners[place] = corners_of(levels, links);
                }
            }
        });
    }

    /// The column linked with a column in one of the four directions along x and z, or [`NONE`].
    pub fn beside(&self, column: usize, direction: usize) -> u32 {
        let links = if direction < 2 { self.ahead[column] } else { self.behind[column] };
        links[direction % 2]
    }

    /// Whether a column is linked along x or z.
    pub fn has_any(&self, column: usize) -> bool {
        self.ahead[column] != [NONE; 2] || self.behind[column] != [NONE; 2]
    }

    /// Directions of diagonals of a column with a free surface between two sides without one.
    pub fn corners(&self, column: usize) -> impl Iterator<Item = usize> + use<> {
        let corners = self.corners[column];
        (0..4).filter(move |k| corners >> k & 1 != 0).map(|k| 4 + k)
    }

    /// Columns that have such diagonals.
    pub fn with_corners(&self) -> impl Iterator<Item = usize> + '_ {
        places(&self.corners, |corners| corners != 0)
    }

    /// The column linked with a column of `cell` in one of eight directions, or [`NONE`].
    pub fn at(
        &self,
        columns: &Columns,
        levels: &Levels,
        cell: (usize, usize),
        column: usize,
        direction: usize,
    ) -> u32 {
        if direction < 4 {
            return self.beside(column, direction);
        }
        let linked = || {
            let beside = neighbour_cell(columns, cell, direction)?;
            let (span, spans) = (&levels.spans[column], &levels.spans);
            let found = if span.is_free() {
                of_cell(columns, beside).find(|&other| span.level < spans[other].high)
            } else {
                self.free_containing(columns, levels, span.level, beside)
            };
            found.filter(|&other| is_linked(span, &spans[other])).map(|other| other as u32)
        };
        linked().unwrap_or(NONE)
    }

    /// The column with a free surface of a cell whose range contains a height.
    fn free_containing(
        &self,
        columns: &Columns,
        levels: &Levels,
        height: f32,
        cell: usize,
    ) -> Option<usize> {
        let mut range = of_cell(columns, cell);
        let mut layers = self.free_layers[cell];
        while layers != 0 {
            let layer = layers.trailing_zeros() as usize;
            if layer == LAST_LAYER {
                range.start += LAST_LAYER;
                return range.find(|&column| levels.spans[column].contains(height));
            }
            if levels.spans[range.start + layer].contains(height) {
                return Some(range.start + layer);
            }
            layers &= layers - 1;
        }
        None
    }

    /// Whether any column of a cell has a free surface.
    pub fn cell_is_free(&self, cell: usize) -> bool {
        self.free_layers[cell] != 0
    }

    fn find_free_cells(&mut self, columns: &Columns, levels: &Levels) {
        self.free_layers.resize(columns.grid().cells(), 0);
        let width = columns.grid().width();
        let (length, start) = (columns.grid().length(), |row: usize| row * width);
        over_rows(0..length, &start, &mut self.free_layers[..], &|rows, layers| {
            let base = start(rows.start);
            for (place, layers) in layers.iter_mut().enumerate() {
                let states = &levels.state[of_cell(columns, base + place)];
                *layers = states.iter().enumerate().fold(0, |layers, (layer, &state)| {
                    layers | u32::from(state == Level::Free) << layer.min(LAST_LAYER)
                });
            }
        });
    }
}

/// Links the columns of a cell with those of the next cells along x and z. Levels rise from column
/// to column, so the column whose range contains them only ever moves up.
fn link_ahead(
    columns: &Columns,
    levels: &Levels,
    free: &[u32],
    (x, z): (usize, usize),
    ahead: &mut [[u32; 2]],
) {
    let grid = columns.grid();
    let cell = grid.index(x, z);
    let next = [(x + 1 < grid.width(), cell + 1), (z + 1 < grid.length(), cell + grid.width())];
    let own = &levels.spans[of_cell(columns, cell)];
    for (direction, (exists, beside)) in next.into_iter().enumerate() {
        if !exists || free[cell] | free[beside] == 0 {
            continue;
        }
        let range = of_cell(columns, beside);
        let others = &levels.spans[range.clone()];
        let mut partner = 0;
        for (place, (span, ahead)) in own.iter().zip(&mut *ahead).enumerate() {
            // Usually the same layer; a column has at most one link, so that is the answer.
            if others.get(place).is_some_and(|other| is_linked(span, other)) {
                ahead[direction] = (range.start + place) as u32;
                continue;
            }
            while partner + 1 < others.len() && span.level >= others[partner].high {
                partner += 1;
            }
            if others.get(partner).is_some_and(|other| is_linked(span, other)) {
                ahead[direction] = (range.start + partner) as u32;
            }
        }
    }
}

/// The link test.
fn is_linked(one: &Span, other: &Span) -> bool {
    let falls = (one.brink > other.level) | (other.brink > one.level);
    let meet = one.contains(other.level) & other.contains(one.level);
    (one.is_free() | other.is_free()) & meet & !falls
}

/// Pairs of neighbouring sides without a free surface.
fn corners_of(levels: &Levels, links: [u32; 4]) -> u8 {
    let ends = links.map(|link| link == NONE || !levels.is_free(link as usize));
    (0..4).map(|k| u8::from(ends[k] & ends[(k + 1) % 4]) << k).sum()
}

/// What lies at the sides of a column with a free surface.
fn sides_of(columns: &Columns, levels: &Levels, column: usize, links: [u32; 4]) -> Sides {
    if links.iter().all(|&link| link != NONE) {
        return Sides::LINKED;
    }
    let mut sides = Sides::default();
    for (direction, link) in links.into_iter().enumerate() {
        if link != NONE {
            sides.set(direction, Side::Link);
        } else if let Some(cell) = neighbour_cell(columns, cell_of(columns, column), direction) {
            let is_air = is_air(columns, levels, levels.spans[column].level, cell);
            sides.set(direction, if is_air { Side::Lip } else { Side::Wall });
        }
    }
    sides
}

/// The column of a cell whose range contains a height.
fn containing(columns: &Columns, levels: &Levels, height: f32, cell: usize) -> Option<usize> {
    of_cell(columns, cell).find(|&column| levels.spans[column].contains(height))
}

/// Whether a height lies in the air of a cell.
fn is_air(columns: &Columns, levels: &Levels, height: f32, cell: usize) -> bool {
    containing(columns, levels, height, cell).is_some_and(|column| {
        let is_solid = height <= columns.floor()[column];
        let is_liquid = levels.state[column] != Level::Dry && height < levels.spans[column].level;
        !is_solid && !is_liquid
    })
}

/// Whether a height lies in the solid of a cell.
pub(super) fn is_solid(columns: &Columns, levels: &Levels, height: f32, cell: usize) -> bool {
    containing(columns, levels, height, cell).is_none_or(|column| height <= columns.floor()[column])
}

//! Terrain that changes under the liquid.
//!
//! If a change keeps the number of columns and their connections, as moving soft tissue does, only
//! the touched columns are written. Otherwise the columns are renumbered; untouched ones keep their
//! liquid and their fluxes.
//!
//! # Guarantees
//! Liquid is kept: it stays in its cell, fills what is left of the cell from the bottom, and what
//! has no room moves to the nearest cells that have. It is lost only if the whole terrain is full,
//! and then counted as drained.

use std::ops::Range;

use crate::error::{PipeError, within};
use crate::flow::PipeFlux;
use crate::liquid::brush::Brush;
use crate::liquid::columns::Columns;
use crate::liquid::pipes::Pipes;
use crate::liquid::place::Displaced;
use crate::terrain::{Space, Terrain, check_cell};

/// A column that is no longer there.
const GONE: u32 = u32::MAX;

impl Pipes {
    /// Replaces the terrain of the cells in `xs` × `zs` by the spaces that `add(x, z, spaces)` lists
    /// from bottom to top. On failure nothing changes.
    pub fn set_terrain(
        &mut self,
        xs: Range<usize>,
        zs: Range<usize>,
        mut add: impl FnMut(usize, usize, &mut Vec<Space>),
    ) -> Result<(), PipeError> {
        let grid = *self.columns.grid();
        if xs.end > grid.width() || zs.end > grid.length() {
            return Err(PipeError::Patch {
                x: xs.start,
                z: zs.start,
                width: xs.len(),
                length: zs.len(),
                grid_width: grid.width(),
                grid_length: grid.length(),
            });
        }
        let mut patch = Patch { xs, zs, spaces: Vec::new(), ends: Vec::new() };
        let mut cell = Vec::new();
        for z in patch.zs.clone() {
            for x in patch.xs.clone() {
                cell.clear();
                add(x, z, &mut cell);
                check_cell(x, z, &cell)?;
                patch.spaces.extend_from_slice(&cell);
                patch.ends.push(patch.spaces.len());
            }
        }
        self.apply(&patch)
    }

    /// Replaces the whole terrain by another one on the same grid. Unchanged cells stay untouched,
    /// except for those between changed ones. On failure nothing changes.
    pub fn replace_terrain(&mut self, terrain: &Terrain) -> Result<(), PipeError> {
        let (grid, new) = (*self.columns.grid(), terrain.grid());
        if *new != grid {
            let (width, length) = (new.width(), new.length());
            let (grid_width, grid_length) = (grid.width(), grid.length());
            return Err(PipeError::OtherGrid { width, length, grid_width, grid_length });
        }
        let columns = &self.columns;
        let is_other = |&(x, z): &(usize, usize)| {
            let old = columns.of_cell(x, z).map(|column| columns.space(column));
            !old.eq(terrain.cell(x, z).iter().copied())
        };
        let cells = (0..grid.length()).flat_map(|z| (0..grid.width()).map(move |x| (x, z)));
        let Some((xs, zs)) = cells.filter(is_other).fold(None, including) else { return Ok(()) };
        self.set_terrain(xs, zs, |x, z, spaces| spaces.extend_from_slice(terrain.cell(x, z)))
    }

    fn apply(&mut self, patch: &Patch) -> Result<(), PipeError> {
        if patch.keeps_shape(&self.columns) {
            self.write_patch(patch);
            Ok(())
        } else {
            self.rebuild(patch)
        }
    }

    /// Lowers the ground under the brush by `depth` metres at its centre, falling off smoothly to
    /// its rim; a negative depth raises it. Ceilings limit it.
    pub fn carve(&mut self, brush: Brush, depth: f32) -> Result<(), PipeError> {
        brush.check()?;
        within("depth", f64::from(depth), -1e5, 1e5)?;
        let mut moved: Vec<(usize, f32)> = Vec::new();
        brush.visit(&mut self.columns, |columns, column, distance| {
            let share = if brush.radius > 0.0 { distance / brush.radius } else { 0.0 };
            let lowered = depth * (1.0 - share * share).powi(2);
            moved.push((column, columns.moved_floor(column, lowered)));
        });
        let places = moved.iter().map(|&(column, _)| self.columns.position_of(column));
        let Some((xs, zs)) = places.fold(None, including) else { return Ok(()) };
        // The columns of a rectangle are visited in their order, and so were those under the brush.
        let mut moved = moved.into_iter().peekable();
        let mut patch = Patch { xs, zs, spaces: Vec::new(), ends: Vec::new() };
        for z in patch.zs.clone() {
            for x in patch.xs.clone() {
                for column in self.columns.of_cell(x, z) {
                    let old = self.columns.space(column);
                    let floor = moved.next_if(|&(next, _)| next == column);
                    patch.spaces.push(floor.map_or(old, |(_, floor)| Space { floor, ..old }));
                }
                patch.ends.push(patch.spaces.len());
            }
        }
        self.apply(&patch)
    }

    /// Writes a patch that keeps all connections.
    fn write_patch(&mut self, patch: &Patch) {
        let mut displaced = Vec::new();
        for (x, z, spaces) in patch.cells() {
            let columns = self.columns.of_cell(x, z);
            for (column, &space) in columns.zip(spaces) {
                self.columns.write_space(column, space);
                let excess = self.columns.depth[column] - self.columns.capacity(column);
                if excess > 0.0 {
                    self.columns.depth[column] -= excess;
                    let volume = excess * self.columns.base_area();
                    displaced.push(Displaced { x, z, y: space.floor, volume });
                }
            }
        }
        self.place_all(displaced);
        self.flow.refresh(&self.columns);
    }

    /// Renumbers the columns.
    fn rebuild(&mut self, patch: &Patch) -> Result<(), PipeError> {
        let old = &self.columns;
        let terrain = Terrain::from_cells(*old.grid(), |x, z, spaces| match patch.cell(x, z) {
            Some(new) => spaces.extend_from_slice(new),
            None => spaces.extend(old.of_cell(x, z).map(|column| old.space(column))),
        })?;
        let mut columns = Columns::new(&terrain);
        let mut new_of = vec![GONE; old.len()];
        let mut displaced = Vec::new();
        for (column, new_of) in new_of.iter_mut().enumerate() {
            let (x, z) = old.position_of(column);
            let target = match patch.cell(x, z) {
                Some(_) => columns.containing(x, z, old.floor()[column]),
                None => Some(columns.of_cell(x, z).start + column - old.of_cell(x, z).start),
            };
            let room = target.map_or(0.0, |new| columns.capacity(new) - columns.depth[new]);
            let kept = old.depth[column].min(room.max(0.0));
            if let Some(new) = target {
                columns.depth[new] += kept;
                *new_of = new as u32;
            }
            if old.depth[column] > kept {
                let volume = (old.depth[column] - kept) * old.base_area();
                displaced.push(Displaced { x, z, y: old.floor()[column], volume });
            }
        }
        let fluxes = self.moved_fluxes(&new_of);
        self.columns = columns;
        self.place_all(displaced);
        self.replace_flow(&fluxes);
        Ok(())
    }

    /// The fluxes between columns that are still there, under their new numbers.
    fn moved_fluxes(&self, new_of: &[u32]) -> Vec<PipeFlux> {
        let mut fluxes = self.all_fluxes();
        for flux in &mut fluxes {
            (flux.from, flux.to) = (new_of[flux.from as usize], new_of[flux.to as usize]);
        }
        fluxes.retain(|flux| flux.from != GONE && flux.to != GONE);
        fluxes
    }
}

impl Columns {
    /// The ground of a column, lowered as far as the solid below allows.
    fn moved_floor(&self, column: usize, lowered: f32) -> f32 {
        let Space { floor, ceiling } = self.space(column);
        // A solid keeps at least a hundredth of a cell, and so does a space.
        let least = 0.01 * self.grid().cell();
        let highest = (ceiling - least).min(1e6).max(floor);
        let lowest = (self.lowest()[column] + least).max(-1e6).min(floor);
        (floor - lowered).clamp(lowest, highest)
    }
}

/// A rectangle of cells, grown to include one more.
fn including(
    rectangle: Option<(Range<usize>, Range<usize>)>,
    (x, z): (usize, usize),
) -> Option<(Range<usize>, Range<usize>)> {
    let (xs, zs) = rectangle.unwrap_or((x..x + 1, z..z + 1));
    Some((xs.start.min(x)..xs.end.max(x + 1), zs.start.min(z)..zs.end.max(z + 1)))
}

/// New spaces for a rectangle of cells.
struct Patch {
    xs: Range<usize>,
    zs: Range<usize>,
    spaces: Vec<Space>,
    /// End of each cell in `spaces`.
    ends: Vec<usize>,
}

impl Patch {
    fn cell(&self, x: usize, z: usize) -> Option<&[Space]> {
        if !self.xs.contains(&x) || !self.zs.contains(&z) {
            return None;
        }
        let index = (z - self.zs.start) * self.xs.len() + x - self.xs.start;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        Some(&self.spaces[start..self.ends[index]])
    }

    fn cells(&self) -> impl Iterator<Item = (usize, usize, &[Space])> {
        let cells = self.zs.clone().flat_map(|z| self.xs.clone().map(move |x| (x, z)));
        cells.filter_map(|(x, z)| Some((x, z, self.cell(x, z)?)))
    }

    /// Whether the numbers of columns, which of them have a ceiling, and all connections stay as
    /// they are.
    fn keeps_shape(&self, columns: &Columns) -> bool {
        let same_columns = self.cells().all(|(x, z, spaces)| {
            let old = columns.of_cell(x, z);
            let same_ceiling = |(column, space): (usize, &Space)| {
                columns.ceiling()[column].is_finite() == space.ceiling.is_finite()
            };
            old.len() == spaces.len() && old.zip(spaces).all(same_ceiling)
        });
        // Under the open sky all neighbours are connected, whatever their floors.
        same_columns && (columns.is_heightfield() || self.keeps_connections(columns))
    }

    fn keeps_connections(&self, columns: &Columns) -> bool {
        let grid = columns.grid();
        // The old and the new space of a column.
        let spaces = |x: usize, z: usize| {
            let range = columns.of_cell(x, z);
            let new = self.cell(x, z);
            range.clone().map(move |column| {
                let old = columns.space(column);
                (old, new.map_or(old, |new| new[column - range.start]))
            })
        };
        let same = |here: (usize, usize), there: (usize, usize)| {
            spaces(here.0, here.1).all(|(old, new)| {
                spaces(there.0, there.1).all(|(other_old, other_new)| {
                    old.overlaps(&other_old) == new.overlaps(&other_new)
                })
            })
        };
        // Pairs that begin in the patch or one cell before it cover all that touch it.
        let xs = self.xs.start.saturating_sub(1)..self.xs.end;
        let zs = self.zs.start.saturating_sub(1)..self.zs.end;
        zs.flat_map(|z| xs.clone().map(move |x| (x, z))).all(|(x, z)| {
            (x + 1 == grid.width() || same((x, z), (x + 1, z)))
                && (z + 1 == grid.length() || same((x, z), (x, z + 1)))
        })
    }
}

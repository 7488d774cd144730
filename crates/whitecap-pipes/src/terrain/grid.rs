//! The horizontal grid: square cells, x along rows, z from row to row, y up.

use glam::Vec2;

use crate::error::{PipeError, within};

/// Largest number of cells of a grid.
pub const MOST_CELLS: usize = 1 << 26;

/// A grid of square cells. Cell (x, z) has its centre at `origin + (x + ½, z + ½) · cell`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    origin: Vec2,
    cell: f32,
    width: usize,
    length: usize,
}

impl Grid {
    /// A grid of `width` cells along x and `length` along z, of size `cell` in metres, whose low
    /// corner lies at `origin` (x and z).
    pub fn new(origin: Vec2, cell: f32, width: usize, length: usize) -> Result<Self, PipeError> {
        within("cell size", f64::from(cell), 1e-6, 1e4)?;
        within("origin x", f64::from(origin.x), -1e6, 1e6)?;
        within("origin z", f64::from(origin.y), -1e6, 1e6)?;
        match width.checked_mul(length) {
            Some(1..=MOST_CELLS) => Ok(Self { origin, cell, width, length }),
            _ => Err(PipeError::GridSize { width, length, most: MOST_CELLS }),
        }
    }

    /// Low corner of the grid: x and z.
    pub fn origin(&self) -> Vec2 {
        self.origin
    }

    /// Size of a cell in metres, Δx.
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// Cells along x.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Cells along z.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.width * self.length
    }

    /// Number of cell (x, z) in the order of rows.
    pub fn index(&self, x: usize, z: usize) -> usize {
        z * self.width + x
    }

    /// Horizontal position of the centre of cell (x, z): x and z.
    pub fn center(&self, x: usize, z: usize) -> Vec2 {
        self.origin + Vec2::new(x as f32 + 0.5, z as f32 + 0.5) * self.cell
    }

    /// The cell below a horizontal position, if it lies on the grid.
    pub fn locate(&self, position: Vec2) -> Option<(usize, usize)> {
        let at = (position - self.origin) / self.cell;
        let inside =
            at.x >= 0.0 && at.y >= 0.0 && at.x < self.width as f32 && at.y < self.length as f32;
        inside.then_some((at.x as usize, at.y as usize))
    }

    /// Cells whose centre may lie within `radius` of a horizontal position: x and z ranges.
    pub fn around(
        &self,
        position: Vec2,
        radius: f32,
    ) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let at = (position - self.origin) / self.cell;
        let reach = radius / self.cell;
        let range = |at: f32, count: usize| {
            let low = (at - reach - 0.5).floor().clamp(0.0, count as f32) as usize;
            let high = (at + reach + 0.5).ceil().clamp(0.0, count as f32) as usize;
            low..high.max(low)
        };
        (range(at.x, self.width), range(at.y, self.length))
    }
}

//! Columns of liquid over a terrain (Dagenais et al. 2018, Fig. 2).
//!
//! Every space of every cell holds one column. Columns are in one array, cell after cell (rows of
//! x, then z), and within a cell from bottom to top. A column has the range [`lowest`, `ceiling`]
//! along y, its ground at `floor`, and liquid of `depth` above it, so that the liquid's surface
//! lies at `height = floor + depth`. The ranges of a cell follow each other without a gap: the low
//! end of a column is the ceiling of the one below it, and minus infinity for the first.
//!
//! # Guarantees
//! Depths are finite and not negative. Depth, not height, is stored, in double precision, so that
//! the volume is exact to rounding at any height of the terrain.

use glam::{Vec2, Vec3};

use crate::terrain::grid::Grid;
use crate::terrain::{Space, Terrain};

/// A column at or below this depth, in metres, counts as dry for display: a film of one nanometre.
pub const DRY_DEPTH: f64 = 1e-9;

/// Columns of liquid over a terrain.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    grid: Grid,
    first: Vec<u32>,
    cell: Vec<u32>,
    lowest: Vec<f32>,
    floor: Vec<f32>,
    ceiling: Vec<f32>,
    pub(crate) depth: Vec<f64>,
}

impl Columns {
    /// Dry columns over a terrain.
    pub fn new(terrain: &Terrain) -> Self {
        let spaces = terrain.spaces();
        let mut lowest = Vec::with_capacity(spaces.len());
        let mut cell = Vec::with_capacity(spaces.len());
        for (index, range) in terrain.first().windows(2).enumerate() {
            let mut below = f32::NEG_INFINITY;
            for space in &spaces[range[0] as usize..range[1] as usize] {
                lowest.push(below);
                cell.push(index as u32);
                below = space.ceiling;
            }
        }
        Self {
            grid: *terrain.grid(),
            first: terrain.first().to_vec(),
            cell,
            lowest,
            floor: spaces.iter().map(|space| space.floor).collect(),
            ceiling: spaces.iter().map(|space| space.ceiling).collect(),
            depth: vec![0.0; spaces.len()],
        }
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.depth.len()
    }

    /// Whether there is no column at all.
    pub fn is_empty(&self) -> bool {
        self.depth.is_empty()
    }

    /// Number of the first column of each cell, and the number of columns at the end.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// The cell of each column.
    pub fn cell(&self) -> &[u32] {
        &self.cell
    }

    /// Low end of each column's range (the paper's min): the ceiling of the space below it, minus
    /// infinity for the first of a cell.
    pub fn lowest(&self) -> &[f32] {
        &self.lowest
    }

    /// Height of the ground of each column (the paper's b).
    pub fn floor(&self) -> &[f32] {
        &self.floor
    }

    /// High end of each column's range (the paper's max): infinity under the open sky.
    pub fn ceiling(&self) -> &[f32] {
        &self.ceiling
    }

    /// Depth of the liquid in each column (the paper's H).
    pub fn depth(&self) -> &[f64] {
        &self.depth
    }

    /// Height of the liquid's surface in a column (the paper's h).
    pub fn height(&self, column: usize) -> f64 {
        f64::from(self.floor[column]) + self.depth[column]
    }

    /// Whether a column holds more than [`DRY_DEPTH`].
    pub fn is_wet(&self, column: usize) -> bool {
        self.depth[column] > DRY_DEPTH
    }

    /// How deep the liquid of a column can get: infinite under the open sky.
    pub fn capacity(&self, column: usize) -> f64 {
        f64::from(self.ceiling[column]) - f64::from(self.floor[column])
    }

    /// The columns of cell (x, z), from bottom to top.
    pub fn of_cell(&self, x: usize, z: usize) -> std::ops::Range<usize> {
        let cell = self.grid.index(x, z);
        self.first[cell] as usize..self.first[cell + 1] as usize
    }

    /// The column of cell (x, z) whose range contains height `y`; the highest if `y` is above all.
    pub fn containing(&self, x: usize, z: usize, y: f32) -> Option<usize> {
        let range = self.of_cell(x, z);
        range.clone().find(|&column| y < self.ceiling[column]).or(range.last())
    }

    /// The x and z of a column's cell.
    pub fn position_of(&self, column: usize) -> (usize, usize) {
        let cell = self.cell[column] as usize;
        (cell % self.grid.width(), cell / self.grid.width())
    }

    /// Centre of a column's surface.
    pub fn surface_point(&self, column: usize) -> Vec3 {
        let (x, z) = self.position_of(column);
        let Vec2 { x, y: z } = self.grid.center(x, z);
        Vec3::new(x, self.height(column) as f32, z)
    }

    /// Volume of the liquid in cubic metres.
    pub fn volume(&self) -> f64 {
        self.depth.iter().sum::<f64>() * self.base_area()
    }

    /// Area of a cell in square metres.
    pub fn base_area(&self) -> f64 {
        f64::from(self.grid.cell()).powi(2)
    }

    /// Whether every cell has exactly one column, under the open sky.
    pub fn is_heightfield(&self) -> bool {
        self.len() == self.grid.cells()
            && self.ceiling.iter().all(|&ceiling| ceiling == f32::INFINITY)
            && self.first.windows(2).all(|pair| pair[1] - pair[0] == 1)
    }

    /// Sets the depths from a function of the column. Impossible values are corrected: NaN and
    /// negative depths become zero, and too much for a column becomes what it can hold.
    pub fn fill(&mut self, depth: impl Fn(usize) -> f64) {
        for column in 0..self.len() {
            let most = self.capacity(column).min(1e6);
            self.depth[column] = depth(column).max(0.0).min(most);
        }
    }

    /// The space of a column.
    pub(crate) fn space(&self, column: usize) -> Space {
        Space { floor: self.floor[column], ceiling: self.ceiling[column] }
    }

    /// Changes the space of a column, and the range of the one above it.
    pub(crate) fn write_space(&mut self, column: usize, space: Space) {
        self.floor[column] = space.floor;
        self.ceiling[column] = space.ceiling;
        if self.cell.get(column + 1) == Some(&self.cell[column]) {
            self.lowest[column + 1] = space.ceiling;
        }
    }
}

//! Transport that loses nothing: amounts per cell, moved through faces.
//!
//! MacCormack and other semi-Lagrangian methods ask each cell where its value comes from; nobody checks that
//! everything arrives, and rising smoke gains or loses some per cent in a second. Here what leaves a cell
//! through a face is what enters the cell behind it, so that the sum is kept by construction. Within a cell
//! the values vary along a parabola that is limited to the values around it (the piecewise parabolic method
//! of Colella and Woodward 1984). The axes take turns; the volume of air in each cell is carried along with
//! what is in it (Easter 1993), so that a uniform value stays uniform although each sweep alone compresses.
//!
//! # Guarantees
//! * The sum over all cells changes only by what leaves through the border, and that is reported; both to
//!   rounding.
//! * In a flow without divergence no value leaves the range of those around it in the step before. Where the
//!   divergence is d, the range grows by the factor 1 − d Δt: as much as the air is compressed.
//! * Steps of any length: they are divided so that no cell is emptied in a part.
//!
//! # Non-guarantees
//! The time taken grows with the length of the step.

use rayon::prelude::*;
use whitecap_core::SparseGrid;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{TILE_NODES, Tile, local_node};

/// Share of the air in a cell that may leave it in a part of a step.
const LARGEST_SHARE: f64 = 0.95;
/// Rows along an axis through a tile.
const ROWS: usize = 64;
/// Cells before and after a tile that a parabola needs.
const PADDING: usize = 3;

/// The values of a layer of cells across all rows.
type Layer = [f32; ROWS];
/// Layers of a tile, with those before and after it.
type Layers = [Layer; 8 + 2 * PADDING];

/// Cells from a lowest one to below a highest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellBox {
    /// The lowest cell.
    pub low: IVec3,
    /// One beyond the highest cell.
    pub high: IVec3,
}

impl CellBox {
    /// Every cell there is.
    pub const EVERYTHING: Self = Self { low: IVec3::MIN, high: IVec3::MAX };

    /// Whether a cell is in the box.
    #[inline]
    pub fn contains(&self, cell: IVec3) -> bool {
        cell.cmpge(self.low).all() && cell.cmplt(self.high).all()
    }

    /// Whether all cells of a tile are in the box.
    #[inline]
    pub fn contains_tile(&self, tile: IVec3) -> bool {
        (tile * 8).cmpge(self.low).all() && (tile * 8 + 8).cmple(self.high).all()
    }

    /// Whether some cell of a tile is in the box.
    #[inline]
    pub fn touches_tile(&self, tile: IVec3) -> bool {
        (tile * 8 + 8).cmpgt(self.low).all() && (tile * 8).cmplt(self.high).all()
    }
}

/// Moves what is in cells for a time step. All `values` have the same tiles; `velocity` is that of the flow
/// through each face, averaged over all of the face. Returns for each of the values what left the tiles or the
/// `room`, as a sum over cells.
pub fn carry_amounts(
    values: &mut [SparseGrid<f32>],
    velocity: &SparseGrid<Vec3>,
    room: CellBox,
    time_step: f64,
) -> Vec<f64> {
    let mut left = vec![0.0; values.len()];
    let Some(first) = values.first() else { return left };
    let cells_per_metre = time_step / f64::from(velocity.lattice().cell);
    let share = f64::from(largest_outflow(first.coordinates(), velocity, room)) * cells_per_metre;
    let parts = (share / LARGEST_SHARE).ceil().max(1.0);
    let still = SparseGrid::from_tiles(
        first.lattice(),
        1.0,
        first.coordinates().iter().map(|&tile| (tile, Tile::Constant(1.0))).collect(),
    );
    let still = still.expect("the tiles of a grid are distinct");
    for part in 0..parts as usize {
        // Every second part runs backwards through the axes, so that none is preferred (Strang 1968).
        let axes = if part % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
        let mut air = still.clone();
        for axis in axes {
            let sweep =
                Sweep { axis, velocity, room, scale: (cells_per_metre / parts) as f32, air: &air };
            let (swept_air, lost) = sweep.run(values);
            air = swept_air;
            left.iter_mut().zip(lost).for_each(|(sum, lost)| *sum += lost);
        }
        for grid in values.iter_mut() {
            settle(grid, &air);
        }
    }
    left
}

/// The largest sum over the faces of a cell of what flows out of it, in m/s.
fn largest_outflow(tiles: &[IVec3], velocity: &SparseGrid<Vec3>, room: CellBox) -> f32 {
    let of_tile = |&tile: &IVec3| {
        let flows: [[Layer; 9]; 3] = std::array::from_fn(|axis| flows(velocity, tile, axis));
        let is_inside = room.contains_tile(tile);
        let mut largest = 0.0f32;
        for offset in 0..TILE_NODES {
            let cell = local_node(offset);
            if !is_inside && !room.contains(tile * 8 + cell) {
                continue;
            }
            let mut out = 0.0;
            for axis in 0..3 {
                let (layer, row) = (cell[axis] as usize, row_of(cell, axis));
                out +=
                    (-flows[axis][layer][row]).max(0.0) + flows[axis][layer + 1][row].max(0.0);
            }
            largest = largest.max(out);
        }
        largest
    };
    tiles.par_iter().map(of_tile).reduce(|| 0.0, f32::max)
}

/// The row along an axis that a cell of a tile is in.
#[inline]
fn row_of(cell: IVec3, axis: usize) -> usize {
    let [one, other] = across(axis);
    (cell[one] + 8 * cell[other]) as usize
}

/// The axes across an axis; rows are numbered along the first.
#[inline]
fn across(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}

/// Distance in a tile between neighbours along an axis.
#[inline]
fn stride(axis: usize) -> usize {
    [1, 8, 64][axis]
}

/// A layer of a tile.
#[inline]
fn layer_of<T: Copy>(tile: &[T; TILE_NODES], axis: usize, layer: usize) -> [T; ROWS] {
    let [one, other] = across(axis).map(stride);
    let start = layer * stride(axis);
    std::array::from_fn(|row| tile[start + (row % 8) * one + (row / 8) * other])
}

/// What flows through the nine layers of faces across an axis of a tile, in m/s.
fn flows(velocity: &SparseGrid<Vec3>, tile: IVec3, axis: usize) -> [Layer; 9] {
    let layer = |tile: Option<&Tile<Vec3>>, layer: usize| match tile {
        None => [velocity.background()[axis]; ROWS],
        Some(Tile::Constant(value)) => [value[axis]; ROWS],
        Some(Tile::Dense(values)) => layer_of(values, axis, layer).map(|value| value[axis]),
    };
    let (own, next) = (velocity.tile(tile), velocity.tile(tile + IVec3::AXES[axis]));
    std::array::from_fn(|face| if face < 8 { layer(own, face) } else { layer(next, 0) })
}

/// The layers of a tile and `PADDING` before and after it.
fn layers(grid: &SparseGrid<f32>, tile: IVec3, axis: usize) -> Layers {
    let step = IVec3::AXES[axis];
    let around = [grid.tile(tile - step), grid.tile(tile), grid.tile(tile + step)];
    std::array::from_fn(|place| {
        let place = place + 8 - PADDING;
        match around[place / 8] {
            None => [grid.background(); ROWS],
            Some(Tile::Constant(value)) => [*value; ROWS],
            Some(Tile::Dense(values)) => layer_of(values, axis, place % 8),
        }
    })
}

/// A sweep along an axis.
struct Sweep<'a> {
    axis: usize,
    velocity: &'a SparseGrid<Vec3>,
    room: CellBox,
    /// From m/s to cells in this part of the step.
    scale: f32,
    /// Volume of the air that is in each cell, in cells.
    air: &'a SparseGrid<f32>,
}

/// A tile after a sweep: the air, each of the values, and what was lost of them.
struct SweptTile {
    air: Box<[f32; TILE_NODES]>,
    values: Vec<Box<[f32; TILE_NODES]>>,
    lost: Vec<f64>,
}

impl Sweep<'_> {
    /// Moves all values along the axis; returns the air afterwards and what was lost of each.
    fn run(&self, values: &mut [SparseGrid<f32>]) -> (SparseGrid<f32>, Vec<f64>) {
        let tiles = self.air.coordinates();
        let mut swept: Vec<SweptTile> =
            tiles.par_iter().map(|&tile| self.swept(values, tile)).collect();
        let mut lost = vec![0.0; values.len()];
        for tile in &swept {
            lost.iter_mut().zip(&tile.lost).for_each(|(sum, lost)| *sum += lost);
        }
        for grid in values.iter_mut().rev() {
            for (slot, tile) in grid.tiles_mut().iter_mut().zip(&mut swept) {
                *slot = Tile::Dense(tile.values.pop().expect("there is one for each grid"));
            }
        }
        let air = tiles.iter().copied().zip(swept.into_iter().map(|tile| Tile::Dense(tile.air)));
        let air = SparseGrid::from_tiles(self.air.lattice(), 1.0, air.collect());
        (air.expect("the tiles of a grid are distinct"), lost)
    }

    fn swept(&self, values: &[SparseGrid<f32>], tile: IVec3) -> SweptTile {
        let mut flow = flows(self.velocity, tile, self.axis);
        flow.iter_mut().flatten().for_each(|flow| *flow *= self.scale);
        let air = layers(self.air, tile, self.axis);
        let mut new_air = [[0.0; ROWS]; 8];
        for (layer, new) in new_air.iter_mut().enumerate() {
            for row in 0..ROWS {
                new[row] = air[layer + PADDING][row] + flow[layer][row] - flow[layer + 1][row];
            }
        }
        let outside = self.outside(tile);
        let mut swept =
            SweptTile { air: Box::new([1.0; TILE_NODES]), values: Vec::new(), lost: Vec::new() };
        for grid in values {
            let held = layers(grid, tile, self.axis);
            let through = amounts_through(&held, &air, &flow);
            let mut new = [[0.0; ROWS]; 8];
            for layer in 0..8 {
                for row in 0..ROWS {
                    let amount = held[layer + PADDING][row] * air[layer + PADDING][row];
                    let after = amount + through[layer][row] - through[layer + 1][row];
                    new[layer][row] = after / new_air[layer][row];
                }
            }
            let mut lost = self.lost_at_border(grid, tile, &through);
            for &(layer, row) in &outside {
                lost += f64::from(new[layer][row]) * f64::from(new_air[layer][row]);
                new[layer][row] = 0.0;
            }
            swept.values.push(self.as_tile(&new));
            swept.lost.push(lost);
        }
        for &(layer, row) in &outside {
            new_air[layer][row] = 1.0;
        }
        swept.air = self.as_tile(&new_air);
        swept
    }

    /// The cells of a tile that are outside of the room, as layer and row.
    fn outside(&self, tile: IVec3) -> Vec<(usize, usize)> {
        if self.room.contains_tile(tile) {
            return Vec::new();
        }
        let outside = (0..TILE_NODES).map(local_node);
        let outside = outside.filter(|&cell| !self.room.contains(tile * 8 + cell));
        outside.map(|cell| (cell[self.axis] as usize, row_of(cell, self.axis))).collect()
    }

    /// What flows out of the grid from a tile at its border.
    fn lost_at_border(&self, grid: &SparseGrid<f32>, tile: IVec3, through: &[Layer; 9]) -> f64 {
        let step = IVec3::AXES[self.axis];
        let sum = |layer: &Layer| layer.iter().map(|&amount| f64::from(amount)).sum::<f64>();
        let mut lost = 0.0;
        if grid.tile(tile - step).is_none() {
            lost -= sum(&through[0]);
        }
        if grid.tile(tile + step).is_none() {
            lost += sum(&through[8]);
        }
        lost
    }

    fn as_tile(&self, layers: &[Layer; 8]) -> Box<[f32; TILE_NODES]> {
        let [one, other] = across(self.axis).map(stride);
        let mut tile = Box::new([0.0; TILE_NODES]);
        for (layer, values) in layers.iter().enumerate() {
            for (row, &value) in values.iter().enumerate() {
                tile[layer * stride(self.axis) + (row % 8) * one + (row / 8) * other] = value;
            }
        }
        tile
    }
}

/// What flows through the nine layers of faces of a tile, in cells times value.
fn amounts_through(held: &Layers, air: &Layers, flow: &[Layer; 9]) -> [Layer; 9] {
    // The value on each face between two cells (Colella and Woodward 1984, Eq. 1.6), from limited slopes
    // (1.8): it is between the values of the two.
    let mut slope = [[0.0; ROWS]; 12];
    for (cell, slope) in slope.iter_mut().enumerate() {
        for row in 0..ROWS {
            slope[row] = limited_slope(held[cell][row], held[cell + 1][row], held[cell + 2][row]);
        }
    }
    let mut edge = [[0.0; ROWS]; 11];
    for (face, edge) in edge.iter_mut().enumerate() {
        for row in 0..ROWS {
            let (low, high) = (held[face + 1][row], held[face + 2][row]);
            edge[row] = 0.5 * (low + high) - (slope[face + 1][row] - slope[face][row]) / 6.0;
        }
    }
    // What leaves the cells before, in and after the tile on either side.
    let mut through = [[0.0; ROWS]; 9];
    for cell in 0..10 {
        for row in 0..ROWS {
            let (value, volume) = (held[cell + 2][row], air[cell + 2][row]);
            let parabola = Parabola::new(edge[cell][row], value, edge[cell + 1][row]);
            if cell > 0 {
                let out = (-flow[cell - 1][row]).max(0.0);
                through[cell - 1][row] -= out * parabola.mean_low(out / volume);
            }
            if cell < 9 {
                let out = flow[cell][row].max(0.0);
                through[cell][row] += out * parabola.mean_high(out / volume);
            }
        }
    }
    through
}

/// The slope between three values, limited so that nothing beyond them appears (Eq. 1.8).
#[inline(always)]
fn limited_slope(low: f32, value: f32, high: f32) -> f32 {
    let (before, after) = (value - low, high - value);
    let most = 2.0 * before.abs().min(after.abs());
    let slope = (0.5 * (before + after)).abs().min(most).copysign(before + after);
    if before * after > 0.0 { slope } else { 0.0 }
}

/// How a value varies over a cell.
struct Parabola {
    low: f32,
    high: f32,
    /// Difference between the ends, and curvature: Δa and a₆ of Eq. 1.5.
    rise: f32,
    bend: f32,
}

impl Parabola {
    /// From the values at the ends and the mean, made monotone (Eq. 1.10).
    #[inline(always)]
    fn new(low: f32, mean: f32, high: f32) -> Self {
        let is_extremum = (high - mean) * (mean - low) <= 0.0;
        let rise = high - low;
        let excess = rise * (mean - 0.5 * (low + high));
        let limit = rise * rise / 6.0;
        let new_low = if excess > limit { 3.0 * mean - 2.0 * high } else { low };
        let new_high = if excess < -limit { 3.0 * mean - 2.0 * low } else { high };
        let low = if is_extremum { mean } else { new_low };
        let high = if is_extremum { mean } else { new_high };
        Self { low, high, rise: high - low, bend: 6.0 * mean - 3.0 * (low + high) }
    }

    /// Mean over this share of the cell at its high end (Eq. 1.12).
    #[inline(always)]
    fn mean_high(&self, share: f32) -> f32 {
        self.high - 0.5 * share * (self.rise - (1.0 - 2.0 / 3.0 * share) * self.bend)
    }

    /// Mean over this share of the cell at its low end.
    #[inline(always)]
    fn mean_low(&self, share: f32) -> f32 {
        self.low + 0.5 * share * (self.rise + (1.0 - 2.0 / 3.0 * share) * self.bend)
    }
}

/// From values per volume of air to amounts per cell: in a flow without divergence these are the same.
fn settle(grid: &mut SparseGrid<f32>, air: &SparseGrid<f32>) {
    grid.tiles_mut().par_iter_mut().zip(air.tiles()).for_each(|(values, air)| {
        if let (Tile::Dense(values), Tile::Dense(air)) = (values, air) {
            for (value, air) in values.iter_mut().zip(air.iter()) {
                *value *= air;
            }
        }
    });
}

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
use wide::f32x8;

use super::parabola::{PADDING, ROW, amounts_through};

/// Share of the air in a cell that may leave it in a part of a step.
const LARGEST_SHARE: f32 = 0.95;
/// Rows along an axis through a tile.
const ROWS: usize = 64;

/// The values of a layer of cells across all rows.
type Layer = [f32; ROWS];
/// Layers of a tile, with those before and after it.
type Layers = [Layer; ROW];

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
    let parts = f64::from(parts_needed(first.coordinates(), velocity, room)) * cells_per_metre;
    let parts = parts.ceil().max(1.0);
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

/// How many parts a step must have so that no cell is emptied in a sweep of either order, as if it lasted one
/// second and cells were a metre wide.
fn parts_needed(tiles: &[IVec3], velocity: &SparseGrid<Vec3>, room: CellBox) -> f32 {
    let of_tile = |&tile: &IVec3| {
        let flows = [0, 1, 2].map(|axis| flows(velocity, tile, axis));
        let is_inside = room.contains_tile(tile);
        let mut most = 0.0f32;
        for offset in 0..TILE_NODES {
            let cell = local_node(offset);
            if !is_inside && !room.contains(tile * 8 + cell) {
                continue;
            }
            let through = |axis: usize| {
                let (layer, row) = (cell[axis] as usize, row_of(cell, axis));
                (flows[axis][layer][row], flows[axis][layer + 1][row])
            };
            most = most.max(parts_for_cell([through(0), through(1), through(2)]));
        }
        most
    };
    tiles.par_iter().map(of_tile).reduce(|| 0.0, f32::max)
}

/// As [`parts_needed`] for one cell, by what flows through its low and high face on each axis. In a sweep at
/// most a share of the air that the sweeps before it have left may leave: out₁ / n ≤ share,
/// out₂ / n ≤ share (1 − net₁ / n), and so on.
#[inline]
fn parts_for_cell(through: [(f32, f32); 3]) -> f32 {
    let out = through.map(|(low, high)| ((-low).max(0.0) + high.max(0.0)) / LARGEST_SHARE);
    let net = through.map(|(low, high)| high - low);
    let forward = out[0].max(out[1] + net[0]).max(out[2] + net[0] + net[1]);
    let backward = out[2].max(out[1] + net[2]).max(out[0] + net[2] + net[1]);
    forward.max(backward)
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

/// Copies a layer of a tile.
#[inline]
fn copy_layer<T: Copy>(
    tile: &[T; TILE_NODES],
    axis: usize,
    layer: usize,
    copied: &mut Layer,
    value: impl Fn(T) -> f32,
) {
    let [one, other] = across(axis).map(stride);
    let start = layer * stride(axis);
    for (outer, row) in copied.chunks_exact_mut(8).enumerate() {
        for (inner, copied) in row.iter_mut().enumerate() {
            *copied = value(tile[start + inner * one + outer * other]);
        }
    }
}

/// What flows through the nine layers of faces across an axis of a tile, in m/s.
fn flows(velocity: &SparseGrid<Vec3>, tile: IVec3, axis: usize) -> [Layer; 9] {
    let mut flows = [[velocity.background()[axis]; ROWS]; 9];
    let (own, next) = (velocity.tile(tile), velocity.tile(tile + IVec3::AXES[axis]));
    for (face, flow) in flows.iter_mut().enumerate() {
        match if face < 8 { own } else { next } {
            None => {}
            Some(Tile::Constant(value)) => flow.fill(value[axis]),
            Some(Tile::Dense(values)) => {
                copy_layer(values, axis, face % 8, flow, |value| value[axis]);
            }
        }
    }
    flows
}

/// The layers of a tile and `PADDING` before and after it; `None` if there are only zeros.
fn layers(grid: &SparseGrid<f32>, tile: IVec3, axis: usize) -> Option<Layers> {
    let step = IVec3::AXES[axis];
    let around = [grid.tile(tile - step), grid.tile(tile), grid.tile(tile + step)];
    let is_zero = |tile: &Option<&Tile<f32>>| match tile {
        None => grid.background() == 0.0,
        Some(tile) => matches!(tile, Tile::Constant(0.0)),
    };
    if around.iter().all(is_zero) {
        return None;
    }
    let mut layers = [[grid.background(); ROWS]; ROW];
    for (place, layer) in layers.iter_mut().enumerate() {
        let place = place + 8 - PADDING;
        match around[place / 8] {
            None => {}
            Some(Tile::Constant(value)) => layer.fill(*value),
            Some(Tile::Dense(values)) => copy_layer(values, axis, place % 8, layer, |value| value),
        }
    }
    Some(layers)
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
    air: Tile<f32>,
    values: Vec<Tile<f32>>,
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
                *slot = tile.values.pop().expect("there is one for each grid");
            }
        }
        let air = tiles.iter().copied().zip(swept.into_iter().map(|tile| tile.air));
        let air = SparseGrid::from_tiles(self.air.lattice(), 1.0, air.collect());
        (air.expect("the tiles of a grid are distinct"), lost)
    }

    fn swept(&self, values: &[SparseGrid<f32>], tile: IVec3) -> SweptTile {
        let mut flow = flows(self.velocity, tile, self.axis);
        flow.iter_mut().flatten().for_each(|flow| *flow *= self.scale);
        let air = layers(self.air, tile, self.axis).expect("there is air everywhere");
        let mut new_air = [[0.0; ROWS]; 8];
        for (layer, new) in new_air.iter_mut().enumerate() {
            for row in 0..ROWS {
                new[row] = air[layer + PADDING][row] + flow[layer][row] - flow[layer + 1][row];
            }
        }
        let outside = self.outside(tile);
        let mut swept =
            SweptTile { air: Tile::Constant(1.0), values: Vec::new(), lost: Vec::new() };
        for grid in values {
            let Some(held) = layers(grid, tile, self.axis) else {
                swept.values.push(Tile::Constant(0.0));
                swept.lost.push(0.0);
                continue;
            };
            let through = through_layers(&held, &air, &flow);
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

    fn as_tile(&self, layers: &[Layer; 8]) -> Tile<f32> {
        let [one, other] = across(self.axis).map(stride);
        let mut tile = Box::new([0.0; TILE_NODES]);
        for (layer, values) in layers.iter().enumerate() {
            let start = layer * stride(self.axis);
            for (outer, row) in values.chunks_exact(8).enumerate() {
                for (inner, &value) in row.iter().enumerate() {
                    tile[start + inner * one + outer * other] = value;
                }
            }
        }
        Tile::Dense(tile)
    }
}

/// What flows through the nine layers of faces of a tile, in cells times value.
fn through_layers(held: &Layers, air: &Layers, flow: &[Layer; 9]) -> [Layer; 9] {
    let mut through = [[0.0; ROWS]; 9];
    for rows in (0..ROWS).step_by(8) {
        let eight = |layer: &Layer| f32x8::from(&layer[rows..rows + 8]);
        let parts = amounts_through(
            &held.each_ref().map(eight),
            &air.each_ref().map(eight),
            &flow.each_ref().map(eight),
        );
        for (layer, part) in through.iter_mut().zip(parts) {
            layer[rows..rows + 8].copy_from_slice(&part.to_array());
        }
    }
    through
}

/// From values per volume of air to amounts per cell: in a flow without divergence these are the same.
fn settle(grid: &mut SparseGrid<f32>, air: &SparseGrid<f32>) {
    grid.tiles_mut().par_iter_mut().zip(air.tiles()).for_each(|(values, air)| {
        if let (Tile::Dense(dense), Tile::Dense(air)) = (&mut *values, air) {
            for (value, air) in dense.iter_mut().zip(air.iter()) {
                *value *= air;
            }
            if dense.iter().all(|&value| value == 0.0) {
                *values = Tile::Constant(0.0);
            }
        }
    });
}

//! Makes φ a distance again without moving the surface.
//!
//! Cells beside the surface keep their φ, scaled by one over its slope where the flow has stretched or squeezed
//! it. The slope is averaged over the cells around, so that both sides of the surface are scaled alike and
//! it stays where it is between them. From there distances spread outwards by the first-order upwind scheme
//! of the eikonal equation |∇φ| = 1 (fast sweeping: Zhao 2005), tile by tile.
//!
//! # Guarantees
//! * No cell changes sign, and where |∇φ| is near 1 already, cells beside the surface keep their bits.
//! * A tile is swept from what its neighbours were before the round: the result does not depend on the order of
//!   tiles nor on threads.
//!
//! # Non-guarantees
//! Distances are accurate to first order: beside the surface to a tenth or so, and a few per cent beyond.

use rayon::prelude::*;
use whitecap_core::SparseGrid;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{TILE_NODES, Tile, local_node};

use super::distance_block::DistanceBlock;
use super::narrow_band::{reachable_tiles, with_tiles};
use crate::mac::step_around;

/// Slopes that are near enough to 1.
const LEAST_SLOPE: f32 = 0.9;
const LARGEST_SLOPE: f32 = 1.1;
/// Distances spread over this many borders of tiles: the band is narrower than a tile, but may touch several
/// at a corner.
const ROUNDS: usize = 4;
/// Edge of a tile with one layer of cells around it, and the steps to the neighbours on each axis.
const PADDED: usize = 10;
const PADDED_CELLS: usize = PADDED * PADDED * PADDED;
const STRIDES: [usize; 3] = [1, PADDED, PADDED * PADDED];
/// How much farther than its nearest neighbour a cell is at least, in cells: 1 / √3.
const LEAST_INCREASE: f32 = 0.577;

/// The level set with φ as a distance, up to its background; tiles farther away than that become one value or
/// none.
pub fn reinitialised(distances: &SparseGrid<f32>) -> SparseGrid<f32> {
    let far = distances.background();
    let tiles = reachable_tiles(distances);
    let started: Vec<StartedTile> =
        tiles.par_iter().map(|&tile| StartedTile::new(distances, tile)).collect();
    let places = tiles.iter().copied();
    let values = places.zip(started.iter().map(|start| Tile::Dense(start.distance.clone())));
    let whole = "the tiles of a list are distinct";
    let mut swept =
        SparseGrid::from_tiles(distances.lattice(), far, values.collect()).expect(whole);
    for _ in 0..ROUNDS {
        let next: Vec<Option<Tile<f32>>> = (tiles.par_iter().zip(&started))
            .map(|(&tile, start)| sweep_tile(&swept, tile, start))
            .collect();
        if next.iter().all(Option::is_none) {
            break;
        }
        for (tile, next) in swept.tiles_mut().iter_mut().zip(next) {
            *tile = next.unwrap_or_else(|| tile.clone());
        }
    }
    let signed = (tiles.into_par_iter().zip(started)).zip(swept.tiles());
    let signed = signed.map(|((tile, start), swept)| {
        let sign = |offset: usize| if start.is_negative[offset] { -1.0 } else { 1.0 };
        let value = |offset: usize| sign(offset) * swept.at(offset).min(far);
        (tile, Tile::Dense(Box::new(std::array::from_fn(value))))
    });
    with_tiles(distances, signed.collect())
}

/// What the sweeps of a tile start from.
struct StartedTile {
    /// Distance of the cells beside the surface without sign; far away elsewhere.
    distance: Box<[f32; TILE_NODES]>,
    /// Cells beside the surface, whose distance stays.
    is_fixed: Box<[bool; TILE_NODES]>,
    is_negative: Box<[bool; TILE_NODES]>,
}

impl StartedTile {
    fn new(distances: &SparseGrid<f32>, tile: IVec3) -> Self {
        let block = DistanceBlock::new(distances, tile);
        let cell_size = distances.lattice().cell;
        let is_negative = std::array::from_fn(|offset| block.at(local_node(offset)) < 0.0);
        let mut start = Self {
            distance: Box::new([distances.background(); TILE_NODES]),
            is_fixed: Box::new([false; TILE_NODES]),
            is_negative: Box::new(is_negative),
        };
        let slopes = surface_slopes(&block, cell_size);
        if slopes.iter().all(|slope| slope.is_nan()) {
            return start;
        }
        for offset in 0..TILE_NODES {
            let cell = local_node(offset);
            if !slopes[padded_place(cell)].is_nan() {
                let slope = mean_slope(&slopes, cell);
                let scale = slope.clamp(LEAST_SLOPE, LARGEST_SLOPE) / slope;
                start.is_fixed[offset] = true;
                // The other side begins within a cell.
                start.distance[offset] = (scale * block.at(cell).abs()).min(cell_size);
            }
        }
        start
    }
}

#[inline]
fn padded_place(cell: IVec3) -> usize {
    let cell = cell + 1;
    cell.x as usize + PADDED * (cell.y as usize + PADDED * cell.z as usize)
}

/// |∇φ| of each cell beside the surface, in a tile and one cell around it; not a number elsewhere.
fn surface_slopes(block: &DistanceBlock, cell_size: f32) -> [f32; PADDED_CELLS] {
    let mut slopes = [f32::NAN; PADDED_CELLS];
    for (place, slope) in slopes.iter_mut().enumerate() {
        let cell = [place % PADDED, place / PADDED % PADDED, place / PADDED / PADDED];
        let cell = IVec3::from_array(cell.map(|n| n as i32)) - 1;
        if block.at(cell).abs() < 2.0 * cell_size
            && let Some(gradient) = surface_gradient(block, cell)
        {
            *slope = gradient.length() / cell_size;
        }
    }
    slopes
}

/// The gradient of φ per cell where the surface is beside a cell: from the difference across it on axes that
/// cross it, from both neighbours on others.
fn surface_gradient(block: &DistanceBlock, cell: IVec3) -> Option<Vec3> {
    let here = block.at(cell);
    let mut is_beside = false;
    let gradient = std::array::from_fn(|axis| {
        let [low, high] = [-1, 1].map(|side| block.at(cell + side * IVec3::AXES[axis]));
        let [across_low, across_high] = [low, high].map(|there| (there < 0.0) != (here < 0.0));
        is_beside |= across_low || across_high;
        match (across_low, across_high) {
            (true, true) if (here - low).abs() > (high - here).abs() => here - low,
            (true, true) | (false, true) => high - here,
            (true, false) => here - low,
            (false, false) => 0.5 * (high - low),
        }
    });
    is_beside.then_some(Vec3::from_array(gradient))
}

/// The mean of the slopes around a cell.
fn mean_slope(slopes: &[f32; PADDED_CELLS], cell: IVec3) -> f32 {
    let around = (0..27).map(|slot| cell + step_around(slot));
    let inside = around.filter(|near| near.min_element() >= -1 && near.max_element() <= 8);
    let known = inside.map(|near| slopes[padded_place(near)]).filter(|slope| !slope.is_nan());
    let (sum, count) = known.fold((0.0, 0), |(sum, count), slope| (sum + slope, count + 1));
    (sum / count as f32).max(1e-3)
}

/// Sweeps a tile in the eight directions, from the distances around it; `None` if nothing changes.
fn sweep_tile(swept: &SparseGrid<f32>, tile: IVec3, start: &StartedTile) -> Option<Tile<f32>> {
    let cell_size = swept.lattice().cell;
    let mut values = [0.0f32; PADDED_CELLS];
    swept.neighbourhood(tile).copy_padded(1, &mut values);
    let mut is_changed = false;
    for direction in 0..8 {
        let order = |n: usize, axis: usize| if direction >> axis & 1 == 0 { n } else { 7 - n };
        for z in (0..8).map(|z| order(z, 2)) {
            for y in (0..8).map(|y| order(y, 1)) {
                for x in (0..8).map(|x| order(x, 0)) {
                    let place = (x + 1) + PADDED * ((y + 1) + PADDED * (z + 1));
                    let near = STRIDES.map(|step| values[place - step].min(values[place + step]));
                    let least = near[0].min(near[1]).min(near[2]);
                    let is_final = values[place] <= least + LEAST_INCREASE * cell_size;
                    if is_final || start.is_fixed[x + 8 * y + 64 * z] {
                        continue;
                    }
                    let value = eikonal(near, cell_size);
                    if value < values[place] {
                        values[place] = value;
                        is_changed = true;
                    }
                }
            }
        }
    }
    let value = |offset: usize| values[padded_place(local_node(offset))];
    is_changed.then(|| Tile::Dense(Box::new(std::array::from_fn(value))))
}

/// The first-order upwind solution of |∇φ| = 1 (Zhao 2005, eq. 2.4): from the smaller neighbour on each axis.
#[inline]
fn eikonal(mut near: [f32; 3], cell_size: f32) -> f32 {
    if near[0] > near[1] {
        near.swap(0, 1);
    }
    if near[1] > near[2] {
        near.swap(1, 2);
    }
    if near[0] > near[1] {
        near.swap(0, 1);
    }
    let [a, b, c] = near;
    let one = a + cell_size;
    if one <= b {
        return one;
    }
    let two = 0.5 * (a + b + (2.0 * cell_size * cell_size - (a - b) * (a - b)).max(0.0).sqrt());
    if two <= c {
        return two;
    }
    let mean = (a + b + c) / 3.0;
    let spread = a * a + b * b + c * c - cell_size * cell_size;
    mean + (mean * mean - spread / 3.0).max(0.0).sqrt()
}

//! Which tiles there are: those with smoke, and some layers of tiles around them.
//!
//! # Guarantees
//! Smoke moves by less than a tile in a step, so that it never reaches a tile that is not there.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node, tile_order};

use crate::mac::step_around;
use crate::mac::transport::CellBox;

/// The tiles in which some value is beyond a threshold.
pub(super) fn tiles_beyond(grid: &SparseGrid<f32>, threshold: f32) -> Vec<IVec3> {
    let is_beyond = |tile: &Tile<f32>| match tile {
        Tile::Constant(value) => value.abs() > threshold,
        Tile::Dense(values) => values.iter().any(|value| value.abs() > threshold),
    };
    let stored = grid.coordinates().par_iter().zip(grid.tiles());
    stored.filter(|(_, tile)| is_beyond(tile)).map(|(&coordinate, _)| coordinate).collect()
}

/// The tiles and some layers around them, as far as they have a cell in the room; sorted.
pub(super) fn dilated(tiles: Vec<IVec3>, layers: u32, room: CellBox) -> Vec<IVec3> {
    let mut all = sorted(tiles);
    for _ in 0..layers {
        let around = |&tile: &IVec3| (0..27).map(move |slot| tile + step_around(slot));
        all = sorted(all.par_iter().flat_map_iter(around).collect());
    }
    all.retain(|&tile| room.touches_tile(tile));
    all
}

/// The tiles that hold the faces of the cells of tiles: the tiles and, for the high faces, those behind them.
pub(super) fn tiles_of_faces(tiles: &[IVec3]) -> Vec<IVec3> {
    let behind = |&tile: &IVec3| [tile, tile + IVec3::X, tile + IVec3::Y, tile + IVec3::Z];
    sorted(tiles.iter().flat_map(behind).collect())
}

fn sorted(mut tiles: Vec<IVec3>) -> Vec<IVec3> {
    tiles.par_sort_unstable_by_key(|&tile| tile_order(tile));
    tiles.dedup();
    tiles
}

/// The grid on other tiles: new ones hold the background.
pub(super) fn retiled(grid: &SparseGrid<f32>, tiles: &[IVec3]) -> SparseGrid<f32> {
    let background = || Tile::Constant(grid.background());
    let of = |&tile: &IVec3| (tile, grid.tile(tile).cloned().unwrap_or_else(background));
    let tiles = tiles.par_iter().map(of).collect();
    SparseGrid::from_tiles(grid.lattice(), grid.background(), tiles).expect("tiles are distinct")
}

/// The sum of all values in tiles that are chosen by their place.
pub(super) fn sum(grid: &SparseGrid<f32>, is_chosen: impl Fn(IVec3) -> bool + Sync) -> f64 {
    let of_tile = |(&coordinate, tile): (&IVec3, &Tile<f32>)| match tile {
        _ if !is_chosen(coordinate) => 0.0,
        Tile::Constant(value) => TILE_NODES as f64 * f64::from(*value),
        Tile::Dense(values) => values.iter().map(|&value| f64::from(value)).sum(),
    };
    let sums: Vec<f64> = grid.coordinates().par_iter().zip(grid.tiles()).map(of_tile).collect();
    sums.into_iter().sum()
}

/// The largest absolute value; infinite if a value is not a number.
pub(super) fn largest(grid: &SparseGrid<f32>) -> f32 {
    let size = |value: f32| if value.is_nan() { f32::INFINITY } else { value.abs() };
    let of_tile = |tile: &Tile<f32>| match tile {
        Tile::Constant(value) => size(*value),
        Tile::Dense(values) => values.iter().fold(0.0, |most, &value| size(value).max(most)),
    };
    grid.tiles().par_iter().map(of_tile).reduce(|| 0.0, f32::max)
}

/// The largest component; infinite if one is not a number.
pub(super) fn largest_component(grid: &SparseGrid<Vec3>) -> f32 {
    let size = |value: Vec3| {
        if value.is_finite() { value.abs().max_element() } else { f32::INFINITY }
    };
    let of_tile = |tile: &Tile<Vec3>| match tile {
        Tile::Constant(value) => size(*value),
        Tile::Dense(values) => values.iter().fold(0.0, |most: f32, &value| size(value).max(most)),
    };
    grid.tiles().par_iter().map(of_tile).reduce(|| 0.0, f32::max)
}

/// Where the air is as the pressure sees it: negative in the cells of tiles within the room. Beyond them the
/// pressure is that of still air, one cell away. The tiles are those of the faces.
pub(super) fn air(
    density: &SparseGrid<f32>,
    faces: &SparseGrid<Vec3>,
    room: CellBox,
) -> SparseGrid<f32> {
    let of_tile = |&tile: &IVec3| match density.tile(tile) {
        None => (tile, Tile::Constant(0.0)),
        Some(_) if room.contains_tile(tile) => (tile, Tile::Constant(-1.0)),
        Some(_) => {
            let air = |cell: IVec3| if room.contains(tile * 8 + cell) { -1.0 } else { 0.0 };
            (tile, Tile::Dense(Box::new(std::array::from_fn(|offset| air(local_node(offset))))))
        }
    };
    let tiles = faces.coordinates().par_iter().map(of_tile).collect();
    SparseGrid::from_tiles(density.lattice(), 0.0, tiles).expect("tiles are distinct")
}

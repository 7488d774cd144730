//! Which tiles a surface needs: those within a few cells of it are stored cell by cell, those inside the liquid
//! as one value, those outside not at all.

use whitecap_core::SparseGrid;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{Tile, tile_order};

use crate::mac::step_around;

/// How far from the surface distances are known, in cells. A step moves the surface by up to two cells, and
/// particles are within four: then the next step still finds what it samples.
pub const BAND: f32 = 5.5;

/// The tiles that the surface is near, in order.
pub fn surface_tiles(distances: &SparseGrid<f32>) -> Vec<IVec3> {
    let near = distances.coordinates().iter().zip(distances.tiles());
    near.filter(|(_, tile)| tile.dense().is_some()).map(|(&tile, _)| tile).collect()
}

/// The tiles that the surface may be near after a step: those near it now, and all around them.
pub fn reachable_tiles(distances: &SparseGrid<f32>) -> Vec<IVec3> {
    let near = surface_tiles(distances).into_iter();
    let mut tiles: Vec<IVec3> =
        near.flat_map(|tile| (0..27).map(move |slot| tile + step_around(slot))).collect();
    tiles.sort_unstable_by_key(|&tile| tile_order(tile));
    tiles.dedup();
    tiles
}

/// The grid with `changed` tiles instead of its own; tiles that are wholly outside are left out, those wholly
/// inside are one value.
pub fn with_tiles(
    distances: &SparseGrid<f32>,
    changed: Vec<(IVec3, Tile<f32>)>,
) -> SparseGrid<f32> {
    let far = distances.background();
    let order: Vec<(i32, i32, i32)> = changed.iter().map(|(tile, _)| tile_order(*tile)).collect();
    let kept = distances.coordinates().iter().zip(distances.tiles());
    let kept = kept.filter(|(tile, _)| order.binary_search(&tile_order(**tile)).is_err());
    let mut tiles: Vec<(IVec3, Tile<f32>)> =
        kept.map(|(&tile, values)| (tile, values.clone())).collect();
    tiles.extend(changed.into_iter().filter_map(|(tile, values)| {
        let Some(dense) = values.dense() else {
            return (values.at(0) < 0.0).then_some((tile, values));
        };
        if dense.iter().all(|&value| value >= far) {
            None
        } else if dense.iter().all(|&value| value <= -far) {
            Some((tile, Tile::Constant(-far)))
        } else {
            Some((tile, values))
        }
    }));
    SparseGrid::from_tiles(distances.lattice(), far, tiles).expect("changed tiles are distinct")
}

//! Volume that particles have lost or gained: where they are too dense or too sparse inside the liquid, the
//! velocity gets a divergence that corrects it little by little.
//!
//! Velocity on the grid is free of divergence, but particles follow it in steps of finite length and drift
//! together and apart. Left alone, a sloshing tank loses volume.
//!
//! # Guarantees
//! Where particles are too sparse, only cells that are surrounded by particles on all sides are corrected: the
//! free surface is not pulled in.

use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{SparseGrid, Tile, local_node, offset_in_tile, tile_of};

use crate::mac::cell_order::CellOrder;
use crate::mac::solids::SolidFaces;
use crate::mac::step_around;

/// Particles in a cell at rest.
const PER_CELL: f32 = 8.0;
/// Share of the error that one step corrects.
const STRENGTH: f32 = 0.1;
/// Errors below this share are those of particles in disorder, and are left alone.
const NOISE: f32 = 0.03;
/// Particles in a cell that is not nearly empty.
const HALF_FULL: usize = 4;
/// Fewer cells than this say nothing about the density.
const FEWEST_CELLS: usize = 6;
/// The largest error that is believed.
const LARGEST: f32 = 0.5;

/// The divergence in 1/s that corrects the density in one step, cell by cell.
pub fn crowding(
    liquid: &SparseGrid<f32>,
    order: &CellOrder,
    solids: &SolidFaces,
    time_step: f32,
) -> SparseGrid<f32> {
    let deep = -0.99 * liquid.lattice().cell;
    liquid.map_tiles(0.0, |tile, around| {
        let Some(distances) = around.center().and_then(Tile::dense) else {
            return Tile::Constant(0.0);
        };
        let near: [Option<usize>; 27] =
            std::array::from_fn(|slot| order.tile_place(tile + step_around(slot)));
        let solid = solids.distance.neighbourhood(tile);
        let count = |cell: IVec3| {
            let around: IVec3 = tile_of(cell) + 1;
            let place = near[(around.x + 3 * around.y + 9 * around.z) as usize];
            place.map_or(0, |place| order.count(place, offset_in_tile(cell)))
        };
        let divergence = |offset: usize| {
            if distances[offset] >= 0.0 {
                return 0.0;
            }
            let cell = local_node(offset);
            // A cell beside a half-full one at the surface is not.
            let is_deep = (0..27).all(|slot| {
                around.get(cell + step_around(slot)) < deep
                    || solid.get(cell + step_around(slot)) < 0.0
            });
            // Cells at a wall are cut, and hold fewer; at the surface only full ones count.
            let counted = (0..27).map(|slot| cell + step_around(slot)).filter(|&cell| {
                solid.get(cell) > 0.5 * liquid.lattice().cell
                    && (is_deep || count(cell) >= HALF_FULL)
            });
            let (particles, cells) = counted
                .fold((0, 0), |(particles, cells), cell| (particles + count(cell), cells + 1));
            if cells < FEWEST_CELLS {
                return 0.0;
            }
            let excess = particles as f32 / (PER_CELL * cells as f32) - 1.0;
            let error = excess - excess.clamp(-NOISE, NOISE);
            let least = if is_deep { -LARGEST } else { 0.0 };
            STRENGTH * error.clamp(least, LARGEST) / time_step
        };
        Tile::Dense(Box::new(std::array::from_fn(divergence)))
    })
}

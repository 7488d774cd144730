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
use whitecap_core::sparse_grid::{Neighbourhood, SparseGrid, TILE_NODES, Tile};

use crate::mac::around::{PADDED, sum_around};
use crate::mac::cell_order::CellOrder;
use crate::mac::solids::SolidFaces;

/// Particles in a cell at rest.
const PER_CELL: f32 = 8.0;
/// Share of the error that one step corrects.
const STRENGTH: f32 = 0.1;
/// Errors below this share are those of particles in disorder, and are left alone.
const NOISE: f32 = 0.03;
/// Particles in a cell that is not nearly empty.
const HALF_FULL: u8 = 4;
/// Fewer cells than this say nothing about the density.
const FEWEST_CELLS: u16 = 6;
/// The largest error that is believed.
const LARGEST: f32 = 0.5;

/// The divergence in 1/s that corrects the density in one step, cell by cell.
pub fn crowding(
    liquid: &SparseGrid<f32>,
    order: &CellOrder,
    solids: &SolidFaces,
    time_step: f32,
) -> SparseGrid<f32> {
    let cell = liquid.lattice().cell;
    let counts = order.counts();
    liquid.map_tiles(0.0, |tile, liquid| {
        let is_wet = |offset: usize| liquid.center().is_some_and(|tile| tile.at(offset) < 0.0);
        if !(0..TILE_NODES).any(is_wet) {
            return Tile::Constant(0.0);
        }
        let around = Densities::new(cell, liquid, &counts.neighbourhood(tile), solids, tile);
        let divergence = |offset: usize| match is_wet(offset) {
            true => STRENGTH * around.error(offset) / time_step,
            false => 0.0,
        };
        Tile::Dense(Box::new(std::array::from_fn(divergence)))
    })
}

/// Particles and cells around each cell of a tile.
struct Densities {
    /// Of the 27 cells, those that are deep in the liquid or in a solid.
    deep: [u16; TILE_NODES],
    /// Those that no solid cuts, and their particles.
    cells: [u16; TILE_NODES],
    particles: [u16; TILE_NODES],
    /// Those of them that are not nearly empty, and their particles.
    full_cells: [u16; TILE_NODES],
    full_particles: [u16; TILE_NODES],
}

impl Densities {
    fn new(
        cell: f32,
        liquid: &Neighbourhood<'_, f32>,
        counts: &Neighbourhood<'_, u8>,
        solids: &SolidFaces,
        tile: IVec3,
    ) -> Self {
        let (mut distance, mut solid, mut count) = ([0.0; PADDED], [0.0; PADDED], [0; PADDED]);
        liquid.copy_padded(1, &mut distance);
        solids.distance.neighbourhood(tile).copy_padded(1, &mut solid);
        counts.copy_padded(1, &mut count);
        let sum = |value: &dyn Fn(usize) -> u16| sum_around(&std::array::from_fn(value));
        // Cells at a wall are cut, and hold fewer.
        let is_whole = |place: usize| solid[place] > 0.5 * cell;
        let is_full = |place: usize| is_whole(place) && count[place] >= HALF_FULL;
        Self {
            // A cell beside a half-full one at the surface is not deep.
            deep: sum(&|i| u16::from(distance[i] < -0.99 * cell || solid[i] < 0.0)),
            cells: sum(&|i| u16::from(is_whole(i))),
            particles: sum(&|i| u16::from(is_whole(i)) * u16::from(count[i])),
            full_cells: sum(&|i| u16::from(is_full(i))),
            full_particles: sum(&|i| u16::from(is_full(i)) * u16::from(count[i])),
        }
    }

    /// How much denser than at rest it is around a cell, as a share, less the noise.
    fn error(&self, offset: usize) -> f32 {
        let is_deep = self.deep[offset] == 27;
        // At the surface only full cells count.
        let (particles, cells) = match is_deep {
            true => (self.particles[offset], self.cells[offset]),
            false => (self.full_particles[offset], self.full_cells[offset]),
        };
        if cells < FEWEST_CELLS {
            return 0.0;
        }
        let excess = f32::from(particles) / (PER_CELL * f32::from(cells)) - 1.0;
        let error = excess - excess.clamp(-NOISE, NOISE);
        error.clamp(if is_deep { -LARGEST } else { 0.0 }, LARGEST)
    }
}

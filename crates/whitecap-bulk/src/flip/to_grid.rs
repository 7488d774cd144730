//! From particles to faces: each face gets the mean velocity of the particles near it, weighted by trilinear
//! kernels; with APIC (Jiang, Schroeder, Selle, Teran and Stomakhin 2015) each particle's velocity varies
//! linearly around it, which keeps angular momentum.
//!
//! # Guarantees
//! * Momentum, and with APIC angular momentum, of the particles and of the faces are the same, with the
//!   weights as masses.
//! * Every tile collects what its own particles give, in their order; then tiles are added up in a fixed
//!   order. The same bits for any number of threads.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile};

use super::particles::FlipParticles;
use crate::mac::cell_order::CellOrder;
use crate::mac::extrapolation::KnownFaces;
use crate::mac::{MacLattice, step_around};

/// Edge of the block of faces that the particles of a tile reach.
const EDGE: usize = 10;
const BLOCK: usize = EDGE * EDGE * EDGE;
/// Weights below this are too small to divide by.
const SMALLEST_WEIGHT: f32 = 1e-6;

/// What the particles of one tile give to the faces around them: the sums of weight times velocity and of the
/// weights, axis by axis.
struct Block {
    momentum: [[f32; BLOCK]; 3],
    weight: [[f32; BLOCK]; 3],
}

/// The velocity on the faces of `tiles`, and which faces have one. Tiles must cover all faces that particles
/// reach: those of the particles and all around them.
pub fn to_grid(
    lattice: MacLattice,
    tiles: &[IVec3],
    particles: &FlipParticles,
    order: &CellOrder,
) -> (SparseGrid<Vec3>, KnownFaces) {
    let blocks: Vec<Box<Block>> = (0..order.tiles().len())
        .into_par_iter()
        .map(|place| block_of_tile(lattice, order.tiles()[place], order.of_tile(place), particles))
        .collect();
    let faces = SparseGrid::filled(lattice.corners, 0u8, tiles.to_vec(), |_, _| {});
    let summed: Vec<(Tile<Vec3>, Tile<u8>)> =
        faces.coordinates().par_iter().map(|&tile| faces_of_tile(tile, order, &blocks)).collect();
    let (values, bits): (Vec<_>, Vec<_>) = summed.into_iter().unzip();
    let named = |tiles| faces.coordinates().iter().copied().zip(tiles).collect();
    let whole = "the tiles of a grid are distinct";
    let values: Vec<(IVec3, Tile<Vec3>)> =
        faces.coordinates().iter().copied().zip(values).collect();
    (
        SparseGrid::from_tiles(lattice.corners, Vec3::ZERO, values).expect(whole),
        SparseGrid::from_tiles(lattice.corners, 0, named(bits)).expect(whole),
    )
}

fn block_of_tile(
    lattice: MacLattice,
    tile: IVec3,
    places: &[u32],
    particles: &FlipParticles,
) -> Box<Block> {
    let mut block: Box<Block> =
        Box::new(Block { momentum: [[0.0; BLOCK]; 3], weight: [[0.0; BLOCK]; 3] });
    let corner = lattice.corners.position(tile * 8).as_dvec3();
    let per_cell = 1.0 / f64::from(lattice.cell());
    for &place in places {
        let place = place as usize;
        let local = ((particles.position[place].as_dvec3() - corner) * per_cell).as_vec3();
        let velocity = particles.velocity[place];
        for axis in 0..3 {
            let slope = particles.affine.get(place).map_or(Vec3::ZERO, |affine| affine[axis]);
            block.add(axis, local, velocity[axis], slope * lattice.cell());
        }
    }
    block
}

impl Block {
    /// Adds a particle at `local` cells from the tile's corner whose velocity on an axis is `velocity`, and
    /// changes by `slope` per cell.
    #[inline]
    fn add(&mut self, axis: usize, local: Vec3, velocity: f32, slope: Vec3) {
        // Faces of the block start one cell below the tile; those of other axes are half a cell up.
        let half = 0.5 * (Vec3::ONE - Vec3::AXES[axis]);
        let at = (local + 1.0 - half).max(Vec3::ZERO).min(Vec3::splat(EDGE as f32 - 1.001));
        let low = at.floor();
        let t = at - low;
        let place = low.x as usize + EDGE * (low.y as usize + EDGE * low.z as usize);
        let start = velocity - slope.dot(t);
        for (dz, wz) in [1.0 - t.z, t.z].into_iter().enumerate() {
            for (dy, wy) in [1.0 - t.y, t.y].into_iter().enumerate() {
                let row = place + EDGE * (dy + EDGE * dz);
                let beside = start + slope.y * dy as f32 + slope.z * dz as f32;
                for (dx, wx) in [1.0 - t.x, t.x].into_iter().enumerate() {
                    let weight = wx * wy * wz;
                    self.momentum[axis][row + dx] += weight * (beside + slope.x * dx as f32);
                    self.weight[axis][row + dx] += weight;
                }
            }
        }
    }
}

/// The faces of a tile: what the tile's own particles and those of its neighbours give.
fn faces_of_tile(tile: IVec3, order: &CellOrder, blocks: &[Box<Block>]) -> (Tile<Vec3>, Tile<u8>) {
    let mut momentum = [[0.0f32; TILE_NODES]; 3];
    let mut weight = [[0.0f32; TILE_NODES]; 3];
    let mut is_reached = false;
    for step in (0..27).map(step_around) {
        let Some(place) = order.tile_place(tile + step) else { continue };
        is_reached = true;
        let block = &blocks[place];
        // Faces of this tile in the block of a neighbour, which starts one cell below that.
        let low = (step * 8 - 1).max(IVec3::ZERO);
        let high = (step * 8 - 1 + EDGE as i32).min(IVec3::splat(8));
        for z in low.z..high.z {
            for y in low.y..high.y {
                for x in low.x..high.x {
                    let here = (x + 8 * (y + 8 * z)) as usize;
                    let there = IVec3::new(x, y, z) - step * 8 + 1;
                    let there =
                        there.x as usize + EDGE * (there.y as usize + EDGE * there.z as usize);
                    for axis in 0..3 {
                        momentum[axis][here] += block.momentum[axis][there];
                        weight[axis][here] += block.weight[axis][there];
                    }
                }
            }
        }
    }
    if !is_reached {
        return (Tile::Constant(Vec3::ZERO), Tile::Constant(0));
    }
    let mut values = Box::new([Vec3::ZERO; TILE_NODES]);
    let mut bits = Box::new([0u8; TILE_NODES]);
    for offset in 0..TILE_NODES {
        for axis in 0..3 {
            if weight[axis][offset] > SMALLEST_WEIGHT {
                values[offset][axis] = momentum[axis][offset] / weight[axis][offset];
                bits[offset] |= 1 << axis;
            }
        }
    }
    (Tile::Dense(values), Tile::Dense(bits))
}

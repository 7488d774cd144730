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
use wide::f32x4;

use super::particles::FlipParticles;
use crate::mac::cell_order::CellOrder;
use crate::mac::extrapolation::KnownFaces;
use crate::mac::{MacLattice, step_around};

/// Edge of the block of faces that the particles of a tile reach.
const EDGE: usize = 10;
const BLOCK: usize = EDGE * EDGE * EDGE;
/// From a face to those beside it on the other axes, in sums.
const ROWS: [usize; 4] = [0, 2 * EDGE, 2 * EDGE * EDGE, 2 * EDGE * (EDGE + 1)];
/// Weights below this are too small to divide by.
const SMALLEST_WEIGHT: f32 = 1e-6;

/// What the particles of one tile give to the faces around them, axis by axis: for each face the sum of weight
/// times velocity, and that of the weights.
struct Block {
    sums: [[f32; 2 * BLOCK]; 3],
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
    let summed: Vec<(Tile<Vec3>, Tile<u8>)> =
        tiles.par_iter().map(|&tile| faces_of_tile(tile, order, &blocks)).collect();
    let (values, bits): (Vec<_>, Vec<_>) = summed.into_iter().unzip();
    let values = tiles.iter().copied().zip(values).collect();
    let bits = tiles.iter().copied().zip(bits).collect();
    let distinct = "the tiles of a grid are distinct";
    (
        SparseGrid::from_tiles(lattice.corners, Vec3::ZERO, values).expect(distinct),
        SparseGrid::from_tiles(lattice.corners, 0, bits).expect(distinct),
    )
}

fn block_of_tile(
    lattice: MacLattice,
    tile: IVec3,
    places: &[u32],
    particles: &FlipParticles,
) -> Box<Block> {
    let mut block: Box<Block> = Box::new(Block { sums: [[0.0; 2 * BLOCK]; 3] });
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
        let at = local + 1.0 - MacLattice::face_offset(axis);
        let at = at.max(Vec3::ZERO).min(Vec3::splat(EDGE as f32 - 1.001));
        let low = [at.x as usize, at.y as usize, at.z as usize];
        let t = at - Vec3::new(low[0] as f32, low[1] as f32, low[2] as f32);
        let start = velocity - slope.dot(t);
        // Two faces beside each other at a time: velocity and one, twice.
        let pair = f32x4::new([start, 1.0, start + slope.x, 1.0]);
        let weight = f32x4::new([1.0 - t.x, 1.0 - t.x, t.x, t.x]);
        let along_y = f32x4::new([slope.y, 0.0, slope.y, 0.0]);
        let along_z = f32x4::new([slope.z, 0.0, slope.z, 0.0]);
        let pairs = [pair, pair + along_y, pair + along_z, pair + along_y + along_z];
        let shares = [(1.0 - t.y) * (1.0 - t.z), t.y * (1.0 - t.z), (1.0 - t.y) * t.z, t.y * t.z];
        let place = 2 * (low[0] + EDGE * (low[1] + EDGE * low[2]));
        let sums = &mut self.sums[axis][place..][..2 * EDGE * (EDGE + 1) + 4];
        for (row, (pair, share)) in ROWS.into_iter().zip(pairs.into_iter().zip(shares)) {
            let target = sums[row..].first_chunk_mut::<4>().expect("rows are in the slice");
            *target = (f32x4::new(*target) + pair * (weight * share)).to_array();
        }
    }
}

/// The faces of a tile: what the tile's own particles and those of its neighbours give.
fn faces_of_tile(tile: IVec3, order: &CellOrder, blocks: &[Box<Block>]) -> (Tile<Vec3>, Tile<u8>) {
    let mut sums = [[0.0f32; 2 * TILE_NODES]; 3];
    let mut is_reached = false;
    for step in (0..27).map(step_around) {
        let Some(place) = order.tile_place(tile + step) else { continue };
        is_reached = true;
        // Faces of this tile in the block of a neighbour, which starts one cell below that.
        let low = (step * 8 - 1).max(IVec3::ZERO);
        let high = (step * 8 - 1 + EDGE as i32).min(IVec3::splat(8));
        let length = 2 * (high.x - low.x) as usize;
        for (sums, given) in sums.iter_mut().zip(&blocks[place].sums) {
            for z in low.z..high.z {
                for y in low.y..high.y {
                    let here = 2 * (low.x + 8 * (y + 8 * z)) as usize;
                    let there = IVec3::new(low.x, y, z) - step * 8 + 1;
                    let there = 2 * (there.x + 10 * (there.y + 10 * there.z)) as usize;
                    let row = sums[here..here + length].iter_mut();
                    row.zip(&given[there..there + length]).for_each(|(sum, given)| *sum += given);
                }
            }
        }
    }
    if !is_reached {
        return (Tile::Constant(Vec3::ZERO), Tile::Constant(0));
    }
    let mut values = Box::new([Vec3::ZERO; TILE_NODES]);
    let mut bits = Box::new([0u8; TILE_NODES]);
    for (axis, sums) in sums.iter().enumerate() {
        for (offset, face) in sums.chunks_exact(2).enumerate() {
            if face[1] > SMALLEST_WEIGHT {
                values[offset][axis] = face[0] / face[1];
                bits[offset] |= 1 << axis;
            }
        }
    }
    (Tile::Dense(values), Tile::Dense(bits))
}

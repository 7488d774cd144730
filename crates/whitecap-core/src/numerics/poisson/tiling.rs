//! The tiles that hold unknowns, and flat vectors over their nodes.
//!
//! A vector over a tiling has 512 values per tile and then one tile of zeros, which stands for
//! every place without a tile: stencils read it instead of branching.

use glam::IVec3;
use rayon::prelude::*;

use crate::CoordinateIndex;
use crate::sparse_grid::TILE_NODES;

/// Steps to the six neighbours: −x, +x, −y, +y, −z, +z.
pub(super) const STEPS: [IVec3; 6] =
    [IVec3::NEG_X, IVec3::X, IVec3::NEG_Y, IVec3::Y, IVec3::NEG_Z, IVec3::Z];

/// Tiles per task: a few microseconds of work for a core.
const TASK_TILES: usize = 8;

/// A sorted list of tiles with their neighbours.
pub(super) struct Tiling {
    pub(super) coordinates: Vec<IVec3>,
    /// The six neighbours of each tile, in the order of [`STEPS`].
    pub(super) neighbours: Vec<[u32; 6]>,
    index: CoordinateIndex,
}

impl Tiling {
    pub(super) fn new(coordinates: Vec<IVec3>) -> Self {
        let index = CoordinateIndex::build(&coordinates);
        let missing = coordinates.len() as u32;
        let place = |tile: IVec3| index.get(tile).map_or(missing, |place| place as u32);
        let neighbours =
            coordinates.par_iter().map(|&tile| STEPS.map(|step| place(tile + step))).collect();
        Self { coordinates, neighbours, index }
    }

    pub(super) fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Place of a tile; the place of the tile of zeros when it is not in the tiling.
    pub(super) fn place(&self, tile: IVec3) -> u32 {
        self.index.get(tile).unwrap_or(self.len()) as u32
    }

    /// A vector of zeros.
    pub(super) fn vector<T: Copy + Default>(&self) -> Vec<T> {
        vec![T::default(); (self.len() + 1) * TILE_NODES]
    }
}

/// The values of one tile of a vector.
#[inline(always)]
pub(super) fn tile_values<T>(vector: &[T], tile: usize) -> &[T; TILE_NODES] {
    vector[tile * TILE_NODES..].first_chunk().expect("a vector holds whole tiles")
}

/// Calls `change(tile, values)` for the tiles of `vector` in parallel, not for the tile of zeros.
pub(super) fn for_each_tile<T: Send>(
    vector: &mut [T],
    change: impl Fn(usize, &mut [T; TILE_NODES]) + Sync,
) {
    let used = vector.len() - TILE_NODES;
    vector[..used].par_chunks_mut(TASK_TILES * TILE_NODES).enumerate().for_each(|(task, chunk)| {
        for (slot, values) in chunk.chunks_exact_mut(TILE_NODES).enumerate() {
            let values = values.first_chunk_mut().expect("a vector holds whole tiles");
            change(task * TASK_TILES + slot, values);
        }
    });
}

/// As [`for_each_tile`], and adds up what `change` returns in an order that depends on nothing but
/// the number of tiles.
pub(super) fn sum_over_tiles<T: Send>(
    vector: &mut [T],
    change: impl Fn(usize, &mut [T; TILE_NODES]) -> f64 + Sync,
) -> f64 {
    let used = vector.len() - TILE_NODES;
    let partial: Vec<f64> = vector[..used]
        .par_chunks_mut(TASK_TILES * TILE_NODES)
        .enumerate()
        .map(|(task, chunk)| {
            let tiles = chunk.chunks_exact_mut(TILE_NODES).enumerate();
            tiles.fold(0.0, |sum, (slot, values)| {
                let values = values.first_chunk_mut().expect("a vector holds whole tiles");
                sum + change(task * TASK_TILES + slot, values)
            })
        })
        .collect();
    partial.iter().sum()
}

/// The dot product of one tile, in eight partial sums so that it runs in SIMD lanes.
#[inline(always)]
pub(super) fn tile_dot<A, B>(a: &[A; TILE_NODES], b: &[B; TILE_NODES]) -> f64
where
    A: Copy + Into<f64>,
    B: Copy + Into<f64>,
{
    let mut lanes = [0.0f64; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for lane in 0..8 {
            lanes[lane] += a[lane].into() * b[lane].into();
        }
    }
    lanes.iter().sum()
}

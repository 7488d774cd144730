//! The tiles that hold unknown faces, and vectors over the faces of their cells.
//!
//! A vector has the three low faces of 512 cells for each tile, and one tile of zeros at the end, which stands
//! for every place without a tile.

use rayon::prelude::*;
use whitecap_core::CoordinateIndex;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::TILE_NODES;

use crate::mac::step_around;

/// Edge of a tile with one layer of cells around it.
pub(super) const PADDED: usize = 10;
/// Cells of a padded tile.
pub(super) const BLOCK: usize = PADDED * PADDED * PADDED;

/// `f32` in the preconditioner, `f64` in the iteration around it.
pub(super) trait Real:
    Copy
    + Default
    + Send
    + Sync
    + From<f32>
    + Into<f64>
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
{
}

impl Real for f32 {}
impl Real for f64 {}

/// One number for each face of a tile, axis by axis.
pub(super) type FaceTile<T> = [[T; TILE_NODES]; 3];

/// A sorted list of tiles with their surroundings.
pub(super) struct Tiling {
    pub(super) coordinates: Vec<IVec3>,
    /// The places of each tile and its 26 neighbours.
    around: Vec<[u32; 27]>,
    index: CoordinateIndex,
}

impl Tiling {
    pub(super) fn new(coordinates: Vec<IVec3>) -> Self {
        let index = CoordinateIndex::build(&coordinates);
        let missing = coordinates.len();
        let place = |tile: IVec3| index.get(tile).unwrap_or(missing) as u32;
        let around = coordinates
            .par_iter()
            .map(|&tile| std::array::from_fn(|slot| place(tile + step_around(slot))))
            .collect();
        Self { coordinates, around, index }
    }

    pub(super) fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Place of a tile; the place of the tile of zeros when it is not in the tiling.
    pub(super) fn place(&self, tile: IVec3) -> usize {
        self.index.get(tile).unwrap_or(self.len())
    }

    /// A vector of zeros.
    pub(super) fn vector<T: Real>(&self) -> Vec<FaceTile<T>> {
        vec![[[T::default(); TILE_NODES]; 3]; self.len() + 1]
    }

    /// The faces of a tile and of one layer of cells around it, axis by axis, x fastest.
    #[inline(always)]
    pub(super) fn padded<T: Real>(
        &self,
        vector: &[FaceTile<T>],
        tile: usize,
        block: &mut [[T; BLOCK]; 3],
    ) {
        for z in 0..PADDED {
            for y in 0..PADDED {
                // Which third of the padded range a coordinate is in, and its place in that tile.
                let third = |at: usize| at.div_ceil(8);
                let slots = 3 * third(y) + 9 * third(z);
                let row = 8 * ((y + 7) % 8) + 64 * ((z + 7) % 8);
                let place = PADDED * (y + PADDED * z);
                let [low, own, high] =
                    [0, 1, 2].map(|x| &vector[self.around[tile][slots + x] as usize]);
                for axis in 0..3 {
                    let block = &mut block[axis][place..place + PADDED];
                    block[0] = low[axis][row + 7];
                    block[1..9].copy_from_slice(&own[axis][row..row + 8]);
                    block[9] = high[axis][row];
                }
            }
        }
    }
}

/// Calls `change(tile, values)` for the tiles of `vector` in parallel, not for the tile of zeros.
pub(super) fn for_each_tile<T: Real>(
    vector: &mut [FaceTile<T>],
    change: impl Fn(usize, &mut FaceTile<T>) + Sync,
) {
    let used = vector.len() - 1;
    let tiles = vector[..used].par_iter_mut().with_min_len(2).enumerate();
    tiles.for_each(|(tile, values)| change(tile, values));
}

/// As [`for_each_tile`], and adds up what `change` returns, tile by tile.
pub(super) fn sum_over_tiles<T: Real>(
    vector: &mut [FaceTile<T>],
    change: impl Fn(usize, &mut FaceTile<T>) -> f64 + Sync,
) -> f64 {
    let used = vector.len() - 1;
    let tiles = vector[..used].par_iter_mut().with_min_len(2).enumerate();
    let partial: Vec<f64> = tiles.map(|(tile, values)| change(tile, values)).collect();
    partial.iter().sum()
}

/// The dot product of two vectors.
pub(super) fn dot<A: Real, B: Real>(a: &[FaceTile<A>], b: &[FaceTile<B>]) -> f64 {
    let partial: Vec<f64> =
        a.par_iter().with_min_len(2).zip(b).map(|(a, b)| tile_dot(a, b)).collect();
    partial.iter().sum()
}

/// The dot product of one tile, in eight partial sums so that it runs in SIMD lanes.
#[inline(always)]
pub(super) fn tile_dot<A: Real, B: Real>(a: &FaceTile<A>, b: &FaceTile<B>) -> f64 {
    let mut lanes = [0.0f64; 8];
    for (a, b) in a.as_flattened().chunks_exact(8).zip(b.as_flattened().chunks_exact(8)) {
        for lane in 0..8 {
            lanes[lane] += a[lane].into() * b[lane].into();
        }
    }
    lanes.iter().sum()
}

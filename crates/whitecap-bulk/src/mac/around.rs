//! Sums over the 27 cells around each cell of a tile.

use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::TILE_NODES;

/// Edge of a tile with one layer of cells around it.
pub(crate) const PADDED_EDGE: usize = 10;
/// Cells of a tile with one layer around it: x fastest, as `Neighbourhood::copy_padded` gives them.
pub(crate) const PADDED: usize = PADDED_EDGE * PADDED_EDGE * PADDED_EDGE;

/// The place of a cell, given relative to its tile, in padded memory.
#[inline]
pub(crate) fn padded_place(cell: IVec3) -> usize {
    let edge = PADDED_EDGE as i32;
    (cell.x + 1 + edge * (cell.y + 1 + edge * (cell.z + 1))) as usize
}

/// For each cell of a tile the sum over itself and the 26 around it; on each axis the one in the middle
/// counts `middle` times.
pub(crate) fn sum_around(values: &[u16; PADDED], middle: u16) -> [u16; TILE_NODES] {
    let mut along_z = [0u16; 8 * 100];
    for (place, sum) in along_z.iter_mut().enumerate() {
        *sum = values[place] + middle * values[place + 100] + values[place + 200];
    }
    let mut sums = [0u16; TILE_NODES];
    for z in 0..8 {
        for y in 0..8 {
            let row = 100 * z + PADDED_EDGE * y;
            let along_y: [u16; PADDED_EDGE] = std::array::from_fn(|x| {
                let place = row + x;
                let next = place + PADDED_EDGE;
                along_z[place] + middle * along_z[next] + along_z[next + PADDED_EDGE]
            });
            for (x, sum) in sums[64 * z + 8 * y..][..8].iter_mut().enumerate() {
                *sum = along_y[x] + middle * along_y[x + 1] + along_y[x + 2];
            }
        }
    }
    sums
}

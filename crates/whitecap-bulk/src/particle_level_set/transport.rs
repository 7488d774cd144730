//! The level set carried by a flow: φ at a cell is what φ was where the flow comes from (semi-Lagrangian, as in
//! Enright, Losasso and Fedkiw 2005), with a third-order trace and cubic interpolation.

use rayon::prelude::*;
use whitecap_core::SparseGrid;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{Tile, local_node};

use super::distance_block::DistanceBlock;
use super::narrow_band::with_tiles;
use crate::mac::face_block::FaceBlock;

/// Cells farther away than this from where the surface may get keep their value for now: only its sign
/// matters.
const CROSSED: f32 = 2.0;

/// The distances after a time step in which the flow moves by `largest_move` in m and by two cells on each axis at
/// most; `tiles` are those that the surface may reach, in order.
pub fn carried(
    distances: &SparseGrid<f32>,
    velocity: &SparseGrid<Vec3>,
    tiles: &[IVec3],
    time_step: f32,
    largest_move: f32,
) -> SparseGrid<f32> {
    let lattice = distances.lattice();
    let far = distances.background();
    let reach = CROSSED * lattice.cell + largest_move;
    let moved = tiles
        .par_iter()
        .map(|&tile| {
            let (block, flow) =
                (DistanceBlock::new(distances, tile), FaceBlock::new(velocity, tile));
            let value = |offset: usize| {
                let here = block.at(local_node(offset));
                if here.abs() > reach {
                    return here;
                }
                let middle = lattice.position(tile * 8 + local_node(offset));
                let from = flow.carried(middle, flow.sample(middle), -time_step);
                block.cubic(block.local(from)).clamp(-far, far)
            };
            (tile, Tile::Dense(Box::new(std::array::from_fn(value))))
        })
        .collect();
    with_tiles(distances, moved)
}

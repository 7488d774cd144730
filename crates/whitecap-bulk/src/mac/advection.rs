//! What a flow carries along: cell values at a later time.
//!
//! # Guarantees
//! Values are between those they are taken from: nothing larger or smaller appears.

use whitecap_core::glam::IVec3;
use whitecap_core::glam::Vec3;
use whitecap_core::sparse_grid::{SparseGrid, local_node};

use super::face_block::FaceBlock;

/// The values that the flow has carried to the middles of the cells of `tiles` after a time step: each
/// cell takes the value where the flow comes from (semi-Lagrangian: Stam 1999), traced back by a third-order
/// step.
pub fn carry_cells(
    values: &SparseGrid<f32>,
    velocity: &SparseGrid<Vec3>,
    tiles: &[IVec3],
    time_step: f32,
) -> SparseGrid<f32> {
    let lattice = values.lattice();
    SparseGrid::filled(lattice, values.background(), tiles.to_vec(), |tile, carried| {
        let flow = FaceBlock::new(velocity, tile);
        for (offset, value) in carried.iter_mut().enumerate() {
            let middle = lattice.position(tile * 8 + local_node(offset));
            *value = values.sample(flow.carried(middle, flow.sample(middle), -time_step));
        }
    })
}

//! From faces to particles, and along with the flow.
//!
//! A particle takes the velocity of the faces around it (PIC), adds their change to its own (FLIP:
//! Brackbill and Ruppel 1986; Zhu and Bridson 2005), or takes their velocity and how it varies (APIC: Jiang et
//! al. 2015). Then it moves along the grid's velocity by a Runge–Kutta step of third order.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::sparse_grid::SparseGrid;

use super::settings::Transfer;
use crate::mac::cell_order::CellOrder;
use crate::mac::face_block::FaceBlock;

/// What a step does to the particles of a tile, in their order.
pub struct Moved {
    pub position: Vec3,
    pub velocity: Vec3,
    pub affine: [Vec3; 3],
}

/// The flow before and after the forces and the pressure acted.
#[derive(Clone, Copy)]
pub struct Flow<'a> {
    pub before: &'a SparseGrid<Vec3>,
    pub after: &'a SparseGrid<Vec3>,
}

/// Gives particles their new velocity and moves them by a time step.
pub fn from_grid(
    flow: Flow<'_>,
    transfer: Transfer,
    time_step: f32,
    order: &CellOrder,
    particles: &super::particles::FlipParticles,
) -> Vec<Vec<Moved>> {
    (0..order.tiles().len())
        .into_par_iter()
        .map(|place| {
            let tile = order.tiles()[place];
            let after = FaceBlock::new(flow.after, tile);
            let before = transfer.needs_change().then(|| FaceBlock::new(flow.before, tile));
            let moved = |&particle: &u32| {
                let particle = particle as usize;
                let position = particles.position[particle];
                let (grid, affine) = after
                    .sample_with_gradient(position)
                    .unwrap_or((particles.velocity[particle], [Vec3::ZERO; 3]));
                let velocity = match &before {
                    None => grid,
                    Some(before) => {
                        let change = grid - before.sample(position);
                        let own = particles.velocity[particle] + change;
                        own.lerp(grid, transfer.pic_share)
                    }
                };
                let position = after.carried(position, grid, time_step);
                Moved { position, velocity, affine }
            };
            order.of_tile(place).iter().map(moved).collect()
        })
        .collect()
}

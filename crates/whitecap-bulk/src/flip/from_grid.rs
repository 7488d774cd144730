//! From faces to particles, and along with the flow.
//!
//! A particle takes the velocity of the faces around it (PIC), adds their change to its own (FLIP:
//! Brackbill and Ruppel 1986; Zhu and Bridson 2005), or takes their velocity and how it varies (APIC: Jiang et
//! al. 2015). Then it moves along the grid's velocity by a Runge–Kutta step of third order (Ralston 1962).
//!
//! # Guarantees
//! In a rigid rotation or any other velocity that is linear in space, sampling is exact to rounding.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::SparseGrid;

use super::settings::Transfer;
use crate::mac::MacLattice;
use crate::mac::cell_order::CellOrder;
use crate::mac::faces;

/// Cells around a tile that are copied with it: particles within are moved without looking tiles up.
const PADDING: usize = 4;
const EDGE: usize = 8 + 2 * PADDING;

/// The faces of a tile and of some cells around it.
pub struct FaceBlock {
    values: Vec<Vec3>,
    corner: Vec3,
    lattice: MacLattice,
}

/// The corners that a component is interpolated between, in a block.
struct Corners {
    place: usize,
    t: Vec3,
}

impl FaceBlock {
    /// The faces around a tile.
    pub fn new(velocity: &SparseGrid<Vec3>, tile: IVec3) -> Self {
        let mut values = vec![Vec3::ZERO; EDGE * EDGE * EDGE];
        velocity.neighbourhood(tile).copy_padded(PADDING, &mut values);
        let lattice = MacLattice { corners: velocity.lattice() };
        Self { values, corner: lattice.corners.position(tile * 8 - PADDING as i32), lattice }
    }

    /// Where a component is read at a position; `None` beyond the block.
    #[inline]
    fn corners(&self, position: Vec3, axis: usize) -> Option<Corners> {
        let cells = (position.as_dvec3() - self.corner.as_dvec3()) / f64::from(self.lattice.cell());
        let at = cells.as_vec3() - 0.5 * (Vec3::ONE - Vec3::AXES[axis]);
        let low = at.floor();
        let is_inside = low.min_element() >= 0.0 && low.max_element() < (EDGE - 1) as f32;
        is_inside.then(|| Corners {
            place: low.x as usize + EDGE * (low.y as usize + EDGE * low.z as usize),
            t: at - low,
        })
    }

    #[inline]
    fn component(&self, corners: &Corners, axis: usize) -> f32 {
        faces::trilinear(self.values_at(corners, axis), corners.t)
    }

    #[inline]
    fn values_at(&self, corners: &Corners, axis: usize) -> [f32; 8] {
        std::array::from_fn(|corner| {
            let step = (corner & 1) + EDGE * ((corner >> 1 & 1) + EDGE * (corner >> 2));
            self.values[corners.place + step][axis]
        })
    }

    /// Velocity at a position; `None` beyond the block.
    #[inline]
    pub fn sample(&self, position: Vec3) -> Option<Vec3> {
        let mut velocity = Vec3::ZERO;
        for axis in 0..3 {
            let corners = self.corners(position, axis)?;
            velocity[axis] = self.component(&corners, axis);
        }
        Some(velocity)
    }

    /// Velocity at a position and the gradient of each component, in 1/s.
    #[inline]
    fn sample_with_gradient(&self, position: Vec3) -> Option<(Vec3, [Vec3; 3])> {
        let mut velocity = Vec3::ZERO;
        let mut gradients = [Vec3::ZERO; 3];
        for axis in 0..3 {
            let corners = self.corners(position, axis)?;
            let values = self.values_at(&corners, axis);
            velocity[axis] = faces::trilinear(values, corners.t);
            gradients[axis] = gradient(values, corners.t) / self.lattice.cell();
        }
        Some((velocity, gradients))
    }
}

/// How the value between eight corners changes along each axis, per cell.
#[inline]
fn gradient(v: [f32; 8], t: Vec3) -> Vec3 {
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let bilinear =
        |a: f32, b: f32, c: f32, d: f32, s: f32, t: f32| mix(mix(a, b, s), mix(c, d, s), t);
    Vec3::new(
        bilinear(v[1] - v[0], v[3] - v[2], v[5] - v[4], v[7] - v[6], t.y, t.z),
        bilinear(v[2] - v[0], v[3] - v[1], v[6] - v[4], v[7] - v[5], t.x, t.z),
        bilinear(v[4] - v[0], v[5] - v[1], v[6] - v[2], v[7] - v[3], t.x, t.y),
    )
}

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
                        let change = grid - before.sample(position).unwrap_or(grid);
                        let own = particles.velocity[particle] + change;
                        own.lerp(grid, transfer.pic_share)
                    }
                };
                let position = advected(flow.after, &after, position, grid, time_step);
                Moved { position, velocity, affine }
            };
            order.of_tile(place).iter().map(moved).collect()
        })
        .collect()
}

/// Where the flow carries a point in a time step: Ralston's third-order step.
fn advected(
    velocity: &SparseGrid<Vec3>,
    block: &FaceBlock,
    position: Vec3,
    first: Vec3,
    time_step: f32,
) -> Vec3 {
    let at = |position: Vec3| {
        block.sample(position).unwrap_or_else(|| faces::sample(velocity, position))
    };
    let second = at(position + 0.5 * time_step * first);
    let third = at(position + 0.75 * time_step * second);
    position + time_step / 9.0 * (2.0 * first + 3.0 * second + 4.0 * third)
}

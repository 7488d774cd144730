//! From faces to particles, and along with the flow.
//!
//! A particle takes the velocity of the faces around it (PIC), adds their change to its own (FLIP:
//! Brackbill and Ruppel 1986; Zhu and Bridson 2005), or takes their velocity and how it varies (APIC: Jiang et
//! al. 2015). Then it moves along the grid's velocity by a Runge–Kutta step of third order.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::scatter;
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile};
use whitecap_scene::body::Contact;

use super::apart::Crowd;
use super::particles::FlipParticles;
use super::settings::Transfer;
use crate::mac::cell_order::CellOrder;
use crate::mac::face_block::FaceBlock;
use crate::mac::solids::{NEAR, Obstacles, SolidFaces, tile_bounds};
use crate::mac::{MacLattice, step_around};
use crate::surroundings::Surroundings;

/// How far a particle in a cell is from its eight corners in the mean, at most, in cells: the distance of a cell from
/// solids is the mean of theirs.
const FROM_CORNERS: f32 = 1.1227;
/// Particles in a cell that are too many.
const CROWD: f32 = 13.0;
/// How far they are scattered at most, in spacings.
const LARGEST_SCATTERING: f32 = 0.5;

/// The flow before and after the forces and the pressure acted.
#[derive(Clone, Copy)]
pub struct Flow<'a> {
    pub before: Option<&'a SparseGrid<Vec3>>,
    pub after: &'a SparseGrid<Vec3>,
    /// Where particles are moved besides, in m.
    pub spread: Option<&'a SparseGrid<Vec3>>,
}

/// What particles must not enter.
#[derive(Clone, Copy)]
pub struct Solids<'a> {
    pub before: &'a Surroundings,
    pub after: &'a Surroundings,
    pub faces: &'a SolidFaces,
    pub contact: Contact,
}

/// Particles after a time step, in the order of the cells that they were in: with their new velocity, moved
/// along, and outside of everything solid.
pub fn from_grid(
    flow: Flow<'_>,
    solids: Solids<'_>,
    transfer: Transfer,
    time_step: f32,
    order: &CellOrder,
    particles: &FlipParticles,
) -> FlipParticles {
    let count = particles.len();
    let mut moved = FlipParticles {
        position: vec![Vec3::ZERO; count],
        velocity: vec![Vec3::ZERO; count],
        affine: vec![[Vec3::ZERO; 3]; if transfer.is_affine() { count } else { 0 }],
        id: picked(&particles.id, order),
        viscosity: picked(&particles.viscosity, order),
        acceleration: picked(&particles.acceleration, order),
    };
    let mut affine: Vec<&mut [[Vec3; 3]]> = match transfer.is_affine() {
        true => order.split(&mut moved.affine),
        false => order.tiles().iter().map(|_| &mut [][..]).collect(),
    };
    let columns = (order.split(&mut moved.position), order.split(&mut moved.velocity));
    let tiles = columns.0.into_par_iter().zip(columns.1).zip(&mut affine).enumerate();
    tiles.for_each(|(place, ((positions, velocities), affine))| {
        let tile = TileFlow::new(flow, solids, transfer, order.tiles()[place]);
        let lattice = MacLattice { corners: flow.after.lattice() };
        let crowd = Crowd::new(lattice, order.tiles()[place], order, &particles.position);
        let mut slot = 0;
        for offset in 0..TILE_NODES {
            let (cell, room) = (order.of_cell(place, offset), tile.room(offset));
            let scattering = scattering(cell.len()) * 0.5 * lattice.cell();
            for &particle in cell {
                let particle = particle as usize;
                let (from, own) = (particles.position[particle], particles.velocity[particle]);
                let (grid, slopes) = tile.sample(from, own);
                let mut shift = tile.spread(from) + crowd.push(from);
                if scattering > 0.0 {
                    shift += scattering * random_step(particles.id[particle], from);
                }
                let to = tile.after.carried(from, grid, time_step) + shift;
                // What is shifted takes the velocity of its new place.
                let velocity = tile.velocity(from, own, grid)
                    + Vec3::from_array(slopes.map(|row| row.dot(shift)));
                (positions[slot], velocities[slot]) =
                    tile.outside_of_solids(from, to, velocity, room);
                if let Some(affine) = affine.get_mut(slot) {
                    *affine = slopes;
                }
                slot += 1;
            }
        }
    });
    moved
}

/// A column in the order of the cells; an empty one stays empty.
fn picked<T: Copy + Send + Sync>(column: &[T], order: &CellOrder) -> Vec<T> {
    if column.is_empty() {
        return Vec::new();
    }
    order.order().par_iter().map(|&place| column[place as usize]).collect()
}

/// How far particles of a cell are scattered if they are too many, in spacings: those at one point would stay
/// together for ever.
fn scattering(count: usize) -> f32 {
    (LARGEST_SCATTERING * (count as f32 / CROWD - 1.0)).clamp(0.0, LARGEST_SCATTERING)
}

/// A direction that looks random, from where a particle is and which.
fn random_step(id: i64, position: Vec3) -> Vec3 {
    let seed =
        (id as u64) ^ (u64::from(position.x.to_bits()) << 20) ^ u64::from(position.y.to_bits());
    Vec3::from_array(std::array::from_fn(|axis| {
        2.0 * scatter::fraction(seed.wrapping_mul(3).wrapping_add(axis as u64)) - 1.0
    }))
}

/// What the particles of a tile need to know.
struct TileFlow<'a> {
    after: FaceBlock<'a>,
    before: Option<FaceBlock<'a>>,
    spread: Option<FaceBlock<'a>>,
    pic_share: f32,
    solids: Solids<'a>,
    /// Distance of cells from solids, if those near the tile are at rest.
    distance: Option<&'a Tile<f32>>,
    cell: f32,
    is_near_solids: bool,
}

impl<'a> TileFlow<'a> {
    fn new(flow: Flow<'a>, solids: Solids<'a>, transfer: Transfer, tile: IVec3) -> Self {
        let around = solids.faces.distance.neighbourhood(tile);
        let lattice = MacLattice { corners: flow.after.lattice() };
        let bounds = tile_bounds(lattice, tile).grown(solids.contact.reach);
        let distance = around.center().filter(|_| !solids.after.may_move(&bounds));
        let is_dense =
            |slot: usize| around.tile(step_around(slot)).is_some_and(|tile| tile.dense().is_some());
        Self {
            after: FaceBlock::new(flow.after, tile),
            before: flow.before.map(|before| FaceBlock::new(before, tile)),
            spread: flow.spread.map(|spread| FaceBlock::new(spread, tile)),
            pic_share: transfer.pic_share,
            solids,
            distance,
            cell: lattice.cell(),
            is_near_solids: (0..27).any(is_dense),
        }
    }

    /// The grid's velocity at a particle, and how it varies.
    #[inline]
    fn sample(&self, position: Vec3, own: Vec3) -> (Vec3, [Vec3; 3]) {
        self.after.sample_with_gradient(position).unwrap_or((own, [Vec3::ZERO; 3]))
    }

    #[inline]
    fn spread(&self, position: Vec3) -> Vec3 {
        self.spread.as_ref().map_or(Vec3::ZERO, |spread| spread.sample(position))
    }

    /// The particle's velocity after the step: that of the grid, or with its own share of FLIP.
    #[inline]
    fn velocity(&self, position: Vec3, own: Vec3, grid: Vec3) -> Vec3 {
        let Some(before) = &self.before else { return grid };
        (own + grid - before.sample(position)).lerp(grid, self.pic_share)
    }

    /// How far particles of a cell may move without coming near a solid, in m: the distance from it changes by no
    /// more than they move.
    fn room(&self, offset: usize) -> f32 {
        let Some(distance) = self.distance else { return 0.0 };
        // Where it is not known, every corner of every cell is farther away than `NEAR`.
        let known = distance.at(offset);
        let known = if known.is_finite() { known } else { NEAR * self.cell };
        let to_solids = known - FROM_CORNERS * self.cell - self.solids.contact.margin;
        if self.is_near_solids { to_solids } else { to_solids.max(8.0 * self.cell) }
    }

    #[inline]
    fn outside_of_solids(&self, from: Vec3, to: Vec3, velocity: Vec3, room: f32) -> (Vec3, Vec3) {
        if from.distance_squared(to) < room * room && room > 0.0 {
            return (to, velocity);
        }
        let Solids { before, after, contact, .. } = &self.solids;
        after.collide(before, from, to, velocity, contact)
    }
}

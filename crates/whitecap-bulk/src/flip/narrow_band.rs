//! The narrow band: particles near the surface only, and a velocity on the grid in the core below (Ferstl, Ando,
//! Wojtan, Westermann and Thuerey 2016, "Narrow Band FLIP for Liquid Simulations").
//!
//! Cells of the core (`core_cells`) are full of liquid and have no particles. In a step:
//! 1. The skin of the core is filled with particles (`core_particles`).
//! 2. Faces between core cells take the velocity of the step before, carried along by MacCormack's method; all
//!    others take that of the particles (section 4, Eq. 4, with the depth at which the two meet at the core's
//!    border).
//! 3. After particles have moved, those in the core are dropped, and the core is found anew: particles of cells that
//!    join it are dropped too, and cells that leave it get eight each.
//!
//! # Guarantees
//! * A ledger: particles, eight for each core cell (fewer where a solid cuts it) and a surplus, which is what the
//!   core has taken in beyond that, sum to the same number for ever, but for emitters and kill volumes. The
//!   density correction (`spreading`) lets the surplus out again.
//! * Nothing of this depends on the number of threads, and all of it is saved.
//!
//! # Non-guarantees
//! * A particle that sinks into the core is forgotten: identities last only within the band. Viscosities that
//!   particles have of their own are lost with them.
//! * In still water a few particles at the border of the core are exchanged in every step.
//! * The level set of the paper is not carried: cells of the core know that they are inside, and that is all that
//!   is asked of them.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};
use whitecap_core::{CoordinateIndex, reduce};
use whitecap_scene::emitter::Emitter;
use whitecap_scene::kill::KillVolume;

use super::core_cells::CoreRules;
use super::liquid::{FlipLiquid, LAYERS, dilated};
use super::to_grid::to_grid;
use crate::mac::MacLattice;
use crate::mac::advection::carry_faces_sharply;
use crate::mac::cell_order::CellOrder;
use crate::mac::extrapolation::{KnownFaces, extrapolate};
use crate::mac::solids::{Obstacles, SolidFaces, tile_bounds};
use crate::surroundings::Surroundings;

/// Particles' worth of liquid in a cell.
const PER_CELL: f64 = 8.0;
/// A surplus below this share of the core is left alone.
const NEGLIGIBLE: f64 = 2e-4;
/// The largest share that one step corrects.
const LARGEST_SHARE: f64 = 0.05;

/// The core of a liquid, between steps.
#[derive(Clone, Debug)]
pub(super) struct Band {
    /// Not 0 in the cells of the core: how many cells from the band they are, up to some.
    pub(super) core: SparseGrid<u8>,
    /// Velocity after the last step on the faces of the core and around it, in m/s.
    pub(super) velocity: SparseGrid<Vec3>,
    /// Room in the core, in cells.
    pub(super) room: f64,
    /// What the core has taken in beyond its room, in particles.
    pub(super) surplus: f64,
    /// Tiles that ever had core cells, in the order in which they first did: other stages know places in the core
    /// by the number of their tile.
    pub(super) numbered: Vec<IVec3>,
}

impl Band {
    /// No core.
    fn none(lattice: MacLattice) -> Self {
        let core = SparseGrid::new(lattice.centers(), 0);
        let velocity = SparseGrid::new(lattice.corners, Vec3::ZERO);
        Self { core, velocity, room: 0.0, surplus: 0.0, numbered: Vec::new() }
    }

    /// How much denser than at rest the core is, as a share to correct in a step.
    fn density_error(&self) -> f32 {
        let share = self.surplus / (PER_CELL * self.room).max(PER_CELL);
        match share.abs() < NEGLIGIBLE {
            true => 0.0,
            false => share.clamp(-LARGEST_SHARE, LARGEST_SHARE) as f32,
        }
    }
}

impl FlipLiquid {
    /// Number of cells in the core, which have no particles: 0 unless the liquid has a narrow band.
    pub fn core_cells(&self) -> usize {
        let core = self.band.iter().flat_map(|band| band.core.tiles());
        core.map(|tile| (0..TILE_NODES).filter(|&offset| tile.at(offset) > 0).count()).sum()
    }

    /// All liquid that there is, in particles: those that there are, and what the core holds.
    pub fn particles_worth(&self) -> f64 {
        let core = self.band.as_ref().map_or(0.0, |band| PER_CELL * band.room + band.surplus);
        self.particles.len() as f64 + core
    }

    /// What the core has taken in beyond its room, in particles.
    pub fn core_surplus(&self) -> f64 {
        self.band.as_ref().map_or(0.0, |band| band.surplus)
    }

    /// The particles by cells, beside the core.
    pub(super) fn cell_order(&self) -> CellOrder {
        let order = CellOrder::new(self.lattice, &self.particles.position);
        match &self.band {
            Some(band) => order.with_full_cells(band.core.clone()),
            None => order,
        }
    }

    /// How much denser than at rest the core is, as a share.
    pub(super) fn core_density_error(&self) -> f32 {
        self.band.as_ref().map_or(0.0, Band::density_error)
    }

    /// How far below the band cells of the core know their depth, in cells.
    pub(super) fn core_layers(&self) -> usize {
        self.settings.cfl.ceil() as usize + 1
    }

    /// The largest speed in the core in m/s, by the low faces of its cells.
    pub(super) fn core_speed(&self) -> f32 {
        let Some(band) = &self.band else { return 0.0 };
        let of_tile = |place: usize| {
            let velocity = band.velocity.tile(band.core.coordinates()[place]);
            let core = &band.core.tiles()[place];
            let cells = (0..TILE_NODES).filter(|&offset| core.at(offset) > 0);
            let speed = |offset: usize| velocity.map_or(0.0, |tile| tile.at(offset).length());
            cells.map(speed).fold(0.0, f32::max)
        };
        reduce::max(band.core.tile_count(), of_tile).max(0.0)
    }

    /// Finds the core of a liquid that has none yet, if it is to have one. `obstacles` are those after the step
    /// that follows.
    pub(super) fn start_band(&mut self, obstacles: &Surroundings) {
        let is_wanted = self.settings.narrow_band.is_some() && self.band.is_none();
        if !is_wanted || self.particles.is_empty() {
            return;
        }
        let order = self.cell_order();
        let tiles = dilated(order.tiles());
        let solids = SolidFaces::new(self.lattice, &tiles, &self.surroundings);
        let (mut velocity, mut known) = to_grid(self.lattice, &tiles, &self.particles, &order);
        extrapolate(&mut velocity, &mut known, LAYERS);
        self.band = Some(Band::none(self.lattice));
        self.settle_band(&velocity, &solids, Some(obstacles));
        self.particles.shrink();
    }

    /// Gives faces between core cells the velocity that the last step's flow has carried there.
    pub(super) fn carry_core(&self, velocity: &mut SparseGrid<Vec3>, known: &mut KnownFaces) {
        let Some(Band { core, velocity: before, .. }) = &self.band else { return };
        let carried =
            carry_faces_sharply(before, before, core.coordinates(), self.last_step as f32);
        let coordinates = velocity.coordinates().to_vec();
        let tiles = velocity.tiles_mut().par_iter_mut().zip(known.tiles_mut()).zip(coordinates);
        tiles.for_each(|((values, bits), tile)| {
            let core = core.neighbourhood(tile);
            let (Some(_), Some(carried)) = (core.center(), carried.tile(tile)) else { return };
            let mut faces: Box<[Vec3; TILE_NODES]> =
                Box::new(std::array::from_fn(|i| values.at(i)));
            let mut is_known: Box<[u8; TILE_NODES]> = Box::new(std::array::from_fn(|i| bits.at(i)));
            for offset in 0..TILE_NODES {
                let cell = local_node(offset);
                let is_inside = |axis: usize| core.get(cell - IVec3::AXES[axis]) > 0;
                for axis in (0..3).filter(|&axis| core.get(cell) > 0 && is_inside(axis)) {
                    faces[offset][axis] = carried.at(offset)[axis];
                    is_known[offset] |= 1 << axis;
                }
            }
            (*values, *bits) = (Tile::Dense(faces), Tile::Dense(is_known));
        });
    }

    /// After particles have moved: exchanges them with the core and finds the core anew. `velocity` is that of the
    /// step. Solids are as they surround the liquid now, unless `obstacles` are given.
    pub(super) fn settle_band(
        &mut self,
        velocity: &SparseGrid<Vec3>,
        solids: &SolidFaces,
        obstacles: Option<&Surroundings>,
    ) {
        let Some(before) = self.band.take() else { return };
        let own = self.particles.id.par_iter().filter(|&&id| id >= 0).count();
        let total = own as f64 + PER_CELL * before.room + before.surplus;
        self.drop_particles_in(&before.core);
        let core = self.next_core(&before.core, solids, obstacles.unwrap_or(&self.surroundings));
        self.drop_particles_in(&core);
        self.keep_skin();
        let left = left_cells(&before.core, &core);
        for particle in self.made_in_cells(&left, velocity, |left, offset| left.at(offset) > 0) {
            self.particles.push(particle, self.next_id, self.settings.viscosity);
            self.next_id += 1;
        }
        let room = room_in(&core, solids);
        let surplus = total - self.particles.len() as f64 - PER_CELL * room;
        let velocity = part_of(velocity, &dilated(core.coordinates()));
        let numbered = with_new_tiles(before.numbered, core.coordinates());
        self.band = Some(Band { core, velocity, room, surplus, numbered });
    }

    fn drop_particles_in(&mut self, core: &SparseGrid<u8>) {
        let lattice = self.lattice;
        let positions = &self.particles.position;
        let stays: Vec<bool> =
            positions.par_iter().map(|&place| core.get(lattice.cell_of(place)) == 0).collect();
        self.particles.retain(|place| stays[place]);
    }

    /// Gives particles of the skin that have left the core identities of their own.
    fn keep_skin(&mut self) {
        for id in self.particles.id.iter_mut().filter(|id| **id < 0) {
            *id = self.next_id;
            self.next_id += 1;
        }
    }

    /// The core that the particles leave room for.
    fn next_core(
        &self,
        before: &SparseGrid<u8>,
        solids: &SolidFaces,
        obstacles: &Surroundings,
    ) -> SparseGrid<u8> {
        let order = CellOrder::new(self.lattice, &self.particles.position);
        let rules = CoreRules {
            band: self.settings.narrow_band.unwrap_or_default().ceil() as usize,
            layers: self.core_layers(),
            order: &order.with_full_cells(before.clone()),
            solids,
        };
        rules.core(|tile| self.needs_particles(tile, obstacles))
    }

    /// Whether a tile must not be core: solids move there, particles are removed, or an emitter has its mouth there.
    fn needs_particles(&self, tile: IVec3, obstacles: &Surroundings) -> bool {
        let bounds = tile_bounds(self.lattice, tile);
        let has_mouth =
            |emitter: &Emitter| emitter.opening().iter().any(|(point, _)| bounds.contains(*point));
        obstacles.may_move(&bounds)
            || self.settings.kill.iter().any(|volume| self.may_kill(volume, tile, obstacles))
            || self.emitters.iter().any(has_mouth)
    }

    /// Whether a volume may remove particles of a tile.
    fn may_kill(&self, volume: &KillVolume, tile: IVec3, obstacles: &Surroundings) -> bool {
        if !volume.may_reach(&tile_bounds(self.lattice, tile)) {
            return false;
        }
        // Tiles beside a wall end beyond it; what a volume removes there is not liquid.
        let is_outside = matches!(volume, KillVolume::OutsideBox(_));
        let is_killed = |offset: usize| {
            let mut places = self.rest_places(tile * 8 + local_node(offset)).into_iter();
            places.any(|place| volume.removes(place) && obstacles.distance(place) > 0.0)
        };
        !is_outside || (0..TILE_NODES).any(is_killed)
    }
}

/// 1 in the cells of a core that are not in the next.
fn left_cells(before: &SparseGrid<u8>, next: &SparseGrid<u8>) -> SparseGrid<u8> {
    before.map_tiles(0, |tile, before| {
        let before = before.center().expect("tiles of the grid itself");
        let next = next.tile(tile);
        let is_left = |i: usize| before.at(i) > 0 && next.is_none_or(|next| next.at(i) == 0);
        match (0..TILE_NODES).any(is_left) {
            true => Tile::Dense(Box::new(std::array::from_fn(|i| u8::from(is_left(i))))),
            false => Tile::Constant(0),
        }
    })
}

/// A list of tiles with those at its end that were not in it.
fn with_new_tiles(mut listed: Vec<IVec3>, tiles: &[IVec3]) -> Vec<IVec3> {
    let index = CoordinateIndex::build(&listed);
    listed.extend(tiles.iter().filter(|&&tile| index.get(tile).is_none()));
    listed
}

/// Room in the cells of a core, in cells.
fn room_in(core: &SparseGrid<u8>, solids: &SolidFaces) -> f64 {
    reduce::sum(core.tile_count(), |place| {
        let (cells, open) = (&core.tiles()[place], solids.volumes.tile(core.coordinates()[place]));
        let inside = (0..TILE_NODES).filter(|&offset| cells.at(offset) > 0);
        inside.map(|offset| open.map_or(1.0, |open| f64::from(open.at(offset)))).sum()
    })
}

/// The tiles of a grid that are wanted.
fn part_of(grid: &SparseGrid<Vec3>, wanted: &[IVec3]) -> SparseGrid<Vec3> {
    let tiles = wanted.iter().filter_map(|&tile| Some((tile, grid.tile(tile)?.clone())));
    let part = SparseGrid::from_tiles(grid.lattice(), grid.background(), tiles.collect());
    part.expect("wanted tiles are distinct")
}

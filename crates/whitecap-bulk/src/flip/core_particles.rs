//! Particles that the core of a liquid with a narrow band gives: those that are made where cells leave the core,
//! those of its skin, and those that other stages see.
//!
//! Liquid flows out of the core as well as into it. So in every step the cells of the core that the band could
//! reach, its skin, are filled with particles, as if there had been some all along. They move with the others;
//! afterwards those that are in the core are dropped, and those that have left it stay.
//!
//! # Guarantees
//! * Particles of the skin are spread evenly at random, anew in every step: what leaves the core is, in the mean,
//!   what the flow carries out, however slow it is.
//! * The numbers drawn depend on the cell and the time alone.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};
use whitecap_core::{CoordinateIndex, scatter};

use super::liquid::FlipLiquid;
use super::particles::OneParticle;
use crate::mac::face_block::FaceBlock;
use crate::mac::faces::{self, corner_step};
use crate::mac::solids::Obstacles;

/// Places of particles in a cell.
const PLACES: usize = 8;
/// From the middle of a tile to its corners, in cells.
const HALF_DIAGONAL: f32 = 7.0;
/// Particles are made at least this far inside their part of the cell, as a share of it.
const INSET: f32 = 1e-3;

impl FlipLiquid {
    /// Adds the particles of the skin that could leave the core in a time step in s; they have negative
    /// identities.
    pub(super) fn add_skin(&mut self, time_step: f32) {
        let Some(band) = &self.band else { return };
        let speed = self.core_speed() + self.largest_acceleration() * time_step;
        let reach = speed * time_step / self.settings.cell();
        let layers = (reach.ceil() + 1.0).min(self.core_layers() as f32) as u8;
        let is_skin = |core: &Tile<u8>, offset: usize| (1..=layers).contains(&core.at(offset));
        let skin = self.made_in_cells(&band.core, &band.velocity, is_skin);
        for (particle, id) in skin.into_iter().zip((i64::MIN..0).rev()) {
            self.particles.push(particle, id, self.settings.viscosity);
        }
    }

    /// Removes the particles of the skin.
    pub(super) fn drop_skin(&mut self) {
        let ids = self.particles.id.clone();
        self.particles.retain(|place| ids[place] >= 0);
    }

    /// Eight particles in each cell of the tiles of `core` that is chosen, less those in solids. Their velocity
    /// is the one that the flow of the last step has carried there.
    pub(super) fn made_in_cells(
        &self,
        core: &SparseGrid<u8>,
        velocity: &SparseGrid<Vec3>,
        is_chosen: impl Fn(&Tile<u8>, usize) -> bool + Sync,
    ) -> Vec<OneParticle> {
        let of_tile = |(&tile, cells): (&IVec3, &Tile<u8>)| {
            let chosen = (0..TILE_NODES).filter(|&offset| is_chosen(cells, offset));
            let chosen: Vec<IVec3> = chosen.map(|offset| tile * 8 + local_node(offset)).collect();
            if chosen.is_empty() {
                return Vec::new();
            }
            let flow = FaceBlock::new(velocity, tile);
            let places = chosen.iter().flat_map(|&cell| self.scattered_places(cell));
            let made = self.outside_of_solids(tile, places);
            made.map(|place| self.carried_to(place, &flow, velocity)).collect()
        };
        let tiles = core.coordinates().par_iter().zip(core.tiles());
        tiles.map(of_tile).collect::<Vec<Vec<OneParticle>>>().concat()
    }

    /// The places at rest of the particles in the core, as if it had some, each with an identity: negative, and
    /// always the same for the same place. They are small numbers, as some file formats hold only those.
    pub(super) fn core_places(&self) -> Vec<(Vec3, i64)> {
        let Some(band) = &self.band else { return Vec::new() };
        let numbers = CoordinateIndex::build(&band.numbered);
        let of_tile = |(&tile, cells): (&IVec3, &Tile<u8>)| {
            let number = numbers.get(tile).expect("every tile with core has a number");
            let is_free = self.is_free_in(tile);
            let mut places = Vec::new();
            for offset in (0..TILE_NODES).filter(|&offset| cells.at(offset) > 0) {
                let first = PLACES * (offset + TILE_NODES * number);
                let numbered = self.rest_places(tile * 8 + local_node(offset)).into_iter();
                let numbered = numbered.zip(first as i64..).filter(|(place, _)| is_free(*place));
                places.extend(numbered.map(|(place, number)| (place, -1 - number)));
            }
            places
        };
        let tiles = band.core.coordinates().par_iter().zip(band.core.tiles());
        tiles.map(of_tile).collect::<Vec<Vec<(Vec3, i64)>>>().concat()
    }

    /// The middles of the eighths of a cell.
    pub(super) fn rest_places(&self, cell: IVec3) -> [Vec3; PLACES] {
        let corners = self.lattice.corners;
        std::array::from_fn(|place| {
            let local = 0.25 + 0.5 * corner_step(place).as_vec3();
            corners.position(cell) + local * corners.cell
        })
    }

    /// A random place in each eighth of a cell.
    fn scattered_places(&self, cell: IVec3) -> [Vec3; PLACES] {
        let corners = self.lattice.corners;
        let [x, y, z] = cell.to_array().map(|along| along as u64);
        let of_cell = scatter::mix(scatter::mix(scatter::mix(x) ^ y) ^ z);
        let seed = scatter::mix(of_cell ^ self.time.to_bits());
        std::array::from_fn(|place| {
            let random = |axis: u64| {
                let draw = seed.wrapping_add(3 * place as u64 + axis);
                scatter::fraction(draw).clamp(INSET, 1.0 - INSET)
            };
            let within = Vec3::new(random(0), random(1), random(2));
            let local = 0.5 * (corner_step(place).as_vec3() + within);
            corners.position(cell) + local * corners.cell
        })
    }

    /// The places that are not in a solid, all of one tile.
    fn outside_of_solids<'a>(
        &'a self,
        tile: IVec3,
        places: impl Iterator<Item = Vec3> + 'a,
    ) -> impl Iterator<Item = Vec3> + 'a {
        let is_free = self.is_free_in(tile);
        places.filter(move |&place| is_free(place))
    }

    /// Whether a place in a tile is not in a solid; solids are asked only if one is near.
    fn is_free_in(&self, tile: IVec3) -> impl Fn(Vec3) -> bool + '_ {
        let middle = self.lattice.corners.position(tile * 8 + 4);
        let is_near = self.surroundings.distance(middle) < HALF_DIAGONAL * self.lattice.cell();
        move |place| !is_near || self.surroundings.distance(place) > 0.0
    }

    /// A particle at a place, with the velocity that the flow of the last step has carried there.
    fn carried_to(
        &self,
        position: Vec3,
        flow: &FaceBlock<'_>,
        velocity: &SparseGrid<Vec3>,
    ) -> OneParticle {
        let from = flow.carried(position, flow.sample(position), -self.last_step as f32);
        let (velocity, slopes) = flow
            .sample_with_gradient(from)
            .unwrap_or_else(|| (faces::sample(velocity, from), [Vec3::ZERO; 3]));
        let affine = self.settings.transfer().is_affine().then_some(slopes);
        OneParticle { position, velocity, affine }
    }
}

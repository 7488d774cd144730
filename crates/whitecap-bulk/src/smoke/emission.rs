//! What sources put into the air in a step.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};

use super::source::{Cover, Source};
use crate::mac::MacLattice;
use crate::mac::solids::SolidFaces;
use crate::mac::transport::CellBox;

/// A source at work.
pub(super) struct Emission<'a> {
    /// Its number.
    pub(super) number: usize,
    pub(super) source: &'a Source,
    /// How much of each cell it covers.
    pub(super) cover: SparseGrid<Cover>,
}

/// Where and when sources are at work.
pub(super) struct Place<'a> {
    pub(super) lattice: MacLattice,
    pub(super) room: CellBox,
    pub(super) solids: &'a SolidFaces,
    /// Time in s.
    pub(super) time: f64,
    /// Length of the step in s.
    pub(super) time_step: f32,
}

/// What was added to a tile.
#[derive(Clone, Copy, Default)]
struct Added {
    /// Sum of the density over cells.
    density: f64,
    /// Whether any cell of the source is free.
    is_free: bool,
}

impl Emission<'_> {
    /// Adds density and warmth. Returns how much density, as a sum over cells, and whether
    /// any cell of the source is free.
    pub(super) fn emit(
        &self,
        density: &mut SparseGrid<f32>,
        temperature: &mut SparseGrid<f32>,
        place: &Place<'_>,
    ) -> (f64, bool) {
        let coordinates = density.coordinates().to_vec();
        let tiles = density.tiles_mut().par_iter_mut().zip(temperature.tiles_mut());
        let added: Vec<Added> = tiles
            .zip(coordinates)
            .map(|((density, temperature), tile)| match self.cover.tile(tile) {
                Some(cover) => {
                    let (density, temperature) = (dense(density), dense(temperature));
                    self.emit_in_tile(tile, cover, density, temperature, place)
                }
                None => Added::default(),
            })
            .collect();
        let sum = added.iter().map(|added| added.density).sum();
        (sum, added.iter().any(|added| added.is_free))
    }

    fn emit_in_tile(
        &self,
        tile: IVec3,
        cover: &Tile<Cover>,
        density: &mut [f32; TILE_NODES],
        temperature: &mut [f32; TILE_NODES],
        place: &Place<'_>,
    ) -> Added {
        let settings = &self.source.settings;
        let clearance = place.solids.distance.tile(tile);
        let mut added = Added::default();
        for offset in 0..TILE_NODES {
            let share = cover.at(offset).share;
            let cell = tile * 8 + local_node(offset);
            let is_open = clearance.is_none_or(|distance| distance.at(offset) > 0.0);
            if share <= 0.0 || !is_open || !place.room.contains(cell) {
                continue;
            }
            added.is_free = true;
            let position = place.lattice.centers().position(cell);
            let factor = settings.noise.map_or(1.0, |noise| noise.factor(position, place.time));
            let before = density[offset];
            density[offset] += share * factor * settings.rate * place.time_step;
            added.density += f64::from(density[offset]) - f64::from(before);
            let wanted = factor * settings.temperature;
            temperature[offset] += share.min(1.0) * (wanted - temperature[offset]);
        }
        added
    }

    /// Holds the faces in the source at its velocity, and stirs them.
    pub(super) fn impel(&self, velocity: &mut SparseGrid<Vec3>, place: &Place<'_>) {
        let coordinates = velocity.coordinates().to_vec();
        velocity.tiles_mut().par_iter_mut().zip(coordinates).for_each(|(values, tile)| {
            let cover = self.cover.neighbourhood(tile);
            let is_near = cover.center().is_some()
                || IVec3::AXES.iter().any(|&axis| cover.tile(-axis).is_some());
            let Tile::Dense(values) = values else { return };
            if !is_near {
                return;
            }
            for (offset, value) in values.iter_mut().enumerate() {
                let cell = local_node(offset);
                for axis in 0..3 {
                    let beside = [cover.get(cell - IVec3::AXES[axis]), cover.get(cell)];
                    let face = place.lattice.face_centers(axis).position(tile * 8 + cell);
                    self.impel_face(value, axis, beside, face, place);
                }
            }
        });
    }

    fn impel_face(
        &self,
        value: &mut Vec3,
        axis: usize,
        beside: [Cover; 2],
        face: Vec3,
        place: &Place<'_>,
    ) {
        let settings = &self.source.settings;
        let share = (0.5 * (beside[0].share + beside[1].share)).min(1.0);
        let fuller = if beside[0].share > beside[1].share { beside[0] } else { beside[1] };
        let given = settings.velocity.map(Vec3::from).or(fuller.velocity);
        if share <= 0.0 {
            return;
        }
        if let Some(given) = given {
            value[axis] += share * (given[axis] - value[axis]);
        }
        if let Some(noise) = settings.noise.filter(|noise| noise.swirl > 0.0) {
            let gained = place.time_step / noise.period;
            value[axis] += share * gained * noise.swirl_along(axis, face, place.time);
        }
    }
}

/// The values of a tile one by one.
fn dense(tile: &mut Tile<f32>) -> &mut [f32; TILE_NODES] {
    if let Tile::Constant(value) = tile {
        *tile = Tile::Dense(Box::new([*value; TILE_NODES]));
    }
    match tile {
        Tile::Dense(values) => values,
        Tile::Constant(_) => unreachable!("it has just been made dense"),
    }
}

//! What accelerates air: buoyancy, vorticity confinement, and fields from outside.
//!
//! Buoyancy is Boussinesq's: air that is warmer than that around it by ΔT and holds a density d of smoke weighs
//! ρ = ρ₀ (1 − ΔT / T₀ + heaviness · d), so that it is accelerated by −g (ΔT / T₀ − heaviness · d).

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{Neighbourhood, SparseGrid, TILE_NODES, Tile, local_node};
use whitecap_scene::force_field::ForceField;

use super::settings::SmokeSettings;
use crate::mac::MacLattice;
use crate::mac::faces::acceleration_of_faces;

/// Edge of a tile with one layer of cells around it, and the distance to the cells below there.
const PADDED: usize = 10;
const BELOW: [usize; 3] = [1, PADDED, PADDED * PADDED];

/// What acts on the cells.
pub(super) struct Forces<'a> {
    pub(super) settings: &'a SmokeSettings,
    pub(super) density: &'a SparseGrid<f32>,
    pub(super) temperature: &'a SparseGrid<f32>,
    /// Acceleration by vorticity confinement, if there is any.
    pub(super) confinement: Option<&'a SparseGrid<Vec3>>,
    /// Time in s.
    pub(super) time: f64,
}

impl Forces<'_> {
    /// Accelerates every face for a time step.
    pub(super) fn act(&self, velocity: &mut SparseGrid<Vec3>, time_step: f32) {
        let lattice = MacLattice { corners: velocity.lattice() };
        let coordinates = velocity.coordinates().to_vec();
        velocity.tiles_mut().par_iter_mut().zip(coordinates).for_each(|(values, tile)| {
            let Tile::Dense(values) = values else { return };
            if let Some(accelerations) = self.of_cells(tile) {
                add_to_faces(values, &accelerations, time_step);
            }
            if !self.settings.forces.is_empty() {
                add_fields(values, &self.settings.forces, lattice, tile, (time_step, self.time));
            }
        });
    }

    /// Accelerations at the middles of the cells of a tile and of those around it; `None` if there are none.
    fn of_cells(&self, tile: IVec3) -> Option<Vec<Vec3>> {
        let density = self.density.neighbourhood(tile);
        let temperature = self.temperature.neighbourhood(tile);
        let confinement = self.confinement.map(|grid| grid.neighbourhood(tile));
        if is_zero(&density, 0.0)
            && is_zero(&temperature, 0.0)
            && confinement.as_ref().is_none_or(|around| is_zero(around, Vec3::ZERO))
        {
            return None;
        }
        let mut accelerations = vec![Vec3::ZERO; PADDED * PADDED * PADDED];
        if let Some(confinement) = confinement {
            confinement.copy_padded(1, &mut accelerations);
        }
        let mut densities = [0.0; PADDED * PADDED * PADDED];
        density.copy_padded(1, &mut densities);
        let mut temperatures = [0.0; PADDED * PADDED * PADDED];
        temperature.copy_padded(1, &mut temperatures);
        let gravity = Vec3::from(self.settings.gravity);
        let (warmth, weight) = (self.settings.ambient_temperature.recip(), self.settings.heaviness);
        for ((acceleration, density), temperature) in
            accelerations.iter_mut().zip(densities).zip(temperatures)
        {
            *acceleration += gravity * (weight * density - warmth * temperature);
        }
        Some(accelerations)
    }
}

/// Whether no tile around holds anything else than zeros in one piece.
fn is_zero<T: Copy + PartialEq>(around: &Neighbourhood<'_, T>, zero: T) -> bool {
    (0..27).all(|slot| match around.tile(crate::mac::step_around(slot)) {
        None => true,
        Some(Tile::Constant(value)) => *value == zero,
        Some(Tile::Dense(_)) => false,
    })
}

/// A face gets the mean of the two cells beside it.
fn add_to_faces(values: &mut [Vec3; TILE_NODES], accelerations: &[Vec3], time_step: f32) {
    for (offset, value) in values.iter_mut().enumerate() {
        let cell = local_node(offset) + 1;
        let place = cell.x as usize + PADDED * (cell.y as usize + PADDED * cell.z as usize);
        for axis in 0..3 {
            let mean = accelerations[place][axis] + accelerations[place - BELOW[axis]][axis];
            value[axis] += 0.5 * time_step * mean;
        }
    }
}

fn add_fields(
    values: &mut [Vec3; TILE_NODES],
    fields: &[ForceField],
    lattice: MacLattice,
    tile: IVec3,
    (time_step, time): (f32, f64),
) {
    for (offset, value) in values.iter_mut().enumerate() {
        let cell = tile * 8 + local_node(offset);
        *value += time_step * acceleration_of_faces(fields, lattice, cell, *value, time);
    }
}

//! Volume that particles have lost or gained: where they are too dense or too sparse inside the liquid, they
//! are moved apart or together.
//!
//! Velocity on the grid is free of divergence, but particles follow it in steps of finite length and drift
//! together and apart. Left alone, a sloshing tank loses all its volume. As in the implicit density projection
//! of Kugelstadt, Longva, Thuerey and Bender (2019), a second Poisson equation, with the matrix of the pressure,
//! gives the least displacement that corrects the density. Velocities are left alone, so that no energy
//! appears.
//!
//! # Guarantees
//! Where particles are too sparse, only cells that are surrounded by liquid on all sides are corrected: the
//! free surface is not pulled in.
//!
//! Full cells without particles (`narrow_band`) have the density that their ledger says.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::poisson::{PoissonSolver, SolveSettings};
use whitecap_core::sparse_grid::{Neighbourhood, SparseGrid, TILE_NODES, Tile};
use whitecap_core::{Error, Watch};

use crate::mac::around::{PADDED, sum_around};
use crate::mac::cell_order::CellOrder;
use crate::mac::extrapolation::extrapolate;
use crate::mac::pressure::Equations;
use crate::mac::solids::SolidFaces;

/// Particles in a cell at rest.
const PER_CELL: f32 = 8.0;
/// Share of the error that one step corrects.
const STRENGTH: f32 = 1.0;
/// Errors below this share are those of particles in disorder, and are left alone.
const NOISE: f32 = 0.02;
/// At the surface, where nothing is too sparse, to correct every chance excess would blow the liquid up.
const NOISE_AT_SURFACE: f32 = 0.05;
/// The largest error that is believed.
const LARGEST: f32 = 1.0;
/// What the weights of the 27 cells around a cell sum to.
const WEIGHTS: f32 = 64.0;
/// Room is counted in this part of a particle.
const PARTS: f32 = 16.0;
/// Less room than this, as a share, says nothing about the density.
const LEAST_ROOM: f32 = 0.15;
/// The density need not be exact.
const TOLERANCE: f64 = 0.02;
/// Faces beyond the liquid that get a displacement.
const LAYERS: usize = 2;

/// How far particles are to move in this step, in m; `None` where the density is right everywhere. Full cells
/// without particles are denser than at rest by the share `surplus`.
pub fn spreading(
    equations: &Equations<'_>,
    solver: &mut PoissonSolver<'_>,
    liquid: &SparseGrid<f32>,
    order: &CellOrder,
    surplus: f32,
    solids: &SolidFaces,
    watch: &dyn Watch,
) -> Result<Option<SparseGrid<Vec3>>, Error> {
    let excess = excess(liquid, order, surplus, solids);
    if excess.tiles().iter().all(|tile| tile.dense().is_none()) {
        return Ok(None);
    }
    let settings = SolveSettings { tolerance: TOLERANCE, ..SolveSettings::default() };
    let (mut spread, mut known) = equations.displacement(solver, &excess, &settings, watch)?;
    extrapolate(&mut spread, &mut known, LAYERS);
    Ok(Some(spread))
}

/// How much denser than at rest wet cells are, as the share to correct in this step.
fn excess(
    liquid: &SparseGrid<f32>,
    order: &CellOrder,
    surplus: f32,
    solids: &SolidFaces,
) -> SparseGrid<f32> {
    let counts = order.counts();
    let nothing_full = SparseGrid::new(counts.lattice(), 0);
    let full = order.full_cells().unwrap_or(&nothing_full);
    liquid.map_tiles(0.0, |tile, liquid| {
        let is_wet = |offset: usize| liquid.center().is_some_and(|tile| tile.at(offset) < 0.0);
        if !(0..TILE_NODES).any(is_wet) {
            return Tile::Constant(0.0);
        }
        let full = full.neighbourhood(tile);
        if let (Some(Tile::Constant(1..)), true) = (full.center(), surplus == 0.0) {
            return Tile::Constant(0.0);
        }
        let around = Densities::new(liquid, &counts.neighbourhood(tile), &full, solids, tile);
        let is_full = |offset: usize| full.center().is_some_and(|full| full.at(offset) > 0);
        let wanted = |offset: usize| match (is_wet(offset), is_full(offset)) {
            (false, _) => 0.0,
            (true, true) => surplus,
            (true, false) => around.error(offset),
        };
        let wanted: [f32; TILE_NODES] = std::array::from_fn(wanted);
        match wanted.iter().all(|&error| error == 0.0) {
            true => Tile::Constant(0.0),
            false => Tile::Dense(Box::new(wanted.map(|error| STRENGTH * error))),
        }
    })
}

/// Particles around each cell of a tile, and how many there is room for; nearer cells count more.
struct Densities {
    /// Of the 27 cells, those that are deep in the liquid or in a solid.
    deep: [u16; TILE_NODES],
    room: [u16; TILE_NODES],
    particles: [u16; TILE_NODES],
    /// Particles of the cell itself.
    own: [u16; TILE_NODES],
}

impl Densities {
    fn new(
        liquid: &Neighbourhood<'_, f32>,
        counts: &Neighbourhood<'_, u8>,
        full: &Neighbourhood<'_, u8>,
        solids: &SolidFaces,
        tile: IVec3,
    ) -> Self {
        let cell = solids.distance.lattice().cell;
        let (mut distance, mut volume) = ([0.0; PADDED], [0.0; PADDED]);
        let (mut count, mut is_full) = ([0; PADDED], [0; PADDED]);
        liquid.copy_padded(1, &mut distance);
        solids.volumes.neighbourhood(tile).copy_padded(1, &mut volume);
        counts.copy_padded(1, &mut count);
        full.copy_padded(1, &mut is_full);
        // A cell beside a half-full one at the surface is not deep.
        let is_deep = |i: usize| u16::from(distance[i] < -0.99 * cell || volume[i] < 0.5);
        // Cells that a solid cuts hold fewer.
        let room = |i: usize| (PARTS * PER_CELL * volume[i]).round() as u16;
        let particles = |i: usize| match is_full[i] > 0 {
            true => (PER_CELL * volume[i]).round() as u16,
            false => u16::from(count[i]),
        };
        let own = counts.center();
        Self {
            deep: sum_around(&std::array::from_fn(is_deep), 1),
            room: sum_around(&std::array::from_fn(room), 2),
            particles: sum_around(&std::array::from_fn(particles), 2),
            own: std::array::from_fn(|offset| own.map_or(0, |own| u16::from(own.at(offset)))),
        }
    }

    /// How much denser than at rest it is around a cell, as a share, less the noise.
    fn error(&self, offset: usize) -> f32 {
        let room = f32::from(self.room[offset]) / PARTS;
        if room < LEAST_ROOM * PER_CELL * WEIGHTS {
            return 0.0;
        }
        // A crowd in one cell may be hidden by empty ones beside it.
        let crowd = f32::from(self.own[offset]) / (2.0 * PER_CELL) - 1.0;
        let excess = (f32::from(self.particles[offset]) / room - 1.0).max(crowd);
        match self.deep[offset] == 27 {
            true => (excess - excess.clamp(-NOISE, NOISE)).clamp(-LARGEST, LARGEST),
            false => (excess - NOISE_AT_SURFACE).clamp(0.0, LARGEST),
        }
    }
}

//! Spray: particles of the liquid that the grid can no longer hold leave it with their volume and momentum, fly
//! freely, and return where they are deep in the liquid again (Guendelman, Selle, Losasso and Fedkiw 2005;
//! Losasso, Talton, Kwatra and Fedkiw 2008).
//!
//! # Guarantees
//! * Volumes are whole numbers of a quantum, 2⁻²⁴ of a cell: what left is what flies and what returned, exactly.
//! * Momentum that left, with what gravity added, is that in flight and that returned, to rounding.
//!
//! # Non-guarantees
//! The grid does not know of volumes: when a particle leaves, the volume inside φ does not change, as the grid had
//! lost the particle's ball before; when one returns, the liquid must be made to expand by its volume, see
//! [`expansion`].

use rayon::prelude::*;
use whitecap_core::glam::{DVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, offset_in_tile, tile_of};

use crate::mac::{MacLattice, faces};

/// Quanta of volume in a cell.
const QUANTA_PER_CELL: f64 = 16_777_216.0;

/// A particle that flies freely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprayParticle {
    /// Position in m.
    pub position: Vec3,
    /// Velocity in m/s.
    pub velocity: Vec3,
    /// Volume in quanta: 2⁻²⁴ of a cell each.
    pub quanta: u64,
}

impl SprayParticle {
    /// Volume in m³, for cells of this size in m.
    pub fn volume(&self, cell: f32) -> f64 {
        quanta_volume(self.quanta, cell)
    }

    /// Radius of a ball of its volume in m.
    pub fn radius(&self, cell: f32) -> f32 {
        (self.volume(cell) * 0.75 / std::f64::consts::PI).cbrt() as f32
    }

    /// Volume times velocity in m⁴/s: momentum over density.
    pub fn momentum(&self, cell: f32) -> DVec3 {
        self.volume(cell) * self.velocity.as_dvec3()
    }
}

/// The volume of quanta in m³.
pub(super) fn quanta_volume(quanta: u64, cell: f32) -> f64 {
    quanta as f64 / QUANTA_PER_CELL * f64::from(cell).powi(3)
}

/// The number of quanta nearest to a volume in m³.
pub(super) fn quanta_of(volume: f64, cell: f32) -> u64 {
    (volume / f64::from(cell).powi(3) * QUANTA_PER_CELL).round() as u64
}

/// What has left the grid as spray and returned, since the start. Momentum is over density, in m⁴/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SprayLedger {
    /// Quanta of volume that became spray.
    pub left: u64,
    /// Quanta of volume that returned.
    pub returned: u64,
    /// Momentum with which spray left.
    pub left_momentum: DVec3,
    /// Momentum that gravity gave to spray.
    pub gained_momentum: DVec3,
    /// Momentum with which spray returned.
    pub returned_momentum: DVec3,
}

/// Spray and its ledger.
#[derive(Clone, Debug, Default)]
pub(super) struct Spray {
    pub particles: Vec<SprayParticle>,
    pub ledger: SprayLedger,
}

impl Spray {
    /// Takes a particle up.
    pub fn add(&mut self, particle: SprayParticle, cell: f32) {
        self.ledger.left += particle.quanta;
        self.ledger.left_momentum += particle.momentum(cell);
        self.particles.push(particle);
    }

    /// Lets all particles fly for a time step: the exact parabola.
    pub fn fly(&mut self, gravity: Vec3, time_step: f32, cell: f32) {
        self.particles.par_iter_mut().for_each(|particle| {
            particle.position += time_step * (particle.velocity + 0.5 * time_step * gravity);
            particle.velocity += time_step * gravity;
        });
        let quanta = self.particles.iter().map(|particle| particle.quanta).sum();
        let change = f64::from(time_step) * gravity.as_dvec3();
        self.ledger.gained_momentum += quanta_volume(quanta, cell) * change;
    }

    /// Gives back the particles whose balls are wholly in the liquid.
    pub fn land(&mut self, distances: &SparseGrid<f32>) -> Vec<SprayParticle> {
        let cell = distances.lattice().cell;
        let is_deep: Vec<bool> = (self.particles.par_iter())
            .map(|particle| distances.sample(particle.position) < -particle.radius(cell))
            .collect();
        let mut landed = Vec::new();
        let mut deep = is_deep.into_iter();
        self.particles.retain(|particle| {
            let is_deep = deep.next() == Some(true);
            if is_deep {
                landed.push(*particle);
            }
            !is_deep
        });
        for particle in &landed {
            self.ledger.returned += particle.quanta;
            self.ledger.returned_momentum += particle.momentum(cell);
        }
        landed
    }
}

/// A ball of the liquid that leaves with the flow.
pub(super) fn torn_off(position: Vec3, radius: f32, velocity: &SparseGrid<Vec3>) -> SprayParticle {
    let volume = 4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3);
    let quanta = quanta_of(volume, velocity.lattice().cell);
    SprayParticle { position, velocity: faces::sample(velocity, position), quanta }
}

/// The divergence in 1/s that makes the liquid expand by the volume of particles that returned, within a time
/// step in s: an input of the pressure (Losasso et al. 2008, § 4). It is in the cells where they are.
pub fn expansion(
    lattice: MacLattice,
    returned: &[SprayParticle],
    time_step: f64,
) -> SparseGrid<f32> {
    let cell = lattice.cell();
    let tiles = returned.iter().map(|particle| tile_of(lattice.cell_of(particle.position)));
    let tiles = tiles.collect();
    SparseGrid::filled(lattice.centers(), 0.0, tiles, |tile, values| {
        for particle in returned {
            let place = lattice.cell_of(particle.position);
            if tile_of(place) == tile {
                let share = particle.volume(cell) / f64::from(cell).powi(3);
                values[offset_in_tile(place)] += (share / time_step) as f32;
            }
        }
    })
}

//! The level set and its time step.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, Tile, local_node};
use whitecap_core::tile_cover::{TileCost, tiles_of_boxes};
use whitecap_core::{Bounds, Watch, budget};

use super::correction::corrected;
use super::error::LevelSetError;
use super::narrow_band::{BAND, reachable_tiles, surface_tiles, with_tiles};
use super::particles::{LevelSetParticle, ParticleSizes, TileParticles};
use super::reinitialise::reinitialised;
use super::seeding::seeded;
use super::settings::LevelSetSettings;
use super::spray::{Spray, SprayLedger, SprayParticle, quanta_of, torn_off};
use super::transport::carried;
use super::volume::volume;
use crate::mac::MacLattice;

/// Memory of a tile near the surface while a step is made, in bytes: four copies of its distances.
const BYTES_PER_TILE: f64 = 4.0 * 2048.0;
/// Memory of a particle while a step is made, in bytes: two copies of it.
const BYTES_PER_PARTICLE: f64 = 32.0;
/// More steps than any flow needs between two pictures.
const MOST_STEPS: f64 = 10_000.0;
/// More volume than a particle of spray can have, in cells.
const LARGEST_SPRAY: f64 = 1e9;
/// Half the diagonal of a tile, in cells.
const HALF_TILE: f32 = 6.93;

/// What happened while the surface moved.
#[derive(Clone, Debug, Default)]
pub struct AdvanceReport {
    /// Steps that were needed.
    pub steps: usize,
    /// Particles that became spray.
    pub left: usize,
    /// Spray that returned into the liquid, with its volume and momentum: the liquid must take them up.
    pub returned: Vec<SprayParticle>,
}

/// A step in time along a flow.
#[derive(Clone, Copy)]
struct Step<'a> {
    velocity: &'a SparseGrid<Vec3>,
    time_step: f32,
    /// The largest component of the velocity near the surface, in m/s.
    speed: f32,
}

/// A particle level set. See the module documentation.
#[derive(Clone, Debug)]
pub struct ParticleLevelSet {
    pub(super) lattice: MacLattice,
    pub(super) settings: LevelSetSettings,
    pub(super) phi: SparseGrid<f32>,
    pub(super) particles: TileParticles,
    pub(super) spray: Spray,
    /// Steps since the start.
    pub(super) steps: u64,
    /// Rounds of seeding since the start.
    pub(super) rounds: u64,
}

impl ParticleLevelSet {
    /// A level set without liquid.
    pub fn new(lattice: MacLattice, settings: LevelSetSettings) -> Result<Self, LevelSetError> {
        settings.check()?;
        let (cell, origin) = (lattice.cell(), lattice.corners.origin);
        if !(cell > 0.0 && cell.is_finite() && origin.is_finite()) {
            return Err(LevelSetError::Lattice { cell, origin: origin.to_array() });
        }
        let phi = SparseGrid::new(lattice.centers(), BAND * cell);
        let (particles, spray) = (TileParticles::default(), Spray::default());
        Ok(Self { lattice, settings, phi, particles, spray, steps: 0, rounds: 0 })
    }

    /// The liquid where `distance` is negative within `bounds`; it must not reach beyond them. `distance` gives
    /// the distance to the surface in m, or less than that far away from it, as unions and differences of
    /// distances do.
    pub fn from_distance(
        lattice: MacLattice,
        settings: LevelSetSettings,
        bounds: Bounds,
        distance: impl Fn(Vec3) -> f32 + Sync,
    ) -> Result<Self, LevelSetError> {
        let mut level_set = Self::new(lattice, settings)?;
        if !(bounds.min.is_finite() && bounds.max.is_finite()) {
            let (low, high) = (bounds.min.to_array(), bounds.max.to_array());
            return Err(LevelSetError::Bounds { low, high });
        }
        let far = BAND * lattice.cell();
        let bounds = Bounds { min: bounds.min - far, max: bounds.max + far };
        let cost =
            TileCost { bytes: BYTES_PER_TILE, what: "a level set", remedy: "use larger cells" };
        let tiles = tiles_of_boxes(lattice.centers(), 1, |_| bounds, cost)?;
        let values: Vec<(IVec3, Tile<f32>)> = tiles
            .par_iter()
            .map(|&tile| (tile, distance_tile(lattice, tile, far, &distance)))
            .collect();
        level_set.phi = with_tiles(&level_set.phi, values);
        level_set.check_finite()?;
        level_set.reseed()?;
        Ok(level_set)
    }

    fn check_finite(&self) -> Result<(), LevelSetError> {
        for (&tile, values) in self.phi.coordinates().iter().zip(self.phi.tiles()) {
            let wrong = values.dense().and_then(|v| v.iter().position(|value| !value.is_finite()));
            if let Some(offset) = wrong {
                let place = self.phi.lattice().position(tile * 8 + local_node(offset));
                return Err(LevelSetError::NotFinite { what: "distance", place: place.to_array() });
            }
        }
        Ok(())
    }

    /// Distance to the surface at the middles of cells in m, negative in the liquid, six cells at most.
    pub fn phi(&self) -> &SparseGrid<f32> {
        &self.phi
    }

    /// Volume of the liquid on the grid in m³, to a fraction of a cell.
    pub fn volume(&self) -> f64 {
        volume(&self.phi)
    }

    /// The particles, tile by tile.
    pub fn particles(&self) -> impl Iterator<Item = &LevelSetParticle> {
        self.particles.iter()
    }

    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.particles.len()
    }

    /// Spray: particles that have left the grid.
    pub fn removed(&self) -> &[SprayParticle] {
        &self.spray.particles
    }

    /// Volume and momentum that have left the grid as spray and returned, since the start.
    pub fn ledger(&self) -> SprayLedger {
        self.spray.ledger
    }

    /// Adds spray that comes from elsewhere, of a volume in m³, and returns the volume that was booked: the
    /// nearest whole number of quanta.
    pub fn add_removed(
        &mut self,
        position: Vec3,
        velocity: Vec3,
        volume: f64,
    ) -> Result<f64, LevelSetError> {
        let cell = self.lattice.cell();
        let is_possible = volume >= 0.0 && volume <= LARGEST_SPRAY * f64::from(cell).powi(3);
        for (what, is_good) in [
            ("position of spray", position.is_finite()),
            ("velocity of spray", velocity.is_finite()),
            ("volume of spray", is_possible),
        ] {
            if !is_good {
                return Err(LevelSetError::NotFinite { what, place: position.to_array() });
            }
        }
        let particle = SprayParticle { position, velocity, quanta: quanta_of(volume, cell) };
        self.spray.add(particle, cell);
        Ok(particle.volume(cell))
    }

    /// Moves the surface with the flow for a time in s. The velocity must be known within four cells of the
    /// surface; it is zero beyond its tiles. On failure the level set is as after its last whole step.
    pub fn advance(
        &mut self,
        velocity: &SparseGrid<Vec3>,
        duration: f64,
        watch: &dyn Watch,
    ) -> Result<AdvanceReport, LevelSetError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(LevelSetError::Duration { duration });
        }
        self.check_cells(velocity)?;
        let mut report = AdvanceReport::default();
        let mut left = duration;
        while left > 0.0 {
            if watch.cancelled() {
                return Err(LevelSetError::Cancelled);
            }
            let tiles = reachable_tiles(&self.phi);
            let speed = largest_speed(velocity, &surface_tiles(&self.phi))?;
            let distance = f64::from(self.settings.cfl * self.lattice.cell());
            let steps = (f64::from(speed) * left / distance - 1e-6).ceil().max(1.0);
            if steps > MOST_STEPS {
                return Err(LevelSetError::TooFast { speed, steps: steps as u64 });
            }
            let time_step = (left / steps) as f32;
            self.step(Step { velocity, time_step, speed }, &tiles, &mut report)?;
            left = if steps == 1.0 { 0.0 } else { left - left / steps };
            watch.progress((1.0 - left / duration) as f32);
        }
        Ok(report)
    }

    fn check_cells(&self, velocity: &SparseGrid<Vec3>) -> Result<(), LevelSetError> {
        let (found, expected) = (velocity.lattice(), self.lattice.corners);
        if found == expected {
            return Ok(());
        }
        Err(LevelSetError::OtherCells {
            found: found.cell,
            found_origin: found.origin.to_array(),
            expected: expected.cell,
            expected_origin: expected.origin.to_array(),
        })
    }

    /// One step of the method (2002, § 3.6).
    fn step(
        &mut self,
        step: Step<'_>,
        tiles: &[IVec3],
        report: &mut AdvanceReport,
    ) -> Result<(), LevelSetError> {
        self.ask(tiles.len())?;
        let Step { velocity, time_step, speed } = step;
        // Surface and particles move with the flow, and the particles correct the surface.
        let mut particles = self.particles.carried(self.lattice, velocity, time_step);
        let largest_move = 3.0f32.sqrt() * speed * time_step;
        let phi = carried(&self.phi, velocity, tiles, time_step, largest_move);
        let phi = corrected(&phi, &particles);
        // Making φ a distance again must not undo the correction.
        let phi = corrected(&reinitialised(&phi), &particles);
        let torn = if self.settings.spray {
            particles.take_beyond(&phi, self.settings.spray_distance)
        } else {
            Vec::new()
        };
        particles.fit_radii(&phi, ParticleSizes::new(&self.settings, self.lattice.cell()));
        (self.phi, self.particles) = (phi, particles);
        self.steps += 1;
        report.steps += 1;
        self.move_spray(step, &torn, report);
        let every = u64::from(self.settings.reseed_every);
        if every > 0 && self.steps.is_multiple_of(every) {
            self.reseed()?;
        }
        Ok(())
    }

    /// Lets spray fly and return, and takes up what was torn off.
    fn move_spray(
        &mut self,
        step: Step<'_>,
        torn: &[LevelSetParticle],
        report: &mut AdvanceReport,
    ) {
        let cell = self.lattice.cell();
        self.spray.fly(self.settings.gravity.into(), step.time_step, cell);
        report.returned.extend(self.spray.land(&self.phi));
        report.left += torn.len();
        for particle in torn {
            let ball = torn_off(particle.position, particle.radius(), step.velocity);
            self.spray.add(ball, cell);
        }
    }

    /// Gives cells near the surface that lack particles new ones, and removes needless ones.
    pub fn reseed(&mut self) -> Result<(), LevelSetError> {
        self.ask(self.phi.tile_count())?;
        let sizes = ParticleSizes::new(&self.settings, self.lattice.cell());
        if self.settings.particles_per_cell > 0 {
            self.particles = seeded(self.lattice, &self.phi, &self.particles, sizes, self.rounds);
            self.rounds += 1;
        }
        Ok(())
    }

    /// Asks for the memory of a step.
    fn ask(&self, tiles: usize) -> Result<(), LevelSetError> {
        // A tile near the surface has it in eight by eight of its cells, or thereabouts.
        let seeds = 64.0 * 2.0 * f64::from(self.settings.particle_band);
        let near = self.phi.tiles().iter().filter(|tile| tile.dense().is_some()).count() as f64;
        let particles = near * seeds * f64::from(self.settings.particles_per_cell);
        let needed = tiles as f64 * BYTES_PER_TILE + particles * BYTES_PER_PARTICLE;
        Ok(budget::ask(needed, "a particle level set", "use larger cells")?)
    }
}

/// The distances of a tile, no larger than `far`; one value if the surface is farther away than that.
fn distance_tile(
    lattice: MacLattice,
    tile: IVec3,
    far: f32,
    distance: &(impl Fn(Vec3) -> f32 + Sync),
) -> Tile<f32> {
    let middle = distance(lattice.corners.position(tile * 8 + 4));
    if middle.abs() > far + HALF_TILE * lattice.cell() {
        return Tile::Constant(far.copysign(middle));
    }
    let value = |offset: usize| {
        let value = distance(lattice.centers().position(tile * 8 + local_node(offset)));
        // Not a number stays what it is, and is found later.
        if value.is_nan() { value } else { value.clamp(-far, far) }
    };
    Tile::Dense(Box::new(std::array::from_fn(value)))
}

/// The largest component of the velocity in tiles, in m/s.
fn largest_speed(velocity: &SparseGrid<Vec3>, tiles: &[IVec3]) -> Result<f32, LevelSetError> {
    let speeds: Vec<f32> = tiles
        .par_iter()
        .map(|&tile| match velocity.tile(tile) {
            None => 0.0,
            Some(Tile::Constant(value)) => largest_component(*value),
            Some(Tile::Dense(values)) => values.iter().fold(0.0, |largest: f32, &value| {
                // Infinite is not forgotten, as NaN would be.
                largest.max(largest_component(value))
            }),
        })
        .collect();
    match speeds.iter().position(|speed| !speed.is_finite()) {
        None => Ok(speeds.into_iter().fold(0.0, f32::max)),
        Some(place) => {
            let place = velocity.lattice().position(tiles[place] * 8 + 4).to_array();
            Err(LevelSetError::NotFinite { what: "velocity", place })
        }
    }
}

fn largest_component(velocity: Vec3) -> f32 {
    if velocity.is_nan() { f32::INFINITY } else { velocity.abs().max_element() }
}

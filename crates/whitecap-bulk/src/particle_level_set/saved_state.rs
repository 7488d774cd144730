//! The full state of a particle level set as bytes, and back.
//!
//! # Guarantees
//! * A level set made with the same cells and settings, restored and continued, has the same bits as one that
//!   was never interrupted.
//! * Bytes that are cut short, damaged, of other cells or of another version are refused with a sentence and
//!   leave the level set as it was.

use whitecap_core::SparseGrid;
use whitecap_core::glam::{DVec3, IVec3};
use whitecap_core::saved_bytes::{self, Kind, Reader, StateError, possible};
use whitecap_core::sparse_grid::{TILE_NODES, Tile, tile_of, tile_order};

use super::error::LevelSetError;
use super::level_set::ParticleLevelSet;
use super::particles::{LevelSetParticle, TileParticles};
use super::spray::{Spray, SprayLedger, SprayParticle};
use crate::mac::MacLattice;

const KIND: Kind = Kind { of: "a particle level set", magic: *b"wcplls", version: 1 };

impl ParticleLevelSet {
    /// The full state.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = KIND.begin();
        bytes.extend_from_slice(&self.lattice.cell().to_le_bytes());
        bytes.extend_from_slice(&saved_bytes::vector_bytes(self.lattice.corners.origin));
        bytes.extend_from_slice(&self.steps.to_le_bytes());
        bytes.extend_from_slice(&self.rounds.to_le_bytes());
        put_phi(&mut bytes, &self.phi);
        let particles: Vec<LevelSetParticle> = self.particles.iter().copied().collect();
        saved_bytes::put(&mut bytes, &particles, |particle| {
            let [x, y, z] = particle.position.to_array();
            saved_bytes::packed::<4, 16>([x, y, z, particle.signed_radius])
        });
        put_spray(&mut bytes, &self.spray);
        bytes
    }

    /// Continues from a state that [`ParticleLevelSet::save`] returned. The level set must have been made with
    /// the same cells and settings. On failure it stays as it is.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), LevelSetError> {
        let mut reader = KIND.open(bytes)?;
        let (found, expected) = (f32::from_le_bytes(reader.take()?), self.lattice.cell());
        if found != expected {
            return Err(StateError::Scale { name: "cell", found, expected }.into());
        }
        let origin = saved_bytes::vector(reader.take()?);
        possible("origin of the cells", origin == self.lattice.corners.origin)?;
        let steps = u64::from_le_bytes(reader.take()?);
        let rounds = u64::from_le_bytes(reader.take()?);
        let phi = read_phi(&mut reader, &self.phi)?;
        let particles = read_particles(&mut reader, self.lattice)?;
        let spray = read_spray(&mut reader)?;
        reader.end()?;
        (self.phi, self.particles, self.spray) = (phi, particles, spray);
        (self.steps, self.rounds) = (steps, rounds);
        Ok(())
    }
}

/// Tiles near the surface with their values, then those that are wholly inside.
fn put_phi(bytes: &mut Vec<u8>, phi: &SparseGrid<f32>) {
    let stored = || phi.coordinates().iter().zip(phi.tiles());
    let (dense, whole): (Vec<_>, Vec<_>) = stored().partition(|(_, tile)| tile.dense().is_some());
    for tiles in [&dense, &whole] {
        let coordinates: Vec<i32> = tiles.iter().flat_map(|(tile, _)| tile.to_array()).collect();
        saved_bytes::put(bytes, &coordinates, i32::to_le_bytes);
    }
    let values: Vec<f32> =
        dense.iter().filter_map(|(_, tile)| tile.dense()).flatten().copied().collect();
    saved_bytes::put(bytes, &values, f32::to_le_bytes);
}

fn read_phi(
    reader: &mut Reader<'_>,
    like: &SparseGrid<f32>,
) -> Result<SparseGrid<f32>, StateError> {
    let far = like.background();
    let dense: Vec<i32> = reader.values(i32::from_le_bytes)?;
    let whole: Vec<i32> = reader.values(i32::from_le_bytes)?;
    let values: Vec<f32> = reader.values(f32::from_le_bytes)?;
    // Tiles have neighbours and cells: coordinates must leave room for them.
    let is_place = |n: &i32| n.unsigned_abs() < 1 << 27;
    possible(
        "distance",
        dense.len().is_multiple_of(3)
            && whole.len().is_multiple_of(3)
            && values.len() == dense.len() / 3 * TILE_NODES
            && dense.iter().chain(&whole).all(is_place)
            && values.iter().all(|value| value.abs() <= far),
    )?;
    let near = values
        .chunks_exact(TILE_NODES)
        .map(|values| Tile::Dense(Box::new(std::array::from_fn(|node| values[node]))));
    let near = dense.chunks_exact(3).map(IVec3::from_slice).zip(near);
    let inside = whole.chunks_exact(3).map(|tile| (IVec3::from_slice(tile), Tile::Constant(-far)));
    SparseGrid::from_tiles(like.lattice(), far, near.chain(inside).collect())
        .map_err(|_| StateError::Value { what: "distance" })
}

fn read_particles(
    reader: &mut Reader<'_>,
    lattice: MacLattice,
) -> Result<TileParticles, StateError> {
    let particles: Vec<LevelSetParticle> = reader.values(|bytes: [u8; 16]| {
        let [x, y, z, signed_radius] = saved_bytes::unpacked(bytes);
        LevelSetParticle { position: [x, y, z].into(), signed_radius }
    })?;
    let is_possible = |particle: &LevelSetParticle| {
        particle.position.is_finite() && particle.signed_radius.is_finite()
    };
    possible("particle", particles.iter().all(is_possible))?;
    let home = |particle: &LevelSetParticle| tile_of(lattice.cell_of(particle.position));
    let groups = particles.chunk_by(|one, other| home(one) == home(other));
    let tiles: Vec<_> = groups.map(|group| (home(&group[0]), group.to_vec())).collect();
    let in_order = tiles.windows(2).all(|pair| tile_order(pair[0].0) < tile_order(pair[1].0));
    possible("order of particles", in_order)?;
    Ok(TileParticles::new(tiles))
}

fn put_spray(bytes: &mut Vec<u8>, spray: &Spray) {
    let column = |value: fn(&SprayParticle) -> _| spray.particles.iter().map(value).collect();
    let positions: Vec<_> = column(|particle| particle.position);
    saved_bytes::put(bytes, &positions, saved_bytes::vector_bytes);
    let velocities: Vec<_> = column(|particle| particle.velocity);
    saved_bytes::put(bytes, &velocities, saved_bytes::vector_bytes);
    let quanta: Vec<u64> = spray.particles.iter().map(|particle| particle.quanta).collect();
    saved_bytes::put(bytes, &quanta, u64::to_le_bytes);
    let ledger = &spray.ledger;
    bytes.extend_from_slice(&ledger.left.to_le_bytes());
    bytes.extend_from_slice(&ledger.returned.to_le_bytes());
    for momentum in [ledger.left_momentum, ledger.gained_momentum, ledger.returned_momentum] {
        bytes.extend(momentum.to_array().into_iter().flat_map(f64::to_le_bytes));
    }
}

fn read_spray(reader: &mut Reader<'_>) -> Result<Spray, StateError> {
    let positions = reader.values(saved_bytes::vector)?;
    let velocities = reader.values(saved_bytes::vector)?;
    let quanta: Vec<u64> = reader.values(u64::from_le_bytes)?;
    let is_finite = positions.iter().chain(&velocities).all(|vector| vector.is_finite());
    let count = positions.len();
    possible("spray", is_finite && velocities.len() == count && quanta.len() == count)?;
    let [left, returned] = [reader.take()?, reader.take()?].map(u64::from_le_bytes);
    let flying = quanta.iter().try_fold(0u64, |sum, &quanta| sum.checked_add(quanta));
    possible("volume of spray", flying.and_then(|sum| sum.checked_add(returned)) == Some(left))?;
    let mut momenta = [DVec3::ZERO; 3];
    for momentum in &mut momenta {
        for axis in 0..3 {
            momentum[axis] = f64::from_le_bytes(reader.take()?);
        }
        possible("momentum of spray", momentum.is_finite())?;
    }
    let [left_momentum, gained_momentum, returned_momentum] = momenta;
    let particles = (positions.into_iter().zip(velocities).zip(quanta))
        .map(|((position, velocity), quanta)| SprayParticle { position, velocity, quanta })
        .collect();
    let ledger = SprayLedger { left, returned, left_momentum, gained_momentum, returned_momentum };
    Ok(Spray { particles, ledger })
}

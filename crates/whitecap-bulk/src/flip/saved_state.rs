//! The full state of a grid liquid as bytes, and back.
//!
//! # Guarantees
//! * A liquid made with the same settings, solids and emitters, restored and continued, has the same bits as
//!   one that was never interrupted.
//! * Accelerations for the next frame are not saved: they are the caller's to give again.
//! * Bytes that are cut short, damaged, or made with other settings or by another version are refused with a
//!   sentence and leave the liquid as it was.

use whitecap_core::SparseGrid;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::saved_bytes::{self, Kind, Reader, StateError, possible};
use whitecap_core::sparse_grid::{TILE_NODES, Tile};
use whitecap_scene::emitter::{Emitter, EmitterState};

use super::error::FlipError;
use super::liquid::FlipLiquid;
use super::particles::FlipParticles;
use crate::mac::MacLattice;

const KIND: Kind = Kind { of: "a grid liquid", magic: *b"wcflip", version: 2 };

impl FlipLiquid {
    /// The full state.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = KIND.begin();
        bytes.extend_from_slice(&self.settings.spacing.to_le_bytes());
        bytes.extend_from_slice(&self.time.to_le_bytes());
        bytes.extend_from_slice(&self.last_step.to_le_bytes());
        bytes.extend_from_slice(&self.next_id.to_le_bytes());
        let counters: Vec<u64> = (self.emitters.iter().map(Emitter::state))
            .flat_map(|state| [state.layers, state.made, state.left_out])
            .collect();
        saved_bytes::put(&mut bytes, &counters, u64::to_le_bytes);
        let particles = &self.particles;
        saved_bytes::put(&mut bytes, &particles.position, saved_bytes::vector_bytes);
        saved_bytes::put(&mut bytes, &particles.velocity, saved_bytes::vector_bytes);
        let slopes: Vec<Vec3> = particles.affine.iter().flatten().copied().collect();
        saved_bytes::put(&mut bytes, &slopes, saved_bytes::vector_bytes);
        saved_bytes::put(&mut bytes, &particles.id, i64::to_le_bytes);
        saved_bytes::put(&mut bytes, &particles.viscosity, f32::to_le_bytes);
        put_pressure(&mut bytes, self.pressure.as_ref());
        bytes
    }

    /// Continues from a state that [`FlipLiquid::save`] returned. The liquid must have been made with the same
    /// settings. On failure it stays as it is.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), FlipError> {
        let mut reader = KIND.open(bytes)?;
        let found = f32::from_le_bytes(reader.take()?);
        let expected = self.settings.spacing;
        if found != expected {
            return Err(StateError::Scale { name: "spacing", found, expected }.into());
        }
        let time = f64::from_le_bytes(reader.take()?);
        let last_step = f64::from_le_bytes(reader.take()?);
        let next_id = i64::from_le_bytes(reader.take()?);
        let counters: Vec<u64> = reader.values(u64::from_le_bytes)?;
        let (found, expected) = ((counters.len() / 3) as u64, self.emitters.len() as u64);
        if found != expected || !counters.len().is_multiple_of(3) {
            return Err(StateError::Count { name: "emitters", found, expected }.into());
        }
        let particles = read_particles(&mut reader, self.settings.transfer().is_affine())?;
        let pressure = read_pressure(&mut reader, self.lattice)?;
        reader.end()?;
        possible("time", time.is_finite() && time >= 0.0)?;
        possible("time step", last_step.is_finite() && last_step >= 0.0)?;
        possible("identity", particles.id.iter().all(|&id| (0..next_id).contains(&id)))?;
        // Solids are posed for their saved time; if that fails, nothing has changed yet.
        self.surroundings = self.surroundings.at(time)?;
        self.solids = None;
        for (emitter, state) in self.emitters.iter_mut().zip(counters.chunks_exact(3)) {
            let [layers, made, left_out] = [state[0], state[1], state[2]];
            emitter.restore(EmitterState { layers, made, left_out });
        }
        (self.particles, self.pressure) = (particles, pressure);
        (self.time, self.last_step, self.next_id) = (time, last_step, next_id);
        Ok(())
    }
}

fn read_particles(reader: &mut Reader<'_>, is_affine: bool) -> Result<FlipParticles, StateError> {
    let position: Vec<Vec3> = reader.values(saved_bytes::vector)?;
    let velocity: Vec<Vec3> = reader.values(saved_bytes::vector)?;
    let slopes: Vec<Vec3> = reader.values(saved_bytes::vector)?;
    let id: Vec<i64> = reader.values(i64::from_le_bytes)?;
    let viscosity: Vec<f32> = reader.values(f32::from_le_bytes)?;
    for (what, column) in
        [("position", &position), ("velocity", &velocity), ("velocity gradient", &slopes)]
    {
        possible(what, column.iter().all(|value| value.is_finite()))?;
    }
    possible("viscosity", viscosity.iter().all(|value| *value >= 0.0 && value.is_finite()))?;
    let count = position.len();
    let expected = if is_affine { 3 * count } else { 0 };
    possible(
        "number of particles",
        velocity.len() == count
            && id.len() == count
            && slopes.len() == expected
            && (viscosity.is_empty() || viscosity.len() == count),
    )?;
    let affine = slopes.chunks_exact(3).map(|rows| [rows[0], rows[1], rows[2]]).collect();
    let acceleration = Vec::new();
    Ok(FlipParticles { position, velocity, affine, id, viscosity, acceleration })
}

fn put_pressure(bytes: &mut Vec<u8>, pressure: Option<&SparseGrid<f32>>) {
    let tiles: Vec<(IVec3, [f32; TILE_NODES])> = pressure
        .into_iter()
        .flat_map(|grid| grid.coordinates().iter().zip(grid.tiles()))
        .map(|(&tile, values)| (tile, std::array::from_fn(|node| values.at(node))))
        .collect();
    let coordinates: Vec<i32> = tiles.iter().flat_map(|(tile, _)| tile.to_array()).collect();
    saved_bytes::put(bytes, &coordinates, i32::to_le_bytes);
    let values: Vec<f32> = tiles.iter().flat_map(|(_, values)| *values).collect();
    saved_bytes::put(bytes, &values, f32::to_le_bytes);
}

fn read_pressure(
    reader: &mut Reader<'_>,
    lattice: MacLattice,
) -> Result<Option<SparseGrid<f32>>, StateError> {
    let coordinates: Vec<i32> = reader.values(i32::from_le_bytes)?;
    let values: Vec<f32> = reader.values(f32::from_le_bytes)?;
    let count = coordinates.len() / 3;
    possible(
        "pressure",
        coordinates.len() == 3 * count
            && values.len() == count * TILE_NODES
            && values.iter().all(|value| value.is_finite()),
    )?;
    if count == 0 {
        return Ok(None);
    }
    let tiles = coordinates.chunks_exact(3).map(IVec3::from_slice);
    let dense = values
        .chunks_exact(TILE_NODES)
        .map(|values| Tile::Dense(Box::new(std::array::from_fn(|node| values[node]))));
    let grid = SparseGrid::from_tiles(lattice.centers(), 0.0, tiles.zip(dense).collect());
    grid.map(Some).map_err(|_| StateError::Value { what: "pressure" })
}

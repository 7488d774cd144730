//! The full state of a grid liquid as bytes, and back.
//!
//! # Guarantees
//! * A liquid made with the same settings, solids and emitters, restored and continued, has the same bits as
//!   one that was never interrupted.
//! * Accelerations for the next frame are not saved: they are the caller's to give again.
//! * Bytes that are cut short, hold impossible numbers, or were made with another spacing, number of emitters or kind
//!   of transfer or by another version are refused with a sentence and leave the liquid as it was.

use whitecap_core::CoordinateIndex;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::saved_bytes::{self, Kind, Reader, StateError, possible};
use whitecap_scene::emitter::{Emitter, EmitterState};

use super::core_cells::with_plain_tiles;
use super::error::FlipError;
use super::liquid::FlipLiquid;
use super::narrow_band::Band;
use super::particles::FlipParticles;
use super::saved_grid::{put_grid, read_grid};
use crate::mac::MacLattice;

const KIND: Kind = Kind { of: "a grid liquid", magic: *b"wcflip", version: 3 };

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
        put_grid(&mut bytes, self.pressure.as_ref(), f32::to_le_bytes);
        put_band(&mut bytes, self.band.as_ref());
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
        let grid = (self.lattice.centers(), 0.0);
        let pressure = read_grid(&mut reader, "pressure", grid, f32::from_le_bytes, |value| {
            value.is_finite()
        })?;
        let pressure = (pressure.tile_count() > 0).then_some(pressure);
        let band = read_band(&mut reader, self.lattice)?;
        reader.end()?;
        possible("core", band.is_none() || self.settings.narrow_band.is_some())?;
        possible("time", time.is_finite() && time >= 0.0)?;
        possible("time step", last_step.is_finite() && last_step >= 0.0)?;
        self.check_places(&particles.position)?;
        possible("identity", particles.id.iter().all(|&id| (0..next_id).contains(&id)))?;
        // Solids are posed for their saved time; if that fails, nothing has changed yet.
        self.surroundings = self.surroundings.at(time)?;
        self.solids = None;
        for (emitter, state) in self.emitters.iter_mut().zip(counters.chunks_exact(3)) {
            let [layers, made, left_out] = [state[0], state[1], state[2]];
            emitter.restore(EmitterState { layers, made, left_out });
        }
        (self.particles, self.pressure, self.band) = (particles, pressure, band);
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

fn put_band(bytes: &mut Vec<u8>, band: Option<&Band>) {
    let numbers: Vec<f64> = band.map_or(Vec::new(), |band| vec![band.room, band.surplus]);
    saved_bytes::put(bytes, &numbers, f64::to_le_bytes);
    let numbered = band.iter().flat_map(|band| &band.numbered);
    let numbered: Vec<i32> = numbered.flat_map(|tile| tile.to_array()).collect();
    saved_bytes::put(bytes, &numbered, i32::to_le_bytes);
    put_grid(bytes, band.map(|band| &band.core), u8::to_le_bytes);
    put_grid(bytes, band.map(|band| &band.velocity), saved_bytes::vector_bytes);
}

fn read_band(reader: &mut Reader<'_>, lattice: MacLattice) -> Result<Option<Band>, StateError> {
    let numbers: Vec<f64> = reader.values(f64::from_le_bytes)?;
    let numbered: Vec<i32> = reader.values(i32::from_le_bytes)?;
    possible("core", numbered.len().is_multiple_of(3))?;
    let numbered: Vec<IVec3> = numbered.chunks_exact(3).map(IVec3::from_slice).collect();
    let grid = (lattice.centers(), 0);
    let core = read_grid(reader, "core", grid, u8::from_le_bytes, |_| true)?;
    let grid = (lattice.corners, Vec3::ZERO);
    let velocity =
        read_grid(reader, "core", grid, saved_bytes::vector, |velocity| velocity.is_finite())?;
    match numbers[..] {
        [] => Ok(None),
        [room, surplus] => {
            possible("core", room >= 0.0 && room.is_finite() && surplus.is_finite())?;
            let index = CoordinateIndex::build(&numbered);
            possible("core", core.coordinates().iter().all(|&tile| index.get(tile).is_some()))?;
            Ok(Some(Band { core: with_plain_tiles(&core), velocity, room, surplus, numbered }))
        }
        _ => Err(StateError::Value { what: "core" }),
    }
}

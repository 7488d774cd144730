//! The full state of a liquid as bytes, and back.
//!
//! # Guarantees
//! * A liquid made with the same settings, solids and emitters, restored and continued, has the same bits as one that
//!   was never interrupted.
//! * Bytes that are cut short, changed in their header, made with another resolution or by another
//!   version, or that hold numbers which are not finite, are refused with a sentence and leave the
//!   liquid as it was. Nothing larger than the bytes themselves is allocated.
//!
//! # Layout
//! Little-endian: the eight bytes `wc-sph` and a version, then counters and scalars, then one column
//! after the other.

use whitecap_core::glam::Vec3;
use whitecap_core::saved_bytes::{Kind, Reader, StateError, possible, vector};

use crate::sph::error::SphError;
use crate::sph::liquid::Columns;
use crate::sph::liquid::Liquid;
use whitecap_scene::emitter::{Emitter, EmitterState};

const KIND: Kind = Kind { of: "a liquid", magic: *b"wc-sph", version: 2 };

impl Liquid {
    /// The full state.
    pub fn save(&self) -> Vec<u8> {
        let columns = &self.columns;
        let mut bytes = KIND.begin();
        bytes.extend_from_slice(&self.resolution.spacing.to_le_bytes());
        bytes.extend_from_slice(&self.time.to_le_bytes());
        bytes.extend_from_slice(&self.posed_at.to_le_bytes());
        bytes.extend_from_slice(&self.step_count.to_le_bytes());
        bytes.extend_from_slice(&self.next_id.to_le_bytes());
        bytes.extend_from_slice(&u32::from(self.cold).to_le_bytes());
        bytes.extend_from_slice(&self.work.system.largest_eigenvalue.to_le_bytes());
        bytes.extend_from_slice(&(self.emitters.len() as u64).to_le_bytes());
        for state in self.emitters.iter().map(Emitter::state) {
            for counter in [state.layers, state.made, state.left_out] {
                bytes.extend_from_slice(&counter.to_le_bytes());
            }
        }
        bytes.extend_from_slice(&(columns.len() as u64).to_le_bytes());
        for column in [&columns.position, &columns.velocity] {
            bytes.extend(column.iter().flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes));
        }
        bytes.extend(columns.id.iter().copied().flat_map(i64::to_le_bytes));
        for column in [&columns.age, &columns.density, &columns.pressure] {
            bytes.extend(column.iter().copied().flat_map(f32::to_le_bytes));
        }
        bytes
    }

    /// Continues from a state that [`Liquid::save`] returned. The liquid must have been made with the
    /// same settings. On failure it stays as it is.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SphError> {
        let mut reader = KIND.open(bytes)?;
        let spacing = f32::from_le_bytes(reader.take()?);
        if spacing != self.resolution.spacing {
            let expected = self.resolution.spacing;
            let name = "spacing";
            return Err(StateError::Scale { name, found: spacing, expected }.into());
        }
        let time = f64::from_le_bytes(reader.take()?);
        let posed_at = f64::from_le_bytes(reader.take()?);
        let step_count = u64::from_le_bytes(reader.take()?);
        let next_id = i64::from_le_bytes(reader.take()?);
        let cold = u32::from_le_bytes(reader.take()?) != 0;
        let largest_eigenvalue = f32::from_le_bytes(reader.take()?);
        let emitters = u64::from_le_bytes(reader.take()?);
        if emitters != self.emitters.len() as u64 {
            let expected = self.emitters.len() as u64;
            let name = "emitters";
            return Err(StateError::Count { name, found: emitters, expected }.into());
        }
        let emitters = read_emitters(&mut reader, self.emitters.len())?;
        let count = u64::from_le_bytes(reader.take()?);
        let columns = read_columns(&mut reader, count)?;
        reader.end()?;
        possible("time", time.is_finite() && time >= 0.0)?;
        possible("time of the solids", posed_at.is_finite() && posed_at >= 0.0)?;
        possible("eigenvalue", largest_eigenvalue.is_finite() && largest_eigenvalue >= 0.0)?;
        possible("identity", ids_are_unique(&columns.id, next_id))?;
        // Solids are posed for their saved time; if that fails, nothing has changed yet.
        let poses = self.boundary.particles.poses_at(posed_at)?;
        self.boundary.particles.move_to(poses, &self.resolution)?;
        for (emitter, state) in self.emitters.iter_mut().zip(emitters) {
            emitter.restore(state);
        }
        self.columns = columns;
        self.time = time;
        self.posed_at = posed_at;
        self.step_count = step_count;
        self.next_id = next_id;
        self.cold = cold;
        self.work.system.largest_eigenvalue = largest_eigenvalue;
        Ok(())
    }
}

fn ids_are_unique(ids: &[i64], next_id: i64) -> bool {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] < pair[1])
        && sorted.first().is_none_or(|&first| first >= 0)
        && sorted.last().is_none_or(|&last| last < next_id)
}

fn read_emitters(reader: &mut Reader<'_>, count: usize) -> Result<Vec<EmitterState>, StateError> {
    let mut states = Vec::new();
    for _ in 0..count {
        states.push(EmitterState {
            layers: u64::from_le_bytes(reader.take()?),
            made: u64::from_le_bytes(reader.take()?),
            left_out: u64::from_le_bytes(reader.take()?),
        });
    }
    Ok(states)
}

fn read_columns(reader: &mut Reader<'_>, count: u64) -> Result<Columns, StateError> {
    let mut columns = Columns::default();
    columns.position = vectors(reader, count, "position")?;
    columns.velocity = vectors(reader, count, "velocity")?;
    columns.id = reader.next(count, i64::from_le_bytes)?;
    columns.age = scalars(reader, count, "age")?;
    columns.density = scalars(reader, count, "density")?;
    columns.pressure = scalars(reader, count, "pressure")?;
    Ok(columns)
}

fn scalars(
    reader: &mut Reader<'_>,
    count: u64,
    what: &'static str,
) -> Result<Vec<f32>, StateError> {
    let values = reader.next(count, f32::from_le_bytes)?;
    possible(what, values.iter().all(|value| value.is_finite() && *value >= 0.0))?;
    Ok(values)
}

fn vectors(
    reader: &mut Reader<'_>,
    count: u64,
    what: &'static str,
) -> Result<Vec<Vec3>, StateError> {
    let values = reader.next(count, vector)?;
    possible(what, values.iter().all(|value| value.is_finite()))?;
    Ok(values)
}

//! The full state of waves as bytes, and back.
//!
//! # Guarantees
//! * Waves made with the same settings, restored and continued, have the same bits as ones that were
//!   never interrupted.
//! * Bytes that are cut short, begin differently, come from another version or other scales, or hold
//!   numbers that are not possible, are refused with a sentence and leave the waves as they were.
//!   Nothing larger than the bytes themselves is allocated.
//!
//! # Layout
//! Little-endian: the eight bytes `wcwave` and a version, scalars, then columns, each with its length.

use glam::Vec3;
use whitecap_core::saved_bytes::{Kind, Reader, StateError, possible, put, vector, vector_bytes};

use crate::dynamics::WaveState;
use crate::error::WaveError;
use crate::points::{LastParticles, Lengths, SurfacePoints, TrackerState};
use crate::waves::Waves;

const KIND: Kind = Kind { of: "waves", magic: *b"wcwave", version: 1 };

impl Waves {
    /// The full state.
    pub fn save(&self) -> Vec<u8> {
        let state = self.tracker.state();
        let lengths = state.lengths.unwrap_or(Lengths { coarse: 0.0, fine: 0.0 });
        let mut bytes = KIND.begin();
        bytes.extend_from_slice(&lengths.coarse.to_le_bytes());
        bytes.extend_from_slice(&lengths.fine.to_le_bytes());
        bytes.extend_from_slice(&self.frames.to_le_bytes());
        bytes.extend_from_slice(&state.next_id.to_le_bytes());
        put(&mut bytes, &state.points.position, vector_bytes);
        put(&mut bytes, &state.points.normal, vector_bytes);
        put(&mut bytes, &state.points.id, u64::to_le_bytes);
        put(&mut bytes, &state.points.area, f32::to_le_bytes);
        put(&mut bytes, &state.last.position, vector_bytes);
        put(&mut bytes, &state.last.inverse_density, f32::to_le_bytes);
        put(&mut bytes, &state.last.id, i64::to_le_bytes);
        put(&mut bytes, &state.last.velocity, vector_bytes);
        let columns = self.dynamics.as_ref().map_or(Vec::new(), |waves| waves.state().columns());
        bytes.extend_from_slice(&(columns.len() as u64).to_le_bytes());
        for (name, column) in columns {
            put(&mut bytes, name.as_bytes(), |byte| [byte]);
            put(&mut bytes, column, f32::to_le_bytes);
        }
        bytes
    }

    /// Continues from a state that [`Waves::save`] returned. The waves must have been made with the same
    /// settings. On failure they stay as they are.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), WaveError> {
        let mut reader = KIND.open(bytes)?;
        let lengths = self.read_lengths(&mut reader)?;
        let frames = u64::from_le_bytes(reader.take()?);
        let state = read_state(&mut reader, lengths)?;
        let mut columns = named_columns(&mut reader)?;
        reader.end()?;
        let dynamics = match lengths {
            None => None,
            Some(lengths) => {
                let mut dynamics = Self::dynamics_for(self.settings(), lengths, self.duration())?;
                let waves = WaveState::from_columns(dynamics.bands().len(), |name| {
                    let index = columns.iter().position(|(found, _)| found == name.as_bytes())?;
                    Some(columns.swap_remove(index).1)
                })?;
                possible("number of waves", waves.len() == state.points.len())?;
                dynamics.set_state(waves);
                Some(dynamics)
            }
        };
        self.frames = frames;
        self.dynamics = dynamics;
        self.tracker.put_back(state);
        Ok(())
    }

    fn read_lengths(&self, reader: &mut Reader<'_>) -> Result<Option<Lengths>, StateError> {
        let coarse = f32::from_le_bytes(reader.take()?);
        let fine = f32::from_le_bytes(reader.take()?);
        if coarse == 0.0 && fine == 0.0 {
            return Ok(None);
        }
        possible("scale", fine > 0.0 && fine < coarse && coarse.is_finite())?;
        let settings = &self.settings().points;
        for (name, found, expected) in
            [("coarse length", coarse, settings.coarse), ("fine spacing", fine, settings.fine)]
        {
            if let Some(expected) = expected
                && expected != found
            {
                return Err(StateError::Scale { name, found, expected });
            }
        }
        Ok(Some(Lengths { coarse, fine }))
    }
}

fn read_state(
    reader: &mut Reader<'_>,
    lengths: Option<Lengths>,
) -> Result<TrackerState, StateError> {
    let next_id = u64::from_le_bytes(reader.take()?);
    let points = SurfacePoints {
        position: vectors(reader, "position")?,
        normal: vectors(reader, "normal")?,
        id: reader.values(u64::from_le_bytes)?,
        area: scalars(reader, "area")?,
    };
    let last = LastParticles {
        position: vectors(reader, "particle")?,
        inverse_density: scalars(reader, "density")?,
        id: reader.values(i64::from_le_bytes)?,
        velocity: vectors(reader, "velocity")?,
    };
    let (count, known) = (points.len(), last.position.len());
    possible("number of normals", points.normal.len() == count)?;
    possible("number of identities", points.id.len() == count)?;
    possible("number of areas", points.area.len() == count)?;
    possible("identity", points.id.iter().all(|&id| id < next_id))?;
    possible("number of densities", last.inverse_density.len() == known)?;
    possible("number of particle identities", [0, known].contains(&last.id.len()))?;
    possible("number of velocities", [0, known].contains(&last.velocity.len()))?;
    possible("scale", lengths.is_some() || (count == 0 && known == 0))?;
    Ok(TrackerState { lengths, points, next_id, last })
}

/// The bytes of a name, and values.
type NamedColumn = (Vec<u8>, Vec<f32>);

fn scalars(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<f32>, StateError> {
    let values = reader.values(f32::from_le_bytes)?;
    possible(what, values.iter().all(|value| value.is_finite() && *value > 0.0))?;
    Ok(values)
}

fn vectors(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<Vec3>, StateError> {
    let values = reader.values(vector)?;
    possible(what, values.iter().all(|value| value.is_finite()))?;
    Ok(values)
}

/// The columns of waves by name. Their values are not checked.
fn named_columns(reader: &mut Reader<'_>) -> Result<Vec<NamedColumn>, StateError> {
    let count = u64::from_le_bytes(reader.take()?);
    let mut columns = Vec::new();
    for _ in 0..count {
        let name = reader.values(|[byte]: [u8; 1]| byte)?;
        columns.push((name, reader.values(f32::from_le_bytes)?));
    }
    Ok(columns)
}

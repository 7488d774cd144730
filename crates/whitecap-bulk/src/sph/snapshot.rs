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

use super::columns::Columns;
use super::emitter::{Emitter, EmitterState};
use super::error::SphError;
use super::liquid::Liquid;

const MAGIC: &[u8; 6] = b"wc-sph";
const VERSION: u16 = 1;
/// Position, velocity, id, age, density, pressure.
const BYTES_PER_PARTICLE: usize = 12 + 12 + 8 + 4 + 4 + 4;

/// Why bytes are not the state of a liquid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// They are something else.
    #[error("the saved state does not begin like one of a liquid")]
    NotAState,
    /// They come from another version.
    #[error("the saved state has version {found}; this program reads version {VERSION}")]
    Version {
        /// The version found.
        found: u16,
    },
    /// They end too early or too late.
    #[error("the saved state has {found} bytes but describes {expected}; it was cut or damaged")]
    Length {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// The liquid has another resolution.
    #[error(
        "the saved state has a spacing of {found} m, the liquid one of {expected} m; use the settings it was made with"
    )]
    Spacing {
        /// Spacing of the saved state.
        found: f32,
        /// Spacing of the liquid.
        expected: f32,
    },
    /// The liquid has other emitters.
    #[error(
        "the saved state has {found} emitters, the liquid {expected}; use the settings it was made with"
    )]
    Emitters {
        /// Emitters of the saved state.
        found: u64,
        /// Emitters of the liquid.
        expected: u64,
    },
    /// A number is not finite or not possible.
    #[error("the saved state holds an impossible {what}; it was damaged")]
    Value {
        /// Which quantity.
        what: &'static str,
    },
}

impl Liquid {
    /// The full state.
    pub fn save(&self) -> Vec<u8> {
        let columns = &self.columns;
        let mut bytes = Vec::with_capacity(64 + columns.len() * BYTES_PER_PARTICLE);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.resolution.spacing.to_le_bytes());
        bytes.extend_from_slice(&self.time.to_le_bytes());
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

    /// Continues from a state that [`Liquid::save`] gave. The liquid must have been made with the
    /// same settings. On failure it stays as it is.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SphError> {
        let mut reader = Reader { bytes };
        if reader.take::<6>()? != *MAGIC {
            return Err(SnapshotError::NotAState.into());
        }
        let version = u16::from_le_bytes(reader.take()?);
        if version != VERSION {
            return Err(SnapshotError::Version { found: version }.into());
        }
        let spacing = f32::from_le_bytes(reader.take()?);
        if spacing != self.resolution.spacing {
            let expected = self.resolution.spacing;
            return Err(SnapshotError::Spacing { found: spacing, expected }.into());
        }
        let time = f64::from_le_bytes(reader.take()?);
        let step_count = u64::from_le_bytes(reader.take()?);
        let next_id = i64::from_le_bytes(reader.take()?);
        let cold = u32::from_le_bytes(reader.take()?) != 0;
        let largest_eigenvalue = f32::from_le_bytes(reader.take()?);
        let emitters = u64::from_le_bytes(reader.take()?);
        if emitters != self.emitters.len() as u64 {
            let expected = self.emitters.len() as u64;
            return Err(SnapshotError::Emitters { found: emitters, expected }.into());
        }
        let emitters = reader.emitters(self.emitters.len())?;
        let count = u64::from_le_bytes(reader.take()?);
        let columns = reader.columns(count)?;
        possible("time", time.is_finite() && time >= 0.0)?;
        possible("eigenvalue", largest_eigenvalue.is_finite() && largest_eigenvalue >= 0.0)?;
        possible("identity", ids_are_unique(&columns.id, next_id))?;
        // Solids are where the time says; if they cannot be, nothing has changed yet.
        let poses = self.boundary.particles.poses_at(time)?;
        self.boundary.particles.move_to(poses, &self.resolution)?;
        for (emitter, state) in self.emitters.iter_mut().zip(emitters) {
            emitter.restore(state);
        }
        self.columns = columns;
        self.time = time;
        self.step_count = step_count;
        self.next_id = next_id;
        self.cold = cold;
        self.work.system.largest_eigenvalue = largest_eigenvalue;
        Ok(())
    }
}

fn possible(what: &'static str, is_possible: bool) -> Result<(), SnapshotError> {
    if is_possible { Ok(()) } else { Err(SnapshotError::Value { what }) }
}

fn ids_are_unique(ids: &[i64], next_id: i64) -> bool {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] < pair[1])
        && sorted.first().is_none_or(|&first| first >= 0)
        && sorted.last().is_none_or(|&last| last < next_id)
}

/// Bytes not read yet.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let Some((first, rest)) = self.bytes.split_first_chunk::<N>() else {
            let found = self.bytes.len() as u64;
            return Err(SnapshotError::Length { found, expected: N as u64 });
        };
        self.bytes = rest;
        Ok(*first)
    }

    fn emitters(&mut self, count: usize) -> Result<Vec<EmitterState>, SnapshotError> {
        let mut states = Vec::new();
        for _ in 0..count {
            states.push(EmitterState {
                layers: u64::from_le_bytes(self.take()?),
                made: u64::from_le_bytes(self.take()?),
                left_out: u64::from_le_bytes(self.take()?),
            });
        }
        Ok(states)
    }

    fn columns(&mut self, count: u64) -> Result<Columns, SnapshotError> {
        let expected = count.saturating_mul(BYTES_PER_PARTICLE as u64);
        let found = self.bytes.len() as u64;
        if found != expected {
            return Err(SnapshotError::Length { found, expected });
        }
        let count = count as usize;
        let mut columns = Columns::default();
        columns.position = self.vectors(count, "position")?;
        columns.velocity = self.vectors(count, "velocity")?;
        columns.id = self.values(count, i64::from_le_bytes);
        columns.age = self.scalars(count, "age")?;
        columns.density = self.scalars(count, "density")?;
        columns.pressure = self.scalars(count, "pressure")?;
        Ok(columns)
    }

    /// The next values; there are enough bytes.
    fn values<T, const N: usize>(&mut self, count: usize, read: impl Fn([u8; N]) -> T) -> Vec<T> {
        let (mine, rest) = self.bytes.split_at(count * N);
        self.bytes = rest;
        mine.as_chunks::<N>().0.iter().map(|&bytes| read(bytes)).collect()
    }

    fn scalars(&mut self, count: usize, what: &'static str) -> Result<Vec<f32>, SnapshotError> {
        let values = self.values(count, f32::from_le_bytes);
        possible(what, values.iter().all(|value| value.is_finite() && *value >= 0.0))?;
        Ok(values)
    }

    fn vectors(&mut self, count: usize, what: &'static str) -> Result<Vec<Vec3>, SnapshotError> {
        let vector = |bytes: [u8; 12]| {
            let lane =
                |i: usize| f32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
            Vec3::new(lane(0), lane(4), lane(8))
        };
        let values = self.values(count, vector);
        possible(what, values.iter().all(|value| value.is_finite()))?;
        Ok(values)
    }
}

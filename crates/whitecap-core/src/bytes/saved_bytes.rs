//! Columns of numbers to bytes and back, for saved states: little-endian, each column preceded by its
//! length.
//!
//! # Guarantees
//! Bytes come from files and may be anything: truncated data is refused with a sentence, and nothing
//! larger than the bytes themselves is allocated.
//!
//! # Non-guarantees
//! Numbers are not checked; whether they are [`possible`] is for the caller to decide.

use glam::Vec3;

use crate::checked_bytes::CheckedBytes;

/// Why some bytes are not the expected state.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StateError {
    /// They are the state of something else.
    #[error("the saved state does not begin like one of {of}")]
    NotAState {
        /// What it should be the state of.
        of: &'static str,
    },
    /// They come from another version.
    #[error("the saved state has version {found}; this program reads version {known}")]
    Version {
        /// The version found.
        found: u16,
        /// The version that is known.
        known: u16,
    },
    /// They end too early or too late.
    #[error("the saved state was cut or damaged: {what}")]
    Length {
        /// How it was noticed.
        what: &'static str,
    },
    /// The settings have a different length.
    #[error(
        "the saved state has a {name} of {found} m, the settings one of {expected} m; use the settings it was made with"
    )]
    Scale {
        /// Which length.
        name: &'static str,
        /// That of the saved state.
        found: f32,
        /// That of the settings.
        expected: f32,
    },
    /// The settings have a different number of something.
    #[error(
        "the saved state has {found} {name}, the settings {expected}; use the settings it was made with"
    )]
    Count {
        /// Of what.
        name: &'static str,
        /// How many the saved state has.
        found: u64,
        /// How many the settings have.
        expected: u64,
    },
    /// A number is not finite or not possible.
    #[error("the saved state holds an impossible {what}; it was damaged")]
    Value {
        /// Which quantity.
        what: &'static str,
    },
}

/// Fails if a quantity is not possible.
pub fn possible(what: &'static str, is_possible: bool) -> Result<(), StateError> {
    if is_possible { Ok(()) } else { Err(StateError::Value { what }) }
}

/// A kind of state, and how its bytes begin.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name, for messages.
    pub of: &'static str,
    /// Its first bytes.
    pub magic: [u8; 6],
    /// The version that is written and read.
    pub version: u16,
}

impl Kind {
    /// The header of a state.
    pub fn begin(&self) -> Vec<u8> {
        [&self.magic[..], &self.version.to_le_bytes()].concat()
    }

    /// The bytes after the header of a state.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<Reader<'a>, StateError> {
        let mut reader = Reader::new(bytes);
        if reader.take() != Ok(self.magic) {
            return Err(StateError::NotAState { of: self.of });
        }
        let (found, known) = (u16::from_le_bytes(reader.take()?), self.version);
        if found == known { Ok(reader) } else { Err(StateError::Version { found, known }) }
    }
}

/// Adds a column.
pub fn put<T: Copy, const N: usize>(
    bytes: &mut Vec<u8>,
    column: &[T],
    write: impl Fn(T) -> [u8; N],
) {
    bytes.extend_from_slice(&(column.len() as u64).to_le_bytes());
    bytes.extend(column.iter().flat_map(|&value| write(value)));
}

/// The bytes of numbers that belong together; `BYTES` is four times `N`.
pub fn packed<const N: usize, const BYTES: usize>(values: [f32; N]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (slot, value) in bytes.chunks_exact_mut(4).zip(values) {
        slot.copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

/// Numbers from their bytes; `BYTES` is four times `N`.
pub fn unpacked<const N: usize, const BYTES: usize>(bytes: [u8; BYTES]) -> [f32; N] {
    std::array::from_fn(|i| {
        f32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
    })
}

/// The bytes of a vector.
pub fn vector_bytes(vector: Vec3) -> [u8; 12] {
    packed(vector.to_array())
}

/// A vector from its bytes.
pub fn vector(bytes: [u8; 12]) -> Vec3 {
    Vec3::from_array(unpacked(bytes))
}

/// The bytes of a state.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: CheckedBytes<'a>,
}

impl<'a> Reader<'a> {
    /// A reader at the start of the bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: CheckedBytes::new(bytes) }
    }

    /// The next bytes.
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], StateError> {
        self.bytes.array().map_err(|_| cut("it ends too early"))
    }

    /// The next column.
    pub fn values<T, const N: usize>(
        &mut self,
        read: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, StateError> {
        let count = u64::from_le_bytes(self.take()?);
        self.next(count, read)
    }

    /// The next `count` values, which are not preceded by a length.
    pub fn next<T, const N: usize>(
        &mut self,
        count: u64,
        read: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, StateError> {
        let found = self.bytes.fits(count, N).and_then(|count| self.bytes.arrays(count));
        let found = found.map_err(|_| cut("a column is longer than what is left"))?;
        Ok(found.iter().map(|&bytes| read(bytes)).collect())
    }

    /// Fails if any bytes are left.
    pub fn end(self) -> Result<(), StateError> {
        if self.bytes.rest().is_empty() { Ok(()) } else { Err(cut("bytes follow its end")) }
    }
}

fn cut(what: &'static str) -> StateError {
    StateError::Length { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: columns come back as they were written, and every shorter or longer piece of the bytes
    /// is refused.
    #[test]
    fn columns_come_back_whole_or_not_at_all() {
        let (vectors, numbers) = (vec![Vec3::new(1.0, -2.0, f32::INFINITY); 3], vec![7i64, -1]);
        let mut bytes = Vec::new();
        put(&mut bytes, &vectors, vector_bytes);
        put(&mut bytes, &numbers, i64::to_le_bytes);
        let read = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            let found = (reader.values(vector)?, reader.values(i64::from_le_bytes)?);
            reader.end().map(|()| found)
        };
        assert_eq!(read(&bytes), Ok((vectors, numbers)));
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length} bytes");
        }
        bytes.push(0);
        assert_eq!(read(&bytes), Err(cut("bytes follow its end")));
        // A length that no memory could hold.
        assert!(read(&[0xFF; 64]).is_err());
    }
}

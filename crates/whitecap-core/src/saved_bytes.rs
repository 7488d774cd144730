//! Columns of numbers as bytes and back, for states that are saved: little-endian, each column with its
//! length before it.
//!
//! # Guarantees
//! Bytes come from files and may be anything: what is cut short is refused with a sentence, and nothing
//! larger than the bytes themselves is allocated.
//!
//! # Non-guarantees
//! Numbers are not looked at; whether they are possible is for the caller to say.

use glam::Vec3;

/// Why bytes end where they should not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CutOff(pub &'static str);

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

/// Bytes not read yet.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Nothing is read yet.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The next bytes.
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], CutOff> {
        let (first, rest) =
            self.bytes.split_first_chunk::<N>().ok_or(CutOff("it ends too early"))?;
        self.bytes = rest;
        Ok(*first)
    }

    /// The next column.
    pub fn values<T, const N: usize>(
        &mut self,
        read: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, CutOff> {
        let count = u64::from_le_bytes(self.take()?);
        if count > (self.bytes.len() / N) as u64 {
            return Err(CutOff("a column is longer than what is left"));
        }
        let (mine, rest) = self.bytes.split_at(count as usize * N);
        self.bytes = rest;
        Ok(mine.as_chunks::<N>().0.iter().map(|&bytes| read(bytes)).collect())
    }

    /// Fails if something is left.
    pub fn end(self) -> Result<(), CutOff> {
        if self.bytes.is_empty() { Ok(()) } else { Err(CutOff("bytes follow its end")) }
    }
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
        assert_eq!(read(&bytes), Err(CutOff("bytes follow its end")));
        // A length that no memory could hold.
        assert!(read(&[0xFF; 64]).is_err());
    }
}

//! Reading binary data in order, with every step checked against what is left of it.

use std::path::Path;

use crate::scalar::Endian;
use crate::{Error, Place};

/// A place in a byte slice that only moves forward. No method allocates.
#[derive(Clone, Debug)]
pub(crate) struct ByteReader<'a> {
    bytes: &'a [u8],
    offset: usize,
    path: &'a Path,
    endian: Endian,
}

impl<'a> ByteReader<'a> {
    pub fn new(bytes: &'a [u8], path: &'a Path, endian: Endian) -> Self {
        Self { bytes, offset: 0, path, endian }
    }

    pub fn set_endian(&mut self, endian: Endian) {
        self.endian = endian;
    }

    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// Bytes not read yet.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    pub fn place(&self) -> Place {
        Place::Offset(self.offset as u64)
    }

    pub fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, self.place(), message)
    }

    /// The next `count` bytes, which hold `what`.
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Error> {
        match self.rest().split_at_checked(count) {
            Some((taken, _)) => {
                self.offset += count;
                Ok(taken)
            }
            None => {
                Err(self
                    .malformed(format!("the file ends in the middle of {what}; it is cut short")))
            }
        }
    }

    /// `count` as a `usize`, if so many items of `item_bytes` bytes are left.
    pub fn check_count(&self, count: u64, item_bytes: usize, what: &str) -> Result<usize, Error> {
        Error::check_count(self.path, self.place(), what, count, item_bytes, self.left())
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Error> {
        let mut bytes: [u8; N] = [0; N];
        bytes.copy_from_slice(self.take(N, what)?);
        // Big-endian numbers are turned round here, so that callers decode one order only.
        if self.endian == Endian::Big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    pub fn u8(&mut self, what: &str) -> Result<u8, Error> {
        self.array(what).map(u8::from_le_bytes)
    }

    pub fn u16(&mut self, what: &str) -> Result<u16, Error> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub fn u32(&mut self, what: &str) -> Result<u32, Error> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub fn u64(&mut self, what: &str) -> Result<u64, Error> {
        self.array(what).map(u64::from_le_bytes)
    }
}

//! Reads the binary data of a file in order; every read is checked against what is left.

use std::path::Path;

use whitecap_core::checked_bytes::CheckedBytes;
use whitecap_core::glam::IVec3;

use crate::encoding::scalar::Endian;
use crate::{Error, Place};

/// A position in the bytes of a file, with the file's name for messages. Only texts allocate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteReader<'a> {
    bytes: CheckedBytes<'a>,
    path: &'a Path,
    endian: Endian,
}

impl<'a> ByteReader<'a> {
    pub fn new(bytes: &'a [u8], path: &'a Path, endian: Endian) -> Self {
        Self { bytes: CheckedBytes::new(bytes), path, endian }
    }

    /// The same file from `start`, ending at `end`: nothing past `end` can be read.
    pub fn window(&self, start: usize, end: usize) -> Option<Self> {
        Some(Self { bytes: self.bytes.window(start, end)?, ..*self })
    }

    pub fn set_endian(&mut self, endian: Endian) {
        self.endian = endian;
    }

    pub fn endian(&self) -> Endian {
        self.endian
    }

    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> usize {
        self.bytes.offset()
    }

    /// Offset at which the bytes end.
    pub fn end(&self) -> usize {
        self.bytes.end()
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.rest()
    }

    pub fn place(&self) -> Place {
        Place::Offset(self.offset() as u64)
    }

    /// The error that reports `message` at this position.
    pub fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, self.place(), message)
    }

    /// The next `count` bytes, which hold `what`.
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Error> {
        self.bytes.take(count).map_err(|short| {
            self.malformed(format!(
                "{what} should take {} bytes here, but only {} are left; the file is damaged or cut short",
                short.wanted, short.room
            ))
        })
    }

    /// `count` as a `usize`, if that many items of `item_bytes` bytes are left.
    pub fn check_count(&self, count: u64, item_bytes: usize, what: &str) -> Result<usize, Error> {
        Error::check_count(self.path, self.place(), what, count, item_bytes, self.rest().len())
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Error> {
        let mut bytes: [u8; N] = [0; N];
        bytes.copy_from_slice(self.take(N, what)?);
        // Big-endian numbers are swapped here, so that callers decode one order only.
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

    pub fn i32(&mut self, what: &str) -> Result<i32, Error> {
        self.array(what).map(i32::from_le_bytes)
    }

    pub fn u64(&mut self, what: &str) -> Result<u64, Error> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub fn i64(&mut self, what: &str) -> Result<i64, Error> {
        self.array(what).map(i64::from_le_bytes)
    }

    pub fn f64(&mut self, what: &str) -> Result<f64, Error> {
        self.array(what).map(f64::from_le_bytes)
    }

    /// `N` doubles.
    pub fn doubles<const N: usize>(&mut self, what: &str) -> Result<[f64; N], Error> {
        let mut doubles = [0.0; N];
        for double in &mut doubles {
            *double = self.f64(what)?;
        }
        Ok(doubles)
    }

    /// Three integers.
    pub fn coordinate(&mut self, what: &str) -> Result<IVec3, Error> {
        Ok(IVec3::new(self.i32(what)?, self.i32(what)?, self.i32(what)?))
    }

    /// A count, in 32 bits, of items that take at least `item_bytes` each in what is left.
    pub fn count(&mut self, item_bytes: usize, what: &str) -> Result<usize, Error> {
        let place = self.place();
        let count = u64::from(self.u32(what)?);
        Error::check_count(self.path, place, what, count, item_bytes, self.rest().len())
    }

    /// A text preceded by its length in 32 bits. Bytes that are not UTF-8 are replaced.
    pub fn text(&mut self, what: &str) -> Result<String, Error> {
        let length = self.u32(what)? as usize;
        Ok(String::from_utf8_lossy(self.take(length, what)?).into_owned())
    }
}

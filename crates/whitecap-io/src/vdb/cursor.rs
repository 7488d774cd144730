//! Reading little-endian numbers out of a byte slice without ever leaving it.

use std::path::Path;

use whitecap_core::glam::IVec3;

use crate::{Error, Place};

/// A place in the bytes of a file, with the file's name for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    path: &'a Path,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        Self { bytes, position: 0, path }
    }

    /// The same file from `start`, ending at `end`: nothing past `end` can be read.
    pub(super) fn window(&self, start: usize, end: usize) -> Self {
        Self { bytes: &self.bytes[..end], position: start, path: self.path }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn end(&self) -> usize {
        self.bytes.len()
    }

    /// The error that says `message` about this place.
    pub(super) fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, Place::Offset(self.position as u64), message)
    }

    /// The next `count` bytes, which hold `what`.
    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.position..];
        let Some(taken) = rest.get(..count) else {
            return Err(self.malformed(format!(
                "{what} should take {count} bytes here, but only {} are left; the file is damaged or cut short",
                rest.len()
            )));
        };
        self.position += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8, Error> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32, Error> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self, what: &str) -> Result<i32, Error> {
        self.array(what).map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &str) -> Result<u64, Error> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self, what: &str) -> Result<i64, Error> {
        self.array(what).map(i64::from_le_bytes)
    }

    pub(super) fn f64(&mut self, what: &str) -> Result<f64, Error> {
        self.array(what).map(f64::from_le_bytes)
    }

    /// `N` doubles.
    pub(super) fn doubles<const N: usize>(&mut self, what: &str) -> Result<[f64; N], Error> {
        let mut doubles = [0.0; N];
        for double in &mut doubles {
            *double = self.f64(what)?;
        }
        Ok(doubles)
    }

    pub(super) fn coordinate(&mut self, what: &str) -> Result<IVec3, Error> {
        Ok(IVec3::new(self.i32(what)?, self.i32(what)?, self.i32(what)?))
    }

    /// A count of items that take at least `item_bytes` each in what is left.
    pub(super) fn count(&mut self, item_bytes: usize, what: &str) -> Result<usize, Error> {
        let place = Place::Offset(self.position as u64);
        let count = u64::from(self.u32(what)?);
        let left = self.bytes.len() - self.position;
        Error::check_count(self.path, place, what, count, item_bytes, left)
    }

    /// A text with its length in front. Bytes that are not UTF-8 are replaced.
    pub(super) fn text(&mut self, what: &str) -> Result<String, Error> {
        let length = self.u32(what)? as usize;
        Ok(String::from_utf8_lossy(self.take(length, what)?).into_owned())
    }
}

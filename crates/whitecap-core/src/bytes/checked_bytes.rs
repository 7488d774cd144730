//! Bytes read from front to back; every read is checked against what is left.
//!
//! # Guarantees
//! Bytes come from files and may be anything: nothing past their end is read, and a count is compared
//! with what follows before anything is allocated for it. Nothing here panics or allocates.
//!
//! # Non-guarantees
//! Interpreting the bytes, and wording the error about missing ones, is left to each format.

/// Fewer bytes are left than were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{wanted} items were asked for, but there is room for only {room}")]
pub struct CutShort {
    /// How many items were asked for.
    pub wanted: u64,
    /// How many items the remaining bytes could hold.
    pub room: u64,
}

/// Bytes, and how many of them have been read.
///
/// ```
/// use whitecap_core::checked_bytes::CheckedBytes;
///
/// let mut bytes = CheckedBytes::new(&[2, 0, 7, 0, 9, 0]);
/// let count = bytes.array().map(u16::from_le_bytes)?;
/// let count = bytes.fits(count.into(), 2)?;
/// assert_eq!(bytes.arrays::<2>(count)?, [[7, 0], [9, 0]]);
/// assert!(bytes.take(1).is_err());
/// # Ok::<(), whitecap_core::checked_bytes::CutShort>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CheckedBytes<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> CheckedBytes<'a> {
    /// A reader at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The same bytes from `start` to `end`, with offsets that count from the same place; `None` if
    /// they are not that long.
    pub fn window(&self, start: usize, end: usize) -> Option<Self> {
        let bytes = self.bytes.get(..end)?;
        (start <= end).then_some(Self { bytes, offset: start })
    }

    /// How many bytes have been read.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Offset at which the bytes end.
    pub fn end(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], CutShort> {
        let (taken, _) = self.rest().split_at_checked(count).ok_or(self.short(count))?;
        self.offset += count;
        Ok(taken)
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], CutShort> {
        let taken = *self.rest().first_chunk().ok_or(self.short(N))?;
        self.offset += N;
        Ok(taken)
    }

    /// The next `count` groups of `N` bytes.
    pub fn arrays<const N: usize>(&mut self, count: usize) -> Result<&'a [[u8; N]], CutShort> {
        let count = self.fits(count as u64, N)?;
        Ok(self.take(count * N)?.as_chunks().0)
    }

    /// Returns `count` if that many items of at least `item_bytes` bytes each are left.
    pub fn fits(&self, count: u64, item_bytes: usize) -> Result<usize, CutShort> {
        fits(count, item_bytes, self.rest().len())
    }

    fn short(&self, wanted: usize) -> CutShort {
        CutShort { wanted: wanted as u64, room: self.rest().len() as u64 }
    }
}

/// Returns the count if that many items of at least `item_bytes` bytes each fit into the given number of
/// bytes.
pub fn fits(count: u64, item_bytes: usize, bytes: usize) -> Result<usize, CutShort> {
    let room = (bytes / item_bytes.max(1)) as u64;
    let found = usize::try_from(count).ok().filter(|_| count <= room);
    found.ok_or(CutShort { wanted: count, room })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: what is left can be read; one byte more is refused and does not move the position,
    /// even where the product of count and size would overflow.
    #[test]
    fn nothing_past_the_end_is_read() {
        let all: Vec<u8> = (0..10).collect();
        let mut bytes = CheckedBytes::new(&all);
        assert_eq!(bytes.array(), Ok([0, 1]));
        assert_eq!(bytes.take(9), Err(CutShort { wanted: 9, room: 8 }));
        assert_eq!(bytes.array::<9>(), Err(CutShort { wanted: 9, room: 8 }));
        assert_eq!(bytes.arrays::<3>(3), Err(CutShort { wanted: 3, room: 2 }));
        assert_eq!(bytes.arrays::<3>(usize::MAX).unwrap_err().room, 2);
        assert_eq!(bytes.fits(u64::MAX, 4).unwrap_err().wanted, u64::MAX);
        assert_eq!((bytes.offset(), bytes.fits(2, 4)), (2, Ok(2)));
        assert_eq!(bytes.arrays::<4>(2), Ok(&[[2, 3, 4, 5], [6, 7, 8, 9]][..]));
        assert_eq!((bytes.rest(), bytes.array::<0>()), (&[][..], Ok([])));
    }

    /// Contract: a window keeps its offsets and ends where it should; an impossible one is refused.
    #[test]
    fn windows_end_where_they_should() {
        let all: Vec<u8> = (0..10).collect();
        let mut window = CheckedBytes::new(&all).window(4, 6).unwrap();
        assert_eq!((window.offset(), window.end()), (4, 6));
        assert_eq!(window.take(2), Ok(&[4, 5][..]));
        assert!(window.take(1).is_err());
        for (start, end) in [(4, 11), (7, 6)] {
            assert!(CheckedBytes::new(&all).window(start, end).is_none());
        }
    }
}

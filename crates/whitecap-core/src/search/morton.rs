//! Z-order (Morton) keys and a stable radix sort by them.

use glam::IVec3;
use rayon::prelude::*;

/// Coordinates must lie in −`LIMIT` … `LIMIT` − 1.
pub const LIMIT: i32 = 1 << 20;

/// The 63-bit key of a coordinate: its bits interleaved, x lowest.
#[inline]
pub fn encode(coordinate: IVec3) -> u64 {
    let biased = coordinate + LIMIT;
    spread(biased.x as u64) | spread(biased.y as u64) << 1 | spread(biased.z as u64) << 2
}

/// The coordinate of a key.
#[inline]
pub fn decode(key: u64) -> IVec3 {
    let biased = IVec3::new(gather(key) as i32, gather(key >> 1) as i32, gather(key >> 2) as i32);
    biased - LIMIT
}

/// Puts two zero bits between each of the low 21 bits.
#[inline]
fn spread(value: u64) -> u64 {
    let mut v = value & 0x1F_FFFF;
    v = (v | v << 32) & 0x001F_0000_0000_FFFF;
    v = (v | v << 16) & 0x001F_0000_FF00_00FF;
    v = (v | v << 8) & 0x100F_00F0_0F00_F00F;
    v = (v | v << 4) & 0x10C3_0C30_C30C_30C3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

#[inline]
fn gather(key: u64) -> u64 {
    let mut v = key & 0x1249_2492_4924_9249;
    v = (v | v >> 2) & 0x10C3_0C30_C30C_30C3;
    v = (v | v >> 4) & 0x100F_00F0_0F00_F00F;
    v = (v | v >> 8) & 0x001F_0000_FF00_00FF;
    v = (v | v >> 16) & 0x001F_0000_0000_FFFF;
    (v | v >> 32) & 0x1F_FFFF
}

const DIGIT_BITS: u32 = 11;
const BUCKETS: usize = 1 << DIGIT_BITS;

/// An index with its key, in twelve bytes.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// Low and high half of the key.
    key: [u32; 2],
    index: u32,
}

impl Item {
    fn key(self) -> u64 {
        u64::from(self.key[1]) << 32 | u64::from(self.key[0])
    }
}

/// A stable least-significant-digit radix sort that keeps its buffers.
#[derive(Clone, Debug, Default)]
pub struct MortonSort {
    items: Vec<Item>,
    scratch: Vec<Item>,
}

impl MortonSort {
    /// Sorts the indices `0..count` by `key(index)`; equal keys keep index order.
    pub fn sort(&mut self, count: usize, key: impl Fn(usize) -> u64 + Sync) {
        let item = |i| {
            let key = key(i);
            Item { key: [key as u32, (key >> 32) as u32], index: i as u32 }
        };
        (0..count).into_par_iter().map(item).collect_into_vec(&mut self.items);
        // Only the bits in which keys differ need sorting: usually the low third.
        let first = self.items.first().map_or(0, |item| item.key());
        let differing =
            self.items.par_iter().map(|item| item.key() ^ first).reduce(|| 0, |a, b| a | b);
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.items);
        let mut shift = 0;
        while shift < 64 - differing.leading_zeros() {
            if (differing >> shift) as usize & (BUCKETS - 1) != 0 {
                scatter_by_digit(&self.items, &mut self.scratch, shift);
                std::mem::swap(&mut self.items, &mut self.scratch);
            }
            shift += DIGIT_BITS;
        }
    }

    /// (key, index) pairs, ascending.
    pub fn sorted(&self) -> impl ExactSizeIterator<Item = (u64, u32)> {
        self.items.iter().map(|item| (item.key(), item.index))
    }
}

fn scatter_by_digit(from: &[Item], to: &mut [Item], shift: u32) {
    let digit = |key: u64| (key >> shift) as usize & (BUCKETS - 1);
    let mut places = [0u32; BUCKETS];
    for item in from {
        places[digit(item.key())] += 1;
    }
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    for &item in from {
        let place = &mut places[digit(item.key())];
        to[*place as usize] = item;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: encoding and decoding are inverse over the whole range.
    #[test]
    fn keys_round_trip() {
        for &x in &[-LIMIT, -1, 0, 1, 77, LIMIT - 1] {
            for &y in &[-LIMIT, -5, 0, 12_345, LIMIT - 1] {
                for &z in &[-LIMIT, -999_999, 0, 3, LIMIT - 1] {
                    let coordinate = IVec3::new(x, y, z);
                    assert_eq!(decode(encode(coordinate)), coordinate);
                }
            }
        }
    }

    /// Contract: the sort orders by key and keeps the input order of equal keys.
    #[test]
    fn sort_is_stable() {
        let key = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52 << 30;
        let mut sort = MortonSort::default();
        sort.sort(50_000, key);
        assert!(sort.sorted().is_sorted());
        assert_eq!(sort.sorted().len(), 50_000);
    }
}

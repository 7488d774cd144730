//! Loops over arrays in chunks of a fixed length, on several threads where that pays.
//!
//! # Guarantees
//! What is computed for an entry depends on nothing but the entry, so the number of threads does not
//! matter; nothing is allocated.

use std::sync::atomic::{AtomicU32, Ordering};

/// Entries of a chunk.
const CHUNK: usize = 8192;

/// Calls `work(index of the first entry, entries)` for all entries.
pub(crate) fn for_chunks<T: Send>(values: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    halve(0, values, &work);
}

fn halve<T: Send>(start: usize, values: &mut [T], work: &(impl Fn(usize, &mut [T]) + Sync)) {
    if values.len() < 2 * CHUNK {
        return work(start, values);
    }
    let middle = (values.len() / 2).next_multiple_of(CHUNK);
    let (low, high) = values.split_at_mut(middle);
    rayon::join(|| halve(start, low, work), || halve(start + middle, high, work));
}

/// The largest of numbers that are not negative, from any thread in any order: their bits are ordered as
/// they are.
#[derive(Default)]
pub(crate) struct Largest(AtomicU32);

impl Largest {
    /// Takes one more number into account.
    pub fn include(&self, value: f32) {
        self.0.fetch_max(value.to_bits(), Ordering::Relaxed);
    }

    /// The largest so far; zero when there is none.
    pub fn value(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }
}

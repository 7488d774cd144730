//! Loops over arrays in chunks of a fixed length, on several threads where that pays.
//!
//! # Guarantees
//! What is computed for an entry depends on nothing but the entry, so the number of threads does not
//! matter; nothing is allocated.

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

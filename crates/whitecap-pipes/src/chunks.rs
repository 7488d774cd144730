//! Loops over arrays on several threads where that pays.
//!
//! # Guarantees
//! What is computed for an entry depends on nothing but the entry, so the number of threads does not
//! matter; nothing is allocated.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Least entries for which a thread is worth while.
const CHUNK: usize = 2048;

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

/// Calls `work(index of the first entry, entries, entries)` for all entries of two arrays of one length.
pub(crate) fn for_chunk_pairs<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    halve_pairs(0, a, b, &work);
}

fn halve_pairs<A: Send, B: Send>(
    start: usize,
    a: &mut [A],
    b: &mut [B],
    work: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
) {
    if a.len() < 2 * CHUNK {
        return work(start, a, b);
    }
    let middle = (a.len() / 2).next_multiple_of(CHUNK);
    let ((low_a, high_a), (low_b, high_b)) = (a.split_at_mut(middle), b.split_at_mut(middle));
    rayon::join(
        || halve_pairs(start, low_a, low_b, work),
        || halve_pairs(start + middle, high_a, high_b, work),
    );
}

/// Calls `work(rows, their entries)` for all rows; row `r` has the entries from `first[r]` to
/// `first[r + 1]`.
pub(crate) fn for_rows<T: Send>(
    first: &[u32],
    values: &mut [T],
    work: impl Fn(Range<usize>, &mut [T]) + Sync,
) {
    halve_rows(first, 0..first.len() - 1, values, &work);
}

fn halve_rows<T: Send>(
    first: &[u32],
    rows: Range<usize>,
    values: &mut [T],
    work: &(impl Fn(Range<usize>, &mut [T]) + Sync),
) {
    if values.len() < 2 * CHUNK || rows.len() < 2 {
        return work(rows, values);
    }
    let middle = rows.start + rows.len() / 2;
    let (low, high) = values.split_at_mut((first[middle] - first[rows.start]) as usize);
    rayon::join(
        || halve_rows(first, rows.start..middle, low, work),
        || halve_rows(first, middle..rows.end, high, work),
    );
}

/// Whether any thread found something.
#[derive(Default)]
pub(crate) struct Found(AtomicBool);

impl Found {
    /// Takes one more answer into account.
    pub fn include(&self, found: bool) {
        self.0.fetch_or(found, Ordering::Relaxed);
    }

    /// Whether any answer was yes.
    pub fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

//! Loops over arrays on several threads where that pays.
//!
//! # Guarantees
//! What is computed for an entry depends only on the entry, so the number of threads does not
//! matter; nothing is allocated.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Smallest number of entries for which another thread pays.
const CHUNK: usize = 2048;

/// Slices that can be cut in two at an element.
pub(crate) trait Cut: Sized {
    /// The first `count` elements, and the rest.
    fn cut(self, count: usize) -> (Self, Self);
}

/// Nothing to write.
impl Cut for () {
    fn cut(self, _: usize) -> (Self, Self) {
        ((), ())
    }
}

impl<T> Cut for &mut [T] {
    fn cut(self, count: usize) -> (Self, Self) {
        self.split_at_mut(count)
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn cut(self, count: usize) -> (Self, Self) {
        let ((a, a_rest), (b, b_rest)) = (self.0.cut(count), self.1.cut(count));
        ((a, b), (a_rest, b_rest))
    }
}

impl<A: Cut, B: Cut, C: Cut> Cut for (A, B, C) {
    fn cut(self, count: usize) -> (Self, Self) {
        let ((a, a_rest), (b, b_rest)) = (self.0.cut(count), self.1.cut(count));
        let (c, c_rest) = self.2.cut(count);
        ((a, b, c), (a_rest, b_rest, c_rest))
    }
}

/// Calls `work(index of the first entry, entries)` for all entries of `slices`, which have `count` each.
pub(crate) fn for_chunks<S: Cut + Send>(count: usize, slices: S, work: impl Fn(usize, S) + Sync) {
    halve(0..count, slices, &work);
}

fn halve<S: Cut + Send>(entries: Range<usize>, slices: S, work: &(impl Fn(usize, S) + Sync)) {
    if entries.len() < 2 * CHUNK {
        return work(entries.start, slices);
    }
    let half = (entries.len() / 2).next_multiple_of(CHUNK);
    let middle = entries.start + half;
    let (low, high) = slices.cut(half);
    rayon::join(
        || halve(entries.start..middle, low, work),
        || halve(middle..entries.end, high, work),
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
    /// Adds one more answer.
    pub fn include(&self, found: bool) {
        self.0.fetch_or(found, Ordering::Relaxed);
    }

    /// Whether any answer was yes.
    pub fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

//! Parallel work on rows of cells: slices are halved until they are short, one half to each thread. Where a
//! slice is cut does not depend on the number of threads, and neither does what is computed.

use std::ops::Range;

use crate::flow::chunks::Cut;

/// Rows with fewer elements than this in all are not worth another thread.
pub(super) const SHORTEST: usize = 4096;

/// Calls `work` for parts of `rows` with the elements of `slices` that belong to them. Elements of row r
/// are `start(r)..start(r + 1)`; `slices` holds those of all `rows`.
pub(super) fn over_rows<S: Cut + Send>(
    rows: Range<usize>,
    start: &(impl Fn(usize) -> usize + Sync),
    slices: S,
    work: &(impl Fn(Range<usize>, S) + Sync),
) {
    let elements = start(rows.end) - start(rows.start);
    if rows.len() < 2 || elements < SHORTEST {
        return work(rows, slices);
    }
    let middle = rows.start.midpoint(rows.end);
    let (low, high) = slices.cut(start(middle) - start(rows.start));
    rayon::join(
        || over_rows(rows.start..middle, start, low, work),
        || over_rows(middle..rows.end, start, high, work),
    );
}

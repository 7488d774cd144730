//! Parallel reductions whose result does not depend on the number of threads.
//!
//! The input is cut into chunks of a fixed length; each chunk is reduced in order, and the chunk
//! results are combined in order. The grouping depends on the length alone.

use rayon::prelude::*;

/// Elements per chunk: large enough to hide the cost of a task, the same on every machine.
pub const CHUNK: usize = 4096;

/// Reduces `count` elements: `chunk(range)` reduces one range, `combine` joins results in order.
pub fn ordered_reduce<R: Send>(
    count: usize,
    identity: R,
    chunk: impl Fn(std::ops::Range<usize>) -> R + Sync,
    combine: impl Fn(R, R) -> R,
) -> R {
    let partial: Vec<R> = (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|c| chunk(c * CHUNK..((c + 1) * CHUNK).min(count)))
        .collect();
    partial.into_iter().fold(identity, combine)
}

/// Sum of `value(i)` over `0..count`, accumulated in double precision.
pub fn sum(count: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    ordered_reduce(count, 0.0, |range| range.map(&value).sum::<f64>(), |a, b| a + b)
}

/// Largest `value(i)` over `0..count`; negative infinity when there is none.
pub fn max(count: usize, value: impl Fn(usize) -> f32 + Sync) -> f32 {
    let largest =
        |range: std::ops::Range<usize>| range.map(&value).fold(f32::NEG_INFINITY, f32::max);
    ordered_reduce(count, f32::NEG_INFINITY, largest, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: the sum has the same bits for 1, 2 and 7 threads.
    #[test]
    fn sums_have_the_same_bits_for_any_thread_count() {
        let value = |i: usize| ((i as f64) * 0.7310).sin() * 1e6 / (1.0 + i as f64);
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sum(100_003, value)).to_bits()
        };
        assert_eq!(with_threads(1), with_threads(2));
        assert_eq!(with_threads(1), with_threads(7));
    }
}

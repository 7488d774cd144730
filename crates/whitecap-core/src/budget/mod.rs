//! Asking for memory before it is allocated, and for time before it is spent.
//!
//! A computation whose memory may be far beyond the size of its input states what it is about to
//! need and asks; see [`ask`]. The answer compares the need with what is free on the machine and
//! with a limit for the whole process, see [`set_memory_limit`]. A refusal is a sentence with
//! both numbers and what to change.
//!
//! # Guarantees
//! * An answer never changes a result: a computation goes on as it would have, or fails.
//! * Needs below [`ALWAYS_GRANTED`] cost nothing and are granted, whatever the limit.
//!
//! # Non-guarantees
//! * Nothing is reserved. Two computations that ask at the same time may both be granted what
//!   only one can have.
//! * Needs are estimates, and memory that is held already is not free any more: whoever reuses
//!   memory asks only for what is new.
//! * Where the system does not say what is free (other than Linux) and no limit is set,
//!   [`ASSUMED_FREE`] is taken for free.

mod machine;
mod sentence;

use std::sync::atomic::{AtomicU64, Ordering};

pub use sentence::OverBudget;

/// Needs up to here are granted without a question, in bytes.
pub const ALWAYS_GRANTED: f64 = 64e6;
/// What is taken for free where the system does not say, in bytes.
pub const ASSUMED_FREE: f64 = 16e9;

/// Steps of the innermost loop, about a nanosecond each, beyond which work is refused: a quarter of an
/// hour on one core, and a hundred times what the largest usual input takes.
pub const MOST_STEPS: f64 = 1e12;

/// The limit in bytes; [`u64::MAX`] stands for none.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// What holds a computation back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// What is free on the machine.
    Machine,
    /// What is taken for free on a machine that does not say.
    Assumed,
    /// The limit that was set for the process, in bytes.
    Limit(u64),
    /// Not memory but time: need and what can be had are [steps](MOST_STEPS).
    Work,
}

/// Sets how much memory this process may use in all, in bytes; `None` for whatever is free. It
/// holds for every computation that [`ask`]s from then on, in all threads.
pub fn set_memory_limit(bytes: Option<u64>) {
    LIMIT.store(bytes.unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// The limit that was set, in bytes.
pub fn memory_limit() -> Option<u64> {
    let limit = LIMIT.load(Ordering::Relaxed);
    (limit != u64::MAX).then_some(limit)
}

/// Asks whether `bytes` more may be allocated now for `what` ("the distance field of the mesh").
/// `remedy` says what a user can change ("use a larger `cell`").
///
/// `bytes` may be any estimate, infinite too; NaN is refused.
///
/// ```
/// use whitecap_core::budget;
///
/// let cells = 1e5_f64.powi(3);
/// let refused = budget::ask(4.0 * cells, "a grid of 100000³ cells", "use larger cells");
/// assert!(refused.unwrap_err().to_string().starts_with("a grid of 100000³ cells needs about 4.0 PB"));
/// ```
pub fn ask(bytes: f64, what: &str, remedy: &str) -> Result<(), OverBudget> {
    if bytes <= ALWAYS_GRANTED {
        return Ok(());
    }
    let (free, bound) = free();
    match bytes <= free {
        true => Ok(()),
        false => Err(OverBudget {
            what: what.to_string(),
            needed: bytes,
            free,
            bound,
            outlier: None,
            remedy: remedy.to_string(),
        }),
    }
}

/// Asks whether `steps` of the innermost loop may be done for `what`, as [`ask`] does for memory: for
/// work that may grow far beyond both input and result.
pub fn ask_work(steps: f64, what: &str, remedy: &str) -> Result<(), OverBudget> {
    match steps <= MOST_STEPS {
        true => Ok(()),
        false => Err(OverBudget {
            what: what.to_string(),
            needed: steps,
            free: MOST_STEPS,
            bound: Bound::Work,
            outlier: None,
            remedy: remedy.to_string(),
        }),
    }
}

/// Bytes that may still be allocated, and what bounds them.
fn free() -> (f64, Bound) {
    let machine = match machine::free_bytes() {
        Some(bytes) => (bytes as f64, Bound::Machine),
        None => (ASSUMED_FREE, Bound::Assumed),
    };
    let Some(limit) = memory_limit() else { return machine };
    let left = limit.saturating_sub(machine::resident_bytes().unwrap_or(0)) as f64;
    match left < machine.0 || machine.1 == Bound::Assumed {
        true => (left, Bound::Limit(limit)),
        false => machine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: small needs are granted under any limit, larger ones only as far as it leaves
    /// room; without a limit an absurd need is refused on every machine. (One test, because the
    /// limit is one for the process.)
    #[test]
    fn needs_are_compared_with_the_limit_and_with_the_machine() {
        for absurd in [1e18, f64::INFINITY, f64::NAN] {
            let refused = ask(absurd, "the grid", "use larger cells").unwrap_err();
            assert!(matches!(refused.bound, Bound::Machine | Bound::Assumed), "{refused}");
        }
        set_memory_limit(Some(1_000_000));
        assert_eq!(memory_limit(), Some(1_000_000));
        assert_eq!(ask(ALWAYS_GRANTED, "the grid", ""), Ok(()));
        let refused = ask(65e6, "the grid", "use larger cells").unwrap_err();
        assert_eq!(refused.bound, Bound::Limit(1_000_000));
        set_memory_limit(None);
        assert_eq!(memory_limit(), None);
        assert_eq!(ask(65e6, "the grid", ""), Ok(()));
    }
}

//! The threads that all parallel loops share.
//!
//! # Guarantees
//! When there is a thread for every core that the process may use, each is pinned to its own core
//! (on Linux). Otherwise a loop of a millisecond can be over before the scheduler has moved its
//! second thread off the core of the first, and a live liquid has six such loops in a frame.
//!
//! # Non-guarantees
//! With fewer threads than cores the scheduler places them, because other programs that do the same
//! would end up on the same cores.

use crate::failure::Failure;

/// Starts the threads: `count` of them, or one for each core.
pub fn start(count: Option<u16>) -> Result<(), Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(count.map_or(0, usize::from))
        .start_handler(keep_to_core)
        .build_global()
        .map_err(|error| Failure::Work(format!("the threads cannot be started: {error}")))
}

/// Pins the calling thread, given its number, to its own core.
#[cfg(target_os = "linux")]
fn keep_to_core(number: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else { return };
    let mut cores = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core));
    if rayon::current_num_threads() != allowed.count() as usize {
        return;
    }
    let Some(core) = cores.nth(number) else { return };
    let mut own = CpuSet::new();
    own.set(core);
    // If this is forbidden, the scheduler places the thread.
    let _ = sched_setaffinity(None, &own);
}

#[cfg(not(target_os = "linux"))]
fn keep_to_core(_: usize) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::{CpuSet, sched_getaffinity};

    /// The cores that each of `count` threads may use.
    fn cores_of_threads(count: usize) -> Vec<CpuSet> {
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .start_handler(super::keep_to_core)
            .build()
            .unwrap();
        threads.broadcast(|_| sched_getaffinity(None).unwrap())
    }

    /// Contract: as many threads as cores have a core each, all of them different; with one more
    /// thread, all may run anywhere.
    #[test]
    fn each_thread_has_a_core_of_its_own() {
        let allowed = sched_getaffinity(None).unwrap();
        let count = allowed.count() as usize;
        let cores = cores_of_threads(count);
        let used = |core: usize| cores.iter().filter(|own| own.is_set(core)).count();
        for core in 0..CpuSet::MAX_CPU {
            assert_eq!(used(core), usize::from(allowed.is_set(core)), "core {core}");
        }
        assert!(cores_of_threads(count + 1).iter().all(|cores| *cores == allowed));
    }
}

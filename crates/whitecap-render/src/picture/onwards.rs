//! Progress that never goes back.

use std::sync::{Mutex, PoisonError};

use whitecap_core::Watch;

/// Passes to a watcher only progress beyond what it has already received, one call at a time: tiles
/// finish on several threads, and a pass begins where the last one was planned to end, which clean
/// pixels may already have passed.
pub(super) struct Onwards<'w> {
    watch: &'w dyn Watch,
    farthest: Mutex<f32>,
}

impl<'w> Onwards<'w> {
    pub(super) fn new(watch: &'w dyn Watch) -> Self {
        Self { watch, farthest: Mutex::new(0.0) }
    }

    pub(super) fn progress(&self, fraction: f32) {
        let mut farthest = self.farthest.lock().unwrap_or_else(PoisonError::into_inner);
        if fraction > *farthest {
            *farthest = fraction;
            // Reported under the lock, so that no other thread can overtake.
            self.watch.progress(fraction);
        }
    }

    pub(super) fn cancelled(&self) -> bool {
        self.watch.cancelled()
    }
}

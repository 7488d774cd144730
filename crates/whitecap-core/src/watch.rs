//! Progress and cancellation come in as an argument; a phenomenon never prints or exits.

/// How a long computation reports progress to its caller and learns of cancellation.
pub trait Watch: Sync {
    /// The computation has done `fraction` (0 to 1) of its work.
    fn progress(&self, fraction: f32) {
        let _ = fraction;
    }

    /// Whether the computation should stop at the next safe place.
    fn cancelled(&self) -> bool {
        false
    }
}

/// For callers that do not watch: progress is ignored and nothing is cancelled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

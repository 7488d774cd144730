//! The full state of a shallow liquid as bytes, and back.

/// Why bytes are not the state of a shallow liquid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// They are something else.
    #[error("the saved state does not begin like one of pipes")]
    NotAState,
}

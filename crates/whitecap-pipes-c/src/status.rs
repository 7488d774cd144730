//! How a call ended, and the message about it.

use whitecap_pipes::PipeError;

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhitecapPipesStatus {
    /// Everything was done.
    Ok = 0,
    /// A required pointer is null, or is not aligned for what it should point to.
    BadPointer = 1,
    /// An array does not have the number of entries that the grid needs.
    WrongSize = 2,
    /// A value is out of range or not a number.
    BadValue = 3,
    /// The terrain is impossible: a height is not finite, or spaces overlap.
    BadTerrain = 4,
    /// An internal error occurred; destroy the liquid and create a new one.
    Broken = 5,
}

/// Why a call did not do what it should.
pub(crate) struct Refusal {
    pub status: WhitecapPipesStatus,
    pub sentence: String,
}

impl Refusal {
    pub fn new(status: WhitecapPipesStatus, sentence: impl Into<String>) -> Self {
        Self { status, sentence: sentence.into() }
    }

    pub fn wrong_size(name: &str, found: usize, expected: usize) -> Self {
        let sentence = format!("`{name}` has {found} entries, but there must be {expected}");
        Self::new(WhitecapPipesStatus::WrongSize, sentence)
    }

    pub fn bad_value(sentence: impl Into<String>) -> Self {
        Self::new(WhitecapPipesStatus::BadValue, sentence)
    }
}

impl From<PipeError> for Refusal {
    fn from(error: PipeError) -> Self {
        let status = match error {
            PipeError::Height { .. } | PipeError::Overlap { .. } => WhitecapPipesStatus::BadTerrain,
            PipeError::TerrainSize { .. }
            | PipeError::TooManyColumns { .. }
            | PipeError::OverBudget(_) => WhitecapPipesStatus::WrongSize,
            _ => WhitecapPipesStatus::BadValue,
        };
        Self::new(status, error.to_string())
    }
}

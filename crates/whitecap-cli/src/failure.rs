//! How a command fails, and the exit code that says so.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | the work failed, or a check found something wrong |
//! | 2 | wrong usage, or a shot file with mistakes |
//! | 3 | the processor is too old for this build |
//! | 130 | cancelled |

use std::path::Path;

use serde_json::{Value, json};

use crate::cancel::CANCELLED;

/// Why a command could not finish.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The work itself failed.
    #[error("{0}")]
    Work(String),
    /// The command was used wrongly.
    #[error("{0}")]
    Usage(String),
    /// A shot file has mistakes; the text shows each with its line.
    #[error("{text}")]
    Shot {
        /// Every mistake, rendered.
        text: String,
        /// The same for programs.
        mistakes: Value,
    },
    /// Somebody pressed Ctrl-C.
    #[error("{0}")]
    Cancelled(String),
}

impl Failure {
    /// A failure of the work on one file.
    pub fn about(path: &Path, error: impl std::fmt::Display) -> Self {
        Failure::Work(format!("{}: {error}", path.display()))
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Work(_) => 1,
            Failure::Usage(_) | Failure::Shot { .. } => 2,
            Failure::Cancelled(_) => CANCELLED,
        }
    }

    /// The object that `--json` prints.
    pub fn json(&self) -> Value {
        let mut object = json!({ "error": self.to_string(), "exit_code": self.code() });
        if let Failure::Shot { mistakes, .. } = self {
            object["mistakes"] = mistakes.clone();
        }
        object
    }

    /// What a person reads.
    pub fn text(&self) -> String {
        match self {
            // Every mistake already begins with `error:`.
            Failure::Shot { text, .. } => text.clone(),
            Failure::Cancelled(message) => message.clone(),
            other => format!("error: {other}"),
        }
    }
}

impl From<whitecap_io::Error> for Failure {
    fn from(error: whitecap_io::Error) -> Self {
        Failure::Work(error.to_string())
    }
}

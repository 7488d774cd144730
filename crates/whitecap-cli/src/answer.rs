//! What a command answers: one text for people, one object for programs.

use std::path::Path;

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::session::Session;
use crate::wording;

/// The answer of a command that did its work.
pub struct Answer {
    /// For people; may be empty.
    pub text: String,
    /// For programs.
    pub json: Value,
    /// Whether all is well; false if a check found a fault.
    pub good: bool,
    /// Whether the text was asked for, so that `--quiet` does not suppress it.
    pub asked_for: bool,
}

impl Answer {
    /// Reports what was done.
    pub fn done(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), json, good: true, asked_for: false }
    }

    /// Gives what was asked for.
    pub fn report(text: impl Into<String>, json: Value) -> Self {
        Self { asked_for: true, ..Self::done(text, json) }
    }

    /// The answer about one of several inputs that cannot be read: people are told at once.
    pub fn unreadable(path: &Path, failure: &Failure, session: &Session) -> Self {
        session.note(&format!("error: {failure}"));
        let json = json!({ "file": wording::path(path), "error": failure.to_string() });
        Self { good: false, ..Self::report("", json) }
    }

    /// Several answers as one: a single answer as it is, others under `inputs` of one object.
    pub fn joined(mut answers: Vec<Answer>) -> Self {
        if answers.len() == 1 {
            return answers.remove(0);
        }
        let good = answers.iter().all(|answer| answer.good);
        let text: String = answers.iter().map(|answer| answer.text.as_str()).collect();
        let inputs: Vec<Value> = answers.into_iter().map(|answer| answer.json).collect();
        Self { good, ..Self::report(text, json!({ "inputs": inputs })) }
    }
}

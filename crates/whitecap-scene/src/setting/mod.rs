//! Settings: what is wrong with one, and the check of all ranges.
//!
//! The unit, range and default of a setting are declared at its field and nowhere else. [`check_ranges`]
//! reads them from the JSON Schema of the settings type and walks the settings with them, so that a value
//! that came from a shot file, a flag or another program is judged by one rule and reported in one
//! sentence.
//!
//! # Guarantees
//! * Every number is checked, in nested tables, options, lists, fixed arrays and choices between tables:
//!   one that is out of range or not finite is reported by its key. The first in the order of the
//!   fields is reported.
//! * A single-precision number is compared with the limit rounded to single precision, so that the limit
//!   itself is always allowed.
//! * After the first check of a type, a check that finds nothing allocates no memory, unless the type
//!   has flattened fields.
//!
//! # Non-guarantees
//! * Relations between settings are left to the type: a range cannot express them.
//! * Of JSON Schema, `minimum` and `maximum` are read; exclusive limits are not.
//! * For choices with their name in a field (`serde(tag)`), numbers are only checked for being finite.

mod check;
mod range;
mod rule;

use std::fmt;

pub use check::check_ranges;
pub use range::{Range, plain_number};

/// A setting whose value is impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// The key that the message points at; after dots, keys and places within it: `solids.1.path`. Empty
    /// for the table as a whole.
    pub key: String,
    /// What is wrong, a sentence without full stop.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl SettingError {
    /// An error without a suggestion.
    pub fn new(key: impl Into<String>, message: impl ToString) -> Self {
        Self { key: key.into(), message: message.to_string(), help: None }
    }

    /// The same error with a suggestion.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same error, in the table `table` of a larger one.
    pub fn inside(self, table: &str) -> Self {
        let key = match self.key.as_str() {
            "" => table.to_string(),
            key => format!("{table}.{key}"),
        };
        Self { key, ..self }
    }

    /// The same error, in an item of the list `list`, counted from 0.
    pub fn within(self, list: &str, place: usize) -> Self {
        self.inside(&format!("{list}.{place}"))
    }

    /// Whether the message names the setting already.
    fn names_its_key(&self) -> bool {
        let is_name = |part: &&str| !part.is_empty() && part.parse::<usize>().is_err();
        let name = self.key.rsplit('.').find(is_name);
        name.is_none_or(|name| self.message.contains(&format!("{name}`")))
    }
}

impl fmt::Display for SettingError {
    /// The whole sentence: which setting, unless the message says so itself, what is wrong, and what
    /// would be right.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.names_its_key() {
            write!(out, "`{}`: ", self.key)?;
        }
        out.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(out, "; {help}"))
    }
}

impl std::error::Error for SettingError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: an error says in one sentence which setting it is about, where it is, and what would
    /// be right, and names the setting once.
    #[test]
    fn problems_are_sentences() {
        let empty =
            SettingError::new("box", "this box is empty along y").with_help("swap the corners");
        let nested = empty.within("fill", 2).inside("liquid");
        assert_eq!(nested.key, "liquid.fill.2.box");
        assert_eq!(
            nested.to_string(),
            "`liquid.fill.2.box`: this box is empty along y; swap the corners"
        );
        let whole = SettingError::new("", "there is no liquid");
        assert_eq!(whole.to_string(), "there is no liquid");
        assert_eq!(whole.within("fill", 0).key, "fill.0");
        let range =
            SettingError::new("keys.3.scale", "`keys.3.scale` is 0, but must be at least 1");
        assert_eq!(range.to_string(), range.message);
    }
}

//! Spans of time in which something acts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::setting::{SettingError, check_ranges};

/// A span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimeSpan {
    /// When it starts.
    #[schemars(extend("unit" = "s"))]
    pub start: f64,
    /// When it ends. Left out: never.
    #[schemars(extend("unit" = "s"))]
    pub end: Option<f64>,
}

impl TimeSpan {
    /// Whether it does not end before it starts.
    pub fn check(&self) -> Result<(), SettingError> {
        let Self { start, end } = *self;
        match end {
            Some(end) if end < start => Err(SettingError::new(
                "",
                format!("the time span ends at {end} s, before it starts at {start} s"),
            )),
            _ => check_ranges(self),
        }
    }

    /// Whether a time is in the span: from the start on, before the end.
    pub fn contains(&self, time: f64) -> bool {
        time >= self.start && self.end.is_none_or(|end| time < end)
    }
}

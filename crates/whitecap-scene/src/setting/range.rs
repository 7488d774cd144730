//! The range of a setting, and how it is written.

use std::fmt;

use serde_json::Value;

use super::SettingError;

/// The least and the largest value of a setting, both allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The least value; `None` means no limit.
    pub least: Option<f64>,
    /// The largest value; `None` means no limit.
    pub most: Option<f64>,
}

impl Range {
    /// From `least` to `most`.
    pub const fn between(least: f64, most: f64) -> Self {
        Self { least: Some(least), most: Some(most) }
    }

    /// The range in the JSON Schema of a setting.
    pub fn of(schema: &Value) -> Self {
        Self { least: schema["minimum"].as_f64(), most: schema["maximum"].as_f64() }
    }

    /// Whether there is no limit.
    pub fn is_unlimited(&self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    /// Whether a value is finite and within the range.
    pub fn contains(&self, value: f64) -> bool {
        value.is_finite()
            && self.least.is_none_or(|least| value >= least)
            && self.most.is_none_or(|most| value <= most)
    }

    /// As [`Range::contains`], with limits rounded to single precision.
    pub fn contains_single(&self, value: f32) -> bool {
        value.is_finite()
            && self.least.is_none_or(|least| value >= least as f32)
            && self.most.is_none_or(|most| value <= most as f32)
    }

    /// Fails if a value is not within the range, or is not a number.
    pub fn check(&self, key: &str, value: f64) -> Result<(), SettingError> {
        match self.contains(value) {
            true => Ok(()),
            false => Err(SettingError::new(key, self.told(&format!("`{key}`"), value))),
        }
    }

    /// The sentence about a value that is not in the range: `` `width` is 0, but must lie between 1 and
    /// 65536 ``. `subject` names the setting.
    pub fn told(&self, subject: &str, value: impl fmt::Display) -> String {
        let wanted = match (self.least.map(plain_number), self.most.map(plain_number)) {
            (Some(least), Some(most)) => format!("lie between {least} and {most}"),
            (None, None) => String::from("be a finite number"),
            _ => format!("be {self}"),
        };
        format!("{subject} is {value}, but must {wanted}")
    }
}

impl fmt::Display for Range {
    /// 0 to 1e6; at least 0; at most 5; any number.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least.map(plain_number), self.most.map(plain_number)) {
            (Some(least), Some(most)) => write!(out, "{least} to {most}"),
            (Some(least), None) => write!(out, "at least {least}"),
            (None, Some(most)) => write!(out, "at most {most}"),
            (None, None) => write!(out, "any number"),
        }
    }
}

/// A number as a person would write it: 0.001, 65536, 1e6, 1e-9. A power of ten is used where it saves
/// more than two characters.
pub fn plain_number(number: f64) -> String {
    let (plain, scientific) = (format!("{number}"), format!("{number:e}"));
    if scientific.len() + 2 < plain.len() { scientific } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: ranges are written as a person would, with the fewest digits, and the error for a value
    /// outside says what would be right.
    #[test]
    fn ranges_are_told_in_short_words() {
        for (range, short, sentence) in [
            (Range::between(0.0, 1e6), "0 to 1e6", "`x` is -1, but must lie between 0 and 1e6"),
            (
                Range { least: Some(0.001), most: None },
                "at least 0.001",
                "`x` is -1, but must be at least 0.001",
            ),
            (
                Range { least: None, most: Some(-5.5) },
                "at most -5.5",
                "`x` is -1, but must be at most -5.5",
            ),
            (Range::default(), "any number", "`x` is -1, but must be a finite number"),
        ] {
            assert_eq!(range.to_string(), short);
            assert_eq!(range.told("`x`", -1), sentence);
        }
        assert_eq!(
            [1e-9, 65536.0, 0.01, -1e7].map(plain_number),
            ["1e-9", "65536", "0.01", "-1e7"]
        );
    }

    /// Contract: the limits themselves are allowed, in single precision too; values that are not finite
    /// never are.
    #[test]
    fn limits_are_allowed() {
        let range = Range::between(1e-5, 0.1);
        assert!(range.contains_single(1e-5) && range.contains_single(0.1));
        assert!(!range.contains_single(0.9e-5) && !range.contains(0.11));
        for range in [range, Range::default()] {
            assert!(!range.contains(f64::NAN) && !range.contains_single(f32::INFINITY));
        }
    }
}

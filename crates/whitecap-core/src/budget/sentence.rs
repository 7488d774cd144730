//! The refusal of memory or time, as a sentence.

use std::fmt;

use super::Bound;
use crate::outliers::{LEAVE_OUT, Outlier};

/// More memory or time is needed than may be had.
#[derive(Clone, Debug, PartialEq)]
pub struct OverBudget {
    /// What the memory or time is for.
    pub what: String,
    /// Estimated need: bytes, or steps if the bound is [`Bound::Work`].
    pub needed: f64,
    /// What could be had, in the same unit.
    pub free: f64,
    /// What bounds that.
    pub bound: Bound,
    /// A particle that is probably the cause.
    pub outlier: Option<Box<Outlier>>,
    /// What a user can change.
    pub remedy: String,
}

impl std::error::Error for OverBudget {}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, remedy, .. } = self;
        let blamed = self.outlier.as_ref().map(|outlier| format!("{outlier}; {LEAVE_OUT}, or "));
        let blamed = blamed.unwrap_or_default();
        if self.bound == Bound::Work {
            let (needed, most) = (self.needed, self.free);
            return write!(
                f,
                "{what} takes about {needed:.1e} steps, and more than {most:.0e} take too long; {blamed}{remedy}"
            );
        }
        let (needed, free) = (readable(self.needed), readable(self.free));
        write!(f, "{what} needs about {needed} of memory, but ")?;
        match self.bound {
            Bound::Machine | Bound::Work => write!(f, "{free} is free"),
            Bound::Assumed => write!(f, "{free} is assumed to be free (`--memory` says how much)"),
            Bound::Limit(limit) => {
                let limit = readable(limit as f64);
                write!(f, "the limit of {limit} (`--memory`) leaves {free}")
            }
        }?;
        write!(f, "; {blamed}{remedy}")
    }
}

/// `640 bytes`, `12.3 MB`, `3.2e9 PB`.
fn readable(bytes: f64) -> String {
    const STEPS: [(f64, &str); 5] =
        [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match STEPS.iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) if bytes / size >= 1e4 => format!("{:.0e} {unit}", bytes / size),
        Some((size, unit)) => format!("{:.1} {unit}", bytes / size),
        None => format!("{bytes:.0} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: the sentence has the need, what could be had and why, and what to change.
    #[test]
    fn the_sentence_has_both_numbers_and_the_remedy() {
        let refused = |needed, bound| OverBudget {
            what: String::from("the grid"),
            needed,
            free: 2.5e9,
            bound,
            outlier: None,
            remedy: String::from("use a larger `cell`"),
        };
        assert_eq!(
            refused(4.81e11, Bound::Machine).to_string(),
            "the grid needs about 481.0 GB of memory, but 2.5 GB is free; use a larger `cell`"
        );
        assert_eq!(
            refused(1e38, Bound::Limit(8_000_000_000)).to_string(),
            "the grid needs about 1e23 PB of memory, but the limit of 8.0 GB (`--memory`) leaves \
             2.5 GB; use a larger `cell`"
        );
        assert_eq!(
            OverBudget { free: 1e12, ..refused(4e15, Bound::Work) }.to_string(),
            "the grid takes about 4.0e15 steps, and more than 1e12 take too long; use a larger `cell`"
        );
        assert!(refused(f64::INFINITY, Bound::Assumed).to_string().contains("inf PB"));
    }
}

//! Ranges of frames as people write them: `12-48`, `1-100x5`, `-10-20`, `7`.

use std::fmt;
use std::str::FromStr;

/// Frames from a first to a last one, both included, perhaps only every n-th.
///
/// ```
/// use whitecap_io::FrameRange;
///
/// let range: FrameRange = "-10-20x5".parse().unwrap();
/// assert_eq!((range.first, range.last, range.step), (-10, 20, 5));
/// assert!(range.contains(-5) && !range.contains(0 + 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    /// The first frame.
    pub first: i64,
    /// No frame comes after this one.
    pub last: i64,
    /// From each frame to the next; at least 1.
    pub step: i64,
}

impl FrameRange {
    /// Every frame from `first` to `last`.
    pub fn every(first: i64, last: i64) -> Self {
        Self { first, last, step: 1 }
    }

    /// Whether a frame belongs to it.
    pub fn contains(&self, frame: i64) -> bool {
        (self.first..=self.last).contains(&frame)
            && (i128::from(frame) - i128::from(self.first)) % i128::from(self.step.max(1)) == 0
    }

    /// How many frames it has.
    pub fn count(&self) -> u64 {
        let length = i128::from(self.last) - i128::from(self.first);
        let count = length.div_euclid(i128::from(self.step.max(1))) + 1;
        u64::try_from(count.max(0)).unwrap_or(u64::MAX)
    }

    /// Its frames, ascending.
    pub fn frames(&self) -> impl Iterator<Item = i64> {
        let (first, step) = (self.first, self.step.max(1));
        (0..self.count()).map(move |place| first + place as i64 * step)
    }
}

impl fmt::Display for FrameRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { first, last, step: 1 } if first == last => write!(formatter, "{first}"),
            Self { first, last, step: 1 } => write!(formatter, "{first}-{last}"),
            Self { first, last, step } => write!(formatter, "{first}-{last}x{step}"),
        }
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not a range of frames; write it like 12-48, 1-100x5 or -10-20");
        let number = |text: &str| text.parse::<i64>().map_err(|_| wrong());
        let (range, step) = match text.split_once(['x', 'X']) {
            Some((range, step)) => (range, number(step)?),
            None => (text, 1),
        };
        // A dash at the start is a sign.
        let dash = range.char_indices().skip(1).find(|&(_, character)| character == '-');
        let (first, last) = match dash {
            Some((place, _)) => (number(&range[..place])?, number(&range[place + 1..])?),
            None => (number(range)?, number(range)?),
        };
        if step < 1 {
            return Err(format!("`{text}` takes every {step}th frame; the step must be 1 or more"));
        }
        match first <= last {
            true => Ok(Self { first, last, step }),
            false => Err(format!(
                "the first frame, {first}, comes after the last, {last}; write {last}-{first}"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: one number is one frame, two are a range, with `x` every n-th of it, and any of
    /// them may be negative; a range that runs backwards, a step that does not advance, or text that
    /// is no range is refused with a sentence.
    #[test]
    fn frame_ranges_with_steps_and_negative_numbers() {
        let parse = |text: &str| text.parse::<FrameRange>();
        assert_eq!(parse("12-48"), Ok(FrameRange::every(12, 48)));
        assert_eq!(parse("7"), Ok(FrameRange::every(7, 7)));
        assert_eq!(parse("-5--2"), Ok(FrameRange::every(-5, -2)));
        assert_eq!(parse("-10-20"), Ok(FrameRange::every(-10, 20)));
        let fifth = parse("1-100x5").unwrap();
        assert_eq!((fifth.count(), fifth.frames().last()), (20, Some(96)));
        assert!(fifth.contains(6) && !fifth.contains(7) && !fifth.contains(101));
        for text in ["12-48", "7", "-5--2", "1-100x5"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        assert!(parse("48-12").unwrap_err().contains("write 12-48"));
        for text in
            ["a-b", "", "-", "1-", "1-2-3", "1-9x", "1-9x0", "1-9x-1", "99999999999999999999"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        let all = FrameRange::every(i64::MIN, i64::MAX);
        assert!(all.contains(0) && all.count() > 0);
    }
}

//! Which sequences there are among file names: what a folder, a glob or a list of files means.
//!
//! # Guarantees
//! * The result does not depend on the order of the names.
//! * Files that are told apart by one number belong together, whether or not it is padded with
//!   zeros; a dash before the number is a sign only after a dot, an underscore or nothing, and never
//!   before zero.
//!
//! # Non-guarantees
//! Only the last number of a name can be the frame, and none in its extension.

use std::collections::BTreeMap;

/// Files that are told apart by their frame numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The name with `####`, or the whole name of a file without a number.
    pub pattern: String,
    /// The frames, ascending; none for a file without a number.
    pub frames: Vec<i64>,
}

/// A name that has a number: what is before it, the number as written, what is after it.
fn split(name: &str) -> Option<(&str, &str, &str)> {
    let end = name.char_indices().skip(1).filter(|(_, c)| *c == '.').last();
    let end = end.map_or(name.len(), |(place, _)| place);
    let last = name[..end].rfind(|c: char| c.is_ascii_digit())? + 1;
    let before = name[..last].trim_end_matches(|c: char| c.is_ascii_digit());
    // `f.-001` is frame −1, but `f-001` is frame 1.
    let sign = before.strip_suffix('-').filter(|b| b.is_empty() || b.ends_with(['.', '_']));
    // No frame is written as `-0`: the dash belongs to the name.
    let sign = sign.filter(|_| name[before.len()..last].contains(|digit| digit != '0'));
    let start = sign.unwrap_or(before).len();
    Some((&name[..start], &name[start..last], &name[last..]))
}

/// Every sequence among `names`, in order of their patterns; then the files without a number.
pub(crate) fn sequences(names: &[String]) -> Vec<Found> {
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    let mut plain: Vec<&String> = Vec::new();
    for name in names {
        match split(name) {
            Some((before, number, after)) => {
                groups.entry((before, after)).or_default().push(number);
            }
            None => plain.push(name),
        }
    }
    let mut found = Vec::new();
    for ((before, after), mut numbers) in groups {
        while !numbers.is_empty() {
            let digits = digits(&numbers);
            let count = numbers.len();
            let mut frames = Vec::new();
            // Numbers that are padded in another way are another sequence.
            numbers.retain(|number| match number.parse::<i64>() {
                Ok(frame) if format!("{frame:0digits$}") == *number => {
                    frames.push(frame);
                    false
                }
                Ok(_) => true,
                Err(_) => false,
            });
            frames.sort_unstable();
            if !frames.is_empty() {
                let pattern = format!("{before}{}{after}", "#".repeat(digits));
                found.push(Found { pattern, frames });
            }
            if numbers.len() == count {
                break;
            }
        }
    }
    plain.sort();
    found.extend(plain.into_iter().map(|name| Found { pattern: name.clone(), frames: Vec::new() }));
    found
}

/// The least number of digits with which at least one of these numbers was written: the width of
/// the shortest padded one, the common width, or one.
fn digits(numbers: &[&str]) -> usize {
    let is_padded = |number: &&&str| {
        let digits = number.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    };
    let widths = || numbers.iter().map(|number| number.len());
    let padded = numbers.iter().filter(is_padded).map(|number| number.len()).min();
    let (least, most) = (widths().min().unwrap_or(1), widths().max().unwrap_or(1));
    padded.unwrap_or(if least == most { least } else { 1 })
}

/// Whether a file name has characters that only globs use.
pub(crate) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// Whether `name` matches a glob: `*` is any text, `?` one character, `[a-c]` one of these and
/// `[!a-c]` none of them.
pub(crate) fn matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    // The last star, and how far it reaches so far.
    let (mut at, mut place, mut star) = (0, 0, None);
    while place < name.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
                continue;
            }
            Some(_) => {
                if let Some(width) = one(&glob[at..], name[place]) {
                    (at, place) = (at + width, place + 1);
                    continue;
                }
            }
            None => {}
        }
        match star {
            Some((glob_place, reach)) => {
                star = Some((glob_place, reach + 1));
                (at, place) = (glob_place + 1, reach + 1);
            }
            None => return false,
        }
    }
    glob[at..].iter().all(|c| *c == '*')
}

/// How many characters of the glob match this one, if they do.
fn one(glob: &[char], character: char) -> Option<usize> {
    match glob {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => {
            let end = rest.iter().skip(1).position(|c| *c == ']')? + 1;
            let (negated, set) = match &rest[..end] {
                ['!' | '^', set @ ..] => (true, set),
                set => (false, set),
            };
            let mut inside = false;
            let mut place = 0;
            while place < set.len() {
                match set[place..] {
                    [low, '-', high, ..] => {
                        inside |= (low..=high).contains(&character);
                        place += 3;
                    }
                    _ => {
                        inside |= set[place] == character;
                        place += 1;
                    }
                }
            }
            (inside != negated).then_some(end + 2)
        }
        [only, ..] => (*only == character).then_some(1),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str]) -> Vec<(String, Vec<i64>)> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        sequences(&names).into_iter().map(|found| (found.pattern, found.frames)).collect()
    }

    /// Contract: files told apart by their last number are one sequence, padded or not, negative or
    /// not; numbers in the extension and earlier numbers do not count.
    #[test]
    fn numbered_files_are_sequences() {
        let one = |names: &[&str], pattern: &str, frames: &[i64]| {
            assert_eq!(found(names), [(pattern.to_owned(), frames.to_vec())], "{names:?}");
        };
        one(&["f.0002.bgeo", "f.0001.bgeo"], "f.####.bgeo", &[1, 2]);
        one(&["v2_9.ply", "v2_10.ply", "v2_11.ply"], "v2_#.ply", &[9, 10, 11]);
        one(&["f.0999.ply", "f.1000.ply", "f.10000.ply"], "f.####.ply", &[999, 1000, 10000]);
        one(&["f.-001.ply", "f.0000.ply"], "f.####.ply", &[-1, 0]);
        one(&["f-001.ply", "f-002.ply"], "f-###.ply", &[1, 2]);
        one(&["0.ply", "1.ply"], "#.ply", &[0, 1]);
        one(&["a.0001.bgeo.gz", "a.0002.bgeo.gz"], "a.####.bgeo.gz", &[1, 2]);
        one(&["movie.mp4"], "movie.mp4", &[]);
        let two = found(&["b.01.ply", "a.01.ply", "a.02.ply", "notes"]);
        let patterns: Vec<&str> = two.iter().map(|(pattern, _)| pattern.as_str()).collect();
        assert_eq!(patterns, ["a.##.ply", "b.##.ply", "notes"]);
        assert_eq!(found(&["f.01.ply", "f.001.ply"]).len(), 2);
        assert!(found(&["f.99999999999999999999999.ply"]).is_empty());
    }

    /// Contract: `-0` is no number of a frame, so the dash belongs to the name; nothing runs for ever.
    #[test]
    fn a_dash_before_zero_is_no_sign() {
        let pattern = |name: &str| found(&[name]).remove(0);
        assert_eq!(pattern("f.-0.ply"), (String::from("f.-#.ply"), vec![0]));
        assert_eq!(pattern("_-00.ply"), (String::from("_-##.ply"), vec![0]));
        assert_eq!(pattern("-0.ply"), (String::from("-#.ply"), vec![0]));
        let mixed = found(&["f.-0.ply", "f.0.ply", "f.-1.ply", "f.-00.ply", "f.00.ply"]);
        let count: usize = mixed.iter().map(|(_, frames)| frames.len()).sum();
        assert_eq!(count, 5, "{mixed:?}");
    }

    /// Contract: a glob matches what a shell would match.
    #[test]
    fn globs_match_as_in_a_shell() {
        for (glob, name, expected) in [
            ("*.bgeo", "f.0001.bgeo", true),
            ("*.bgeo", "f.0001.ply", false),
            ("f.00?[1-3].bgeo", "f.0002.bgeo", true),
            ("f.00?[!1-3].bgeo", "f.0002.bgeo", false),
            ("f.00?[!1-3].bgeo", "f.0004.bgeo", true),
            ("*a*b*", "xaxxbx", true),
            ("*a*b*", "xbxa", false),
            ("[", "[", false),
            ("a[]]b", "a]b", true),
            ("*", "", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(glob, name), expected, "{glob} {name}");
        }
        assert!(!matches(&"*a".repeat(2000), &"a".repeat(1000)), "and ends soon");
    }
}

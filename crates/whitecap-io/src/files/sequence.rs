//! Frame sequences: `frame.####.bgeo`, `frame.%04d.bgeo`, or a plain file as a sequence of one.
//!
//! # Guarantees
//! * Frames are found by listing the folder once, and come in ascending order.
//! * A frame that is missing inside the range is an error that names it and every other missing frame.
//! * A number counts as a frame only if the pattern would write it the same way.
//!
//! # Non-guarantees
//! Only the file name may contain a pattern, and only one. Times and steps are not read from names.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::{Error, path_text};

/// More frames than any shot has; a larger range is a typing mistake.
const MOST_FRAMES: i64 = 10_000_000;
/// The frame number of a file without a pattern, unless a range says otherwise.
const ONLY_FRAME: i64 = 1;

/// A pattern of file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    pattern: String,
    folder: PathBuf,
    name: Name,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Single(OsString),
    /// Names are bytes, because they need not be UTF-8.
    Numbered {
        prefix: Vec<u8>,
        digits: usize,
        suffix: Vec<u8>,
    },
}

impl Sequence {
    /// Parses a pattern. A folder is an error that suggests the pattern found inside.
    pub fn new(pattern: impl AsRef<Path>) -> Result<Self, Error> {
        let path = pattern.as_ref();
        let shown = path.display().to_string();
        let wrong = |message: String| Error::Pattern { pattern: shown.clone(), message };
        let name = path.file_name().and_then(path_text::name_bytes);
        let name = match name {
            Some(name) if !path.is_dir() => Name::parse(&name).map_err(wrong)?,
            _ if path.is_dir() => return Err(wrong(folder_message(path))),
            _ => return Err(wrong("this does not name a file".to_string())),
        };
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        if folder.as_os_str().as_encoded_bytes().contains(&b'#') {
            let message = "the frame number must be in the file name, not in the name of a folder"
                .to_string();
            return Err(wrong(message));
        }
        Ok(Self { pattern: shown, folder, name })
    }

    /// Whether this is one file without a frame number.
    pub fn is_single(&self) -> bool {
        matches!(self.name, Name::Single(_))
    }

    /// The file of a frame. It need not exist.
    pub fn path(&self, frame: i64) -> PathBuf {
        self.folder.join(self.name.of(frame))
    }

    /// The frames that exist, ascending, with their files.
    pub fn existing(&self) -> Result<Vec<(i64, PathBuf)>, Error> {
        if self.is_single() {
            let path = self.path(ONLY_FRAME);
            return match path.is_file() {
                true => Ok(vec![(ONLY_FRAME, path)]),
                false => Err(self.wrong("there is no such file")),
            };
        }
        let mut frames: Vec<i64> = file_names(self.listed_folder())?
            .iter()
            .filter_map(|name| self.name.frame(name))
            .collect();
        frames.sort_unstable();
        Ok(frames.into_iter().map(|frame| (frame, self.path(frame))).collect())
    }

    /// The frames of a range, or from the first to the last that exist. A missing one is an error.
    pub fn expand(&self, range: Option<RangeInclusive<i64>>) -> Result<Vec<(i64, PathBuf)>, Error> {
        let existing = self.existing()?;
        if self.is_single() {
            let frame = range.map_or(ONLY_FRAME, |range| *range.start());
            return Ok(existing.into_iter().map(|(_, path)| (frame, path)).collect());
        }
        let range = match (range, existing.first(), existing.last()) {
            (Some(range), _, _) => range,
            (None, Some((first, _)), Some((last, _))) => *first..=*last,
            _ => return Err(self.wrong("no file matches")),
        };
        if range.end().saturating_sub(*range.start()) >= MOST_FRAMES {
            let (first, last) = range.into_inner();
            return Err(
                self.wrong(&format!("the range {first} to {last} has more than 10 million frames"))
            );
        }
        let found: BTreeMap<i64, PathBuf> =
            existing.into_iter().filter(|(frame, _)| range.contains(frame)).collect();
        let missing: Vec<i64> = range.filter(|frame| !found.contains_key(frame)).collect();
        match missing.is_empty() {
            true => Ok(found.into_iter().collect()),
            false => Err(Error::MissingFrames { pattern: self.pattern.clone(), frames: missing }),
        }
    }

    fn wrong(&self, message: &str) -> Error {
        Error::Pattern { pattern: self.pattern.clone(), message: message.to_string() }
    }

    fn listed_folder(&self) -> &Path {
        if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder }
    }
}

impl Name {
    fn parse(name: &[u8]) -> Result<Self, String> {
        let numbered = |prefix: &[u8], digits, suffix: &[u8]| {
            let second = suffix.contains(&b'#') || printf_number(suffix).is_some();
            match second {
                true => {
                    Err("a pattern must have one frame number, but this one has two".to_string())
                }
                false => {
                    Ok(Name::Numbered { prefix: prefix.to_vec(), digits, suffix: suffix.to_vec() })
                }
            }
        };
        if let Some(start) = name.iter().position(|&byte| byte == b'#') {
            let digits = name[start..].iter().take_while(|&&byte| byte == b'#').count();
            return numbered(&name[..start], digits, &name[start + digits..]);
        }
        match printf_number(name) {
            Some((prefix, digits, suffix)) => numbered(prefix, digits, suffix),
            None => Ok(Name::Single(path_text::from_bytes(name.to_vec()))),
        }
    }

    fn of(&self, frame: i64) -> OsString {
        match self {
            Name::Single(name) => name.clone(),
            Name::Numbered { prefix, digits, suffix } => {
                let number = format!("{frame:0width$}", width = *digits);
                path_text::from_bytes([prefix, number.as_bytes(), suffix].concat())
            }
        }
    }

    /// The frame that `name` stands for.
    fn frame(&self, name: &OsStr) -> Option<i64> {
        let Name::Numbered { prefix, suffix, .. } = self else { return None };
        let bytes = path_text::name_bytes(name)?;
        let number = bytes.strip_prefix(prefix.as_slice())?.strip_suffix(suffix.as_slice())?;
        let frame = std::str::from_utf8(number).ok()?.parse().ok()?;
        (self.of(frame) == name).then_some(frame)
    }
}

/// Splits at `%d` or `%04d`: what is before, the least number of digits, what is after.
fn printf_number(name: &[u8]) -> Option<(&[u8], usize, &[u8])> {
    let split = |bytes: &[u8], at: u8| bytes.iter().position(|&byte| byte == at);
    let percent = split(name, b'%')?;
    let (prefix, rest) = (&name[..percent], &name[percent + 1..]);
    let end = split(rest, b'd')?;
    let (digits, suffix) = (&rest[..end], &rest[end + 1..]);
    match digits {
        b"" => Some((prefix, 1, suffix)),
        _ if digits.len() <= 3 && digits.iter().all(u8::is_ascii_digit) => {
            let digits = std::str::from_utf8(digits).ok()?.parse().ok();
            Some((prefix, digits.filter(|&digits| digits <= 20)?, suffix))
        }
        _ => None,
    }
}

fn file_names(folder: &Path) -> Result<Vec<OsString>, Error> {
    let listing = |error| Error::io("list", folder)(error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(listing)? {
        names.push(entry.map_err(listing)?.file_name());
    }
    Ok(names)
}

/// What to suggest for a folder: the pattern that most of its files follow.
fn folder_message(folder: &Path) -> String {
    let mut patterns: BTreeMap<String, usize> = BTreeMap::new();
    for name in file_names(folder).unwrap_or_default() {
        *patterns.entry(pattern_of(&name.to_string_lossy())).or_default() += 1;
    }
    // Of equally frequent patterns the first by name, whatever the order of the listing.
    let best = patterns.into_iter().filter(|(pattern, _)| pattern.contains('#')).rev();
    match best.max_by_key(|(_, count)| *count) {
        Some((pattern, _)) => {
            format!("this is a folder; did you mean {}?", folder.join(pattern).display())
        }
        None => "this is a folder without numbered files; name a file in it".to_string(),
    }
}

/// The name with its last number replaced by as many `#`; the digits of an extension such as
/// `.mp4` do not count.
fn pattern_of(name: &str) -> String {
    let stem = name.split('.').count().min(2);
    let end = if stem == 2 { name.rfind('.').unwrap_or(name.len()) } else { name.len() };
    let Some(last) = name[..end].rfind(|c: char| c.is_ascii_digit()) else {
        return name.to_string();
    };
    let first = name[..last].rfind(|c: char| !c.is_ascii_digit());
    let first =
        first.map_or(0, |place| place + name[place..].chars().next().map_or(1, char::len_utf8));
    format!("{}{}{}", &name[..first], "#".repeat(last + 1 - first), &name[last + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        names.iter().for_each(|name| fs::write(folder.path().join(name), b"").unwrap());
        folder
    }

    fn frames(found: &[(i64, PathBuf)]) -> Vec<i64> {
        found.iter().map(|(frame, _)| *frame).collect()
    }

    /// Contract: both notations find the same frames in ascending order, across a change in the number of
    /// digits, and take no file the pattern would not write.
    #[test]
    fn frames_are_found_in_order() {
        let names = [
            "f.0999.ply",
            "f.1000.ply",
            "f.10000.ply",
            "f.7.ply",
            "f.-001.ply",
            "g.0001.ply",
            "f..ply",
        ];
        let folder = folder_with(&names);
        for pattern in ["f.####.ply", "f.%04d.ply"] {
            let sequence = Sequence::new(folder.path().join(pattern)).unwrap();
            assert_eq!(frames(&sequence.existing().unwrap()), [-1, 999, 1000, 10000]);
            assert_eq!(sequence.path(7).file_name().unwrap(), "f.0007.ply");
        }
        let plain = Sequence::new(folder.path().join("f.%d.ply")).unwrap();
        assert_eq!(frames(&plain.existing().unwrap()), [7, 1000, 10000]);
    }

    /// Contract: names and patterns need not be UTF-8.
    #[cfg(unix)]
    #[test]
    fn file_names_need_not_be_utf_8() {
        let folder = tempfile::tempdir().unwrap();
        let name = |bytes: &[u8]| folder.path().join(path_text::from_bytes(bytes.to_vec()));
        for frame in [b"caf\xe9.0001.ply", b"caf\xe9.0002.ply"] {
            fs::write(name(frame), b"").unwrap();
        }
        for pattern in [&b"caf\xe9.####.ply"[..], b"caf\xe9.%04d.ply"] {
            let sequence = Sequence::new(name(pattern)).unwrap();
            assert_eq!(frames(&sequence.expand(None).unwrap()), [1, 2]);
            assert_eq!(sequence.path(7), name(b"caf\xe9.0007.ply"));
        }
        let single = Sequence::new(name(b"caf\xe9.0001.ply")).unwrap();
        assert_eq!(single.expand(None).unwrap(), [(1, name(b"caf\xe9.0001.ply"))]);
    }

    /// Contract: gaps are errors that name every missing frame; a complete range is returned.
    #[test]
    fn missing_frames_are_named() {
        let names: Vec<String> =
            [1, 2, 4, 8, 9].iter().map(|frame| format!("w_{frame:03}.obj")).collect();
        let folder = folder_with(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let sequence = Sequence::new(folder.path().join("w_###.obj")).unwrap();
        let message = sequence.expand(None).unwrap_err().to_string();
        assert!(message.ends_with("frames 3, 5-7 are missing"), "{message}");
        assert_eq!(frames(&sequence.expand(Some(8..=9)).unwrap()), [8, 9]);
        let message = sequence.expand(Some(9..=10)).unwrap_err().to_string();
        assert!(message.ends_with("frame 10 is missing"), "{message}");
        assert!(sequence.expand(Some(0..=i64::MAX)).is_err());
    }

    /// Contract: a plain file is a sequence of one; a folder gives an error with a suggestion; two
    /// numbers in a name and an empty match are errors.
    #[test]
    fn plain_files_folders_and_mistakes() {
        let folder = folder_with(&["frame_0001.bgeo", "frame_0002.bgeo", "notes.txt"]);
        let single = Sequence::new(folder.path().join("notes.txt")).unwrap();
        assert_eq!(single.expand(None).unwrap(), [(1, folder.path().join("notes.txt"))]);
        let message = Sequence::new(folder.path()).unwrap_err().to_string();
        assert!(
            message.contains("did you mean") && message.contains("frame_####.bgeo"),
            "{message}"
        );
        assert!(Sequence::new(folder.path().join("a.##.b.##.ply")).is_err());
        let nothing = Sequence::new(folder.path().join("other_####.bgeo")).unwrap();
        assert!(nothing.expand(None).unwrap_err().to_string().ends_with("no file matches"));
    }
}

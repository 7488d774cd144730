//! Frame sequences: `frame.####.bgeo`, `frame.%04d.bgeo`, a folder, a glob, or a plain file as a
//! sequence of one.
//!
//! # Guarantees
//! * Frames are found by listing the folder once, and come in ascending order.
//! * Every missing frame inside the range is named: by [`Sequence::present`], which gives those that
//!   exist, and by the error of [`Sequence::expand`], which needs them all.
//! * A number counts as a frame only if the pattern would write it the same way.
//! * A folder or a glob that could mean several sequences is an error that lists them, unless all are asked for
//!   ([`Sequence::find_all`]).
//!
//! # Non-guarantees
//! Only the file name may contain a pattern or a glob, and only one: in a name with a frame number, `?`
//! and `[` stand for themselves. Times are not read from names. What
//! a folder or a glob holds is guessed from names that are Unicode.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use whitecap_core::{counted, counted_as};

use super::discovery::{self, Found};
use super::frame_range::FrameRange;
use crate::{Error, number_ranges, path_text};

/// More frames than any shot has; a larger range is a typing mistake.
const MOST_FRAMES: u64 = 10_000_000;
/// The frame number of a file without a pattern, unless a range says otherwise.
const ONLY_FRAME: i64 = 1;
/// How many candidates a message lists.
const MOST_CANDIDATES: usize = 8;

/// A pattern of file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    pattern: String,
    folder: PathBuf,
    name: Name,
    /// The frames that were asked for, if not all.
    only: Option<BTreeSet<i64>>,
    /// What a folder or a glob was taken for, in a sentence.
    understood: Option<String>,
}

/// The frames of a sequence that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// Ascending, with their files.
    pub frames: Vec<(i64, PathBuf)>,
    /// The frames without a file, ascending.
    pub missing: Vec<i64>,
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
        Ok(Self { pattern: shown, folder, name, only: None, understood: None })
    }

    /// The sequence that an input names: a pattern, a folder, a glob such as `sim/*.bgeo`, or a file.
    /// Of the files in a folder only those that are `wanted` count.
    pub fn find(input: impl AsRef<Path>, wanted: impl Fn(&Path) -> bool) -> Result<Self, Error> {
        let path = input.as_ref();
        let Some((folder, names)) = listing(path, wanted)? else { return Self::new(path) };
        let (found, others) = choose(&path.display().to_string(), folder, &names)?;
        let mut sequence = Self::of_found(&format!("{}: ", path.display()), folder, found)?;
        if let (Some(text), true) = (&mut sequence.understood, others > 0) {
            text.push_str(&format!(
                "; {} not used",
                counted_as(others, "other file is", "other files are")
            ));
        }
        Ok(sequence)
    }

    /// Every sequence that an input names, and every file without a number: as [`Sequence::find`], but a
    /// folder may hold several.
    pub fn find_all(
        input: impl AsRef<Path>,
        wanted: impl Fn(&Path) -> bool,
    ) -> Result<Vec<Self>, Error> {
        let path = input.as_ref();
        let Some((folder, names)) = listing(path, wanted)? else {
            return Ok(vec![Self::new(path)?]);
        };
        let found = discovery::sequences(&names);
        if found.is_empty() {
            // This is an error that says so.
            choose(&path.display().to_string(), folder, &names)?;
        }
        let from = format!("{}: ", path.display());
        found.into_iter().map(|found| Self::of_found(&from, folder, found)).collect()
    }
    /// The sequence of these files, which a shell made from a glob; they must be one sequence in one
    /// folder.
    pub fn of_files(files: &[PathBuf]) -> Result<Self, Error> {
        let [first, others @ ..] = files else {
            let message = String::from("no file was named");
            return Err(Error::Pattern { pattern: String::new(), message });
        };
        let folder = first.parent().unwrap_or(Path::new(""));
        let shown = format!("{} and {} more", first.display(), others.len());
        if let Some(other) = others.iter().find(|other| other.parent() != first.parent()) {
            let message = format!("{} is in another folder; give one sequence", other.display());
            return Err(Error::Pattern { pattern: shown, message });
        }
        let name = |path: &PathBuf| path.file_name()?.to_str().map(str::to_owned);
        let names: Option<Vec<String>> = files.iter().map(name).collect();
        let Some(names) = names else {
            let message = String::from(
                "not all of these are names of files; give one pattern, such as sim/frame.####.bgeo",
            );
            return Err(Error::Pattern { pattern: shown, message });
        };
        let (found, others) = choose(&shown, folder, &names)?;
        if others > 0 {
            let candidates = candidates(folder, &discovery::sequences(&names));
            let message = format!("these are several sequences; give one of {candidates}");
            return Err(Error::Pattern { pattern: shown, message });
        }
        Self::of_found("", folder, found)
    }

    fn of_found(from: &str, folder: &Path, found: Found) -> Result<Self, Error> {
        let path = folder.join(&found.pattern);
        let understood = match (found.frames.first(), found.frames.last()) {
            (Some(first), Some(last)) => {
                let frames = if first == last { "frame" } else { "frames" };
                format!(
                    "{from}{}, {frames} {}: {}",
                    counted(found.frames.len(), "file"),
                    number_ranges(&found.frames, "-"),
                    path.display()
                )
            }
            _ => format!("{from}{}", path.display()),
        };
        let only = (!found.frames.is_empty()).then(|| found.frames.iter().copied().collect());
        Ok(Self { only, understood: Some(understood), ..Self::new(path)? })
    }

    /// What a folder, a glob or a list of files was taken for, in a sentence without its full stop.
    pub fn understood(&self) -> Option<&str> {
        self.understood.as_deref()
    }

    /// The pattern, or the name of the only file.
    pub fn pattern(&self) -> PathBuf {
        match &self.name {
            Name::Single(name) => self.folder.join(name),
            Name::Numbered { prefix, digits, suffix } => {
                let number = vec![b'#'; *digits];
                self.folder.join(path_text::from_bytes([&prefix[..], &number, suffix].concat()))
            }
        }
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
        let is_asked_for = |frame: &i64| self.only.as_ref().is_none_or(|only| only.contains(frame));
        let frames = self.on_disk()?.into_iter().filter(is_asked_for);
        Ok(frames.map(|frame| (frame, self.path(frame))).collect())
    }

    /// Every frame that has a file, ascending: also those that a glob or a list of files leaves out.
    pub fn all_existing(&self) -> Result<Vec<(i64, PathBuf)>, Error> {
        Ok(self.on_disk()?.into_iter().map(|frame| (frame, self.path(frame))).collect())
    }

    /// Whether this is the file of some frame.
    pub fn names(&self, file: &Path) -> bool {
        let Some(name) = file.file_name() else { return false };
        let is_named = match &self.name {
            Name::Single(only) => only == name,
            Name::Numbered { .. } => self.name.frame(name).is_some(),
        };
        let folder = |path: &Path| listed(path).canonicalize().ok();
        let theirs = || folder(file.parent().unwrap_or(Path::new("")));
        is_named && folder(&self.folder).is_some_and(|ours| Some(ours) == theirs())
    }

    /// Every frame that has a file, asked for or not.
    fn on_disk(&self) -> Result<BTreeSet<i64>, Error> {
        if self.is_single() {
            return match self.path(ONLY_FRAME).is_file() {
                true => Ok(BTreeSet::from([ONLY_FRAME])),
                false => Err(self.wrong("there is no such file")),
            };
        }
        let names = file_names(listed(&self.folder))?;
        Ok(names.iter().filter_map(|name| self.name.frame(name)).collect())
    }

    /// The frames of a range that exist, or all, and those between them that do not. That there is
    /// none at all is an error.
    pub fn present(&self, range: Option<FrameRange>) -> Result<Present, Error> {
        let mut frames = self.existing()?;
        if self.is_single() {
            let frame = range.map_or(ONLY_FRAME, |range| range.first);
            let frames = frames.into_iter().map(|(_, path)| (frame, path)).collect();
            return Ok(Present { frames, missing: Vec::new() });
        }
        let (Some((first, _)), Some((last, _))) = (frames.first(), frames.last()) else {
            return Err(self.wrong("no file matches"));
        };
        let range = range.unwrap_or(FrameRange::every(*first, *last));
        if range.count() > MOST_FRAMES {
            return Err(self.wrong(&format!("the range {range} has more than 10 million frames")));
        }
        let on_disk = self.on_disk()?;
        frames.retain(|(frame, _)| range.contains(*frame));
        let missing = range.frames().filter(|frame| !on_disk.contains(frame)).collect();
        Ok(Present { frames, missing })
    }

    /// The frames of a range, or from the first to the last that exist. A missing one is an error.
    pub fn expand(&self, range: Option<RangeInclusive<i64>>) -> Result<Vec<(i64, PathBuf)>, Error> {
        let range = range.map(|range| FrameRange::every(*range.start(), *range.end()));
        let Present { frames, missing } = self.present(range)?;
        match missing.is_empty() {
            true => Ok(frames),
            false => Err(Error::MissingFrames { pattern: self.pattern.clone(), frames: missing }),
        }
    }

    fn wrong(&self, message: &str) -> Error {
        Error::Pattern { pattern: self.pattern.clone(), message: message.to_string() }
    }
}

impl Name {
    /// Whether a name has no frame number.
    fn is_plain(name: &[u8]) -> bool {
        matches!(Self::parse(name), Ok(Name::Single(_)))
    }

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

/// The names of a folder that are text: only these have patterns that can be guessed.
fn unicode_names(folder: &Path) -> Result<Vec<String>, Error> {
    let names = file_names(folder)?.into_iter();
    Ok(names.filter_map(|name| name.into_string().ok()).collect())
}

/// The folder to list: a name without one is in the current folder.
fn listed(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// The folder that a folder or a glob names, and the files in it that are meant; none for a pattern or
/// a file.
fn listing(
    path: &Path,
    wanted: impl Fn(&Path) -> bool,
) -> Result<Option<(&Path, Vec<String>)>, Error> {
    let glob = path.file_name().and_then(|name| name.to_str());
    let is_glob = |name: &&str| discovery::is_glob(name) && Name::is_plain(name.as_bytes());
    let glob = glob.filter(is_glob).filter(|_| !path.exists());
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    let mut names = match (path.is_dir(), glob) {
        (true, _) => unicode_names(folder)?,
        (false, None) => return Ok(None),
        (false, Some(glob)) => {
            let mut names = unicode_names(listed(folder))?;
            names.retain(|name| discovery::matches(glob, name));
            names
        }
    };
    names.retain(|name| !name.starts_with('.') && wanted(&folder.join(name)));
    Ok(Some((folder, names)))
}

/// The one sequence that is meant, the only one with several frames or the only one at all, and how many
/// files do not belong to it.
fn choose(shown: &str, folder: &Path, names: &[String]) -> Result<(Found, usize), Error> {
    let wrong = |message: String| Error::Pattern { pattern: shown.to_string(), message };
    let mut found = discovery::sequences(names);
    if found.iter().filter(|found| found.frames.len() > 1).count() == 1 {
        found.retain(|found| found.frames.len() > 1);
    }
    match (found.len(), found.pop()) {
        (1, Some(only)) => {
            let others = names.len() - only.frames.len().max(1);
            Ok((only, others))
        }
        (_, None) => Err(wrong(String::from("there is no file that can be read"))),
        (_, Some(last)) => {
            found.push(last);
            let candidates = candidates(folder, &found);
            Err(wrong(format!("there are several sequences; give one of {candidates}")))
        }
    }
}

/// The patterns to choose from, for a message.
fn candidates(folder: &Path, found: &[Found]) -> String {
    let words = |found: &Found| match found.frames.len() {
        0 => folder.join(&found.pattern).display().to_string(),
        count => format!("{} ({})", folder.join(&found.pattern).display(), counted(count, "file")),
    };
    let named: Vec<String> = found.iter().take(MOST_CANDIDATES).map(words).collect();
    let more = if found.len() > MOST_CANDIDATES { " and more" } else { "" };
    format!("{}{more}", named.join(", "))
}

/// What to suggest for a folder: the pattern that most of its files follow.
fn folder_message(folder: &Path) -> String {
    let found = discovery::sequences(&unicode_names(folder).unwrap_or_default());
    // Of equally frequent patterns the first by name.
    let best = found.into_iter().filter(|found| !found.frames.is_empty()).rev();
    match best.max_by_key(|found| found.frames.len()) {
        Some(Found { pattern, .. }) => {
            format!("this is a folder; did you mean {}?", folder.join(pattern).display())
        }
        None => "this is a folder without numbered files; name a file in it".to_string(),
    }
}

#[cfg(test)]
mod tests;

//! What can go wrong with a file.
//!
//! Every message names the file, the place in it where that is known, what is wrong, and what
//! would be right.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use whitecap_core::checked_bytes;

use crate::number_ranges;

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Somewhere in the file.
    File,
    /// Byte offset, from 0; of the inflated bytes where the file is compressed.
    Offset(u64),
    /// Line of a text file, from 1.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Offset(offset) => write!(formatter, ", byte {offset}"),
            Place::Line(line) => write!(formatter, ", line {line}"),
        }
    }
}

/// An error of whitecap-io.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused to read or write.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `read`, `write`, `list`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file breaks the rules of its format.
    #[error("{}{place}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        place: Place,
        /// What is wrong and what would be right.
        message: String,
    },
    /// The file is valid but uses a part of its format that is not read or written here.
    #[error("{}: {message}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What is not supported.
        message: String,
    },
    /// The file claims to hold more than it has room for. Nothing of that size was allocated.
    #[error(
        "{}{place}: the file claims {count} {what}, but the rest of it has room for at most {room}; it is damaged or cut short",
        path.display()
    )]
    AbsurdCount {
        /// The file.
        path: PathBuf,
        /// Where the count stands or its data begins.
        place: Place,
        /// What is counted, in the plural: `points`, `bytes of tile data`.
        what: String,
        /// The count the file claims.
        count: u64,
        /// The largest count the rest of the file could hold.
        room: u64,
    },
    /// The extension is unknown, or its format does not fit.
    #[error("{}: this is not a format for {what}; use one of {known}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// What was to be read or written, such as `reading particles`.
        what: &'static str,
        /// The extensions that would work.
        known: String,
    },
    /// The data contains something this format cannot hold.
    #[error("{}: {message}", path.display())]
    Unwritable {
        /// The file that was to be written.
        path: PathBuf,
        /// What does not fit, and which format would hold it.
        message: String,
    },
    /// A frame pattern is invalid or matches nothing.
    #[error("{pattern}: {message}")]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// Frames inside the range have no file.
    #[error("{pattern}: {} missing", missing_frames(frames))]
    MissingFrames {
        /// The pattern as given.
        pattern: String,
        /// The frames, ascending.
        frames: Vec<i64>,
    },
}

impl Error {
    /// An [`Error::Io`] about reading `path`; made for `map_err`.
    pub fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self {
        Self::io("read", path)
    }

    /// An [`Error::Io`] about writing `path`; made for `map_err`.
    pub fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self {
        Self::io("write", path)
    }

    /// An [`Error::Io`] about doing `action` to `path`; made for `map_err`.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }

    /// An [`Error::Malformed`].
    pub fn malformed(path: &Path, place: Place, message: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_path_buf(), place, message: message.into() }
    }

    /// An [`Error::Unsupported`].
    pub fn unsupported(path: &Path, message: impl Into<String>) -> Self {
        Self::Unsupported { path: path.to_path_buf(), message: message.into() }
    }

    /// An [`Error::Unwritable`].
    pub fn unwritable(path: &Path, message: impl Into<String>) -> Self {
        Self::Unwritable { path: path.to_path_buf(), message: message.into() }
    }

    /// Fails with [`Error::AbsurdCount`] unless `count` items of at least `item_bytes` bytes each
    /// fit into the `bytes_left` of the file. To be called before anything is allocated.
    pub fn check_count(
        path: &Path,
        place: Place,
        what: &str,
        count: u64,
        item_bytes: usize,
        bytes_left: usize,
    ) -> Result<usize, Self> {
        checked_bytes::fits(count, item_bytes, bytes_left).map_err(|short| Self::AbsurdCount {
            path: path.to_path_buf(),
            place,
            what: what.to_string(),
            count,
            room: short.room,
        })
    }
}

/// `frames 12, 15-18 are`, `frame 7 is`.
fn missing_frames(frames: &[i64]) -> String {
    let ranges = number_ranges(frames, "-");
    if frames.len() == 1 { format!("frame {ranges} is") } else { format!("frames {ranges} are") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: missing frames are named compactly, single frames and runs separately.
    #[test]
    fn missing_frames_are_named_in_runs() {
        let error = |frames: &[i64]| {
            Error::MissingFrames { pattern: "a.####.ply".into(), frames: frames.to_vec() }
                .to_string()
        };
        assert_eq!(error(&[12, 15, 16, 17, 18]), "a.####.ply: frames 12, 15-18 are missing");
        assert_eq!(error(&[7]), "a.####.ply: frame 7 is missing");
    }

    /// Contract: a count that the rest of the file cannot hold is refused, even where the product
    /// of count and size would overflow; one that just fits is accepted.
    #[test]
    fn counts_are_checked_against_the_room_left() {
        let check = |count, left| {
            Error::check_count(Path::new("x"), Place::Offset(4), "points", count, 12, left)
        };
        assert_eq!(check(10, 120).unwrap(), 10);
        assert!(check(11, 120).is_err());
        let message = check(u64::MAX, 120).unwrap_err().to_string();
        assert!(message.starts_with("x, byte 4: the file claims 18446744073709551615 points"));
    }
}

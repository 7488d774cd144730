//! Which file belongs to which frame of a shot.

use std::path::PathBuf;

use whitecap_io::{Sequence, path_text};

use crate::stage::{SettingProblem, ShotContext};

/// The files of a path with or without a frame number.
#[derive(Clone, Debug)]
pub(crate) struct FrameFiles {
    sequence: Sequence,
    /// What to add to a frame's number to get its file's.
    offset: i64,
}

impl FrameFiles {
    /// The files of a path, of which `first` belongs to the first frame of the shot.
    pub fn new(
        path: &str,
        first: Option<i64>,
        shot: &ShotContext,
    ) -> Result<Self, whitecap_io::Error> {
        let offset = first.unwrap_or(shot.first) - shot.first;
        Ok(Self { sequence: Sequence::new(shot.folder.join(path_text::decode(path)))?, offset })
    }

    /// Whether one file serves every frame.
    pub fn is_single(&self) -> bool {
        self.sequence.is_single()
    }

    /// The file of a frame.
    pub fn file(&self, frame: i64) -> PathBuf {
        self.sequence.path(frame + self.offset)
    }

    /// Names the files that the shot needs and that are not there.
    pub fn missing(&self, shot: &ShotContext) -> Option<SettingProblem> {
        let (first, last) = (shot.first + self.offset, shot.last + self.offset);
        let error = self.sequence.expand(Some(first..=last)).err()?;
        let looked_for = format!("looked for {}", self.file(shot.first).display());
        let (message, help) = match error {
            whitecap_io::Error::MissingFrames { frames, .. } => {
                let all = frames.len() == shot.frames().count();
                match (all, self.other_numbers()) {
                    (true, Some(numbers)) => (
                        format!("there is no file for any frame of this shot; {numbers}"),
                        String::from(
                            "`first` says which file belongs to the first frame of the shot",
                        ),
                    ),
                    (true, None) => (String::from("there are no such files"), looked_for),
                    (false, _) => {
                        let example = self.sequence.path(frames[0]);
                        let message = match frames[..] {
                            [only] => format!("file {only} is missing"),
                            _ => format!(
                                "files {} are missing",
                                whitecap_io::number_ranges(&frames, " to ")
                            ),
                        };
                        (message, format!("looked for {}", example.display()))
                    }
                }
            }
            _ => (String::from("there are no such files"), looked_for),
        };
        Some(SettingProblem::new("path", message).with_help(help))
    }

    /// How the files that do exist are numbered.
    fn other_numbers(&self) -> Option<String> {
        let existing = self.sequence.existing().ok()?;
        let ((first, _), (last, _)) = (existing.first()?, existing.last()?);
        Some(format!("the files are numbered {first} to {last}"))
    }
}

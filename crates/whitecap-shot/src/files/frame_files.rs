//! Which file belongs to which frame of a shot.

use std::path::{Path, PathBuf};

use whitecap_io::{FrameRange, Sequence};

use crate::stage::{SettingProblem, ShotContext};

/// The files of a path with or without a frame number.
#[derive(Clone, Debug)]
pub(crate) struct FrameFiles {
    sequence: Sequence,
    /// What to add to a frame's number to get its file's.
    offset: i64,
}

impl FrameFiles {
    /// The files of a path, of which `first` belongs to the first frame of the shot. Of a folder or a
    /// glob, the files that are `wanted`.
    pub fn new(
        path: &str,
        first: Option<i64>,
        shot: &ShotContext,
        wanted: impl Fn(&Path) -> bool,
    ) -> Result<Self, whitecap_io::Error> {
        let offset = first.unwrap_or(shot.first) - shot.first;
        Ok(Self { sequence: Sequence::find(shot.file(path), wanted)?, offset })
    }

    /// What a folder or a glob was taken for, in a sentence.
    pub fn understood(&self) -> Option<&str> {
        self.sequence.understood()
    }

    /// The pattern, or the only file.
    pub fn pattern(&self) -> PathBuf {
        self.sequence.pattern()
    }

    /// Whether one file serves every frame.
    pub fn is_single(&self) -> bool {
        self.sequence.is_single()
    }

    /// The file of a frame.
    pub fn file(&self, frame: i64) -> PathBuf {
        self.sequence.path(frame + self.offset)
    }

    /// Up to three of all files that there are: the first, and two later ones whose places are powers of two,
    /// so that files which are added to a sequence hardly ever change the choice.
    pub fn samples(&self) -> Vec<PathBuf> {
        let existing = self.sequence.existing().unwrap_or_default();
        let Some(last) = existing.len().checked_sub(1) else { return Vec::new() };
        let power = last.checked_ilog2().map_or(0, |exponent| 1 << exponent);
        let mut places = vec![0, power / 2, power];
        places.dedup();
        places.into_iter().map(|place| existing[place].1.clone()).collect()
    }

    /// Names the files that the shot needs and that are not there.
    pub fn missing(&self, shot: &ShotContext) -> Option<SettingProblem> {
        self.missing_of(shot, &|_| true)
    }

    /// Names the files of these frames that are not there.
    pub fn missing_of(
        &self,
        shot: &ShotContext,
        needs: &dyn Fn(i64) -> bool,
    ) -> Option<SettingProblem> {
        let range = FrameRange::every(shot.first + self.offset, shot.last + self.offset);
        let missing = self.sequence.present(Some(range)).map(|mut present| {
            present.missing.retain(|file| needs(file - self.offset));
            present.missing
        });
        let looked_for = format!("looked for {}", self.file(shot.first).display());
        let (message, help) = match missing {
            Ok(frames) if frames.is_empty() => return None,
            Ok(frames) => {
                let all = frames.len() == shot.frames().filter(|frame| needs(*frame)).count();
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
                        let help = format!(
                            "looked for {}; write it, or choose `frames` without a gap",
                            example.display()
                        );
                        (message, help)
                    }
                }
            }
            Err(_) => (String::from("there are no such files"), looked_for),
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

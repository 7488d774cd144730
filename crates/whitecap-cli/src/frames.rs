//! The files a command works on: one file, or the frames of a sequence.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};
use whitecap_io::Sequence;

use crate::failure::Failure;

/// One frame: its number and its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePair {
    /// Number of the frame; 1 for a single file.
    pub frame: i64,
    /// The file to read.
    pub input: PathBuf,
    /// The file to write.
    pub output: PathBuf,
}

/// `--frames`, for commands that take sequences.
pub fn frames_flag() -> Arg {
    Arg::new("frames")
        .long("frames")
        .value_name("FIRST-LAST")
        .allow_hyphen_values(true)
        .help("Only these frames of a sequence, both included [default: all that exist]")
        .value_parser(parse_range)
}

/// `12-48`, or `12` for one frame. Frame numbers may be negative.
fn parse_range(text: &str) -> Result<RangeInclusive<i64>, String> {
    let wrong = || format!("`{text}` is not a range of frames; write it like 12-48");
    let dash = text.char_indices().skip(1).find(|&(_, character)| character == '-');
    let (first, last) = match dash {
        Some((place, _)) => (&text[..place], &text[place + 1..]),
        None => (text, text),
    };
    let (first, last): (i64, i64) =
        (first.parse().map_err(|_| wrong())?, last.parse().map_err(|_| wrong())?);
    match first <= last {
        true => Ok(first..=last),
        false => Err(format!("the first frame, {first}, comes after the last, {last}")),
    }
}

/// The range that was asked for.
fn range(matches: &ArgMatches) -> Option<RangeInclusive<i64>> {
    matches.get_one::<RangeInclusive<i64>>("frames").cloned()
}

/// The files of the input argument, and whether they are a sequence.
pub fn inputs(matches: &ArgMatches, input: &Path) -> Result<(bool, Vec<(i64, PathBuf)>), Failure> {
    let sequence = Sequence::new(input)?;
    let range = range(matches);
    if sequence.is_single() && range.is_some() {
        return Err(Failure::Usage(format!(
            "--frames needs a sequence, but {} is one file; write #### in place of the frame number",
            input.display()
        )));
    }
    Ok((!sequence.is_single(), sequence.expand(range)?))
}

/// The frames of an input and where each goes, and whether they are a sequence.
pub fn pairs(
    matches: &ArgMatches,
    input: &Path,
    output: &Path,
) -> Result<(bool, Vec<FramePair>), Failure> {
    let outputs = Sequence::new(output)?;
    let (is_sequence, inputs) = inputs(matches, input)?;
    match (is_sequence, outputs.is_single()) {
        (true, true) => {
            return Err(Failure::Usage(format!(
                "{} is a sequence, so the output must be one too: write #### in place of the frame number in {}",
                input.display(),
                output.display()
            )));
        }
        (false, false) => {
            return Err(Failure::Usage(format!(
                "{} is one file, so the output {} must be one file too",
                input.display(),
                output.display()
            )));
        }
        _ => {}
    }
    let pairs: Vec<FramePair> = inputs
        .into_iter()
        .map(|(frame, input)| FramePair { frame, input, output: outputs.path(frame) })
        .collect();
    if let Some(pair) = pairs.iter().find(|pair| is_same_file(&pair.input, &pair.output)) {
        return Err(Failure::Usage(format!(
            "{} would be overwritten by its own result; give the output another name",
            pair.input.display()
        )));
    }
    make_folder(output)?;
    Ok((is_sequence, pairs))
}

fn is_same_file(input: &Path, output: &Path) -> bool {
    match (input.canonicalize(), output.canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    }
}

/// Makes the folder that `path` is to be written into.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => {
            std::fs::create_dir_all(folder).map_err(|error| {
                Failure::about(folder, format!("the folder cannot be created: {error}"))
            })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: one number is one frame, two are a range; a range that runs backwards, or text
    /// that is no range, is refused with a message.
    #[test]
    fn ranges_are_understood() {
        assert_eq!(parse_range("12-48"), Ok(12..=48));
        assert_eq!(parse_range("7"), Ok(7..=7));
        assert_eq!(parse_range("-5--2"), Ok(-5..=-2));
        assert!(parse_range("48-12").unwrap_err().contains("comes after"));
        assert!(parse_range("a-b").unwrap_err().contains("12-48"));
    }
}

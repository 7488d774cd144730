//! The files a command works on: one file, or the frames of a sequence.
//!
//! # Guarantees
//! * A pattern, a folder, a glob and the files that a shell made of a glob are taken alike; what was
//!   understood is said. Results of the command itself in the same folder do not count, so that the same
//!   command can continue.
//! * Frames that are missing are said. Work on each frame alone goes on with those that exist; work
//!   that goes from frame to frame is refused with a range that has no gap.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, value_parser};
use whitecap_io::{FormatInfo, FrameRange, Kind, Sequence, number_ranges};

use crate::failure::Failure;
use crate::session::Session;

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

/// The files of an input.
#[derive(Clone, Debug)]
pub struct InputFiles {
    /// What the input names.
    pub sequence: Sequence,
    /// The frames that exist, with their files.
    pub frames: Vec<(i64, PathBuf)>,
    /// The frames that do not.
    pub missing: Vec<i64>,
}

impl InputFiles {
    /// Whether there is a file for each frame.
    pub fn is_sequence(&self) -> bool {
        !self.sequence.is_single()
    }
}

/// All kinds of data.
pub const EVERY_KIND: [Kind; 3] = [Kind::Particles, Kind::Mesh, Kind::Volume];

/// `--frames`, for commands that take sequences.
pub fn frames_flag() -> Arg {
    Arg::new("frames")
        .long("frames")
        .value_name("FIRST-LAST[xSTEP]")
        .allow_hyphen_values(true)
        .help("Only these frames of a sequence: 12-48, every fifth as 1-100x5, one as 7 [default: all that exist]")
        .value_parser(|text: &str| text.parse::<FrameRange>())
}

/// The argument that names the input: a file, a pattern, a folder or a glob.
pub fn input_argument(name: &'static str, value_name: &'static str, help: &str) -> Arg {
    Arg::new(name)
        .value_name(value_name)
        .required(true)
        .num_args(1..)
        .value_parser(value_parser!(PathBuf))
        .help(format!(
            "{help}: a file, a folder, or a sequence such as sim/frame.####.bgeo or 'sim/*.bgeo'"
        ))
}

/// What counts among the files of a folder, a glob or a list.
pub struct Wanted<'a> {
    /// What the files may hold.
    pub kinds: &'a [Kind],
    /// Where the results of the command go.
    pub outputs: &'a [PathBuf],
}

impl Wanted<'_> {
    /// Whether a file can be read as one of the kinds.
    fn is_readable(&self, path: &Path) -> bool {
        FormatInfo::of(path)
            .is_some_and(|info| info.reads.iter().any(|kind| self.kinds.contains(kind)))
    }

    /// The sequences of the results; a mistake in their names is told later.
    fn results(&self) -> Vec<Sequence> {
        self.outputs.iter().filter_map(|output| Sequence::new(output).ok()).collect()
    }

    /// What `look` finds among the files that fit. If a folder holds nothing but results, they are meant.
    fn find<T>(&self, look: impl Fn(&dyn Fn(&Path) -> bool) -> T) -> T {
        let results = self.results();
        let has_others = Cell::new(false);
        let is_input = |file: &Path| {
            let fits = self.is_readable(file) && !results.iter().any(|result| result.names(file));
            has_others.set(has_others.get() || fits);
            fits
        };
        let found = look(&is_input);
        match has_others.get() {
            true => found,
            false => look(&|file| self.is_readable(file)),
        }
    }

    /// The sequence of a list of files.
    fn of_files(&self, files: &[PathBuf]) -> Result<Sequence, whitecap_io::Error> {
        let results = self.results();
        let is_result = |file: &PathBuf| results.iter().any(|result| result.names(file));
        let inputs: Vec<PathBuf> = files.iter().filter(|file| !is_result(file)).cloned().collect();
        Sequence::of_files(if inputs.is_empty() { files } else { &inputs })
    }
}

fn said(session: &Session, sequence: Sequence) -> Result<Sequence, Failure> {
    if let Some(text) = sequence.understood() {
        session.note(text);
    }
    Ok(sequence)
}

/// The sequence that the values of an argument name: one pattern, or what a shell made of a glob.
pub fn sequence_of(
    matches: &ArgMatches,
    session: &Session,
    name: &str,
    wanted: &Wanted<'_>,
) -> Result<Sequence, Failure> {
    let paths: Vec<PathBuf> = matches.get_many(name).into_iter().flatten().cloned().collect();
    match &paths[..] {
        [only] => said(session, wanted.find(|fits| Sequence::find(only, fits))?),
        several => said(session, wanted.of_files(several)?),
    }
}

/// Every sequence that the values of an argument name: for work on each file alone.
pub fn sequences_of(
    matches: &ArgMatches,
    session: &Session,
    name: &str,
    wanted: &Wanted<'_>,
) -> Result<Vec<Sequence>, Failure> {
    let paths: Vec<PathBuf> = matches.get_many(name).into_iter().flatten().cloned().collect();
    if let (true, Ok(sequence)) = (paths.len() > 1, wanted.of_files(&paths)) {
        return Ok(vec![said(session, sequence)?]);
    }
    let mut all = Vec::new();
    for path in &paths {
        for sequence in wanted.find(|fits| Sequence::find_all(path, fits))? {
            all.push(if sequence.is_single() { sequence } else { said(session, sequence)? });
        }
    }
    Ok(all)
}

/// The files of a sequence in the range that was asked for.
pub fn files_of(matches: &ArgMatches, sequence: Sequence) -> Result<InputFiles, Failure> {
    let range = matches.try_get_one::<FrameRange>("frames").ok().flatten().copied();
    if let (true, Some(_)) = (sequence.is_single(), range) {
        return Err(Failure::Usage(format!(
            "--frames needs a sequence, but {} is one file; write #### in place of the frame number",
            sequence.pattern().display()
        )));
    }
    let present = sequence.present(range)?;
    if let (true, Some(range)) = (present.frames.is_empty(), range) {
        let existing: Vec<i64> = sequence.existing()?.into_iter().map(|(frame, _)| frame).collect();
        return Err(Failure::Work(format!(
            "{}: no frame of {range} exists; there are {}",
            sequence.pattern().display(),
            number_ranges(&existing, "-")
        )));
    }
    Ok(InputFiles { sequence, frames: present.frames, missing: present.missing })
}

/// The files of the input argument `name`; says which frames are missing.
pub fn inputs(
    matches: &ArgMatches,
    session: &Session,
    name: &str,
    wanted: &Wanted<'_>,
) -> Result<InputFiles, Failure> {
    let files = files_of(matches, sequence_of(matches, session, name, wanted)?)?;
    note_missing(session, &files.sequence, &files.missing);
    Ok(files)
}

/// Says which frames are missing, if any are.
pub fn note_missing(session: &Session, sequence: &Sequence, missing: &[i64]) {
    if !missing.is_empty() {
        let pattern = sequence.pattern();
        let told = missing_frames(missing);
        session.note(&format!("note: {}: {told}; the others are used.", pattern.display()));
    }
}

/// `frame 3 is missing`, `frames 3, 5-7 are missing`.
pub fn missing_frames(missing: &[i64]) -> String {
    match missing {
        [only] => format!("frame {only} is missing"),
        _ => format!("frames {} are missing", number_ranges(missing, "-")),
    }
}

/// Fails unless the frames follow each other without a gap, which `command` needs.
pub fn refuse_gaps(
    command: &str,
    pattern: &Path,
    frames: &[i64],
    missing: &[i64],
) -> Result<(), Failure> {
    let runs = || frames.chunk_by(|a, b| a + 1 == *b);
    if runs().count() <= 1 && missing.is_empty() {
        return Ok(());
    }
    let why = format!("{command} goes from each frame to the next");
    Err(Failure::Usage(match missing.is_empty() {
        true => format!(
            "{why}, so it cannot leave out frames: write --frames {}-{}",
            frames[0],
            frames[frames.len() - 1]
        ),
        false => {
            let longest = runs().rev().max_by_key(|run| run.len()).unwrap_or(&[]);
            let advice = match longest {
                [first, .., last] => format!(
                    "write the missing files, or choose frames without a gap: --frames {first}-{last}"
                ),
                _ => String::from("write the missing files"),
            };
            format!("{}: {}, but {why}; {advice}", pattern.display(), missing_frames(missing))
        }
    }))
}

/// The frames of an input and where each goes.
pub fn pairs(files: &InputFiles, output: &Path) -> Result<Vec<FramePair>, Failure> {
    let outputs = Sequence::new(output)?;
    check_output(files.is_sequence(), &files.sequence.pattern(), &outputs)?;
    let pairs: Vec<FramePair> = files
        .frames
        .iter()
        .map(|(frame, input)| FramePair {
            frame: *frame,
            input: input.clone(),
            output: outputs.path(*frame),
        })
        .collect();
    if let Some(pair) = pairs.iter().find(|pair| is_same_file(&pair.input, &pair.output)) {
        return Err(Failure::Usage(format!(
            "{} would be overwritten by its own result; give the output another name",
            pair.input.display()
        )));
    }
    make_folder(output)?;
    Ok(pairs)
}

/// Fails unless the output is a sequence exactly if the input is one.
pub fn check_output(is_sequence: bool, input: &Path, outputs: &Sequence) -> Result<(), Failure> {
    let output = outputs.pattern();
    match (is_sequence, outputs.is_single()) {
        (true, true) => Err(Failure::Usage(format!(
            "{} is a sequence, so the output must be one too: write #### in place of the frame number in {}",
            input.display(),
            output.display()
        ))),
        (false, false) => Err(Failure::Usage(format!(
            "{} is one file, so the output {} must be one file too",
            input.display(),
            output.display()
        ))),
        _ => Ok(()),
    }
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

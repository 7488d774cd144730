//! The files of a stage's command: what is read for each frame, and where the results go.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::{Map, Value};
use whitecap_io::{FrameRange, Kind, Sequence};
use whitecap_shot::{DataKind, Gives, InputPort, KindInfo, Save, Shot, Subject, savable_formats};

use super::{frame_rate, save_to};
use crate::commands::render;
use crate::failure::Failure;
use crate::frames::{self, Wanted, make_folder};
use crate::session::Session;

/// The files of an input.
pub struct PortFile {
    pub port: &'static InputPort,
    pub sequence: Sequence,
    /// What they hold, as the cache calls it.
    pub content: &'static str,
}

/// All files of a command.
pub struct Files {
    pub ports: Vec<PortFile>,
    /// The frames to make, ascending.
    pub frames: Vec<i64>,
    /// The frames that were asked for and that an input lacks.
    pub missing: Vec<i64>,
    pub fps: f64,
    pub output: PathBuf,
    pub saves: Vec<Save>,
    /// What happens to particles that do not belong with the rest.
    pub outliers: String,
    /// What each frame is made from, if the command takes files.
    pub inputs: Vec<PathBuf>,
}

impl Files {
    /// The files that the arguments name. If the kind can also give a volume and the settings do not
    /// say what is wanted, an output that can only hold volumes gets one.
    pub fn of(
        info: &KindInfo,
        settings: &mut Map<String, Value>,
        matches: &ArgMatches,
        session: &Session,
    ) -> Result<Self, Failure> {
        let output = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
        let gives = choose(info, settings, &output)?;
        let beside = info.beside.iter().filter_map(|side| matches.get_one::<PathBuf>(side.name));
        let outputs: Vec<PathBuf> = beside.chain([&output]).cloned().collect();
        let ports = ports(info, matches, session, &outputs)?;
        let fps = frame_rate::of(&ports, matches, session);
        let Chosen { frames, inputs, missing } = chosen(info, matches, session, &ports, &output)?;
        let saves = saves(info, gives, &output, matches)?;
        let outliers = outliers(matches);
        let mut files = Self { ports, frames, missing, fps, output, saves, inputs, outliers };
        files.refuse_single()?;
        files.refuse_twins()?;
        files.ports.sort_by_key(|file| file.port.key);
        Ok(files)
    }

    /// Fails if several frames would go to one file.
    fn refuse_single(&self) -> Result<(), Failure> {
        let is_single = |save: &&Save| save.files.as_ref().is_some_and(Sequence::is_single);
        match self.saves.iter().find(is_single) {
            Some(save) if self.frame_count() > 1 => {
                let path = save.files.as_ref().map(|files| files.path(1)).unwrap_or_default();
                Err(Failure::Usage(format!(
                    "{} is one file, but every frame needs its own: write #### in place of the frame number",
                    path.display()
                )))
            }
            _ => Ok(()),
        }
    }

    /// Fails where two results would go to the same file.
    fn refuse_twins(&self) -> Result<(), Failure> {
        let paths: Vec<PathBuf> = self.outputs(self.first()).collect();
        let twin = paths.iter().enumerate().find(|(place, path)| paths[..*place].contains(path));
        twin.map_or(Ok(()), |(_, path)| {
            let message = "two results would go to this file; give one of them another name";
            Err(Failure::Usage(format!("{}: {message}", path.display())))
        })
    }

    /// Fails where a result would overwrite a file that it is made from.
    pub fn refuse_overwriting(&self, shot: &Shot) -> Result<(), Failure> {
        for frame in [self.first(), self.last()] {
            let sources = shot.stages.iter().filter_map(|stage| stage.checked.sources(frame).ok());
            let sources: Vec<PathBuf> =
                sources.flatten().filter_map(|path| path.canonicalize().ok()).collect();
            let is_source =
                |path: &PathBuf| path.canonicalize().is_ok_and(|path| sources.contains(&path));
            let mut all = self.frames.iter().flat_map(|frame| self.outputs(*frame));
            if let Some(path) = all.find(is_source) {
                return Err(Failure::Usage(format!(
                    "{} would be overwritten by its own result; give the output another name",
                    path.display()
                )));
            }
        }
        Ok(())
    }

    /// The files of a frame's results.
    fn outputs(&self, frame: i64) -> impl Iterator<Item = PathBuf> + '_ {
        self.saves.iter().filter_map(move |save| Some(save.files.as_ref()?.path(frame)))
    }

    /// The first frame.
    pub fn first(&self) -> i64 {
        self.frames.first().copied().unwrap_or(1)
    }

    /// The last frame.
    pub fn last(&self) -> i64 {
        self.frames.last().copied().unwrap_or(1)
    }

    /// The frames between the first and the last that are not made, ascending.
    pub fn left_out(&self) -> Vec<i64> {
        let gaps = self.frames.windows(2).flat_map(|pair| pair[0] + 1..pair[1]);
        gaps.collect()
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// The folder with what a stopped run needs to continue.
    pub fn hidden_folder(&self) -> PathBuf {
        // By the first file, however the pattern was written.
        let first = self.output_of(self.first());
        let mut name = OsString::from(".");
        name.push(first.file_name().unwrap_or_default());
        name.push(".run");
        first.with_file_name(name)
    }

    /// Makes the folders of the results.
    pub fn make_folders(&self) -> Result<(), Failure> {
        let folders = self.saves.iter().filter_map(|save| save.files.as_ref());
        folders.map(|files| files.path(self.first())).try_for_each(|path| make_folder(&path))
    }

    /// The file that a frame is made from, if the command takes files.
    pub fn input_of(&self, frame: i64) -> Option<PathBuf> {
        let place = self.frames.binary_search(&frame).ok()?;
        self.inputs.get(place).cloned()
    }

    /// What a frame is called: its number, or its file if there is only one.
    pub fn frame_name(&self, frame: i64) -> String {
        match (self.frame_count(), self.input_of(frame)) {
            (1, Some(input)) => input.display().to_string(),
            _ => format!("frame {frame}"),
        }
    }

    /// The file of a frame's result.
    pub fn output_of(&self, frame: i64) -> PathBuf {
        let files = self.saves.first().and_then(|save| save.files.as_ref());
        files.map_or_else(|| self.output.clone(), |files| files.path(frame))
    }

    /// Pictures that can be shown while they are being made.
    pub fn previews(&self, frame: i64) -> impl Iterator<Item = PathBuf> + '_ {
        let png = self.saves.iter().filter(|save| save.format.eq_ignore_ascii_case("png"));
        png.filter_map(move |save| save.files.as_ref().map(|files| files.path(frame)))
    }
}

/// What `--outliers` says.
fn outliers(matches: &ArgMatches) -> String {
    let given = matches.try_get_one::<String>("outliers").ok().flatten();
    given.cloned().unwrap_or_else(|| String::from("keep"))
}

/// What the stage is to give: what the settings say, or what the extension of the output can hold.
fn choose(
    info: &KindInfo,
    settings: &mut Map<String, Value>,
    output: &Path,
) -> Result<DataKind, Failure> {
    let holds = |kind: DataKind| whitecap_io::has_extension(output, &savable_formats(kind));
    let chosen = info.gives.with(&Value::Object(settings.clone()));
    if holds(chosen) {
        return Ok(chosen);
    }
    // Only a volume says unmistakably what is wanted: the same thing on a grid.
    if let Gives::Chosen { key, choices } = info.gives
        && !settings.contains_key(key)
        && let Some((name, kind)) =
            choices.iter().find(|(_, kind)| *kind == DataKind::Volume && holds(*kind))
    {
        settings.insert(String::from(key), Value::from(*name));
        return Ok(*kind);
    }
    let others = match info.gives {
        Gives::Chosen { key, choices } => {
            choices.iter().find(|(_, kind)| holds(*kind)).map(|c| (key, c.0))
        }
        Gives::Always(_) => None,
    };
    Err(match others {
        Some((key, name)) => Failure::Usage(format!(
            "{}: {} cannot be written to this format; add --{key} {name}, or choose another format",
            output.display(),
            chosen.in_words()
        )),
        None => cannot_hold(output, chosen),
    })
}

fn cannot_hold(path: &Path, kind: DataKind) -> Failure {
    let extensions: Vec<String> =
        savable_formats(kind).iter().map(|extension| format!(".{extension}")).collect();
    Failure::Usage(format!(
        "{}: {} cannot be written to this format; use one of {}",
        path.display(),
        kind.in_words(),
        extensions.join(", ")
    ))
}

/// The frames that a command makes.
struct Chosen {
    frames: Vec<i64>,
    /// What each is made from, if the command takes files.
    inputs: Vec<PathBuf>,
    missing: Vec<i64>,
}

/// The frames that all inputs have, in the range that was asked for. A command that goes from frame to
/// frame needs all of them.
fn chosen(
    info: &KindInfo,
    matches: &ArgMatches,
    session: &Session,
    ports: &[PortFile],
    output: &Path,
) -> Result<Chosen, Failure> {
    let subject = info.command.map(|command| command.subject);
    let main = ports
        .iter()
        .find(|file| matches!(subject, Some(Subject::Input(key)) if key == file.port.key));
    let Some(main) = main else {
        let range = matches.get_one::<FrameRange>("frames").copied();
        let frames = range.unwrap_or(FrameRange::every(1, 1)).frames().collect();
        return Ok(Chosen { frames, inputs: Vec::new(), missing: Vec::new() });
    };
    if let Some(count) = render::turntable(info, matches) {
        let input = main.sequence.existing()?.remove(0).1;
        let inputs = vec![input; usize::try_from(count).unwrap_or(1)];
        return Ok(Chosen { frames: (1..=count).collect(), inputs, missing: Vec::new() });
    }
    let mut files = frames::files_of(matches, main.sequence.clone())?;
    frames::check_output(files.is_sequence(), &main.sequence.pattern(), &Sequence::new(output)?)?;
    let others =
        ports.iter().filter(|file| file.port.key != main.port.key && !file.sequence.is_single());
    let mut gaps = vec![(&main.sequence, files.missing.clone())];
    for file in others {
        let existing: Vec<i64> =
            file.sequence.existing()?.into_iter().map(|found| found.0).collect();
        let has = |frame: &i64| existing.binary_search(frame).is_ok();
        let lacks = files.frames.iter().map(|found| found.0).filter(|frame| !has(frame));
        gaps.push((&file.sequence, lacks.collect()));
        files.frames.retain(|(frame, _)| has(frame));
    }
    let (frames, inputs): (Vec<i64>, Vec<PathBuf>) = files.frames.into_iter().unzip();
    let mut missing: Vec<i64> = Vec::new();
    for (sequence, lacking) in gaps {
        if frames.is_empty() {
            let text =
                "this has none of the frames of the other input; their numbers must be the same";
            return Err(Failure::about(&sequence.pattern(), text));
        }
        match info.stateful {
            true => frames::refuse_gaps(info.name, &sequence.pattern(), &frames, &lacking)?,
            false => frames::note_missing(session, sequence, &lacking),
        }
        missing.extend(lacking);
    }
    missing.sort_unstable();
    Ok(Chosen { frames, inputs, missing })
}

fn ports(
    info: &KindInfo,
    matches: &ArgMatches,
    session: &Session,
    outputs: &[PathBuf],
) -> Result<Vec<PortFile>, Failure> {
    let mut ports = Vec::new();
    for port in info.inputs {
        let subject = info.command.map(|command| command.subject);
        let argument = match subject {
            Some(Subject::Input(key)) if key == port.key => "input",
            _ => port.key,
        };
        if matches.contains_id(argument) {
            let kinds: Vec<Kind> = port.accepts.iter().filter_map(|kind| stored(*kind)).collect();
            let wanted = Wanted { kinds: &kinds, outputs };
            let sequence = frames::sequence_of(matches, session, argument, &wanted)?;
            let content = content(port, &sequence)?;
            ports.push(PortFile { port, sequence, content });
        }
    }
    Ok(ports)
}

/// What a file that holds such data is called.
fn stored(kind: DataKind) -> Option<Kind> {
    match kind {
        DataKind::Particles => Some(Kind::Particles),
        DataKind::Mesh => Some(Kind::Mesh),
        DataKind::Volume => Some(Kind::Volume),
        DataKind::Picture => None,
    }
}

/// What the files of an input hold; if the input takes several kinds of data, the first file
/// decides.
fn content(port: &InputPort, sequence: &Sequence) -> Result<&'static str, Failure> {
    let kind = match port.accepts {
        [only] => *only,
        _ => {
            let existing = sequence.existing()?;
            let first = existing.first().map_or(sequence.pattern(), |(_, path)| path.clone());
            match whitecap_io::kind_of(&first)? {
                Kind::Particles => DataKind::Particles,
                Kind::Mesh => DataKind::Mesh,
                Kind::Volume => DataKind::Volume,
            }
        }
    };
    Ok(match kind {
        DataKind::Particles => "particles",
        DataKind::Mesh => "mesh",
        DataKind::Volume | DataKind::Picture => "volume",
    })
}

/// The output, a picture to look at beside OpenEXR, and the side results that were asked for.
fn saves(
    info: &KindInfo,
    gives: DataKind,
    output: &Path,
    matches: &ArgMatches,
) -> Result<Vec<Save>, Failure> {
    let mut saves = vec![save_to(output, None)?];
    if gives == DataKind::Picture && whitecap_io::has_extension(output, &["exr"]) {
        saves.push(save_to(&output.with_extension("png"), None)?);
    }
    for side in info.beside {
        let Some(path) = matches.get_one::<PathBuf>(side.name) else { continue };
        if !whitecap_io::has_extension(path, &savable_formats(side.kind)) {
            return Err(cannot_hold(path, side.kind));
        }
        saves.push(save_to(path, Some(side.name))?);
    }
    Ok(saves)
}

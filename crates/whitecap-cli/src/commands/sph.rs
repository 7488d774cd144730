//! `whitecap sph`: a single liquid, without a shot file.
//!
//! # Guarantees
//! * Every frame is written whole or not at all, and is the same for any number of threads.
//! * After Ctrl-C the same command continues where it stopped, and after a kill where it was up to
//!   a minute before; the files are in the end those of a run that nobody stopped. What it needs
//!   for that is in a [`Checkpoint`], removed when the run is finished.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value, json};
use whitecap_io::{Kind, Sequence};
use whitecap_shot::stages::SphStageSettings;
use whitecap_shot::{
    FrameData, Inputs, Registry, SettingProblem, ShotContext, Stage, StageError, StageKind,
    StageOutput, StepContext,
};

use super::checkpoint::Checkpoint;
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::format_choice;
use crate::frames::make_folder;
use crate::memory::peak_bytes;
use crate::progress::Progress;
use crate::session::{FrameWatch, Session};
use crate::setting_flags::{SettingFlags, numbers};
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap sph --fill-box 0,0,0,1,1,1 --domain 0,0,0,3,2,1 --spacing 0.04 --frames 48 \\
      -o 'out/water.####.bgeo'
  whitecap sph --fill-sphere 0,0.5,0,0.1 --fill-box -0.5,0,-0.5,0.5,0.2,0.5 \\
      --domain -0.5,0,-0.5,0.5,1,0.5 -o 'out/drop.####.ply'
  whitecap sph --fill-mesh toy.ply --viscosity 50 --domain -1,0,-1,1,2,1 -o 'out/toy.####.vtu'
  whitecap sph --fill-box 0,0,0,1,1,1 --domain 0,0,0,3,2,1 --solids '[{\"path\": \"rock.ply\"}]' \\
      -o 'out/water.####.bgeo'

The first frame is the liquid at rest. A run that was stopped with Ctrl-C continues with the same
command. Folders of the output are made; every file is written whole or not at all. The next step
is often: whitecap surface 'out/water.####.bgeo' -o 'out/surface.####.ply'
For emitters, moving solids and several stages a shot file is easier to write; see whitecap run.";

/// Least time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Its arguments and help.
pub fn command() -> Command {
    let output = Arg::new("output")
        .short('o')
        .long("output")
        .value_name("OUT")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The particles: a sequence such as out/water.####.bgeo");
    let count = Arg::new("frames")
        .long("frames")
        .value_name("COUNT")
        .default_value("48")
        .value_parser(value_parser!(u32).range(1..=1_000_000))
        .help("How many frames to make, from frame 1 on");
    let fps = Arg::new("fps")
        .long("fps")
        .value_name("NUMBER")
        .default_value("24")
        .value_parser(frame_rate)
        .help("Frames per second [unit: 1/s]");
    let fill = |name: &'static str, value_name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value_name)
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help(help)
    };
    let boxes = fill(
        "fill-box",
        "NUMBER,…",
        "A box of liquid: its lowest, then its highest corner [unit: m]",
    )
    .value_parser(|text: &str| numbers(text, 6));
    let spheres =
        fill("fill-sphere", "NUMBER,…", "A ball of liquid: its centre, then its radius [unit: m]")
            .value_parser(|text: &str| numbers(text, 4));
    let meshes = fill("fill-mesh", "FILE", "A closed mesh full of liquid");
    Command::new("sph")
        .about("Simulates a liquid by smoothed-particle hydrodynamics")
        .after_help(EXAMPLES)
        .args([output, count, fps, boxes, spheres, meshes, json_flag()])
        .args(SettingFlags::of::<SphStageSettings>().arguments())
}

/// Frames per second, from text.
pub fn frame_rate(text: &str) -> Result<f64, String> {
    let rate = numbers(text, 1)?[0];
    match (1e-3..=1e6).contains(&rate) {
        true => Ok(rate),
        false => Err(String::from("it must be 0.001 to 1000000")),
    }
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let output = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
    format_choice::writes_one_of(&output, &[Kind::Particles])?;
    let files = Sequence::new(&output)?;
    if files.is_single() {
        return Err(Failure::Usage(format!(
            "{} is one file, but every frame needs its own: write #### in place of the frame number",
            output.display()
        )));
    }
    let last = matches.get_one::<u32>("frames").copied().unwrap_or(1);
    let fps = matches.get_one::<f64>("fps").copied().unwrap_or(24.0);
    let shot = ShotContext { folder: Path::new(""), first: 1, last, fps, seed: 0 };
    let registry = Registry::standard();
    let kind = registry.get("sph").ok_or_else(|| Failure::Work("there is no stage sph".into()))?;
    let settings = kind.check(&raw_settings(matches)?, &shot).map_err(usage)?;
    make_folder(&output)?;
    let sources = sources(kind.as_ref(), &settings, &shot)?;
    let checkpoint = Checkpoint::new(&output, kind.as_ref(), &settings, shot.fps, &sources);
    Job { kind: Arc::clone(kind), settings, shot, files, checkpoint, session }.run(&output)
}

/// The files that the liquid is made from, each once.
fn sources(
    kind: &dyn StageKind,
    settings: &Value,
    shot: &ShotContext<'_>,
) -> Result<Vec<PathBuf>, Failure> {
    let mut sources = Vec::new();
    for frame in shot.frames() {
        let files = kind.sources(settings, shot, shot.time_of(frame));
        sources.extend(files.map_err(|error| Failure::Work(error.to_string()))?);
    }
    sources.sort();
    sources.dedup();
    Ok(sources)
}

/// The settings of the flags, with the fills that have flags of their own.
fn raw_settings(matches: &ArgMatches) -> Result<Value, Failure> {
    let flags = SettingFlags::of::<SphStageSettings>();
    let settings: SphStageSettings = flags.read(matches)?;
    // Through text, so that single-precision numbers keep their short form.
    let text = serde_json::to_string(&settings);
    let settings = text.and_then(|text| serde_json::from_str(&text));
    let mut settings: Value = settings.map_err(|error| Failure::Work(error.to_string()))?;
    let lists = |name: &str| matches.get_many::<Vec<f64>>(name).into_iter().flatten();
    let boxes = lists("fill-box")
        .map(|corners| json!({ "box": { "min": corners[..3], "max": corners[3..] } }));
    let spheres = lists("fill-sphere")
        .map(|numbers| json!({ "sphere": { "center": numbers[..3], "radius": numbers[3] } }));
    let paths = matches.get_many::<String>("fill-mesh").into_iter().flatten();
    let meshes = paths.map(|path| json!({ "mesh": { "path": path } }));
    if let Some(fills) = settings["fill"].as_array_mut() {
        fills.extend(boxes.chain(spheres).chain(meshes));
    }
    Ok(settings)
}

/// Problems of settings in the words of the command line.
fn usage(problems: Vec<SettingProblem>) -> Failure {
    let words = problems.iter().map(|SettingProblem { key, message, .. }| match key.as_str() {
        "kind" => message.clone(),
        "fill" => format!(
            "{message}; say where it is with --fill-box, --fill-sphere, --fill-mesh or --emitters"
        ),
        key => format!("--{key}: {message}"),
    });
    Failure::Usage(words.collect::<Vec<_>>().join("\n"))
}

/// What is to be made.
struct Job<'a> {
    kind: Arc<dyn StageKind>,
    settings: Value,
    shot: ShotContext<'a>,
    files: Sequence,
    checkpoint: Checkpoint,
    session: &'a Session,
}

impl Job<'_> {
    fn run(&self, output: &Path) -> Result<Answer, Failure> {
        let started = Instant::now();
        let (mut stage, first) = self.start()?;
        let mut state = (first > self.shot.first).then(|| stage.save_state());
        let mut saved = Instant::now();
        let progress = Progress::new(self.session, (self.shot.last + 1 - first) as usize);
        let mut made: Vec<Value> = Vec::new();
        for frame in first..=self.shot.last {
            let name = format!("frame {frame}");
            let on_progress = |fraction: f32| progress.within(made.len(), fraction, &name);
            let watch = FrameWatch { cancel: &self.session.cancel, on_progress };
            let Some(output) = self.step(stage.as_mut(), frame, &watch)? else {
                return Err(self.cancelled(frame, state.as_deref())?);
            };
            for note in &output.notes {
                progress.note(self.session, &format!("note: {note}"));
            }
            made.push(self.write(frame, &output)?);
            let current = stage.save_state();
            if saved.elapsed() >= CHECKPOINT_INTERVAL {
                self.checkpoint.save(frame, &current)?;
                saved = Instant::now();
            }
            state = Some(current);
            progress.finished(made.len(), &name, None);
        }
        drop(progress);
        self.checkpoint.remove();
        Ok(self.answer(&made, output, started.elapsed().as_secs_f64()))
    }

    /// A running liquid and the frame it makes next: the first, or where a run was stopped.
    fn start(&self) -> Result<(Box<dyn Stage>, u32), Failure> {
        let start = || {
            self.kind.start(&self.settings, &self.shot).map_err(|e| Failure::Work(e.to_string()))
        };
        if let Some((frame, state)) = self.checkpoint.load()
            && (self.shot.first..=frame).all(|frame| self.files.path(frame.into()).is_file())
            && frame <= self.shot.last
        {
            let mut stage = start()?;
            if stage.restore_state(&state).is_ok() {
                self.session.note(&format!("Continuing after frame {frame}."));
                return Ok((stage, frame + 1));
            }
        }
        Ok((start()?, self.shot.first))
    }

    /// Makes a frame; `None` if it was cancelled.
    fn step<F: Fn(f32) + Sync>(
        &self,
        stage: &mut dyn Stage,
        frame: u32,
        watch: &FrameWatch<'_, F>,
    ) -> Result<Option<StageOutput>, Failure> {
        if self.session.cancel.is_cancelled() {
            return Ok(None);
        }
        let context = StepContext { frame: self.shot.time_of(frame), seed: 0, watch };
        match stage.step(&context, &Inputs::new(Vec::new())) {
            Ok(output) => Ok(Some(output)),
            Err(StageError::Cancelled) => Ok(None),
            Err(error) => Err(Failure::Work(format!("frame {frame}: {error}"))),
        }
    }

    fn write(&self, frame: u32, output: &StageOutput) -> Result<Value, Failure> {
        let path = self.files.path(frame.into());
        let mut object = json!({ "frame": frame, "output": path, "notes": output.notes });
        if let FrameData::Particles(particles) = &output.data {
            whitecap_io::write_particles(&path, particles)?;
        }
        let numbers = output.metrics.iter().map(|metric| {
            let is_count = metric.unit.is_empty() && metric.value.fract() == 0.0;
            let value = if is_count { json!(metric.value as u64) } else { json!(metric.value) };
            (metric.name.replace(' ', "_"), value)
        });
        object["metrics"] = Value::Object(numbers.collect::<Map<_, _>>());
        Ok(object)
    }

    /// Saves the state after the last whole frame; says how to continue.
    fn cancelled(&self, frame: u32, state: Option<&[u8]>) -> Result<Failure, Failure> {
        let (done, total) = (frame - self.shot.first, self.shot.frames().count());
        Ok(Failure::Cancelled(match state {
            Some(state) => {
                self.checkpoint.save(frame - 1, state)?;
                format!(
                    "Cancelled: {done} of {total} frames are written. The same command continues from here."
                )
            }
            None => String::from("Cancelled: nothing was written."),
        }))
    }

    fn answer(&self, made: &[Value], output: &Path, seconds: f64) -> Answer {
        let last = made.last().map_or(&Value::Null, |frame| &frame["metrics"]);
        let most = |name: &str| {
            let values = made.iter().filter_map(|frame| frame["metrics"][name].as_f64());
            values.fold(0.0, f64::max)
        };
        let strays = most("particles_inside_a_solid") + most("particles_outside_the_domain");
        let warning = match strays {
            0.0 => String::new(),
            _ => format!("Up to {strays} particles were inside a solid or outside the domain.\n"),
        };
        let text = format!(
            "{} with {} particles in {}, compressed by at most {:.2} %; they are in {}.\n{warning}",
            wording::count(made.len(), "frame"),
            last["particles"].as_f64().unwrap_or(0.0),
            wording::duration(seconds),
            most("largest_compression"),
            output.display(),
        );
        let json = json!({
            "output": output,
            "particles": last["particles"],
            "seconds": seconds,
            "peak_bytes": peak_bytes(),
            "frames": made,
        });
        Answer::done(text, json)
    }
}

//! `whitecap waves`: fine waves on a sequence of particles, without a shot file.
//!
//! # Guarantees
//! * Every frame is written whole or not at all, and is the same for any number of threads.
//! * After Ctrl-C the same command continues where it stopped, and after a kill where it was up to
//!   a minute before; the files are in the end those of a run that nobody stopped. What it needs
//!   for that is in a [`Checkpoint`], removed when the run is finished.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Map, Value, json};
use whitecap_core::{Particles, TriMesh};
use whitecap_io::{Kind, Sequence};
use whitecap_shot::stages::{WaveResult, WaveRun, WavesStageSettings, wave_metrics};
use whitecap_shot::{Metric, Registry, SettingProblem, ShotContext, StageError};

use super::checkpoint::Checkpoint;
use super::sph::frame_rate;
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::format_choice;
use crate::frames::{self, FramePair, make_folder};
use crate::memory::peak_bytes;
use crate::progress::Progress;
use crate::session::{FrameWatch, Session};
use crate::setting_flags::SettingFlags;
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap waves 'sim/water.####.bgeo' -o 'out/waves.####.ply'
  whitecap waves 'sim/water.####.bgeo' -o 'out/waves.####.ply' --coarse 0.04 --fine 0.008 \\
      --domain -1.5,0,-0.5,1.5,2,0.5
  whitecap waves 'sim/water.####.bgeo' -o 'out/waves.####.ply' --points 'out/points.####.bgeo' \\
      --obstacles 'sim/ship.####.obj'
  whitecap waves 'sim/water.####.bgeo' --give points -o 'out/points.####.bgeo'

The particles should have ids that stay the same from frame to frame; without them each is matched
with the nearest one. Every frame is needed, in order. A run that was stopped with Ctrl-C continues
with the same command. Folders of the output are made; every file is written whole or not at all.";

/// Least time between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Its arguments and help.
pub fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).value_parser(value_parser!(PathBuf)).help(help)
    };
    let input = file("input", "Particles: a sequence such as sim/water.####.bgeo")
        .value_name("IN")
        .required(true);
    let output =
        file("output", "The mesh, or with --give points the points: a sequence if IN is one")
            .short('o')
            .long("output")
            .value_name("OUT")
            .required(true);
    let points =
        file("points", "Where the points go, beside the mesh").long("points").value_name("FILE");
    let surface = file("surface", "Meshes of the liquid to be moved by the waves [default: made]")
        .long("surface")
        .value_name("FILE");
    let obstacles =
        file("obstacles", "Closed meshes of solids: one file, or a sequence if they move")
            .long("obstacles")
            .value_name("FILE");
    let fps = Arg::new("fps")
        .long("fps")
        .value_name("NUMBER")
        .default_value("24")
        .value_parser(frame_rate)
        .help("Frames per second of the particles [unit: 1/s]");
    Command::new("waves")
        .about("Adds fine waves to the surface of a particle liquid")
        .after_help(EXAMPLES)
        .args([input, output, points, surface, obstacles, fps, frames::frames_flag(), json_flag()])
        .args(SettingFlags::of::<WavesStageSettings>().arguments())
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    let (input, output) = (path("input").unwrap_or_default(), path("output").unwrap_or_default());
    let fps = matches.get_one::<f64>("fps").copied().unwrap_or(24.0);
    let settings: WavesStageSettings = SettingFlags::of::<WavesStageSettings>().read(matches)?;
    let kind = match settings.give {
        WaveResult::Mesh => Kind::Mesh,
        WaveResult::Points => Kind::Particles,
    };
    format_choice::writes_one_of(&output, &[kind])?;
    let points = path("points").map(|points| -> Result<Sequence, Failure> {
        format_choice::writes_one_of(&points, &[Kind::Particles])?;
        Ok(Sequence::new(points)?)
    });
    let completed = checked(&settings, fps)?;
    let (_, pairs) = frames::pairs(matches, &input, &output)?;
    complete_sequence(&input, &pairs)?;
    let job = Job {
        settings,
        fps,
        points: points.transpose()?,
        surface: path("surface").map(Sequence::new).transpose()?,
        obstacles: path("obstacles").map(Sequence::new).transpose()?,
        session,
    };
    job.prepare(&pairs)?;
    let checkpoint = job.checkpoint(&output, &completed, &pairs)?;
    job.run(&pairs, &output, &checkpoint)
}

/// The settings with their defaults, or what is wrong with them in the words of the command line.
fn checked(settings: &WavesStageSettings, fps: f64) -> Result<Value, Failure> {
    // Through text, so that single-precision numbers keep their short form.
    let text = serde_json::to_string(settings);
    let raw = text.and_then(|text| serde_json::from_str(&text));
    let raw: Value = raw.map_err(|error| Failure::Work(error.to_string()))?;
    let shot = ShotContext { folder: Path::new(""), first: 1, last: 1, fps, seed: 0 };
    let registry = Registry::standard();
    let kind = registry.get("waves").ok_or_else(no_stage)?;
    kind.check(&raw, &shot).map_err(|problems| {
        let words = problems.iter().map(|SettingProblem { key, message, .. }| match key.as_str() {
            "kind" => message.clone(),
            key => format!("--{key}: {message}"),
        });
        Failure::Usage(words.collect::<Vec<_>>().join("\n"))
    })
}

fn no_stage() -> Failure {
    Failure::Work("there is no stage waves".into())
}

/// Fails at the first gap: waves need every frame.
fn complete_sequence(input: &Path, pairs: &[FramePair]) -> Result<(), Failure> {
    let gap = pairs.windows(2).find(|pair| pair[1].frame != pair[0].frame + 1);
    gap.map_or(Ok(()), |pair| {
        Err(Failure::about(
            input,
            format!(
                "frame {} is missing, but waves need every frame from {} to {}; make it, or choose frames without a gap with --frames",
                pair[0].frame + 1,
                pairs[0].frame,
                pairs[pairs.len() - 1].frame
            ),
        ))
    })
}

/// What is to be made.
struct Job<'a> {
    settings: WavesStageSettings,
    fps: f64,
    points: Option<Sequence>,
    surface: Option<Sequence>,
    obstacles: Option<Sequence>,
    session: &'a Session,
}

impl Job<'_> {
    /// Makes the folder of the points; fails if there would be one file for several frames.
    fn prepare(&self, pairs: &[FramePair]) -> Result<(), Failure> {
        let Some(points) = &self.points else { return Ok(()) };
        if points.is_single() && pairs.len() > 1 {
            return Err(Failure::Usage(String::from(
                "--points is one file, but every frame needs its own: write #### in place of the frame number",
            )));
        }
        pairs.first().map_or(Ok(()), |pair| make_folder(&points.path(pair.frame)))
    }

    /// Where this run stops and continues: it is made from the settings and every file it reads.
    fn checkpoint(
        &self,
        output: &Path,
        settings: &Value,
        pairs: &[FramePair],
    ) -> Result<Checkpoint, Failure> {
        let mut sources = Vec::new();
        for pair in pairs {
            sources.push(pair.input.clone());
            let others = [&self.surface, &self.obstacles].into_iter().flatten();
            sources.extend(others.map(|files| files.path(pair.frame)));
        }
        let registry = Registry::standard();
        let kind = registry.get("waves").ok_or_else(no_stage)?;
        Ok(Checkpoint::new(output, kind.as_ref(), settings, self.fps, &sources))
    }

    fn run(
        &self,
        pairs: &[FramePair],
        output: &Path,
        checkpoint: &Checkpoint,
    ) -> Result<Answer, Failure> {
        let started = Instant::now();
        let (mut run, first) = self.start(pairs, checkpoint)?;
        let mut state = (first > 0).then(|| run.save_state());
        let mut saved = Instant::now();
        let progress = Progress::new(self.session, pairs.len() - first);
        let mut made: Vec<Value> = Vec::new();
        let mut told: Vec<String> = Vec::new();
        for (index, pair) in pairs.iter().enumerate().skip(first) {
            let name = format!("frame {}", pair.frame);
            let on_progress = |fraction: f32| progress.within(made.len(), fraction, &name);
            let watch = FrameWatch { cancel: &self.session.cancel, on_progress };
            let Some(frame) = self.step(&mut run, pair, &watch)? else {
                return Err(cancelled(index, pairs.len(), state.as_deref(), checkpoint)?);
            };
            for note in &frame.notes {
                // A note that every frame repeats is told once.
                if !told.contains(note) {
                    progress.note(self.session, &format!("note: {note}"));
                    told.push(note.clone());
                }
            }
            made.push(frame.json(pair));
            let current = run.save_state();
            if saved.elapsed() >= CHECKPOINT_INTERVAL {
                checkpoint.save(index as u32 + 1, &current)?;
                saved = Instant::now();
            }
            state = Some(current);
            progress.finished(made.len(), &name, None);
        }
        drop(progress);
        checkpoint.remove();
        Ok(answer(&made, output, started.elapsed().as_secs_f64()))
    }

    /// Running waves and the place of the frame they make next: the first, or where a run stopped.
    fn start(
        &self,
        pairs: &[FramePair],
        checkpoint: &Checkpoint,
    ) -> Result<(WaveRun, usize), Failure> {
        let start = || {
            WaveRun::new(self.settings.clone(), 1.0 / self.fps)
                .map_err(|error| Failure::Work(error.to_string()))
        };
        if let Some((done, state)) = checkpoint.load()
            && let Some(finished) = pairs.get(..done as usize)
            && finished.iter().all(|pair| self.is_written(pair))
        {
            let mut run = start()?;
            if let (Ok(()), Some(last)) = (run.restore_state(&state), finished.last()) {
                self.session.note(&format!("Continuing after frame {}.", last.frame));
                return Ok((run, finished.len()));
            }
        }
        Ok((start()?, 0))
    }

    fn is_written(&self, pair: &FramePair) -> bool {
        let points = self.points.as_ref().map(|points| points.path(pair.frame));
        pair.output.is_file() && points.is_none_or(|path| path.is_file())
    }

    /// Makes and writes a frame; `None` if it was cancelled.
    fn step<F: Fn(f32) + Sync>(
        &self,
        run: &mut WaveRun,
        pair: &FramePair,
        watch: &FrameWatch<'_, F>,
    ) -> Result<Option<Made>, Failure> {
        if self.session.cancel.is_cancelled() {
            return Ok(None);
        }
        let started = Instant::now();
        let particles = whitecap_io::read_particles(&pair.input)?;
        let read = |files: &Option<Sequence>| -> Result<Option<TriMesh>, Failure> {
            let path = files.as_ref().map(|files| files.path(pair.frame));
            Ok(path.map(whitecap_io::read_mesh).transpose()?)
        };
        let (surface, obstacles) = (read(&self.surface)?, read(&self.obstacles)?);
        let outcome = run.step(&particles, obstacles.as_ref(), watch).and_then(|frame| {
            let shown = match self.settings.give {
                WaveResult::Mesh => {
                    Shown::Mesh(run.mesh(&frame, &particles, surface.as_ref(), watch)?)
                }
                WaveResult::Points => Shown::Points(frame.particles().map_err(StageError::failed)?),
            };
            Ok((frame, shown))
        });
        let (mut frame, shown) = match outcome {
            Ok(made) => made,
            Err(StageError::Cancelled) => return Ok(None),
            Err(error) => return Err(Failure::about(&pair.input, error)),
        };
        match &shown {
            Shown::Mesh(mesh) => whitecap_io::write_mesh(&pair.output, mesh)?,
            Shown::Points(points) => whitecap_io::write_particles(&pair.output, points)?,
        }
        if let Some(points) = &self.points {
            let columns = frame.particles().map_err(|error| Failure::about(&pair.input, error))?;
            whitecap_io::write_particles(points.path(pair.frame), &columns)?;
        }
        Ok(Some(Made {
            metrics: wave_metrics(&frame),
            notes: std::mem::take(&mut frame.report.points.notes),
            seconds: started.elapsed().as_secs_f64(),
        }))
    }
}

/// What is written to the output.
enum Shown {
    Mesh(TriMesh),
    Points(Particles),
}

/// What is told of one frame.
struct Made {
    metrics: Vec<Metric>,
    notes: Vec<String>,
    seconds: f64,
}

impl Made {
    fn json(&self, pair: &FramePair) -> Value {
        let numbers = self.metrics.iter().map(|metric| {
            let is_count = metric.unit.is_empty() && metric.value.fract() == 0.0;
            let value = if is_count { json!(metric.value as u64) } else { json!(metric.value) };
            (metric.name.replace(' ', "_"), value)
        });
        json!({
            "frame": pair.frame,
            "input": pair.input,
            "output": pair.output,
            "seconds": self.seconds,
            "notes": self.notes,
            "metrics": numbers.collect::<Map<_, _>>(),
        })
    }
}

/// Saves the state after the last whole frame; says how to continue.
fn cancelled(
    done: usize,
    total: usize,
    state: Option<&[u8]>,
    checkpoint: &Checkpoint,
) -> Result<Failure, Failure> {
    Ok(Failure::Cancelled(match state {
        Some(state) => {
            checkpoint.save(done as u32, state)?;
            format!(
                "Cancelled: {done} of {total} frames are written. The same command continues from here."
            )
        }
        None => String::from("Cancelled: nothing was written."),
    }))
}

fn answer(made: &[Value], output: &Path, seconds: f64) -> Answer {
    let last = made.last().map_or(&Value::Null, |frame| &frame["metrics"]);
    let heights = made.iter().filter_map(|frame| frame["metrics"]["largest_height"].as_f64());
    let highest = heights.fold(0.0, f64::max);
    let text = format!(
        "{} with {} surface points in {}, waves of up to {highest:.2e} m; they are in {}.\n",
        wording::count(made.len(), "frame"),
        last["points"].as_f64().unwrap_or(0.0),
        wording::duration(seconds),
        output.display(),
    );
    let json = json!({
        "output": output,
        "points": last["points"],
        "largest_height": highest,
        "seconds": seconds,
        "peak_bytes": peak_bytes(),
        "frames": made,
    });
    Answer::done(text, json)
}

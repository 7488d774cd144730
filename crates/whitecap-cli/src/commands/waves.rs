//! `whitecap waves`: fine waves on a sequence of particles, without a shot file.
//!
//! # Guarantees
//! Every frame is written whole or not at all, and is the same for any number of threads. A run that was
//! stopped continues with the same command; see [`frame_run`](super::frame_run).

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};
use whitecap_core::{Particles, TriMesh, Watch};
use whitecap_io::{Kind, Sequence};
use whitecap_shot::StageError;
use whitecap_shot::stages::{WaveResult, WaveRun, WavesStageSettings, wave_metrics};

use super::frame_run::{
    FrameFailure, FrameRun, Made, checked, checkpoint_of, complete_sequence, fps_flag, run_frames,
};
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::format_choice;
use crate::frames::{self, FramePair, make_folder};
use crate::memory::peak_bytes;
use crate::session::Session;
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
    Command::new("waves")
        .about("Adds fine waves to the surface of a particle liquid")
        .after_help(EXAMPLES)
        .args([
            input,
            output,
            points,
            surface,
            obstacles,
            fps_flag(),
            frames::frames_flag(),
            json_flag(),
        ])
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
    let completed = checked("waves", &settings, fps)?;
    let (_, pairs) = frames::pairs(matches, &input, &output)?;
    complete_sequence("waves", &input, &pairs)?;
    let job = Job {
        settings,
        fps,
        points: points.transpose()?,
        surface: path("surface").map(Sequence::new).transpose()?,
        obstacles: path("obstacles").map(Sequence::new).transpose()?,
    };
    job.prepare(&pairs)?;
    let checkpoint = checkpoint_of("waves", &output, &completed, fps, &job.sources(&pairs))?;
    let started = Instant::now();
    let made = run_frames(session, &pairs, &checkpoint, || job.start())?;
    Ok(answer(&made, &output, started.elapsed().as_secs_f64()))
}

/// What is to be made.
struct Job {
    settings: WavesStageSettings,
    fps: f64,
    points: Option<Sequence>,
    surface: Option<Sequence>,
    obstacles: Option<Sequence>,
}

impl Job {
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

    /// Every file that the run reads.
    fn sources(&self, pairs: &[FramePair]) -> Vec<PathBuf> {
        let mut sources = Vec::new();
        for pair in pairs {
            sources.push(pair.input.clone());
            let others = [&self.surface, &self.obstacles].into_iter().flatten();
            sources.extend(others.map(|files| files.path(pair.frame)));
        }
        sources
    }

    fn start(&self) -> Result<WavesOfFiles<'_>, Failure> {
        let run = WaveRun::new(self.settings.clone(), 1.0 / self.fps);
        let run = run.map_err(|error| Failure::Work(error.to_string()))?;
        Ok(WavesOfFiles { job: self, run })
    }
}

/// Waves from file to file.
struct WavesOfFiles<'a> {
    job: &'a Job,
    run: WaveRun,
}

impl FrameRun for WavesOfFiles<'_> {
    fn step(&mut self, pair: &FramePair, watch: &dyn Watch) -> Result<Made, FrameFailure> {
        let started = Instant::now();
        let particles = whitecap_io::read_particles(&pair.input)?;
        let read = |files: &Option<Sequence>| -> Result<Option<TriMesh>, Failure> {
            let path = files.as_ref().map(|files| files.path(pair.frame));
            Ok(path.map(whitecap_io::read_mesh).transpose()?)
        };
        let (surface, obstacles) = (read(&self.job.surface)?, read(&self.job.obstacles)?);
        let outcome = self.run.step(&particles, obstacles.as_ref(), watch).and_then(|frame| {
            let shown = match self.job.settings.give {
                WaveResult::Mesh => {
                    Shown::Mesh(self.run.mesh(&frame, &particles, surface.as_ref(), watch)?)
                }
                WaveResult::Points => Shown::Points(frame.particles().map_err(StageError::failed)?),
            };
            Ok((frame, shown))
        });
        let (mut frame, shown) = outcome.map_err(|error| FrameFailure::of(pair, error))?;
        match &shown {
            Shown::Mesh(mesh) => whitecap_io::write_mesh(&pair.output, mesh)?,
            Shown::Points(points) => whitecap_io::write_particles(&pair.output, points)?,
        }
        if let Some(points) = &self.job.points {
            let columns = frame.particles().map_err(|error| Failure::about(&pair.input, error))?;
            whitecap_io::write_particles(points.path(pair.frame), &columns)?;
        }
        Ok(Made {
            metrics: wave_metrics(&frame),
            notes: std::mem::take(&mut frame.report.points.notes),
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    fn save_state(&self) -> Vec<u8> {
        self.run.save_state()
    }

    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        self.run.restore_state(state)
    }

    fn is_written(&self, pair: &FramePair) -> bool {
        let points = self.job.points.as_ref().map(|points| points.path(pair.frame));
        pair.output.is_file() && points.is_none_or(|path| path.is_file())
    }
}

/// What is written to the output.
enum Shown {
    Mesh(TriMesh),
    Points(Particles),
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

//! `whitecap track`: a detailed mesh carried along by a sequence of particles, without a shot file.
//!
//! # Guarantees
//! Every frame is written whole or not at all, and is the same for any number of threads. A run that was
//! stopped continues with the same command; see [`frame_run`](super::frame_run).

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};
use whitecap_core::{TriMesh, Watch};
use whitecap_io::Kind;
use whitecap_shot::StageError;
use whitecap_shot::stages::{TrackFrame, TrackRun, TrackStageSettings};

use super::frame_run::{
    FrameFailure, FrameRun, Made, checked, checkpoint_of, complete_sequence, fps_flag, run_frames,
};
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::format_choice;
use crate::frames::{self, FramePair};
use crate::memory::peak_bytes;
use crate::session::Session;
use crate::setting_flags::SettingFlags;
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap track 'sim/toy.####.bgeo' --mesh toy.obj -o 'out/toy.####.ply'
  whitecap track 'sim/dragon.####.bgeo' --mesh scan.ply --close -o 'out/dragon.####.ply'
  whitecap track 'sim/honey.####.bgeo' --mesh bear.obj --relaxation 0.5 -o 'out/bear.####.ply'

The mesh is the detailed surface of the liquid in the first frame, closed and in the same units and
place as the particles; --close repairs a scan that is not closed. Its columns (uv, colour, any number)
come along. The particles should have ids that stay the same from frame to frame. Every frame is needed,
in order. A run that was stopped with Ctrl-C continues with the same command.";

/// Its arguments and help.
pub fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).value_parser(value_parser!(PathBuf)).help(help).required(true)
    };
    let input = file("input", "Particles: a sequence such as sim/toy.####.bgeo").value_name("IN");
    let mesh = file("mesh", "The detailed mesh of the liquid in the first frame")
        .long("mesh")
        .value_name("FILE");
    let output = file("output", "The mesh of every frame: a sequence if IN is one")
        .short('o')
        .long("output")
        .value_name("OUT");
    Command::new("track")
        .about("Carries a detailed mesh along with a particle liquid")
        .after_help(EXAMPLES)
        .args([input, mesh, output, fps_flag(), frames::frames_flag(), json_flag()])
        .args(SettingFlags::of::<TrackStageSettings>().arguments())
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let path = |name| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let (input, mesh, output) = (path("input"), path("mesh"), path("output"));
    let fps = matches.get_one::<f64>("fps").copied().unwrap_or(24.0);
    let settings: TrackStageSettings = SettingFlags::of::<TrackStageSettings>().read(matches)?;
    format_choice::writes_one_of(&output, &[Kind::Mesh])?;
    let completed = checked("track", &settings, fps)?;
    let (_, pairs) = frames::pairs(matches, &input, &output)?;
    complete_sequence("tracked meshes", &input, &pairs)?;
    let mut sources = vec![mesh.clone()];
    sources.extend(pairs.iter().map(|pair| pair.input.clone()));
    let checkpoint = checkpoint_of("track", &output, &completed, fps, &sources)?;
    let started = Instant::now();
    let first_mesh = whitecap_io::read_mesh(&mesh)?;
    let made = run_frames(session, &pairs, &checkpoint, || {
        let run = TrackRun::new(settings.clone(), 1.0 / fps);
        let run = run.map_err(|error| Failure::Work(error.to_string()))?;
        Ok(TrackedFiles { run, first_mesh: &first_mesh })
    })?;
    Ok(answer(&made, &output, started.elapsed().as_secs_f64()))
}

/// Tracking from file to file.
struct TrackedFiles<'a> {
    run: TrackRun,
    first_mesh: &'a TriMesh,
}

impl FrameRun for TrackedFiles<'_> {
    fn step(&mut self, pair: &FramePair, watch: &dyn Watch) -> Result<Made, FrameFailure> {
        let started = Instant::now();
        let particles = whitecap_io::read_particles(&pair.input)?;
        let TrackFrame { mesh, notes, metrics } = self
            .run
            .step(&particles, Some(self.first_mesh), watch)
            .map_err(|error| FrameFailure::of(pair, error))?;
        whitecap_io::write_mesh(&pair.output, &mesh)?;
        Ok(Made { metrics, notes, seconds: started.elapsed().as_secs_f64() })
    }

    fn save_state(&self) -> Vec<u8> {
        self.run.save_state()
    }

    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        self.run.restore_state(state)
    }
}

fn answer(made: &[Value], output: &Path, seconds: f64) -> Answer {
    let sum =
        |name: &str| made.iter().filter_map(|frame| frame["metrics"][name].as_f64()).sum::<f64>();
    let last = made.last().map_or(&Value::Null, |frame| &frame["metrics"]);
    let text = format!(
        "{} with {} triangles in {}, {} cells remeshed; they are in {}.\n",
        wording::count(made.len(), "frame"),
        last["triangles"].as_f64().unwrap_or(0.0),
        wording::duration(seconds),
        sum("remeshed_cells"),
        output.display(),
    );
    let json = json!({
        "output": output,
        "triangles": last["triangles"],
        "remeshed_cells": sum("remeshed_cells"),
        "rebuilt_parts": sum("rebuilt_parts"),
        "seconds": seconds,
        "peak_bytes": peak_bytes(),
        "frames": made,
    });
    Answer::done(text, json)
}

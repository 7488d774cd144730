//! `whitecap pipes`: shallow liquid on a terrain, without a shot file.
//!
//! # Guarantees
//! Every frame is written whole or not at all, and is the same for any number of threads. A run that was
//! stopped continues with the same command; see [`frame_run`](super::frame_run).

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};
use whitecap_core::Watch;
use whitecap_io::{Kind, Sequence};
use whitecap_shot::stages::{PipeResult, PipeRun, PipesStageSettings};
use whitecap_shot::{FrameData, ShotContext, StageError};

use super::frame_run::{FrameFailure, FrameRun, Made, checked, checkpoint_of, run_frames};
use super::sph::frame_rate;
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::format_choice;
use crate::frames::{FramePair, make_folder};
use crate::memory::peak_bytes;
use crate::session::Session;
use crate::setting_flags::SettingFlags;
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap pipes bone.ply --cell 0.0005 --viscosity 4e-6 -o 'out/blood.####.ply' \\
      --sources '[{\"position\": [0, 0.05, 0], \"radius\": 0.002, \"rate\": 1e-6}]'
  whitecap pipes valley.png --terrain-high 0.03 --cell 0.001 -o 'out/lake.####.ply' \\
      --fill '[{\"level\": {\"height\": 0.01}}]'
  whitecap pipes --terrain-slope 0.2,0 --area 0,0,0.2,0.1 --cell 0.0005 --frames 120 \\
      --fill '[{\"sphere\": {\"center\": [0.15, 0.04, 0.05], \"radius\": 0.008}}]' -o 'out/drop.####.ply'
  whitecap pipes 'tissue.####.ply' --cell 0.0005 --frames 60 -o 'out/blood.####.ply' \\
      --fill '[{\"level\": {\"height\": 0.01}}]'
  whitecap pipes bone.ply --cell 0.0005 --give terrain --frames 1 -o 'out/bone.####.ply'

The terrain is a mesh with as many overhangs and passages as it likes, a picture of its heights, or a
plane. The mesh of the liquid has normals and opacity. A run that was stopped with Ctrl-C continues with
the same command. In a shot file the same settings are those of the stage `pipes`; see whitecap run.";

/// Its arguments and help.
pub fn command() -> Command {
    let terrain = Arg::new("file")
        .value_name("TERRAIN")
        .value_parser(value_parser!(PathBuf))
        .help("The terrain: a mesh, or a picture of its heights [default: a plane]");
    let output = Arg::new("output")
        .short('o')
        .long("output")
        .value_name("OUT")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The surface of the liquid: a sequence such as out/water.####.ply");
    let count = Arg::new("frames")
        .long("frames")
        .value_name("COUNT")
        .default_value("120")
        .value_parser(value_parser!(u32).range(1..=1_000_000))
        .help("How many frames to make, from frame 1 on");
    let fps = Arg::new("fps")
        .long("fps")
        .value_name("NUMBER")
        .default_value("60")
        .value_parser(frame_rate)
        .help("Frames per second [unit: 1/s]");
    Command::new("pipes")
        .about("Lets shallow liquid run over a terrain")
        .after_help(EXAMPLES)
        .args([terrain, output, count, fps, json_flag()])
        .args(SettingFlags::of::<PipesStageSettings>().arguments())
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let output = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
    let fps = matches.get_one::<f64>("fps").copied().unwrap_or(60.0);
    let count = matches.get_one::<u32>("frames").copied().unwrap_or(1);
    let settings = settings(matches)?;
    let kind = match settings.give {
        PipeResult::Liquid | PipeResult::Terrain => Kind::Mesh,
        PipeResult::Drops => Kind::Particles,
    };
    format_choice::writes_one_of(&output, &[kind])?;
    let files = Sequence::new(&output)?;
    if files.is_single() && count > 1 {
        return Err(Failure::Usage(format!(
            "{} is one file, but every frame needs its own: write #### in place of the frame number",
            output.display()
        )));
    }
    let completed = checked("pipes", &settings, fps)?;
    let shot = ShotContext { folder: Path::new(""), first: 1, last: count, fps, seed: 0 };
    let terrain = settings.terrain.frame_files(&shot);
    let terrain = terrain.map_err(|problem| Failure::Usage(problem.message))?;
    let pair = |frame: u32| FramePair {
        frame: frame.into(),
        input: terrain.get(frame as usize - 1).unwrap_or(&output).clone(),
        output: files.path(frame.into()),
    };
    let pairs: Vec<FramePair> = (1..=count).map(pair).collect();
    let mut sources = terrain.clone();
    sources.dedup();
    let checkpoint = checkpoint_of("pipes", &output, &completed, fps, &sources)?;
    make_folder(&output)?;
    let started = Instant::now();
    let made = run_frames(session, &pairs, &checkpoint, || {
        let run = PipeRun::new(&settings, &shot);
        let run = run.map_err(|problem| Failure::Work(problem.message))?;
        Ok(PipedFiles { run, shot })
    })?;
    Ok(answer(&made, &output, started.elapsed().as_secs_f64()))
}

/// The settings of the flags, with the terrain that has no flag.
fn settings(matches: &ArgMatches) -> Result<PipesStageSettings, Failure> {
    let mut settings: PipesStageSettings =
        SettingFlags::of::<PipesStageSettings>().read(matches)?;
    if let Some(file) = matches.get_one::<PathBuf>("file") {
        if let Some(other) = settings.terrain.path() {
            return Err(Failure::Usage(format!(
                "the terrain is {} and {other} at once; name one of them",
                file.display()
            )));
        }
        let name = file.to_string_lossy().into_owned();
        let is_picture = whitecap_io::has_extension(file, &["png", "exr", "hdr"]);
        *(if is_picture {
            &mut settings.terrain.heightfield
        } else {
            &mut settings.terrain.mesh
        }) = Some(name);
    }
    Ok(settings)
}

/// Shallow liquid from file to file.
struct PipedFiles<'a> {
    run: PipeRun,
    shot: ShotContext<'a>,
}

impl FrameRun for PipedFiles<'_> {
    fn step(&mut self, pair: &FramePair, watch: &dyn Watch) -> Result<Made, FrameFailure> {
        let started = Instant::now();
        let time = self.shot.time_of(pair.frame as u32);
        let output = self.run.step(time, watch).map_err(|error| FrameFailure::of(pair, error))?;
        match &output.data {
            FrameData::Mesh(mesh) => whitecap_io::write_mesh(&pair.output, mesh)?,
            FrameData::Particles(drops) => whitecap_io::write_particles(&pair.output, drops)?,
            FrameData::Volume(_) | FrameData::Picture(_) => {}
        }
        let seconds = started.elapsed().as_secs_f64();
        Ok(Made { metrics: output.metrics, notes: output.notes, seconds })
    }

    fn save_state(&self) -> Vec<u8> {
        self.run.save_state()
    }

    fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        self.run.restore_state(state)
    }
}

fn answer(made: &[Value], output: &Path, seconds: f64) -> Answer {
    let last = made.last().map_or(&Value::Null, |frame| &frame["metrics"]);
    let number = |name: &str| last[name].as_f64().unwrap_or(0.0);
    let text = format!(
        "{} with {:.3} cm³ on {} columns in {}; they are in {}.\n",
        wording::count(made.len(), "frame"),
        1e6 * number("volume"),
        number("wet_columns"),
        wording::duration(seconds),
        output.display(),
    );
    let json = json!({
        "output": output,
        "volume": last["volume"],
        "poured": last["poured"],
        "drained": last["drained"],
        "error_of_the_volume": last["error_of_the_volume"],
        "seconds": seconds,
        "peak_bytes": peak_bytes(),
        "frames": made,
    });
    Answer::done(text, json)
}

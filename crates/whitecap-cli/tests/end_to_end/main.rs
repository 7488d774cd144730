//! The command from end to end: real files, real processes, exit codes and output.

mod absurd_numbers;
mod convert;
mod errors;
mod facts;
mod grids;
mod info_and_check;
mod interrupt;
mod json_units;
mod movie;
mod pipes;
mod play;
mod render;
mod run_and_demo;
mod sequences;
mod sheet;
mod silences;
mod sph;
mod stage_commands;
mod surface;
mod track;
mod waves;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles};

/// The command, ready to run in a folder.
fn whitecap(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whitecap"));
    command.current_dir(folder);
    command
}

/// Runs the command to its end.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    whitecap(folder).args(arguments).output().unwrap()
}

/// The exit code, standard output and standard error.
fn outcome(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Runs the command, which must succeed, and reads the one object on its standard output.
fn run_json(folder: &Path, arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = outcome(&run(folder, arguments));
    assert_eq!(code, 0, "{arguments:?}: {stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
}

/// A cube of particles, 0.1 m apart, with a velocity.
fn block(edge: usize) -> Particles {
    let cells = (0..edge * edge * edge).map(|i| (i % edge, i / edge % edge, i / edge / edge));
    let positions: Vec<Vec3> =
        cells.map(|(x, y, z)| 0.1 * Vec3::new(x as f32, y as f32, z as f32)).collect();
    let velocities = positions.iter().map(|p| Vec3::new(1.0, p.y, 0.0)).collect();
    let mut particles = Particles::new(positions);
    particles.set_attribute("velocity", Column::Vec3(velocities)).unwrap();
    particles
}

/// Writes a sequence of three growing blocks, `frame.0001.bgeo` to `frame.0003.bgeo`.
fn write_sequence(folder: &Path) {
    for frame in 1..=3 {
        let path = folder.join(format!("frame.{frame:04}.bgeo"));
        whitecap_io::write_particles(path, &block(2 + frame)).unwrap();
    }
}

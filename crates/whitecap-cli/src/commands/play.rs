//! `whitecap play`: a shallow liquid in the browser, to be poured, wiped and carved while it runs.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;
use whitecap_pipes::PipeScene;
use whitecap_play::{Server, demo_scene};
use whitecap_shot::stages::live_pipes;

use super::run::load;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Session;

const EXAMPLES: &str = "\
Examples:
  whitecap play
  whitecap play shots/pipes-passages.toml
  whitecap play blood.toml --stage blood --port 8080

Prints an address to open in a browser on this machine: pour, wipe and carve with the mouse, and
change viscosity, contact angle and source rate while the liquid runs. Nobody else can open it: the
server listens on this machine only, and the address holds a token. Ctrl-C stops it. Without a shot
file, a built-in scene is shown. Nothing is written.";

/// Its arguments and help.
pub fn command() -> Command {
    let shot = Arg::new("shot")
        .value_name("SHOT.toml")
        .value_parser(value_parser!(PathBuf))
        .help("A shot file with a stage of the kind `pipes` [default: a built-in scene]");
    let stage = Arg::new("stage")
        .long("stage")
        .value_name("NAME")
        .requires("shot")
        .help("Which stage [default: the first of the kind `pipes`]");
    let port = Arg::new("port")
        .long("port")
        .value_name("PORT")
        .default_value("0")
        .value_parser(value_parser!(u16))
        .help("Port on this machine; 0 picks a free one");
    Command::new("play")
        .about("Shows a shallow liquid in the browser, to play with while it runs")
        .after_help(EXAMPLES)
        .args([shot, stage, port])
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let scene = match matches.get_one::<PathBuf>("shot") {
        Some(path) => scene_of(path, matches.get_one::<String>("stage").map(String::as_str))?,
        None => demo_scene().map_err(|error| Failure::Work(error.to_string()))?,
    };
    let port = matches.get_one::<u16>("port").copied().unwrap_or(0);
    let server = Server::bind(port).map_err(|error| Failure::Work(error.to_string()))?;
    // Even a quiet run must say where it is.
    let _ = writeln!(
        std::io::stderr(),
        "{}\nOpen {} in a browser. Ctrl-C stops it.",
        scene.name,
        server.address()
    );
    server
        .run(scene, &|| session.cancel.is_cancelled())
        .map_err(|error| Failure::Work(error.to_string()))?;
    Ok(Answer::done("Stopped.\n", json!({})))
}

/// The liquid of a stage of a shot, before its first frame.
fn scene_of(path: &Path, stage: Option<&str>) -> Result<PipeScene, Failure> {
    live_pipes(&load(path)?, stage).map_err(|error| Failure::about(path, error))
}

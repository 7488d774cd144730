//! `whitecap demo`: a small shot from nothing, to see that everything works.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};

use super::run::{load, run_shot, summary_json};
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::session::Session;

const EXAMPLES: &str = "\
Examples:
  whitecap demo
  whitecap demo -o my-demo

A drop falls into a pool: 30 frames of particles (.bgeo) and their surfaces (.ply), made by the
shot file demo.toml, which is written beside them to copy and change.";

/// The shot file that the demo writes and runs.
const SHOT: &str = include_str!("demo.toml");

/// Its arguments and help.
pub fn command() -> Command {
    let output = Arg::new("output")
        .short('o')
        .long("output")
        .value_name("FOLDER")
        .default_value("out/demo")
        .value_parser(value_parser!(PathBuf))
        .help("Folder for the results");
    Command::new("demo")
        .about("Makes a small example shot: a drop falls into a pool")
        .after_help(EXAMPLES)
        .args([output, json_flag()])
}

/// Its work.
pub fn execute(matches: &ArgMatches, session: &Session) -> Result<Answer, Failure> {
    let folder = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
    let path = write_shot_file(&folder)?;
    let shot = load(&path)?;
    let (summary, notes) = run_shot(&shot, session)?;
    let folder = folder.display();
    let text = format!(
        "{}
  particles  {folder}/water/water.####.bgeo
  surfaces   {folder}/surface/surface.####.ply
  report     {folder}/report.html
  shot file  {folder}/demo.toml   (change it, then: whitecap run {folder}/demo.toml)
To look at a surface: in Blender, File > Import > Stanford PLY; MeshLab and ParaView open it too.
",
        summary.sentence()
    );
    let mut json = summary_json(&shot, &summary, &notes);
    json["shot_file"] = serde_json::json!(path);
    Ok(Answer::done(text, json))
}

/// Writes the shot file, unless somebody has changed the one that is there.
fn write_shot_file(folder: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::about(folder, format!("the folder cannot be made: {error}")))?;
    let path = folder.join("demo.toml");
    match std::fs::read_to_string(&path) {
        Ok(text) if text != SHOT => Err(Failure::Work(format!(
            "{} was changed, and the demo would overwrite it; run it with `whitecap run {}`, or give the demo another folder with -o",
            path.display(),
            path.display()
        ))),
        Ok(_) => Ok(path),
        Err(_) => {
            whitecap_io::atomic::write(&path, SHOT.as_bytes())?;
            Ok(path)
        }
    }
}

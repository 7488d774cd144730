//! `whitecap demo`: a small shot from nothing, to see that everything works.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};

use super::call;
use super::run::{load, run_shot, summary_json};
use crate::answer::Answer;
use crate::command_line::json_flag;
use crate::failure::Failure;
use crate::session::Session;
use crate::wording;

const EXAMPLES: &str = "\
Examples:
  whitecap demo
  whitecap demo -o my-demo

A drop falls into a pool: 30 frames of particles (.bgeo) and their surfaces (.ply), made by the
shot file demo.toml, which is written beside them to copy and change, and look.png: the particles
beside the surface, rendered.";

/// The frames that are rendered.
const FRAMES: [u32; 2] = [10, 20];
/// What all pictures have in common.
const PICTURE_STYLE: [&str; 16] = [
    "--width",
    "420",
    "--height",
    "280",
    "--samples",
    "16",
    "--clamp",
    "8",
    "--camera-position",
    "0.9,0.85,1.5",
    "--camera-target",
    "0,0.2,0",
    "--camera-field-of-view",
    "36",
    "--objects",
    r#"[{"shape": {"floor": {"height": 0}}, "material": {"matt": {"color": [0.4, 0.4, 0.4], "checker": [0.25, 0.27, 0.3], "checker-size": 0.25}}}]"#,
];
/// How particles look.
const PARTICLE_STYLE: &[&str] = &[
    "--liquid-radius",
    "0.0125",
    "--liquid-method",
    "blobs",
    "--material",
    r#"{"plastic": {"color": [0.1, 0.3, 0.6]}}"#,
];
/// How the surface looks.
const SURFACE_STYLE: &[&str] =
    &["--material", r#"{"liquid": {"color": [0.35, 0.7, 0.8], "depth": 0.4}}"#];

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
    let look = render_comparison(&folder, session)?;
    let folder = folder.display();
    let text = format!(
        "{}
  to look at {folder}/look.png
  particles  {folder}/water/water.####.bgeo
  surfaces   {folder}/surface/surface.####.ply
  report     {folder}/report.html
  shot file  {folder}/demo.toml   (change it, then: whitecap run {folder}/demo.toml)
To open a surface: in Blender, File > Import > Stanford PLY; MeshLab and ParaView open it too.
",
        summary.sentence()
    );
    let mut json = summary_json(&shot, &summary, &notes);
    json["shot_file"] = serde_json::json!(wording::path(&path));
    json["look"] = serde_json::json!(wording::path(&look));
    Ok(Answer::done(text, json))
}

/// Renders particles and surface of two frames and puts them side by side.
fn render_comparison(folder: &Path, session: &Session) -> Result<PathBuf, Failure> {
    let look = folder.join("look.png");
    let mut pictures = Vec::new();
    for frame in FRAMES {
        for (kind, file, style) in [
            ("particles", format!("water/water.{frame:04}.bgeo"), PARTICLE_STYLE),
            ("surface", format!("surface/surface.{frame:04}.ply"), SURFACE_STYLE),
        ] {
            let picture = folder.join(format!("pictures/{kind}.{frame:04}.png"));
            let files =
                ["render", &text(&folder.join(file)), "-o", &text(&picture)].map(String::from);
            let styles = PICTURE_STYLE.iter().chain(style).map(|&word| word.to_owned());
            call(files.into_iter().chain(styles), session)?;
            pictures.push(text(&picture));
        }
    }
    let captions = FRAMES.map(|frame| format!("particles {frame},surface {frame}")).join(",");
    let sheet = ["sheet"].map(String::from).into_iter().chain(pictures);
    let rest = ["--columns", "2", "--captions", &captions, "-o", &text(&look)].map(String::from);
    call(sheet.chain(rest), session)?;
    Ok(look)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Writes the shot file, unless the existing one has been changed.
fn write_shot_file(folder: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::about(folder, format!("the folder cannot be created: {error}"))
    })?;
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

//! The arguments of a stage's command.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};
use whitecap_io::{FrameRange, path_text};
use whitecap_shot::{
    CommandInfo, DataKind, InputPort, KindInfo, StageKind, Subject, savable_formats,
};

use crate::command_line::{checkpoint_flag, json_flag};
use crate::commands::render;
use crate::failure::Failure;
use crate::frames::{frames_flag, input_argument};
use crate::setting_flags::{SettingFlags, insert, numbers};

/// Remarks for the command of every stage.
const REMARKS: &str = "\
A run that was stopped with Ctrl-C continues with the same command. Missing output
folders are created; every file is written whole or not at all. A stage in a shot
file has the same settings; see whitecap run.";

/// The command of a kind of stage, if it has one.
pub fn command(kind: &dyn StageKind) -> Option<Command> {
    let info = kind.info();
    let own = info.command?;
    let mut command = Command::new(info.name)
        .about(info.doc.trim_end_matches('.').to_owned())
        .after_help(format!("{}\n\n{REMARKS}", own.examples))
        .args(subject(info, &own))
        .arg(output(info));
    let ports = info.inputs.iter().filter(|port| !is_subject(&own, port.key));
    command = command.args(ports.map(port_flag));
    command = command.args(info.beside.iter().map(|side| {
        let help = format!("A file for further results: {}", side.doc);
        file(side.name, "FILE").long(side.name).help(help)
    }));
    if info.depends.on_time || info.stateful {
        command = command.arg(fps_flag(&own, !info.inputs.is_empty()));
    }
    // What has an input makes its frames; what may have one, such as smoke from particles, makes its own.
    command = match own.subject {
        Subject::Input(_) => command.arg(frames_flag()),
        _ => command.arg(count_flag(&own)),
    };
    if info.stateful {
        command = command.arg(checkpoint_flag());
    }
    if takes_particles(info) {
        command = command.arg(outliers_flag());
    }
    if info.name == render::NAME {
        command = command.args(render::arguments());
    }
    Some(command.arg(json_flag()).args(SettingFlags::of(kind).arguments()))
}

/// Whether particles are among its inputs.
pub fn takes_particles(info: &KindInfo) -> bool {
    info.inputs.iter().any(|port| port.accepts.contains(&DataKind::Particles))
}

/// `--outliers`, the setting of the caches that the command reads its particles through.
fn outliers_flag() -> Arg {
    Arg::new("outliers")
        .long("outliers")
        .value_name("WHAT")
        .default_value("keep")
        .value_parser(["keep", "leave-out", "refuse"])
        .help("What happens to particles absurdly far from the rest, or absurdly large")
}

fn is_subject(own: &CommandInfo, key: &str) -> bool {
    matches!(own.subject, Subject::Input(subject) if subject == key)
}

/// An argument that names a file.
fn file(name: &'static str, value_name: &'static str) -> Arg {
    Arg::new(name).value_name(value_name).value_parser(value_parser!(PathBuf))
}

/// The argument without a flag.
fn subject(info: &KindInfo, own: &CommandInfo) -> Option<Arg> {
    match own.subject {
        Subject::Nothing => None,
        Subject::Input(key) => {
            let port = info.inputs.iter().find(|port| port.key == key)?;
            Some(input_argument("input", "IN", port.doc.trim_end_matches('.')))
        }
        Subject::Setting { name, doc, .. } => Some(file("subject", name).help(doc)),
    }
}

fn output(info: &KindInfo) -> Arg {
    let mut formats: Vec<&str> =
        info.gives.kinds().iter().flat_map(|&kind| savable_formats(kind)).collect();
    formats.sort_unstable();
    formats.dedup();
    let mut help = format!("The result, .{}: a file, or a sequence such as ", formats.join(", ."));
    let usual = match info.gives.kinds()[0] {
        DataKind::Particles => "bgeo",
        DataKind::Mesh => "ply",
        DataKind::Volume => "vdb",
        DataKind::Picture => "png",
    };
    help.push_str(&format!("out/{}.####.{usual}", info.name));
    file("output", "OUT").short('o').long("output").required(true).help(help)
}

fn port_flag(port: &InputPort) -> Arg {
    let help = format!("{} One file, or a folder or sequence with a file for each frame", port.doc);
    file(port.key, "FILE").long(port.key).required(port.required).help(help)
}

fn count_flag(own: &CommandInfo) -> Arg {
    Arg::new("frames")
        .long("frames")
        .value_name("COUNT|FIRST-LAST")
        .allow_hyphen_values(true)
        .default_value(own.frames.to_string())
        .value_parser(count_or_range)
        .help("How many frames to make, from frame 1 on, or from which to which, such as 10-57")
}

/// The frames of a simulation: how many, or from which to which.
fn count_or_range(text: &str) -> Result<FrameRange, String> {
    const MOST: u64 = 1_000_000;
    let range = match text.parse::<i64>() {
        Ok(count) if count < 1 => {
            return Err(format!(
                "{count} is no number of frames; write a count such as 48, or a range such as -10-48"
            ));
        }
        Ok(count) => FrameRange::every(1, count),
        Err(_) => text.parse::<FrameRange>()?,
    };
    match range {
        FrameRange { first, last, step } if step > 1 => {
            Err(format!("every frame of a simulation needs the one before; write {first}-{last}"))
        }
        range if range.count() > MOST => Err(format!("more than {MOST} frames are too many")),
        range => Ok(range),
    }
}

fn fps_flag(own: &CommandInfo, takes_files: bool) -> Arg {
    let help = match takes_files {
        true => "Frames per second; taken from the particle files if left out [unit: 1/s]",
        false => "Frames per second [unit: 1/s]",
    };
    Arg::new("fps")
        .long("fps")
        .value_name("NUMBER")
        .default_value(own.fps.to_string())
        .value_parser(frame_rate)
        .help(help)
}

/// Frames per second, from text.
fn frame_rate(text: &str) -> Result<f64, String> {
    let rate = numbers(text, 1)?[0];
    match (1e-3..=1e6).contains(&rate) {
        true => Ok(rate),
        false => Err(String::from("it must be 0.001 to 1000000")),
    }
}

/// Adds the setting that the argument without a flag stands for.
pub fn add_subject(
    settings: &mut Map<String, Value>,
    info: &KindInfo,
    matches: &ArgMatches,
) -> Result<(), Failure> {
    let Some(CommandInfo { subject: Subject::Setting { name, keys, .. }, .. }) = info.command
    else {
        return Ok(());
    };
    let Some(path) = matches.get_one::<PathBuf>("subject") else { return Ok(()) };
    let fits =
        |extensions: &[&str]| extensions.is_empty() || whitecap_io::has_extension(path, extensions);
    let key = keys.iter().find(|(extensions, _)| fits(extensions)).map_or("", |found| found.1);
    for (_, other) in keys {
        let pointer = format!("/{}", other.replace('.', "/"));
        if Value::Object(settings.clone()).pointer(&pointer).is_some() {
            let flag = other.replace('.', "-");
            return Err(Failure::Usage(format!(
                "{name} is {}, but --{flag} names another file; give only one of them",
                path.display()
            )));
        }
    }
    let steps: Vec<String> = key.split('.').map(String::from).collect();
    insert(settings, &steps, Value::from(path_text::encode(path)));
    Ok(())
}

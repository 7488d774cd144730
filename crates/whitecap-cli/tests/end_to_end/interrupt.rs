//! Ctrl-C, a request to terminate, and a kill during a run.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{outcome, run, whitecap};

const SHOT: &str = r#"
[shot]
name = "long"
frames = [1, 24]

[water]
kind = "example"
spacing = 0.02
save = ["bgeo"]

[surface]
kind = "surface"
particles = "water"
method = "solenthaler"
save = ["ply"]
"#;

/// The frames in a folder of results, by name.
fn frames(results: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for stage in ["water", "surface"] {
        for entry in fs::read_dir(results.join(stage)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            if name.ends_with(".bgeo") || name.ends_with(".ply") {
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// Runs a command and presses Ctrl-C after its first line; it must end with exit code 130. Returns
/// all that it printed.
pub fn stopped(folder: &Path, arguments: &[&str]) -> String {
    stopped_by("INT", folder, arguments)
}

/// Runs a command and sends it a signal after its first line; it must end with exit code 130.
fn stopped_by(signal: &str, folder: &Path, arguments: &[&str]) -> String {
    let mut command = whitecap(folder);
    command.args(arguments).stderr(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    stderr.read_line(&mut told).unwrap();
    let kill = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{told}");
    told
}

/// Contract: Ctrl-C ends a run with exit code 130 and a sentence on how to continue; no file with a final
/// name is incomplete; the same command continues and ends with the bytes of an uninterrupted run.
#[test]
fn an_interrupted_run_continues() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("long.toml"), SHOT).unwrap();
    let whole = outcome(&run(folder, &["run", "long.toml", "--output", "whole"]));
    assert_eq!(whole.0, 0, "{}", whole.2);
    let whole = frames(&folder.join("whole"));
    assert_eq!(whole.len(), 48);

    for signal in ["INT", "TERM"] {
        let again = ["run", "long.toml", "--output", signal];
        let told = stopped_by(signal, folder, &again);
        assert!(told.lines().next().is_some_and(|line| line.contains("of 48")), "{told}");
        assert!(told.contains("The same command continues"), "{told}");
        let parts = frames(&folder.join(signal));
        assert!(parts.len() < 48, "the run ended before it was interrupted");
        for (name, bytes) in &parts {
            assert!(whole[name] == *bytes, "{name} is incomplete");
        }
        let (code, _, stderr) = outcome(&run(folder, &again));
        assert_eq!(code, 0, "{stderr}");
        assert!(frames(&folder.join(signal)) == whole);
    }
}

/// Contract: a simulation that is killed without warning continues from its last checkpoint, not from the
/// start, and ends with the bytes of an uninterrupted run.
#[test]
fn a_killed_simulation_continues_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let simulate = |output: &'static str| {
        ["sph", "--spacing", "0.1", "--fill-box=0,0,0,0.5,0.5,0.5", "--domain=0,0,0,1,1,0.5"]
            .into_iter()
            .chain(["--frames", "120", "--checkpoint-interval", "0", "--output", output])
            .collect::<Vec<_>>()
    };
    let whole = outcome(&run(folder, &simulate("whole.####.bgeo")));
    assert_eq!(whole.0, 0, "{}", whole.2);
    let killed = simulate("killed.####.bgeo");
    let mut command = whitecap(folder);
    command.args(&killed).stderr(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    // Older checkpoints are removed, frames are not.
    let third = folder.join("killed.0003.bgeo");
    while !third.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.join("killed.0120.bgeo").exists(), "the run ended before it was killed");
    let (code, _, told) = outcome(&run(folder, &killed));
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("Continuing after frame"), "{told}");
    assert!(!told.contains("Frames 1 to"), "it started again: {told}");
    for frame in 1..=120 {
        let read = |name: &str| fs::read(folder.join(format!("{name}.{frame:04}.bgeo"))).unwrap();
        assert!(read("killed") == read("whole"), "frame {frame} differs");
    }
}

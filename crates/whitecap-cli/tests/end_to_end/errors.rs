//! Wrong usage, broken files, closed pipes: a message and the right exit code, never a panic.

use std::fs;
use std::process::Stdio;

use crate::{block, outcome, run, whitecap, write_sequence};

/// Contract: wrong usage is exit code 2 with a message that says what would be right.
#[test]
fn wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    let cases: [(&[&str], &str); 8] = [
        (&["surfce"], "surface"),
        (&["surface", "frame.0001.bgeo"], "--output"),
        (&["surface", "frame.0001.bgeo", "-o", "a.ply", "--radius=-1"], "1e-9 to 1e9"),
        (&["surface", "frame.0001.bgeo", "-o", "a.xyz"], ".obj"),
        (&["surface", "frame.####.bgeo", "-o", "a.ply"], "####"),
        (&["surface", "frame.0001.bgeo", "-o", "a.####.ply"], "one file"),
        (&["surface", "frame.0001.bgeo", "-o", "a.ply", "--frames=1-2"], "sequence"),
        (&["convert", "frame.0001.bgeo", "frame.0001.bgeo"], "another name"),
    ];
    for (arguments, expected) in cases {
        let (code, stdout, stderr) = outcome(&run(folder, arguments));
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
        assert!(stdout.is_empty());
    }
}

/// Contract: broken and missing files, and settings that do not fit the data, are exit code 1 with
/// a sentence that names the file; with `--json` the same sentence is in the one object.
#[test]
fn broken_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = folder.join("whole.bgeo");
    whitecap_io::write_particles(&path, &block(4)).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(folder.join("cut.bgeo"), &whole[..whole.len() / 2]).unwrap();
    fs::write(folder.join("absurd.ply"), ABSURD_PLY).unwrap();
    fs::write(folder.join("nan.xyz"), "0 0 0\nnan 0 0\n").unwrap();
    let cases: [(&[&str], &str); 5] = [
        (&["surface", "cut.bgeo", "-o", "a.ply"], "cut.bgeo"),
        (&["surface", "absurd.ply", "-o", "a.ply"], "4000000000"),
        (&["surface", "nan.xyz", "-o", "a.ply"], "nan.xyz"),
        (&["surface", "none.bgeo", "-o", "a.ply"], "there is no such file"),
        (&["surface", "whole.bgeo", "-o", "a.ply", "--attributes=foam"], "velocity"),
    ];
    for (arguments, expected) in cases {
        let (code, _, stderr) = outcome(&run(folder, arguments));
        assert_eq!(code, 1, "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(expected), "{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
        let (code, stdout, _) = outcome(&run(folder, &[arguments, &["--json"]].concat()));
        let object: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((code, object["exit_code"].as_i64()), (1, Some(1)));
        assert!(object["error"].as_str().unwrap().contains(expected), "{object}");
    }
    assert!(!folder.join("a.ply").exists());
}

const ABSURD_PLY: &str = "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n\
    property float x\nproperty float y\nproperty float z\nend_header\n";

/// Contract: a reader that goes away early causes neither an error nor a panic.
#[test]
fn a_closed_pipe_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = whitecap(folder.path());
    let child = command.arg("schema").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    drop(child.stdout.take());
    let (code, _, stderr) = outcome(&child.wait_with_output().unwrap());
    assert_eq!((code, stderr), (0, String::new()));
}

/// Contract: every command has help with an example, and completions exist for every shell.
#[test]
fn help_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (code, help, _) = outcome(&run(folder, &["--help"]));
    assert_eq!(code, 0);
    assert!(help.contains("Exit codes:") && help.contains("130"), "{help}");
    let names = ["run", "surface", "convert", "info", "check", "demo", "schema", "completions"];
    for name in names {
        let (code, stdout, _) = outcome(&run(folder, &[name, "--help"]));
        assert_eq!(code, 0);
        assert!(stdout.contains(&format!("whitecap {name}")), "{stdout}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, stdout, _) = outcome(&run(folder, &["completions", shell]));
        assert_eq!(code, 0);
        assert!(stdout.contains("center-smoothing"), "{shell}");
    }
}

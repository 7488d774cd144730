//! Contract: whatever lies in an output folder, a run touches only plain files inside it. Records that
//! name other files, links and pipes in place of the run's own files neither destroy nor hang anything, and the
//! results are those of a clean run wherever the run goes on.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use support::{Drift, results, shot};
use whitecap_shot::{CancelToken, Event, RunError, RunOptions, RunSummary, run};

const SHOT: &str = r#"
[shot]
name = "test"
frames = [1, 3]
output = "out"

[water]
kind = "example"
spacing = 0.1

[drifting]
kind = "drift"
particles = "water"
save = ["csv"]
"#;

/// A finished run in a folder, beside a file that must not be touched.
struct Scene {
    folder: tempfile::TempDir,
    text: String,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { folder: tempfile::tempdir().unwrap(), text: String::from(SHOT) };
        scene.run().unwrap();
        fs::write(scene.precious(), b"precious").unwrap();
        scene
    }

    fn precious(&self) -> PathBuf {
        self.folder.path().join("precious.txt")
    }

    fn stage(&self) -> PathBuf {
        self.folder.path().join("out/drifting")
    }

    /// Runs the shot, with a checkpoint in every frame.
    fn run(&self) -> Result<RunSummary, RunError> {
        let (cancel, observer) = (CancelToken::new(), |_: &Event<'_>| {});
        let mut options = RunOptions::new(&observer, &cancel);
        options.checkpoint_interval = Duration::ZERO;
        run(&shot(self.folder.path(), &self.text, &Drift::default()), &options)
    }

    /// Changes the record of a frame.
    fn forge(&self, frame: i64, forge: impl Fn(&mut Value)) {
        let path = self.stage().join(format!(".frames/{frame:04}.json"));
        let mut record: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        forge(&mut record);
        fs::write(path, record.to_string()).unwrap();
    }

    /// Runs again and expects the results of a clean run, and the file beside it as it was.
    fn expect_clean_results(&self) {
        self.run().unwrap();
        self.expect_precious();
        let clean = tempfile::tempdir().unwrap();
        let (cancel, observer) = (CancelToken::new(), |_: &Event<'_>| {});
        let options = RunOptions::new(&observer, &cancel);
        run(&shot(clean.path(), &self.text, &Drift::default()), &options).unwrap();
        let (found, wanted) =
            (results(&self.folder.path().join("out")), results(&clean.path().join("out")));
        for (name, bytes) in &wanted {
            assert!(found.get(name) == Some(bytes), "{}", name.display());
        }
    }

    fn expect_precious(&self) {
        assert_eq!(fs::read(self.precious()).unwrap(), b"precious");
    }
}

fn replace_by_link(path: &Path, target: &Path) {
    let _ = fs::remove_file(path);
    symlink(target, path).unwrap();
}

fn replace_by_pipe(path: &Path) {
    let _ = fs::remove_file(path);
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// A record of an older run that names files outside the folder, by steps up, by an absolute path, or as
/// the exact copy, and other people's files inside it: none is removed when the frame is made again.
#[test]
fn a_forged_record_removes_nothing_else() {
    let mut scene = Scene::new();
    let notes = scene.stage().join("notes.txt");
    fs::write(&notes, b"mine").unwrap();
    let absolute = scene.precious().to_string_lossy().into_owned();
    for frame in 1..=3 {
        scene.forge(frame, |record| {
            for name in ["../../precious.txt", absolute.as_str(), "notes.txt", "manifest.json"] {
                let file = json!({ "name": name, "bytes": 8, "blake3": "00" });
                record["files"].as_array_mut().unwrap().push(file);
            }
            record["exact"] = json!({ "name": "../../precious.txt", "bytes": 8, "blake3": "00" });
        });
    }
    scene.text = SHOT.replace("spacing = 0.1", "spacing = 0.09");
    scene.expect_clean_results();
    assert_eq!(fs::read(notes).unwrap(), b"mine");
}

/// A record in the wrong place, of absurd values, or that is no record, is as good as none.
#[test]
fn a_damaged_record_is_no_record() {
    let scene = Scene::new();
    scene.forge(1, |record| record["frame"] = json!(3));
    scene.forge(2, |record| record["files"] = json!("all of them"));
    fs::write(scene.stage().join(".frames/0003.json"), [0xff; 100]).unwrap();
    scene.expect_clean_results();
}

/// A link in place of the lock: the run is refused with a sentence, and the target stays.
#[test]
fn a_linked_lock_is_refused() {
    let scene = Scene::new();
    replace_by_link(&scene.folder.path().join("out/.lock"), &scene.precious());
    let message = scene.run().unwrap_err().to_string();
    assert!(message.contains(".lock") && message.contains("not a plain file"), "{message}");
    scene.expect_precious();
}

/// A link in place of a temporary file, of a record, a frame, a checkpoint or an exact copy: what it leads
/// to stays, and the results are right.
#[test]
fn linked_files_are_replaced() {
    let names = [
        ".frames/.0002.tmp",
        ".frames/0002.json",
        "drifting.0002.csv",
        ".state/0002.state",
        ".exact/0002.frame",
        "manifest.json",
    ];
    for name in names {
        let mut scene = Scene::new();
        replace_by_link(&scene.stage().join(name), &scene.precious());
        scene.expect_clean_results();
        scene.text = SHOT.replace("spacing = 0.1", "spacing = 0.09");
        scene.expect_clean_results();
    }
}

/// A pipe in place of a file of the run does not hang it.
#[test]
fn a_pipe_does_not_hang_the_run() {
    for name in [".exact/0002.frame", ".state/0002.state", ".frames/0002.json", "drifting.0002.csv"]
    {
        let scene = Scene::new();
        replace_by_pipe(&scene.stage().join(name));
        fs::remove_file(scene.stage().join("drifting.0003.csv")).unwrap();
        scene.expect_clean_results();
    }
    let scene = Scene::new();
    replace_by_pipe(&scene.folder.path().join("out/.lock"));
    assert!(scene.run().is_err());
}

/// A link in place of a folder of the run is refused, and nothing in the folder it leads to is removed.
#[test]
fn a_linked_folder_is_refused() {
    for name in ["", ".frames", ".exact", ".state"] {
        let scene = Scene::new();
        let elsewhere = scene.folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        for file in [".x.tmp", "0001.state", "0002.state", "drifting.0001.csv"] {
            fs::write(elsewhere.join(file), b"precious").unwrap();
        }
        let folder = scene.stage().join(name);
        let folder = folder.components().collect::<PathBuf>();
        let _ = fs::remove_dir_all(&folder);
        symlink(&elsewhere, &folder).unwrap();
        let message = scene.run().unwrap_err().to_string();
        assert!(message.contains("link"), "{message}");
        for file in fs::read_dir(&elsewhere).unwrap() {
            assert_eq!(fs::read(file.unwrap().path()).unwrap(), b"precious");
        }
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 4);
    }
}

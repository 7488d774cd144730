//! Contracts of running a shot: only what changed is made again, and interruptions, damage and
//! failures never cost finished work or change results.

mod support;

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

use support::{Drift, results, shot};
use whitecap_shot::{CancelToken, Event, RunError, RunOptions, RunOutcome, RunSummary, run};

const SHOT: &str = r#"
[shot]
name = "test"
frames = [1, 5]

[water]
kind = "example"
spacing = 0.05

[drifting]
kind = "drift"
particles = "water"

[skin]
kind = "surface"
particles = "drifting"
cell = 0.05
save = ["ply"]
"#;

/// What a run did, and what it reported.
struct Ran {
    result: Result<RunSummary, RunError>,
    /// `skin 3 made`, `water 1 skipped`, `note: …`.
    told: Vec<String>,
}

impl Ran {
    fn made(&self, stage: &str) -> usize {
        self.told.iter().filter(|t| t.starts_with(stage) && t.ends_with("made")).count()
    }

    fn error(&self) -> String {
        self.result.as_ref().unwrap_err().to_string()
    }
}

/// Runs a shot; `watch` may cancel it.
fn run_watched(
    folder: &Path,
    text: &str,
    drift: &Drift,
    interval: Duration,
    watch: impl Fn(&Event<'_>, &CancelToken) + Sync,
) -> Ran {
    let cancel = CancelToken::new();
    let told = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        watch(event, &cancel);
        let words = match event {
            Event::FrameDone { stage, frame, .. } => format!("{stage} {frame} made"),
            Event::FrameSkipped { stage, frame, .. } => format!("{stage} {frame} skipped"),
            Event::Note { text, .. } => format!("note: {text}"),
            _ => return,
        };
        told.lock().unwrap().push(words);
    };
    let mut options = RunOptions::new(&observer, &cancel);
    options.checkpoint_interval = interval;
    let result = run(&shot(folder, text, drift), &options);
    Ran { result, told: told.into_inner().unwrap() }
}

fn run_quietly(folder: &Path, text: &str) -> Ran {
    run_watched(folder, text, &Drift::default(), Duration::ZERO, |_, _| {})
}

/// Contract: a second run makes nothing, and a third one with another setting makes only the
/// stages that depend on it.
#[test]
fn only_what_changed_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let first = run_quietly(folder.path(), SHOT);
    assert_eq!([first.made("water"), first.made("drifting"), first.made("skin")], [5, 5, 5]);
    let before = results(&folder.path().join("out/test"));

    let second = run_quietly(folder.path(), SHOT);
    assert_eq!(second.told.iter().filter(|told| told.ends_with("skipped")).count(), 15);
    assert!(second.result.unwrap().sentence().starts_with("Nothing to do"));
    assert_eq!(results(&folder.path().join("out/test")), before);

    let drift = Drift::default();
    let changed = SHOT.replace("cell = 0.05", "cell = 0.06");
    let third = run_watched(folder.path(), &changed, &drift, Duration::ZERO, |_, _| {});
    assert_eq!([third.made("water"), third.made("drifting"), third.made("skin")], [0, 0, 5]);
    assert_eq!(drift.steps.load(Ordering::Relaxed), 0, "the simulation was not repeated");
    let after = results(&folder.path().join("out/test"));
    assert_ne!(after[Path::new("skin/skin.0003.ply")], before[Path::new("skin/skin.0003.ply")]);

    let back = run_quietly(folder.path(), SHOT);
    assert_eq!(back.made("skin"), 5);
    assert_eq!(
        results(&folder.path().join("out/test")),
        before,
        "results do not depend on history"
    );
}

/// Contract: writing a default out, or putting stages in another order, changes nothing.
#[test]
fn equal_settings_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    run_quietly(folder.path(), SHOT).result.unwrap();
    let same = SHOT.replace("cell = 0.05", "cell = 0.05\nthreshold = 0.6\nmethod = \"density\"");
    assert_eq!(run_quietly(folder.path(), &same).result.unwrap().computed, 0);
}

/// Contract: a saved file that is missing, cut short or changed is restored, and nothing else.
#[test]
fn damage_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    run_quietly(folder.path(), SHOT).result.unwrap();
    let output = folder.path().join("out/test");
    let before = results(&output);
    fs::remove_file(output.join("skin/skin.0001.ply")).unwrap();
    fs::write(output.join("skin/skin.0002.ply"), "ply").unwrap();
    let mut bytes = fs::read(output.join("skin/skin.0003.ply")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(output.join("skin/skin.0003.ply"), bytes).unwrap();
    fs::write(output.join("skin/.frames/0004.json"), "{").unwrap();
    fs::write(output.join("skin/.skin.0004.ply.1.0.tmp"), "half").unwrap();
    let mended = run_quietly(folder.path(), SHOT);
    assert_eq!([mended.made("water"), mended.made("drifting"), mended.made("skin")], [0, 0, 4]);
    assert_eq!(results(&output), before);
}

/// Contract: a format that is asked for later is written without making the frame again; a format
/// no longer asked for is left alone while it is valid, and removed when it is not.
#[test]
fn formats_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out/test");
    let saving = SHOT.replace("particles = \"water\"", "particles = \"water\"\nsave = [\"ply\"]");
    run_quietly(folder.path(), SHOT).result.unwrap();
    let drift = Drift::default();
    let added = run_watched(folder.path(), &saving, &drift, Duration::ZERO, |_, _| {});
    assert_eq!([added.made("drifting"), added.made("skin")], [5, 0]);
    assert_eq!(drift.steps.load(Ordering::Relaxed), 0);
    assert!(output.join("drifting/drifting.0005.ply").exists());

    assert_eq!(run_quietly(folder.path(), SHOT).result.unwrap().computed, 0);
    assert!(output.join("drifting/drifting.0005.ply").exists());
    run_quietly(folder.path(), &SHOT.replace("0.05", "0.06")).result.unwrap();
    assert!(!output.join("drifting/drifting.0005.ply").exists());
}

/// Contract: wherever a run is cancelled, it says so, the next one continues without repeating a
/// frame of the simulation, and the results are those of one uninterrupted run.
#[test]
fn a_cancelled_run_continues() {
    let whole = tempfile::tempdir().unwrap();
    run_quietly(whole.path(), SHOT).result.unwrap();
    let wanted = results(&whole.path().join("out/test"));
    for stage in ["water", "drifting", "skin"] {
        let folder = tempfile::tempdir().unwrap();
        let drift = Drift::default();
        let hour = Duration::from_secs(3600);
        let cancelled = run_watched(folder.path(), SHOT, &drift, hour, |event, cancel| {
            if matches!(event, Event::FrameDone { stage: s, frame: 3, .. } if *s == stage) {
                cancel.cancel();
            }
        });
        let summary = cancelled.result.unwrap();
        assert_eq!(summary.outcome, RunOutcome::Cancelled);
        assert!(
            summary.sentence().contains("The same command continues"),
            "{}",
            summary.sentence()
        );
        let continued = run_watched(folder.path(), SHOT, &drift, hour, |_, _| {});
        continued.result.unwrap();
        assert_eq!(drift.steps.load(Ordering::Relaxed), 5, "cancelled after {stage}");
        assert_eq!(results(&folder.path().join("out/test")), wanted);
    }
}

/// Contract: a simulation without a checkpoint, or with a damaged one, repeats what it must and
/// arrives at the same bytes.
#[test]
fn lost_checkpoints_cost_time_only() {
    let folder = tempfile::tempdir().unwrap();
    run_quietly(folder.path(), SHOT).result.unwrap();
    let output = folder.path().join("out/test");
    let wanted = results(&output);
    for damage in [false, true] {
        for frame in ["0004", "0005"] {
            let state = output.join(format!("drifting/.state/{frame}.state"));
            if damage {
                fs::write(state, [7; 12]).unwrap();
            } else {
                fs::remove_file(state).unwrap();
            }
        }
        fs::remove_file(output.join("drifting/.frames/0005.json")).unwrap();
        let drift = Drift::default();
        let ran = run_watched(folder.path(), SHOT, &drift, Duration::ZERO, |_, _| {});
        ran.result.unwrap();
        assert_eq!(drift.steps.load(Ordering::Relaxed), 5);
        assert!(ran.told.iter().any(|told| told.contains("Frames 1 to 4 are repeated")));
        assert!(!ran.told.iter().any(|told| told.contains("not what it was")));
        assert_eq!(results(&output), wanted);
        // The second round needs checkpoints to damage.
        fs::remove_dir_all(&output).unwrap();
        run_quietly(folder.path(), SHOT).result.unwrap();
    }
}

/// Contract: a longer shot continues a simulation from its last frame.
#[test]
fn a_shot_can_grow() {
    let folder = tempfile::tempdir().unwrap();
    run_quietly(folder.path(), SHOT).result.unwrap();
    let drift = Drift::default();
    let longer = SHOT.replace("[1, 5]", "[1, 8]");
    run_watched(folder.path(), &longer, &drift, Duration::ZERO, |_, _| {}).result.unwrap();
    assert_eq!(drift.steps.load(Ordering::Relaxed), 3);
    let whole = tempfile::tempdir().unwrap();
    run_quietly(whole.path(), &longer).result.unwrap();
    assert_eq!(results(&folder.path().join("out/test")), results(&whole.path().join("out/test")));
}

/// Contract: a failed frame names stage, frame and cause, and the frames before it stay.
#[test]
fn a_failure_names_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let failing = SHOT.replace("kind = \"drift\"", "kind = \"drift\"\nfail = 4");
    let failed = run_quietly(folder.path(), &failing);
    assert!(failed.error().starts_with("stage `drifting`, frame 4: the drift was told to fail."));
    let kept = results(&folder.path().join("out/test"));
    assert!(kept.contains_key(Path::new("skin/skin.0003.ply")));
    assert!(!kept.contains_key(Path::new("skin/skin.0004.ply")));
    let report = fs::read_to_string(folder.path().join("out/test/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["outcome"], "failed");
    assert_eq!(report["error"], "stage `drifting`, frame 4: the drift was told to fail");
}

/// Contract: a value that is not finite is caught where it arises, with its particle.
#[test]
fn a_spoiled_value_is_caught() {
    let folder = tempfile::tempdir().unwrap();
    let spoiled = SHOT.replace("kind = \"drift\"", "kind = \"drift\"\nspoil = 2");
    let error = run_quietly(folder.path(), &spoiled).error();
    assert!(error.starts_with("stage `drifting`, frame 2: particle 3 is at ["), "{error}");
}

/// Contract: a place that cannot be written to is named, with stage and frame.
#[test]
fn an_unwritable_place_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out/test");
    fs::create_dir_all(output.join("skin/skin.0003.ply")).unwrap();
    let error = run_quietly(folder.path(), SHOT).error();
    assert!(error.starts_with("stage `skin`, frame 3: cannot write"), "{error}");
    assert!(output.join("skin/skin.0002.ply").is_file());
    fs::remove_dir(output.join("skin/skin.0003.ply")).unwrap();
    assert_eq!(run_quietly(folder.path(), SHOT).made("skin"), 3);
}

/// Contract: a cache that another program changes or damages is noticed; the damaged file is
/// named.
#[test]
fn sources_are_watched() {
    let folder = tempfile::tempdir().unwrap();
    let save = SHOT.replace("particles = \"water\"", "particles = \"water\"\nsave = [\"ply\"]");
    run_quietly(folder.path(), &save).result.unwrap();
    let cached = r#"
[shot]
name = "cached"
frames = [11, 13]

[water]
kind = "cache"
path = "out/test/drifting/drifting.####.ply"
first = 2
radius = 0.02

[skin]
kind = "surface"
particles = "water"
cell = 0.05
save = ["ply"]
"#;
    assert_eq!(run_quietly(folder.path(), cached).result.unwrap().computed, 6);
    assert_eq!(run_quietly(folder.path(), cached).result.unwrap().computed, 0);
    let drifting = folder.path().join("out/test/drifting");
    fs::copy(drifting.join("drifting.0005.ply"), drifting.join("drifting.0003.ply")).unwrap();
    let noticed = run_quietly(folder.path(), cached);
    assert_eq!([noticed.made("water"), noticed.made("skin")], [1, 1]);
    let whole = fs::read(drifting.join("drifting.0004.ply")).unwrap();
    fs::write(drifting.join("drifting.0004.ply"), &whole[..whole.len() / 2]).unwrap();
    let error = run_quietly(folder.path(), cached).error();
    assert!(error.starts_with("stage `water`, frame 13: "), "{error}");
    assert!(error.contains("drifting.0004.ply"), "{error}");
}

/// Contract: the report holds what was measured on every frame, and its page needs nothing from
/// elsewhere.
#[test]
fn the_report_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let summary = run_quietly(folder.path(), SHOT).result.unwrap();
    let json = fs::read_to_string(summary.report_json.as_ref().unwrap()).unwrap();
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["stages"][2]["name"], "skin");
    assert_eq!(report["stages"][2]["frames"].as_array().unwrap().len(), 5);
    let metrics = report["stages"][2]["frames"][4]["metrics"].as_array().unwrap();
    let names: Vec<&str> = metrics.iter().map(|metric| metric["name"].as_str().unwrap()).collect();
    assert!(["vertices", "triangles", "volume", "area"].iter().all(|n| names.contains(n)));
    let html = fs::read_to_string(summary.report_html.as_ref().unwrap()).unwrap();
    for title in ["Time per stage", "Time per frame", "Volume", "Triangles", "Particles"] {
        assert!(html.contains(&format!("<h3>{title}</h3>")), "no plot called {title}");
    }
    for outside in ["<script", "http://", "https://", "url(", "<link", "<img"] {
        assert!(!html.contains(outside), "the page refers to {outside}");
    }
    assert_eq!(html.matches("<figure>").count(), html.matches("role=\"img\"").count());
}

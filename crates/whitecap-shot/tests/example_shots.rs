//! Contract: every shot in `shots/` opens with a comment that says what it shows, is free of mistakes
//! and needs nothing outside the repository, and its first frames run. Those that are benchmarks, as
//! they say themselves, are too large to run here.

use std::path::Path;

use whitecap_shot::{CancelToken, Event, Registry, RunOptions, Shot, run};

#[test]
fn the_example_shots_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shots");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# "), "{} does not say what it shows", path.display());
        let mut shot = match Shot::load(&path, &Registry::standard()) {
            Ok(shot) => shot,
            Err(error) => panic!("{error}"),
        };
        count += 1;
        if text.contains("a benchmark") {
            continue;
        }
        let output = tempfile::tempdir().unwrap();
        shot.output = output.path().join("out");
        shot.settings.frames[1] = shot.settings.frames[0] + 1;
        let context = shot.context();
        for stage in shot.stages.iter_mut().filter(|stage| stage.info().name == "render") {
            let mut settings = stage.checked.settings().clone();
            settings["scale"] = 0.05.into();
            settings["samples"] = 2.into();
            stage.checked = stage.kind.check(settings, &context).ok().unwrap();
        }
        let cancel = CancelToken::new();
        let observer = |_: &Event<'_>| {};
        let summary = run(&shot, &RunOptions::new(&observer, &cancel)).unwrap();
        assert_eq!(summary.computed, 2 * shot.stages.len());
    }
    assert!(count >= 10, "there are example shots");
}

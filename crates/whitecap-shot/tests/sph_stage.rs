//! Contract: a simulated liquid goes through a shot like any other stage: a run that is cancelled
//! between frames and continued writes the bytes of a run that was not, and a shot without liquid
//! says what is missing.

use std::collections::BTreeMap;
use std::path::Path;

use whitecap_shot::{CancelToken, Event, Registry, RunOptions, RunOutcome, Shot, run};

const SHOT: &str = r#"
[shot]
name = "splash"
frames = [1, 6]
fps = 24

[water]
kind = "sph"
spacing = 0.05
domain = { min = [0, 0, 0], max = [0.6, 0.6, 0.4] }
fill = [
    { box = { min = [0, 0, 0], max = [0.6, 0.1, 0.4] } },
    { sphere = { center = [0.3, 0.35, 0.2], radius = 0.1, velocity = [0, -1, 0] } },
]
save = ["bgeo"]
"#;

fn run_in(folder: &Path, cancel_after: Option<u32>) -> RunOutcome {
    let path = folder.join("splash.toml");
    std::fs::write(&path, SHOT).unwrap();
    let shot = Shot::load(&path, &Registry::standard()).unwrap_or_else(|error| panic!("{error}"));
    let cancel = CancelToken::new();
    let observer = |event: &Event<'_>| {
        if let Event::FrameDone { frame, .. } = event
            && Some(*frame) == cancel_after
        {
            cancel.cancel();
        }
    };
    run(&shot, &RunOptions::new(&observer, &cancel)).unwrap().outcome
}

fn saved(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder.join("out/splash/water"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bgeo"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn a_cancelled_simulation_continues_with_the_same_bytes() {
    let whole = tempfile::tempdir().unwrap();
    run_in(whole.path(), None);
    let expected = saved(whole.path());
    assert_eq!(expected.len(), 6);
    let interrupted = tempfile::tempdir().unwrap();
    assert!(matches!(run_in(interrupted.path(), Some(3)), RunOutcome::Cancelled));
    assert!(saved(interrupted.path()).len() < 6, "the run must have been interrupted");
    run_in(interrupted.path(), None);
    assert!(saved(interrupted.path()) == expected, "other bytes after continuing");
}

#[test]
fn a_shot_without_liquid_says_what_is_missing() {
    let text = "[shot]\nname = \"dry\"\nframes = [1, 2]\n\n[water]\nkind = \"sph\"\nspacing = 0.1\nspacng = 1\n";
    let mistakes = Shot::parse(text, Path::new("dry.toml"), &Registry::standard()).err().unwrap();
    let told = mistakes.to_string();
    assert!(told.contains("spacng") && told.contains("spacing"), "{told}");
    let text = text.replace("spacng = 1\n", "");
    let mistakes = Shot::parse(&text, Path::new("dry.toml"), &Registry::standard()).err().unwrap();
    assert!(mistakes.to_string().contains("there is no liquid"), "{mistakes}");
}

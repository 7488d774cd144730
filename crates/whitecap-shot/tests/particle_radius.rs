//! Contract: one liquid has one radius. A sequence of another program gets the same estimate in every frame,
//! whichever frames are made and in how many runs; what `sph` knows reaches every later stage; a radius
//! that cannot be right is reported with one that can.

use std::path::Path;
use std::sync::Mutex;

use whitecap_core::Particles;
use whitecap_core::glam::Vec3;
use whitecap_core::scatter::Sequence;
use whitecap_shot::{CancelToken, Event, Registry, RunOptions, Shot, run};

const SPACING: f32 = 0.05;

/// A block that is more and more disordered, with more and more spray: estimates of single frames differ.
fn write_foreign_cache(folder: &Path) {
    for frame in 1..=6 {
        let mut random = Sequence::new(frame);
        let mut scatter = |size: f32| (2.0 * random.point() - 1.0) * size;
        let jitter = 0.1 * (frame - 1) as f32;
        let squeeze = 1.0 - 0.01 * (frame - 1) as f32;
        let mut positions: Vec<Vec3> = (0..1000)
            .map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32))
            .map(|place| SPACING * squeeze * (place + scatter(jitter)))
            .collect();
        positions.extend((0..100 * frame).map(|_| scatter(2.0)));
        let name = format!("foreign.{frame:04}.vtk");
        whitecap_io::write_particles(folder.join(name), &Particles::new(positions)).unwrap();
    }
}

/// Runs a shot; returns the radius of every frame of the stage `skin` that was made, and all notes.
fn radii(folder: &Path, text: &str) -> (Vec<(i64, f64)>, Vec<String>) {
    let shot = Shot::parse(text, &folder.join("shot.toml"), &Registry::standard())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let (found, notes) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let observer = |event: &Event<'_>| match event {
        Event::FrameDone { stage: "skin", frame, result, .. } => {
            let radius = result.metrics.iter().find(|metric| metric.name == "radius").unwrap();
            found.lock().unwrap().push((*frame, radius.value));
        }
        Event::Note { text, .. } => notes.lock().unwrap().push((*text).to_string()),
        _ => {}
    };
    run(&shot, &RunOptions::new(&observer, &CancelToken::new())).unwrap();
    (found.into_inner().unwrap(), notes.into_inner().unwrap())
}

fn foreign(frames: [i64; 2], output: &str) -> String {
    format!(
        r#"
        [shot]
        name = "foreign"
        frames = {frames:?}
        output = "{output}"

        [water]
        kind = "cache"
        path = "foreign.####.vtk"

        [skin]
        kind = "surface"
        particles = "water"
        save = ["ply"]
        "#
    )
}

/// Regression: the radius was guessed anew for every frame, so that surfaces popped.
#[test]
fn a_sequence_without_radius_gets_one_for_all_frames() {
    let folder = tempfile::tempdir().unwrap();
    write_foreign_cache(folder.path());
    let (all, notes) = radii(folder.path(), &foreign([1, 6], "all"));
    assert_eq!(all.len(), 6);
    let radius = all[0].1;
    assert!((radius / 0.025 - 1.0).abs() < 0.05, "{radius}");
    assert!(all.iter().all(|frame| frame.1 == radius), "{all:?}");
    assert_eq!(notes.len(), 1, "said once: {notes:?}");
    assert!(notes[0].contains("no radius was given") && notes[0].contains("m, half"), "{notes:?}");

    let (part, _) = radii(folder.path(), &foreign([4, 5], "part"));
    assert_eq!(part, [(4, radius), (5, radius)], "a part of the frames");
    radii(folder.path(), &foreign([1, 2], "grown"));
    let (rest, _) = radii(folder.path(), &foreign([1, 6], "grown"));
    assert_eq!(rest, [(3, radius), (4, radius), (5, radius), (6, radius)], "a run that continues");
}

const OWN: &str = r#"
    [shot]
    name = "own"
    frames = [1, 5]

    [water]
    kind = "sph"
    spacing = 0.04
    domain = { min = [0, 0, 0], max = [1, 0.8, 0.3] }
    fill = [{ box = { min = [0, 0, 0], max = [0.4, 0.5, 0.3], velocity = [4, 0, 0] } }]
    save = ["bgeo"]

    [skin]
    kind = "surface"
    particles = "water"
"#;

/// Regression: `surface` guessed the radius of our own liquids. Contract: the radius of `sph` reaches later
/// stages, in the same shot and through its files, and nothing needs to be said.
#[test]
fn the_radius_of_sph_reaches_later_stages() {
    let folder = tempfile::tempdir().unwrap();
    let (live, notes) = radii(folder.path(), OWN);
    let known = f64::from(0.5 * 0.04f32);
    assert_eq!(live, [1, 2, 3, 4, 5].map(|frame| (frame, known)));
    assert!(notes.is_empty(), "{notes:?}");
    let later = r#"
        [shot]
        name = "later"
        frames = [1, 5]

        [water]
        kind = "cache"
        path = "out/own/water/water.####.bgeo"

        [skin]
        kind = "surface"
        particles = "water"
        save = ["ply"]
    "#;
    let (read, notes) = radii(folder.path(), later);
    assert_eq!(read, live);
    assert!(notes.is_empty(), "{notes:?}");
}

/// Regression: `sph --spacing 0.04`, then `surface --radius 0.01` made 15 625 drops without a word. Contract: a
/// radius of `surface` and of `cache` that is far from the spacing is reported with the right one.
#[test]
fn a_radius_far_from_the_spacing_gets_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    write_foreign_cache(folder.path());
    let plain = foreign([1, 1], "plain");
    let shots = [
        plain.replace("particles = \"water\"", "particles = \"water\"\nradius = 0.01"),
        plain.replace(".vtk\"", ".vtk\"\nradius = 0.01"),
    ];
    for shot in shots {
        let (_, notes) = radii(folder.path(), &shot);
        let warning = notes.iter().find(|note| note.contains("0.01 m")).expect("a warning");
        let number = warning.split(" m:").next().unwrap().rsplit(' ').next().unwrap();
        let right: f32 = number.parse().unwrap();
        assert!((right / 0.025 - 1.0).abs() < 0.05, "{warning}");
    }
}

//! Contract: a simulated liquid works in a shot like any other stage: a run that is cancelled
//! between frames and continued writes the bytes of a run that was not; no particle is inside a
//! solid or outside the domain; what is wrong is reported at its line, what is left out in a note.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
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
emitters = [
    { from = { disc = { center = [0.1, 0.5, 0.1], normal = [1, -1, 0], radius = 0.06 } }, speed = 1, during = { start = 0.05, end = 0.15 } },
]
solids = [
    { path = "block.ply", keys = [{ time = 0, position = [0.42, 0.15, 0.2] }, { time = 0.2, position = [0.38, 0.15, 0.2], angle = 360 }] },
    { path = "swelling.####.ply", first = 10 },
]
save = ["bgeo"]
"#;

/// A box as a closed mesh.
fn block(center: Vec3, size: Vec3) -> TriMesh {
    TriMesh::cuboid(center - 0.5 * size, center + 0.5 * size)
}

/// Writes the meshes of the shot: a block, and one that swells from frame to frame.
fn write_meshes(folder: &Path) {
    let write =
        |name: &str, mesh: &TriMesh| whitecap_io::write_mesh(folder.join(name), mesh).unwrap();
    write("block.ply", &block(Vec3::ZERO, Vec3::new(0.15, 0.1, 0.02)));
    for frame in 0..6 {
        let size = Vec3::splat(0.1 + 0.01 * frame as f32);
        let mesh = block(Vec3::new(0.15, 0.2, 0.2), size);
        write(&format!("swelling.{:04}.ply", 10 + frame), &mesh);
    }
    let mut open = block(Vec3::ZERO, Vec3::ONE);
    open = TriMesh::new(open.positions().to_vec(), open.triangles()[2..].to_vec()).unwrap();
    write("open.ply", &open);
}

/// The kinds of stages that simulate a liquid.
const KINDS: [&str; 2] = ["sph", "flip"];

fn of_kind(text: &str, kind: &str) -> String {
    text.replace("kind = \"sph\"", &format!("kind = \"{kind}\""))
}

fn run_in(folder: &Path, kind: &str, cancel_after: Option<i64>) -> RunOutcome {
    write_meshes(folder);
    run_text(folder, &of_kind(SHOT, kind), cancel_after)
}

fn run_text(folder: &Path, text: &str, cancel_after: Option<i64>) -> RunOutcome {
    let path = folder.join("splash.toml");
    std::fs::write(&path, text).unwrap();
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
    for kind in KINDS {
        let whole = tempfile::tempdir().unwrap();
        run_in(whole.path(), kind, None);
        let expected = saved(whole.path());
        assert_eq!(expected.len(), 6, "{kind}");
        let interrupted = tempfile::tempdir().unwrap();
        assert!(matches!(run_in(interrupted.path(), kind, Some(3)), RunOutcome::Cancelled));
        assert!(saved(interrupted.path()).len() < 6, "{kind}: the run must have been interrupted");
        run_in(interrupted.path(), kind, None);
        assert!(saved(interrupted.path()) == expected, "{kind}: other bytes after continuing");
    }
}

/// The report of a run of the shot, with some text in place of another.
fn report(kind: &str, old: &str, new: &str) -> (tempfile::TempDir, Value) {
    assert!(SHOT.contains(old), "{old}");
    let folder = tempfile::tempdir().unwrap();
    write_meshes(folder.path());
    let path = folder.path().join("splash.toml");
    let text = of_kind(&SHOT.replace(old, new), kind);
    let shot = Shot::parse(&text, &path, &Registry::standard()).unwrap_or_else(|e| panic!("{e}"));
    let summary = run(&shot, &RunOptions::new(&|_: &Event<'_>| {}, &CancelToken::new())).unwrap();
    let report = std::fs::read_to_string(summary.report_json.unwrap()).unwrap();
    (folder, serde_json::from_str(&report).unwrap())
}

/// The values of a metric in all frames that have it.
fn metric(report: &Value, name: &str) -> Vec<f64> {
    let frames = report["stages"][0]["frames"].as_array().unwrap();
    let metrics = frames.iter().flat_map(|frame| frame["metrics"].as_array().unwrap());
    let named = metrics.filter(|metric| metric["name"] == name);
    named.map(|metric| metric["value"].as_f64().unwrap()).collect()
}

/// Contract: the report of every frame says how many particles there are, how hard they were to
/// keep incompressible, and that none is where none may be. The emitter adds to them.
#[test]
fn the_report_counts() {
    let (_folder, report) = report("sph", "spacing = 0.05", "spacing = 0.05");
    let particles = metric(&report, "particles");
    assert_eq!(particles.len(), 6);
    assert!(particles[5] > particles[0] && particles[0] > 100.0, "{particles:?}");
    for name in ["particles inside a solid", "particles outside the domain"] {
        assert_eq!(metric(&report, name), [0.0; 6], "{name}");
    }
    for name in ["steps", "iterations per step"] {
        let values = metric(&report, name);
        assert!(values.len() == 5 && values.iter().all(|&value| value >= 1.0), "{name} {values:?}");
    }
    for (name, most) in [("largest compression", 2.0), ("residual of the pressure", 2.0)] {
        // Beside the solids the fill starts squeezed, and relaxes in the first frame.
        let percent = &metric(&report, name)[1..];
        assert!(percent.iter().all(|&value| (0.0..=most).contains(&value)), "{name} {percent:?}");
    }
}

/// Contract: the report of every frame of a grid liquid says how many particles there are, the emitter's among
/// them, and how hard the pressure was to solve.
#[test]
fn the_report_of_a_grid_liquid_counts() {
    let (_folder, report) = report("flip", "spacing = 0.05", "spacing = 0.05");
    let particles = metric(&report, "particles");
    assert!(particles.len() == 6 && particles[5] > particles[0], "{particles:?}");
    for name in ["steps", "iterations per step", "largest speed", "kinetic energy"] {
        let values = metric(&report, name);
        assert!(values.len() == 5 && values.iter().all(|&value| value > 0.0), "{name} {values:?}");
    }
}

/// A deep tank with particles near the surface only.
const DEEP_TANK: &str = r#"
[shot]
name = "splash"
frames = [1, 5]
fps = 24

[water]
kind = "flip"
spacing = 0.02
narrow-band = 4
domain = { min = [0, 0, 0], max = [0.48, 0.8, 0.4] }
fill = [{ box = { min = [0, 0, 0], max = [0.48, 0.7, 0.4], velocity = [0.5, 0, 0] } }]
save = ["bgeo"]
"#;

/// Contract: a deep tank with a narrow band gives as many particles as without one, to a hundredth, although it has
/// few itself; the report tells those in the band and the cells of the core. A run that is cancelled and continued
/// writes the same bytes.
#[test]
fn a_narrow_band_is_not_seen_from_outside() {
    let [whole, interrupted] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    run_text(whole.path(), DEEP_TANK, None);
    let report = std::fs::read_to_string(whole.path().join("out/splash/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let [particles, band, core] =
        ["particles", "particles in band", "core cells"].map(|name| metric(&report, name));
    assert!(particles.len() == 5 && band.len() == 5 && core.len() == 5);
    assert!((particles[4] / particles[0] - 1.0).abs() < 0.01, "{particles:?}");
    assert!(band[0] == particles[0] && band[4] < 0.5 * particles[4], "{band:?}");
    assert_eq!(band[4] + 8.0 * core[4], particles[4]);
    assert!(matches!(run_text(interrupted.path(), DEEP_TANK, Some(3)), RunOutcome::Cancelled));
    run_text(interrupted.path(), DEEP_TANK, None);
    assert!(saved(interrupted.path()) == saved(whole.path()), "other bytes after continuing");
}

/// Contract: liquid makes way for a solid that starts in it and for earlier fills, and notes say
/// which fill lost how many particles.
#[test]
fn what_is_left_out_is_told() {
    let again = "{ box = { min = [0, 0, 0], max = [0.3, 0.2, 0.4] } },\n]\nemitters";
    for kind in KINDS {
        let (_folder, report) = report(kind, "]\nemitters", again);
        let notes = report["stages"][0]["frames"][0]["notes"].to_string();
        assert!(!notes.contains("fill 1") && notes.matches("fill 3 (box)").count() == 2, "{notes}");
        assert!(notes.contains("inside a solid") && notes.contains("earlier fill"), "{notes}");
    }
}

/// Contract: with `keep = "visible"` the particles deep in the liquid are left out of the files;
/// what is simulated stays the same.
#[test]
fn only_visible_particles_can_be_kept() {
    let (_all_folder, all) = report("sph", "spacing = 0.05", "spacing = 0.02");
    let (folder, visible) = report("sph", "spacing = 0.05", "spacing = 0.02\nkeep = \"visible\"");
    assert_eq!(metric(&all, "particles"), metric(&visible, "particles"));
    let file = folder.path().join("out/splash/water/water.0001.bgeo");
    let saved = whitecap_io::read_particles(file).unwrap().len() as f64;
    let count = metric(&all, "particles")[0];
    assert!(saved > 0.0 && saved < count, "{saved} of {count}");
}

/// Contract: everything that can be known to be wrong with sources, solids and walls before the run
/// is reported at its own line, with what would be right.
#[test]
fn bad_scenes_are_told_at_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    write_meshes(folder.path());
    let source = include_str!("mistakes/scene.toml");
    std::fs::write(folder.path().join("scene.toml"), source).unwrap();
    let mistakes = Shot::parse(source, &folder.path().join("scene.toml"), &Registry::standard());
    let text = mistakes.err().unwrap().to_string();
    let text = text.replace(&format!("{}/", folder.path().display()), "");
    insta::assert_snapshot!(text);
}

/// Contract: a shot without liquid says what is missing before the run; one whose fills are all
/// left out says so when it starts.
#[test]
fn a_shot_without_liquid_says_what_is_missing() {
    for kind in KINDS {
        let text = &of_kind(
            "[shot]\nname = \"dry\"\nframes = [1, 2]\n\n[water]\nkind = \"sph\"\nspacing = 0.1\nspacng = 1\n",
            kind,
        );
        let told = |text: &str| {
            Shot::parse(text, Path::new("dry.toml"), &Registry::standard())
                .err()
                .unwrap()
                .to_string()
        };
        assert!(told(text).contains("spacng") && told(text).contains("spacing"));
        assert!(told(&text.replace("spacng = 1\n", "")).contains("there is no liquid"));
        let folder = tempfile::tempdir().unwrap();
        let drowned = "fill = [{ sphere = { center = [0, 0, 0], radius = 0.3 } }]\nobstacles = [{ min = [-1, -1, -1], max = [1, 1, 1] }]\n";
        let text = text.replace("spacng = 1\n", drowned);
        let shot = Shot::parse(&text, &folder.path().join("dry.toml"), &Registry::standard());
        let shot = shot.unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let outcome = run(&shot, &RunOptions::new(&|_: &Event<'_>| {}, &CancelToken::new()));
        let told = outcome.err().unwrap().to_string();
        assert!(told.contains("fill 1 (sphere)") && told.contains("inside a solid"), "{told}");
    }
}

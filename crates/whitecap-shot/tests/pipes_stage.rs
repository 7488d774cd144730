//! Contract: shallow liquid works in a shot like any other stage: on a mesh, a height field or a plane; a run
//! that is cancelled between frames and continued writes the bytes of a run that was not; the volume is
//! accounted for; what is wrong is reported at its line.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_io::image::{Image, PngDepth, srgb_to_linear, write_png};
use whitecap_shot::stages::live_pipes;
use whitecap_shot::{CancelToken, Event, Registry, RunOptions, RunOutcome, Shot, run};

/// A table over a floor: liquid is poured on the table and falls over its edge as drops.
const SHOT: &str = r#"
[shot]
name = "spill"
frames = [1, 8]
fps = 60

[blood]
kind = "pipes"
terrain = { mesh = "table.ply", ground = 0 }
area = { min = [-0.03, -0.02], max = [0.03, 0.02] }
cell = 0.001
viscosity = 4e-6
falling-drops = true
contact-angle = 40
eye = [0, 0.1, 0.1]
fill = [
    { level = { height = 0.002 } },
    { sphere = { center = [0, 0.012, 0], radius = 0.008 } },
]
sources = [{ position = [0, 0.02, 0], radius = 0.003, rate = 1e-6 }]
drains = [{ position = [0.02, 0, 0], radius = 0.002, rate = 1e-7 }]
save = ["ply"]
"#;

/// A folder with the table of the shot.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let table = TriMesh::cuboid(Vec3::new(-0.01, 0.008, -0.01), Vec3::new(0.01, 0.01, 0.01));
    whitecap_io::write_mesh(folder.path().join("table.ply"), &table).unwrap();
    folder
}

fn shot(folder: &Path, text: &str) -> Shot {
    Shot::parse(text, &folder.join("spill.toml"), &Registry::standard())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn run_in(folder: &Path, cancel_after: Option<i64>) -> RunOutcome {
    run_text(folder, SHOT, cancel_after)
}

fn run_text(folder: &Path, text: &str, cancel_after: Option<i64>) -> RunOutcome {
    let cancel = CancelToken::new();
    let observer = |event: &Event<'_>| {
        if let Event::FrameDone { frame, .. } = event
            && Some(*frame) == cancel_after
        {
            cancel.cancel();
        }
    };
    run(&shot(folder, text), &RunOptions::new(&observer, &cancel)).unwrap().outcome
}

fn saved(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder.join("out/spill/blood"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ply"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn a_cancelled_run_continues_with_the_same_bytes() {
    let whole = folder();
    run_in(whole.path(), None);
    let expected = saved(whole.path());
    assert_eq!(expected.len(), 8);
    let interrupted = folder();
    assert!(matches!(run_in(interrupted.path(), Some(4)), RunOutcome::Cancelled));
    assert!(saved(interrupted.path()).len() < 8, "the run must have been interrupted");
    run_in(interrupted.path(), None);
    assert!(saved(interrupted.path()) == expected, "other bytes after continuing");
}

/// The values of a metric in all frames that have it.
fn metric(report: &Value, name: &str) -> Vec<f64> {
    let frames = report["stages"][0]["frames"].as_array().unwrap();
    let metrics = frames.iter().flat_map(|frame| frame["metrics"].as_array().unwrap());
    let named = metrics.filter(|metric| metric["name"] == name);
    named.map(|metric| metric["value"].as_f64().unwrap()).collect()
}

/// The report of a run.
fn report(folder: &Path, text: &str) -> Value {
    let options = (CancelToken::new(), |_: &Event<'_>| {});
    let summary = run(&shot(folder, text), &RunOptions::new(&options.1, &options.0)).unwrap();
    serde_json::from_str(&std::fs::read_to_string(summary.report_json.unwrap()).unwrap()).unwrap()
}

/// Contract: each frame reports the volume, what was added and removed, and that nothing is
/// missing; the mesh has normals and opacity; liquid that falls from the table is in the air as
/// drops.
#[test]
fn frames_tell_where_the_volume_is() {
    let folder = folder();
    let report = report(folder.path(), SHOT);
    let [volume, poured, drained] =
        ["volume", "poured", "drained"].map(|name| metric(&report, name));
    // Level over the floor, and the ball as far as it is not in the table.
    assert!((volume[0] - 0.002 * 0.06 * 0.04).abs() < 2.2e-6, "{volume:?}");
    let seconds = 7.0 / 60.0;
    assert!((poured[7] - poured[0] - 1e-6 * seconds).abs() < 1e-12, "{poured:?}");
    assert!((drained[7] - 1e-7 * seconds).abs() < 1e-12, "{drained:?}");
    for frame in 0..8 {
        let missing = volume[frame] - (poured[frame] - drained[frame]);
        assert!(missing.abs() < 1e-6 * poured[frame], "frame {frame}");
    }
    assert!(metric(&report, "error of the volume").iter().all(|&error| error < 1e-6));
    assert!(metric(&report, "drops").iter().any(|&count| count > 0.0));
    let times = report["stages"][0]["frames"][7]["times"].as_array().unwrap();
    let times: Vec<&str> = times.iter().map(|time| time["name"].as_str().unwrap()).collect();
    assert_eq!(times, ["simulation", "surface", "meniscus"]);
    let mesh = folder.path().join("out/spill/blood/blood.0008.ply");
    let mesh = whitecap_io::read_mesh(mesh).unwrap();
    assert!(mesh.attribute("normal").is_some() && mesh.attribute("opacity").is_some());
}

/// Contract: a manifest holds no times: two runs of the same shot have the same manifest, to the byte.
#[test]
fn manifests_repeat() {
    let manifest = || {
        let folder = folder();
        run_in(folder.path(), None);
        std::fs::read_to_string(folder.path().join("out/spill/blood/manifest.json")).unwrap()
    };
    let first = manifest();
    assert!(first.contains("wet columns") && !first.contains("simulation"), "{first}");
    assert_eq!(first, manifest());
}

/// Contract: drops can be saved beside the liquid, and are those that a stage of its own gives; the liquid
/// is simulated once. A frame whose drops are gone is made again.
#[test]
fn drops_beside_the_liquid() {
    let drops = |folder: &Path, name: &str| {
        std::fs::read(folder.join(format!("out/spill/blood/{name}.0008.bgeo"))).unwrap()
    };
    let alone = folder();
    report(alone.path(), &SHOT.replace(r#"save = ["ply"]"#, "give = \"drops\"\nsave = [\"bgeo\"]"));
    let beside = folder();
    let text = SHOT.replace(r#"save = ["ply"]"#, r#"save = ["ply", "drops.bgeo"]"#);
    run_text(beside.path(), &text, None);
    let expected = drops(alone.path(), "blood");
    assert!(drops(beside.path(), "blood.drops") == expected, "other drops");
    assert_eq!(saved(beside.path()).len(), 8);
    std::fs::remove_file(beside.path().join("out/spill/blood/blood.drops.0008.bgeo")).unwrap();
    run_text(beside.path(), &text, None);
    assert!(drops(beside.path(), "blood.drops") == expected, "other drops after making them again");
    let wrong = SHOT.replace(r#"save = ["ply"]"#, r#"save = ["drops.ply", "rain.bgeo"]"#);
    let path = beside.path().join("spill.toml");
    let told = Shot::parse(&wrong, &path, &Registry::standard()).err().unwrap().to_string();
    assert!(told.contains("rain.bgeo") && !told.contains("\"drops.ply\" is"), "{told}");
}

/// Contract: the same stage gives its terrain, or its drops.
#[test]
fn terrain_and_drops_are_given() {
    let folder = folder();
    let named = |give: &str| SHOT.replace("save =", &format!("give = \"{give}\"\nsave ="));
    report(folder.path(), &named("terrain"));
    let file = folder.path().join("out/spill/blood/blood.0008.ply");
    let terrain = whitecap_io::read_mesh(&file).unwrap();
    assert_eq!(terrain.triangles().len(), 12 + 2, "the table and the ground");
    report(folder.path(), &named("drops"));
    let drops = whitecap_io::read_particles(&file).unwrap();
    assert!(!drops.is_empty() && drops.attribute("radius").is_some());
}

/// Contract: a height field has the heights of its grey values, a plane those of its slope; the liquid
/// for a live view is that of the first frame.
#[test]
fn height_fields_and_planes_are_terrain() {
    let folder = folder();
    // Dark on the left, bright on the right.
    let grey = |column: usize| [srgb_to_linear(column as f32 / 255.0); 3];
    let pixel = |i: usize| {
        let [red, green, blue] = grey(i % 16 * 17);
        [red, green, blue, 1.0]
    };
    let picture = Image::from_pixels(16, 8, false, (0..128).map(pixel).collect()).unwrap();
    write_png(folder.path().join("ramp.png"), &picture, PngDepth::Eight).unwrap();
    let terrain = "terrain = { mesh = \"table.ply\", ground = 0 }\narea = { min = [-0.03, -0.02], max = [0.03, 0.02] }\n";
    // The drain of the shot would be outside these terrains.
    let drain = "drains = [{ position = [0.02, 0, 0], radius = 0.002, rate = 1e-7 }]\n";
    assert!(SHOT.contains(drain));
    let with = |other: &str| shot(folder.path(), &SHOT.replace(terrain, other).replace(drain, ""));
    let ramp = with("terrain = { heightfield = \"ramp.png\", low = 0.001, high = 0.016 }\n");
    let scene = live_pipes(&ramp, Some("blood")).unwrap();
    let columns = scene.pipes.columns();
    assert_eq!((columns.grid().width(), columns.grid().length()), (16, 8));
    for x in 0..16 {
        let floor = columns.floor()[columns.of_cell(x, 3).start];
        assert!((floor - 0.001 * (1.0 + x as f32)).abs() < 1e-6, "{x}: {floor}");
    }
    let plane = with(
        "terrain = { height = 0.01, slope = [0.5, -0.25] }\narea = { min = [0, 0], max = [0.01, 0.02] }\n",
    );
    let scene = live_pipes(&plane, None).unwrap();
    let columns = scene.pipes.columns();
    assert_eq!((columns.grid().width(), columns.grid().length()), (10, 20));
    let floor = columns.floor()[columns.of_cell(2, 4).start];
    assert!((floor - (0.01 + 0.5 * 0.0025 - 0.25 * 0.0045)).abs() < 1e-7, "{floor}");
    let error = live_pipes(&plane, Some("water")).unwrap_err().to_string();
    assert!(error.contains("no stage `water`"), "{error}");
}

/// Contract: settings that cannot be used are reported at their line, with what would be right.
#[test]
fn impossible_scenes_are_told() {
    const TABLE: &str = "terrain = { mesh = \"table.ply\", ground = 0 }\n";
    const AREA: &str = "area = { min = [-0.03, -0.02], max = [0.03, 0.02] }\n";
    let folder = folder();
    let level = "level = { height = 0.002 }";
    let flat = "box = { min = [0, 0, 0], max = [1, 0, 1] }";
    let elsewhere = "area = { min = [0.02, 0.02], max = [0.03, 0.03] }\n";
    let vast = "area = { min = [-1, -1], max = [1, 1] }\n";
    let both = "terrain = { mesh = \"table.ply\", heightfield = \"a.png\" }\n";
    for (changes, expected) in [
        (vec![("table.ply", "chair.ply")], "there is no terrain file"),
        (vec![("table.ply", "spill.toml")], "spill.toml"),
        (vec![(TABLE, both)], "both a mesh and a height field"),
        (vec![("ground = 0", "first = 3")], "but this is one file"),
        (vec![("table.ply", "table.####.ply")], "there are no such files"),
        (vec![(TABLE, ""), (AREA, "")], "no bounds of its own"),
        (vec![(", ground = 0", ""), (AREA, elsewhere)], "covers no cell"),
        (vec![("max = [0.03, 0.02]", "max = [0.03, -0.02]")], "empty along z"),
        (vec![("cell = 0.001", "cell = 1e-5"), (AREA, vast)], "cells, but must"),
        (vec![("contact-angle = 40", "contact-angle = 400")], "contact-angle"),
        (vec![(level, flat)], "empty along y"),
    ] {
        let mut text = String::from(SHOT);
        for (old, new) in &changes {
            assert!(text.contains(old), "{old}");
            text = text.replace(old, new);
        }
        let path = folder.path().join("spill.toml");
        std::fs::write(&path, &text).unwrap();
        let told = Shot::load(&path, &Registry::standard()).err().map(|error| error.to_string());
        let told = told.unwrap_or_else(|| panic!("{changes:?} was accepted"));
        assert!(told.contains(expected), "{changes:?}: {told}");
    }
}

/// Contract: a lake around a tower stays flat: the tower's edges, high above it, do not pull its
/// surface up along the walls.
#[test]
fn walls_do_not_draw_curtains() {
    let folder = folder();
    // Two parts, so that edges have a vertex in line with a row of columns, which could be pulled
    // up to it.
    let [left, right] = [(-0.0102, 0.0005), (0.0005, 0.0102)].map(|(low, high)| {
        TriMesh::cuboid(Vec3::new(low, -0.001, -0.0102), Vec3::new(high, 0.03, 0.0102))
    });
    let tower = TriMesh::joined([&left, &right]);
    whitecap_io::write_mesh(folder.path().join("table.ply"), &tower).unwrap();
    let sources = SHOT.lines().find(|line| line.starts_with("sources")).unwrap();
    let ball = "    { sphere = { center = [0, 0.012, 0], radius = 0.008 } },\n";
    let text = SHOT.replace(sources, "").replace(ball, "").replace("[1, 8]", "[1, 1]");
    report(folder.path(), &text);
    let mesh = folder.path().join("out/spill/blood/blood.0001.ply");
    let mesh = whitecap_io::read_mesh(mesh).unwrap();
    let highest = mesh.positions().iter().map(|vertex| vertex.y).fold(0.0, f32::max);
    assert!(mesh.triangles().len() > 1000 && highest < 0.0021, "{highest}");
}

/// The shot with a table that sinks by a millimetre a frame, down to the ground.
fn sinking_table(folder: &Path) -> String {
    for frame in 1..=8 {
        let sunk = 0.001 * (frame as f32 - 1.0);
        let (low, high) = (Vec3::new(-0.01, 0.008, -0.01), Vec3::new(0.01, 0.01, 0.01));
        let table = TriMesh::cuboid(low - sunk * Vec3::Y, high - sunk * Vec3::Y);
        whitecap_io::write_mesh(folder.join(format!("table.{frame:04}.ply")), &table).unwrap();
    }
    SHOT.replace("table.ply", "table.####.ply")
}

/// Contract: a terrain with a file for every frame moves, and the liquid with it: none is lost, what lies on
/// the table sinks with it, the terrain that is given is that of the frame. A run that is cancelled and
/// continued writes the same bytes. A missing file is reported before the run.
#[test]
fn a_terrain_of_many_files_moves() {
    let [whole, interrupted] = [(); 2].map(|()| folder());
    let text = sinking_table(whole.path());
    let report = report(whole.path(), &text);
    assert!(metric(&report, "error of the volume").iter().all(|&error| error < 1e-6));
    let expected = saved(whole.path());
    let above_table = |frame: u32| {
        let mesh = whole.path().join(format!("out/spill/blood/blood.{frame:04}.ply"));
        let mesh = whitecap_io::read_mesh(mesh).unwrap();
        let middle = mesh.positions().iter().filter(|at| at.x.abs().max(at.z.abs()) < 0.002);
        middle.map(|vertex| vertex.y).fold(0.0, f32::max)
    };
    assert!(above_table(1) > 0.012 && above_table(8) < 0.008);

    let text = sinking_table(interrupted.path());
    assert!(matches!(run_text(interrupted.path(), &text, Some(4)), RunOutcome::Cancelled));
    run_text(interrupted.path(), &text, None);
    assert!(saved(interrupted.path()) == expected, "other bytes after continuing");

    let given = text.replace("save =", "give = \"terrain\"\nsave =");
    run_text(interrupted.path(), &given, None);
    let table = interrupted.path().join("out/spill/blood/blood.0004.ply");
    let highest = whitecap_io::read_mesh(table).unwrap();
    let highest = highest.positions().iter().map(|vertex| vertex.y).fold(0.0, f32::max);
    assert!((highest - 0.007).abs() < 1e-6, "{highest}");

    std::fs::remove_file(interrupted.path().join("table.0006.ply")).unwrap();
    let path = interrupted.path().join("spill.toml");
    std::fs::write(&path, &text).unwrap();
    let told = Shot::load(&path, &Registry::standard()).err().unwrap().to_string();
    assert!(told.contains("file 6 is missing"), "{told}");
}

/// Contract: a live view gets a moving terrain at the frame rate of the shot, stays at the last
/// frame, and gets an error when a file can no longer be read.
#[test]
fn a_live_view_gets_a_moving_terrain() {
    let folder = folder();
    let text = sinking_table(folder.path());
    let moving = live_pipes(&shot(folder.path(), &text), None).unwrap().motion.unwrap();
    let frames = [0.0, 0.9, 1.0, 6.5, 7.0, 1e30].map(|frames| moving.frame_at(frames / 60.0));
    assert_eq!(frames, [1, 1, 2, 7, 8, 8]);
    let mesh = moving.at(4).unwrap().mesh;
    let highest = mesh.positions().iter().map(|vertex| vertex.y).fold(0.0, f32::max);
    assert!((highest - 0.007).abs() < 1e-6, "{highest}");
    std::fs::write(folder.path().join("table.0005.ply"), "ply\nbut not really").unwrap();
    let told = moving.at(5).unwrap_err();
    assert!(told.contains("table.0005.ply"), "{told}");
}

/// Contract: a terrain moved by keys carries its liquid as the same terrain from files does; keys for a
/// plane are refused at their place.
#[test]
fn keys_move_a_terrain() {
    let by_files = folder();
    let text = sinking_table(by_files.path());
    run_text(by_files.path(), &text, None);
    let by_keys = folder();
    let first = whitecap_io::read_mesh(by_files.path().join("table.0001.ply")).unwrap();
    whitecap_io::write_mesh(by_keys.path().join("table.0001.ply"), &first).unwrap();
    let last = whitecap_io::read_mesh(by_files.path().join("table.0008.ply")).unwrap();
    let sunk = last.positions()[0] - first.positions()[0];
    let time = 7.0 / 60.0;
    let keys = format!(
        "mesh = \"table.0001.ply\", keys = [{{}}, {{ time = {time}, position = {:?} }}]",
        sunk.to_array()
    );
    let moved = text.replace("mesh = \"table.####.ply\"", &keys);
    assert_ne!(moved, text);
    run_text(by_keys.path(), &moved, None);
    let height = |folder: &Path| {
        let mesh = whitecap_io::read_mesh(folder.join("out/spill/blood/blood.0008.ply")).unwrap();
        mesh.positions().iter().map(|position| position.y).fold(0.0, f32::max)
    };
    let (files, keys) = (height(by_files.path()), height(by_keys.path()));
    assert!((files - keys).abs() < 1e-4, "{files} and {keys}");
    let plane = text.replace("mesh = \"table.####.ply\"", "keys = [{ time = 1 }]");
    let told = Shot::parse(&plane, Path::new("spill.toml"), &Registry::standard());
    let told = told.err().unwrap().to_string();
    assert!(told.contains("only a terrain that is one mesh"), "{told}");
}

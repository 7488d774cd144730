//! Contract: tracking works in a shot like any other stage: on a live liquid with a mesh from a file; its
//! meshes are closed; a run that is cancelled between frames and continued writes the bytes of a run that was
//! not; what is wrong is reported in a sentence.

use std::collections::BTreeMap;
use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh, Unwatched};
use whitecap_shot::{
    CancelToken, Event, FrameData, Inputs, Registry, RunOptions, RunOutcome, Shot, ShotContext,
    Stage, StepContext, run,
};
use whitecap_surface::{SurfaceSettings, surface_particles};

/// A bumpy ball of syrup falls on the floor.
const SHOT: &str = r#"
[shot]
name = "ball"
frames = [1, 6]
fps = 24

[syrup]
kind = "sph"
spacing = 0.025
viscosity = 1000
domain = { min = [-0.5, 0, -0.5], max = [0.5, 1, 0.5] }
fill = [{ mesh = { path = "ball.ply", velocity = [0, -1, 0] } }]

[ball]
kind = "cache"
content = "mesh"
path = "ball.ply"

[tracked]
kind = "track"
particles = "syrup"
mesh = "ball"
save = ["ply"]
"#;

/// A ball with bumps, at (0, 0.3, 0) and 0.2 m in radius.
fn bumpy_ball() -> TriMesh {
    let (rows, columns) = (24u32, 48u32);
    let mut positions = vec![Vec3::new(0.0, 0.1, 0.0), Vec3::new(0.0, 0.5, 0.0)];
    for row in 1..rows {
        for column in 0..columns {
            let latitude = std::f32::consts::PI * row as f32 / rows as f32;
            let longitude = std::f32::consts::TAU * column as f32 / columns as f32;
            let radius = 0.2 + 0.01 * (6.0 * longitude).sin() * latitude.sin().powi(3);
            let ring = radius * latitude.sin();
            let place = Vec3::new(
                ring * longitude.cos(),
                -radius * latitude.cos(),
                -ring * longitude.sin(),
            );
            positions.push(place + Vec3::new(0.0, 0.3, 0.0));
        }
    }
    let vertex = |row: u32, column: u32| 2 + (row - 1) * columns + column % columns;
    let mut triangles = Vec::new();
    for column in 0..columns {
        triangles.push([0, vertex(1, column + 1), vertex(1, column)]);
        triangles.push([1, vertex(rows - 1, column), vertex(rows - 1, column + 1)]);
        for row in 1..rows - 1 {
            let [a, b] = [vertex(row, column), vertex(row, column + 1)];
            let [c, d] = [vertex(row + 1, column), vertex(row + 1, column + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

fn run_in(folder: &Path, cancel_after: Option<i64>) -> RunOutcome {
    let shot = Shot::parse(SHOT, &folder.join("ball.toml"), &Registry::standard())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let cancel = CancelToken::new();
    let observer = |event: &Event<'_>| {
        if let Event::FrameDone { frame, stage, .. } = event
            && Some(*frame) == cancel_after
            && *stage == "tracked"
        {
            cancel.cancel();
        }
    };
    run(&shot, &RunOptions::new(&observer, &cancel)).unwrap().outcome
}

/// Every mesh that was saved, by its name.
fn saved(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder.join("out/ball/tracked")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let meshes = paths.filter(|path| path.extension().is_some_and(|extension| extension == "ply"));
    let named = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    };
    meshes.map(named).collect()
}

fn folder_with(mesh: &TriMesh) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    whitecap_io::write_mesh(folder.path().join("ball.ply"), mesh).unwrap();
    folder
}

#[test]
fn a_cancelled_run_continues_with_the_same_bytes() {
    let whole = folder_with(&bumpy_ball());
    run_in(whole.path(), None);
    let expected = saved(whole.path());
    assert_eq!(expected.len(), 6);
    for name in expected.keys() {
        let mesh =
            whitecap_io::read_mesh(whole.path().join("out/ball/tracked").join(name)).unwrap();
        let report = whitecap_surface::report(&mesh);
        assert_eq!((report.open_edges, report.components), (0, 1), "{name}");
        assert!((report.volume - 0.0335).abs() < 0.003, "{name}: {} m³", report.volume);
        assert!(mesh.attribute("velocity").is_some());
    }
    let interrupted = folder_with(&bumpy_ball());
    assert!(matches!(run_in(interrupted.path(), Some(3)), RunOutcome::Cancelled));
    assert!(saved(interrupted.path()).len() < 6, "the run must have been interrupted");
    run_in(interrupted.path(), None);
    assert!(saved(interrupted.path()) == expected, "other bytes after continuing");
}

/// Contract: a viscous ball with bumps that falls and spreads keeps the volume of its particles, their number
/// times the cube of their spacing, to two per cent in every frame, and the metrics say so.
#[test]
fn a_ball_that_spreads_keeps_its_volume() {
    let folder = folder_with(&bumpy_ball());
    let text = SHOT
        .replace("[1, 6]", "[1, 10]")
        .replace("viscosity = 1000", "viscosity = 30")
        .replace("-1, 0] } }]", "-2, 0] } }]");
    let shot = Shot::parse(&text, &folder.path().join("ball.toml"), &Registry::standard())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    run(&shot, &RunOptions::new(&|_: &Event<'_>| (), &CancelToken::new())).unwrap();
    let metric = |stage: &str, frame: u32, name: &str| {
        let record = folder.path().join(format!("out/ball/{stage}/.frames/{frame:04}.json"));
        let record: serde_json::Value =
            serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
        let found = record["metrics"].as_array().unwrap().iter().find(|m| m["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}"))["value"].as_f64().unwrap()
    };
    let saved = saved(folder.path());
    assert_eq!(saved.len(), 10);
    for (number, name) in (1..).zip(saved.keys()) {
        let mesh =
            whitecap_io::read_mesh(folder.path().join("out/ball/tracked").join(name)).unwrap();
        let volume = whitecap_surface::report(&mesh).volume;
        let expected = metric("syrup", number, "particles") * 0.025f64.powi(3);
        let off = volume / expected - 1.0;
        assert!(off.abs() < 0.02, "{name}: {volume} m³, off by {:.2} %", 100.0 * off);
        assert!(metric("tracked", number, "volume error") < 0.02);
        assert!((metric("tracked", number, "volume") / volume - 1.0).abs() < 1e-4);
    }
}

/// Contract: a mesh with a hole stops the run with a sentence that says how to close it.
#[test]
fn an_open_mesh_is_told() {
    let ball = bumpy_ball();
    let mut triangles = ball.triangles().to_vec();
    triangles.truncate(triangles.len() - 3);
    let folder = folder_with(&TriMesh::new(ball.positions().to_vec(), triangles).unwrap());
    // The liquid cannot be filled from an open mesh either, so the particles come from the whole one.
    whitecap_io::write_mesh(folder.path().join("whole.ply"), &ball).unwrap();
    let text = SHOT.replace(r#"mesh = { path = "ball.ply""#, r#"mesh = { path = "whole.ply""#);
    let shot = Shot::parse(&text, &folder.path().join("b.toml"), &Registry::standard()).unwrap();
    let (cancel, observer) = (CancelToken::new(), |_: &Event<'_>| {});
    let error = run(&shot, &RunOptions::new(&observer, &cancel)).unwrap_err().to_string();
    assert!(error.contains("the mesh is open") && error.contains("close"), "{error}");
    let closed = text.replace("mesh = \"ball\"\n", "mesh = \"ball\"\nclose = true\n");
    let shot = Shot::parse(&closed, &folder.path().join("b.toml"), &Registry::standard()).unwrap();
    run(&shot, &RunOptions::new(&observer, &cancel)).unwrap();
    assert_eq!(saved(folder.path()).len(), 6);
}

/// The particles of a block that moves along x, with ids or without.
fn moved_block(frame: u32, with_ids: bool) -> Particles {
    let place = |i: u32| {
        let cell = Vec3::new((i % 8) as f32, (i / 64) as f32, (i / 8 % 8) as f32);
        0.05 * cell + Vec3::X * 0.01 * frame as f32
    };
    let mut particles = Particles::new((0..512).map(place).collect());
    if with_ids {
        particles.set_attribute("id", Column::I32((0..512).collect())).unwrap();
    }
    particles
}

fn block_mesh() -> TriMesh {
    let settings = SurfaceSettings { radius: Some(0.025), ..SurfaceSettings::default() };
    surface_particles(&moved_block(0, true), &settings, &Unwatched).unwrap().mesh
}

/// Contract: a frame that fails, here because of a particle without a finite position, changes
/// nothing: the frame that comes instead is that of a run without the failure. A saved state
/// continues the same way; one that was cut short is refused. Particles without ids are noted.
#[test]
fn a_frame_that_fails_changes_nothing() {
    let mesh = FrameData::from(block_mesh());
    let registry = Registry::standard();
    let shot =
        ShotContext { folder: "".into(), first: 0, last: 9, left_out: vec![], fps: 24.0, seed: 0 };
    let track = registry.get("track").unwrap().check(serde_json::json!({}), &shot).ok().unwrap();
    let step = |run: &mut Box<dyn Stage>, particles: Particles| {
        let inputs = vec![("particles", particles.into()), ("mesh", mesh.clone())];
        let (frame, watch, beside) = (shot.time_of(0), &Unwatched, &[]);
        let context = StepContext { frame, seed: 0, watch, beside, preview: None };
        run.step(&context, &Inputs::new(inputs))
    };
    let [mut whole, mut failing] = [track.start().unwrap(), track.start().unwrap()];
    for run in [&mut whole, &mut failing] {
        for frame in 0..3 {
            step(run, moved_block(frame, true)).unwrap();
        }
    }
    let mut nowhere = moved_block(9, true);
    nowhere.positions_mut()[7] = Vec3::NAN;
    let error = step(&mut failing, nowhere).unwrap_err().to_string();
    assert!(error.contains('7'), "{error}");
    let saved = failing.save();
    assert!(saved == whole.save(), "the failure left a trace");
    let expected = step(&mut whole, moved_block(3, true)).unwrap();
    assert!(expected.notes.is_empty(), "{:?}", expected.notes);
    let mut resumed = track.restore(&saved).unwrap();
    for run in [&mut failing, &mut resumed] {
        let found = step(run, moved_block(3, true)).unwrap();
        assert_eq!(found.data, expected.data);
    }
    for length in [1, 8, 100, saved.len() - 1] {
        let error = track.restore(&saved[..length]).err().unwrap().to_string();
        assert!(error.contains("saved state"), "{error}");
    }
    let mut nameless = track.start().unwrap();
    step(&mut nameless, moved_block(0, false)).unwrap();
    let told = step(&mut nameless, moved_block(1, false)).unwrap().notes;
    assert!(told.len() == 1 && told[0].contains("no `id`"), "{told:?}");
}

/// Contract: a mesh in millimetres is refused for its units before `close` builds cells all over it.
#[test]
fn a_mesh_in_millimetres_is_refused_before_it_is_closed() {
    let mut mesh = block_mesh();
    for position in mesh.positions_mut() {
        *position *= 1000.0;
    }
    let shot =
        ShotContext { folder: "".into(), first: 0, last: 9, left_out: vec![], fps: 24.0, seed: 0 };
    let settings = serde_json::json!({ "close": true });
    let track = Registry::standard().get("track").unwrap().check(settings, &shot).ok().unwrap();
    let inputs = vec![("particles", moved_block(0, true).into()), ("mesh", mesh.into())];
    let (frame, watch, beside) = (shot.time_of(0), &Unwatched, &[]);
    let context = StepContext { frame, seed: 0, watch, beside, preview: None };
    let error = track.start().unwrap().step(&context, &Inputs::new(inputs)).unwrap_err();
    assert!(error.to_string().contains("--scale 0.001"), "{error}");
}

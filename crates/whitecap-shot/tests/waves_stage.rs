//! Contract: waves work in a shot like any other stage: on a live liquid and on a cache, as mesh
//! and as points; a run that is cancelled between frames and continued writes the bytes of a run
//! that was not; what is wrong is reported in a sentence, what was assumed in a note.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh};
use whitecap_shot::{CancelToken, Event, Registry, RunOptions, RunOutcome, Shot, run};

/// A drop falls into a pool; waves as a mesh, as points, and as a mesh moved by those points.
const SHOT: &str = r#"
[shot]
name = "rings"
frames = [1, 6]
fps = 24

[water]
kind = "sph"
spacing = 0.05
domain = { min = [0, 0, 0], max = [0.8, 0.8, 0.6] }
fill = [
    { box = { min = [0, 0, 0], max = [0.8, 0.2, 0.6] } },
    { sphere = { center = [0.4, 0.33, 0.3], radius = 0.1, velocity = [0, -3, 0] } },
]

[detail]
kind = "waves"
particles = "water"
domain = { min = [0, 0, 0], max = [0.8, 0.8, 0.6] }
coarse = 0.1
fine = 0.04
save = ["ply"]

[points]
kind = "waves"
particles = "water"
give = "points"
coarse = 0.1
fine = 0.04
save = ["bgeo"]

[coarse]
kind = "surface"
particles = "water"
cell = 0.03

[moved]
kind = "displace"
surface = "coarse"
points = "points"
save = ["ply"]
"#;

fn loaded(text: &str, folder: &Path) -> Shot {
    Shot::parse(text, &folder.join("rings.toml"), &Registry::standard())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn run_in(folder: &Path, cancel_after: Option<i64>) -> RunOutcome {
    let cancel = CancelToken::new();
    let observer = |event: &Event<'_>| {
        if let Event::FrameDone { frame, stage, .. } = event
            && Some(*frame) == cancel_after
            && *stage == "points"
        {
            cancel.cancel();
        }
    };
    run(&loaded(SHOT, folder), &RunOptions::new(&observer, &cancel)).unwrap().outcome
}

/// Every frame that was saved, by its path.
fn saved(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for stage in ["detail", "points", "moved"] {
        let Ok(entries) = std::fs::read_dir(folder.join("out/rings").join(stage)) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "ply" || extension == "bgeo") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                files.insert(format!("{stage}/{name}"), std::fs::read(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_cancelled_run_continues_with_the_same_bytes() {
    let whole = tempfile::tempdir().unwrap();
    run_in(whole.path(), None);
    let expected = saved(whole.path());
    assert_eq!(expected.len(), 18);
    let interrupted = tempfile::tempdir().unwrap();
    assert!(matches!(run_in(interrupted.path(), Some(3)), RunOutcome::Cancelled));
    assert!(saved(interrupted.path()).len() < 18, "the run must have been interrupted");
    run_in(interrupted.path(), None);
    assert!(saved(interrupted.path()) == expected, "other bytes after continuing");
}

/// Names the folder of the run that [`a_killed_run_continues_from_its_checkpoint`] kills.
const KILLED_FOLDER: &str = "WHITECAP_KILLED_FOLDER";

/// Not a test but the run that is killed: it saves the state of the waves after every frame.
#[test]
#[ignore = "it is started by the test that kills it"]
fn run_to_be_killed() {
    let folder = std::env::var_os(KILLED_FOLDER).expect("the folder of the run");
    let (cancel, observer) = (CancelToken::new(), |_: &Event<'_>| {});
    let mut options = RunOptions::new(&observer, &cancel);
    options.checkpoint_interval = Duration::ZERO;
    run(&loaded(SHOT, Path::new(&folder)), &options).unwrap();
}

/// Contract: a run that is killed after it has saved the state of its waves continues from there,
/// and ends with the bytes of an uninterrupted run.
#[test]
fn a_killed_run_continues_from_its_checkpoint() {
    let whole = tempfile::tempdir().unwrap();
    run_in(whole.path(), None);
    let expected = saved(whole.path());

    let killed = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "run_to_be_killed", "--ignored"])
        .env(KILLED_FOLDER, killed.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let state = killed.path().join("out/rings/points/.state/0003.state");
    while !state.is_file() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it ended before it was killed");
    assert!(state.is_file() && saved(killed.path()).len() < 18);

    let again = std::sync::Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        if let Event::FrameDone { frame, stage: "points", .. } = event {
            again.lock().unwrap().push(*frame);
        }
    };
    let cancel = CancelToken::new();
    run(&loaded(SHOT, killed.path()), &RunOptions::new(&observer, &cancel)).unwrap();
    assert!(saved(killed.path()) == expected, "other bytes after continuing");
    let again = again.into_inner().unwrap();
    assert!(again.iter().all(|&frame| frame > 2), "frames {again:?} were made again");
}

/// Contract: the points have every column that was promised, the meshes height, foam, normal and
/// velocity, and there are waves on both by the time the drop is in the pool.
#[test]
fn points_and_meshes_carry_the_waves() {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), None);
    let out = folder.path().join("out/rings");
    let points = whitecap_io::read_particles(out.join("points/points.0006.bgeo")).unwrap();
    for name in ["displacement", "wave-velocity", "curvature", "seed-amplitude", "foam"] {
        assert!(matches!(points.attribute(name), Some(Column::F32(_))), "{name}");
    }
    for name in ["normal", "velocity", "displaced-position"] {
        assert!(matches!(points.attribute(name), Some(Column::Vec3(_))), "{name}");
    }
    assert!(points.ids().is_some());
    let top = |column: Option<&Column>| match column {
        Some(Column::F32(values)) => values.iter().fold(0.0f32, |top, value| top.max(value.abs())),
        _ => panic!("no heights"),
    };
    assert!(top(points.attribute("displacement")) > 1e-3);
    for stage in ["detail", "moved"] {
        let path = out.join(format!("{stage}/{stage}.0006.ply"));
        let mesh = whitecap_io::read_mesh(path).unwrap();
        assert!(top(mesh.attribute("height")) > 1e-3, "{stage}");
        for name in ["normal", "velocity"] {
            assert!(matches!(mesh.attribute(name), Some(Column::Vec3(_))), "{stage}: {name}");
        }
    }
}

/// A block of particles in each of three frames.
fn write_block(folder: &Path, ids: impl Fn(usize) -> Option<i32>) {
    for frame in 1..=3 {
        let fall = Vec3::NEG_Y * 0.01 * frame as f32;
        let place = |i: usize| Vec3::new((i % 5) as f32, (i / 5 % 5) as f32, (i / 25) as f32) * 0.1;
        let mut particles = Particles::new((0..125).map(|i| place(i) + fall).collect());
        if let Some(ids) = (0..125).map(&ids).collect::<Option<Vec<i32>>>() {
            particles.set_attribute("id", Column::I32(ids)).unwrap();
        }
        whitecap_io::write_particles(folder.join(format!("b.{frame}.bgeo")), &particles).unwrap();
    }
}

const CACHED: &str = r##"
[shot]
name = "block"
frames = [1, 3]

[water]
kind = "cache"
path = "b.#.bgeo"

[detail]
kind = "waves"
particles = "water"
give = "points"
"##;

/// The report of a run of the cached block, or why there is none.
fn cached(ids: impl Fn(usize) -> Option<i32>) -> Result<Value, String> {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), ids);
    let options = (|_: &Event<'_>| {}, CancelToken::new());
    let summary = run(&loaded(CACHED, folder.path()), &RunOptions::new(&options.0, &options.1));
    let summary = summary.map_err(|error| error.to_string())?;
    let report = std::fs::read_to_string(summary.report_json.unwrap()).unwrap();
    Ok(serde_json::from_str(&report).unwrap())
}

/// Contract: particles with ids are followed without a note; without ids they are matched with the
/// nearest, and a note says so; ids that are used twice are refused with both particles named.
#[test]
fn ids_are_used_missed_or_refused() {
    let report = cached(|i| Some(i as i32)).unwrap();
    let stages = report["stages"].to_string();
    assert!(!stages.contains("have no ids"), "{stages}");
    let report = cached(|_| None).unwrap();
    let stages = report["stages"].to_string();
    assert!(stages.contains("the particles have no ids"), "{stages}");
    let error = cached(|i| Some(i as i32 / 2)).unwrap_err();
    assert!(error.contains("the same id") && error.contains("frame 1"), "{error}");
}

/// Contract: lengths that do not fit together, an empty domain and a missing frame are reported
/// before anything runs.
#[test]
fn mistakes_are_told_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), |i| Some(i as i32));
    let told = |more: &str, frames: &str| {
        let text = CACHED.replace("[1, 3]", frames) + more;
        let path = folder.path().join("block.toml");
        Shot::parse(&text, &path, &Registry::standard()).err().unwrap().to_string()
    };
    let text = told("coarse = 0.1\nfine = 0.1\n", "[1, 3]");
    assert!(text.contains("fine spacing of 0.1 m does not fit"), "{text}");
    let text = told("domain = { min = [0, 0, 0], max = [1, -1, 1] }\n", "[1, 3]");
    assert!(text.contains("this box is empty along y"), "{text}");
    let text = told("least-curvature = 0.5\n", "[1, 3]");
    assert!(text.contains("`least-curvature` is 0.5"), "{text}");
    let text = told("", "[1, 4]");
    assert!(text.contains("file 4 is missing"), "{text}");
    let looked_for = format!("looked for {}", folder.path().join("b.4.bgeo").display());
    assert!(text.contains(&looked_for), "{text}");
}

/// Contract: a painted mask that the particles do not carry ends the run with a sentence that names
/// the stage, the setting and what the particles have.
#[test]
fn a_mask_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), |i| Some(i as i32));
    let text = CACHED.to_owned() + "paint = \"dirt\"\n";
    let options = (|_: &Event<'_>| {}, CancelToken::new());
    let outcome = run(&loaded(&text, folder.path()), &RunOptions::new(&options.0, &options.1));
    let told = outcome.err().unwrap().to_string();
    assert!(told.contains("detail") && told.contains("`paint = \"dirt\"`"), "{told}");
    assert!(told.contains("they have: id"), "{told}");
}

/// Contract: a mesh cannot be moved by particles that carry no waves.
#[test]
fn only_points_with_waves_move_a_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let text = SHOT.replace("points = \"points\"", "points = \"water\"");
    let options = (|_: &Event<'_>| {}, CancelToken::new());
    let outcome = run(&loaded(&text, folder.path()), &RunOptions::new(&options.0, &options.1));
    let told = outcome.err().unwrap().to_string();
    assert!(told.contains("no column `normal`") && told.contains("give = \"points\""), "{told}");
}

/// Contract: a solid named in the settings throws waves back as the same mesh from another stage does, to
/// the byte; one that is not there is reported at its place.
#[test]
fn solids_are_obstacles() {
    let pillar = TriMesh::cuboid(Vec3::new(0.3, -0.1, 0.2), Vec3::new(0.45, 0.7, 0.35));
    let points = |more: &str| {
        let folder = tempfile::tempdir().unwrap();
        whitecap_io::write_mesh(folder.path().join("pillar.ply"), &pillar).unwrap();
        let (head, _) = SHOT.split_once("[points]").unwrap();
        let text = head.replace("fine = 0.04", &format!("fine = 0.04\n{more}"));
        let pillar = "[pillar]\nkind = \"cache\"\ncontent = \"mesh\"\npath = \"pillar.ply\"\n";
        let shot = loaded(&format!("{text}\n{pillar}"), folder.path());
        let (cancel, observer) = (CancelToken::new(), |_: &Event<'_>| {});
        run(&shot, &RunOptions::new(&observer, &cancel)).unwrap();
        std::fs::read(shot.output.join("detail/detail.0006.ply")).unwrap()
    };
    let alone = points("");
    let obstacle = points("obstacles = \"pillar\"");
    assert!(alone != obstacle, "the pillar does nothing");
    assert!(points(r#"solids = [{ path = "pillar.ply" }]"#) == obstacle, "other waves");

    let text = SHOT.replace("fine = 0.04\nsave = [\"ply\"]", "solids = [{ path = \"none.ply\" }]");
    let told = Shot::parse(&text, Path::new("rings.toml"), &Registry::standard());
    let told = told.err().unwrap().to_string();
    assert!(told.contains("there is no mesh file") && told.contains("solids = [{"), "{told}");
}

//! Contract: a run may be cancelled whenever it asks. For every kind of stage and for every n, a run that is
//! told to stop at its n-th question leaves only frames and files that are what they will be, and the run that
//! continues ends with the bytes of one that was never interrupted, manifests included.
//!
//! The run is told so only once: code that hears it, goes on with half a result and asks again later would
//! otherwise be stopped by the later question, and its half result would never be seen.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use support::results;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh};
use whitecap_shot::{Cancel, Event, Registry, RunOptions, RunOutcome, Shot, run};

/// Says yes to the n-th question, and to no other.
struct CancelAt {
    asked: AtomicUsize,
    limit: usize,
}

impl Cancel for CancelAt {
    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) == self.limit
    }
}

/// A small splash, its surface, and a picture of it.
const SPLASH: &str = r#"
[shot]
name = "splash"
frames = [1, 3]
fps = 60
output = "out"

[water]
kind = "sph"
spacing = 0.1
domain = { min = [0, 0, 0], max = [0.6, 0.6, 0.3] }
fill = [{ box = { min = [0, 0, 0], max = [0.3, 0.4, 0.3] } }]
save = ["bgeo"]

[skin]
kind = "surface"
particles = "water"
save = ["ply"]

[picture]
kind = "render"
surface = "skin"
width = 8
height = 8
samples = 2
save = ["png"]
"#;

/// Waves on two boxes that run into each other, and a surface that the waves move.
const WAVES: &str = r#"
[shot]
name = "waves"
frames = [1, 3]
fps = 24
output = "out"

[boxes]
kind = "cache"
path = "boxes.####.bgeo"
radius = 0.02

[points]
kind = "waves"
particles = "boxes"
give = "points"
coarse = 0.1
fine = 0.04
save = ["bgeo"]

[skin]
kind = "surface"
particles = "boxes"

[moved]
kind = "displace"
surface = "skin"
points = "points"
save = ["ply"]
"#;

/// The two boxes again, with a mesh that follows them and must merge.
const TRACK: &str = r#"
[shot]
name = "track"
frames = [1, 3]
fps = 24
output = "out"

[boxes]
kind = "cache"
path = "boxes.####.bgeo"

[mesh]
kind = "cache"
path = "pair.ply"
content = "mesh"

[tracked]
kind = "track"
particles = "boxes"
mesh = "mesh"
save = ["ply"]
"#;

/// A spill with drops, and particles made up.
const PIPES: &str = r#"
[shot]
name = "spill"
frames = [1, 3]
fps = 60
output = "out"

[spill]
kind = "pipes"
terrain = { mesh = "box.ply", ground = 0 }
area = { min = [-0.4, -0.4], max = [0.4, 0.4] }
cell = 0.05
falling-drops = true
fill = [{ level = { height = 0.02 } }, { sphere = { center = [0.1, 0.7, 0], radius = 0.1 } }]
save = ["ply", "drops.bgeo"]

[seen]
kind = "example"
spacing = 0.1
save = ["ply"]
"#;

/// A liquid on a grid, thick enough for friction to be solved for.
const GRID: &str = r#"
[shot]
name = "grid"
frames = [1, 3]
fps = 60
output = "out"

[water]
kind = "flip"
spacing = 0.05
viscosity = 5
domain = { min = [0, 0, 0], max = [0.6, 0.6, 0.3] }
fill = [{ box = { min = [0, 0, 0], max = [0.3, 0.4, 0.3] } }]
save = ["bgeo"]
"#;

/// Smoke of boxes of particles and of a ball beside a solid, and a picture of it.
const SMOKE: &str = r#"
[shot]
name = "smoke"
frames = [1, 3]
fps = 24
output = "out"

[boxes]
kind = "cache"
path = "boxes.####.bgeo"
radius = 0.02

[smoke]
kind = "smoke"
particles = "boxes"
cell = 0.05
sources = [
    { from = { particles = { radius = 0.05 } } },
    { from = { ball = { center = [0, 0, 0], radius = 0.1 } }, noise = { swirl = 0.2 } },
]
solids = [{ path = "box.ply" }]
domain = { min = [-0.5, -0.2, -0.5], max = [0.5, 0.8, 0.5] }
open-sides = ["+y"]
save = ["vdb"]

[picture]
kind = "render"
mist = "smoke"
width = 8
height = 8
samples = 2
save = ["png"]
"#;

const SHOTS: [&str; 6] = [SPLASH, WAVES, TRACK, PIPES, GRID, SMOKE];

fn write_inputs(folder: &Path) {
    let block = TriMesh::cuboid(Vec3::new(-0.1, 0.2, -0.1), Vec3::new(0.1, 0.4, 0.1));
    whitecap_io::write_mesh(folder.join("box.ply"), &block).unwrap();
    let left = TriMesh::cuboid(Vec3::new(-0.24, 0.3, -0.1), Vec3::new(-0.04, 0.5, 0.1));
    let right = TriMesh::cuboid(Vec3::new(0.04, 0.3, -0.1), Vec3::new(0.24, 0.5, 0.1));
    whitecap_io::write_mesh(folder.join("pair.ply"), &TriMesh::joined([&left, &right])).unwrap();
    for frame in 1..=3 {
        let path = folder.join(format!("boxes.{frame:04}.bgeo"));
        whitecap_io::write_particles(path, &boxes((frame - 1) as f32 / 24.0)).unwrap();
    }
}

/// Two boxes of particles, 0.04 m apart, that meet after a fifteenth of a second.
fn boxes(time: f32) -> Particles {
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for place in 0..2 * 125 {
        let [x, y, z] = [place % 5, place / 5 % 5, place / 25 % 5].map(|i| 0.04 * i as f32 + 0.02);
        let (start, speed) = if place < 125 { (-0.24, 0.6) } else { (0.04, -0.6) };
        positions.push(Vec3::new(start + speed * time + x, 0.3 + y, z - 0.1));
        velocities.push(speed * Vec3::X);
    }
    let ids = (0..positions.len() as i64).collect();
    let mut particles = Particles::new(positions);
    particles.set_attribute("velocity", Column::Vec3(velocities)).unwrap();
    particles.set_attribute("id", Column::I64(ids)).unwrap();
    particles
}

fn load(folder: &Path, text: &str) -> Shot {
    Shot::parse(text, &folder.join("shot.toml"), &Registry::standard())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Runs until the n-th question; returns how it ended and how often it asked.
fn run_until(folder: &Path, text: &str, limit: usize) -> (RunOutcome, usize) {
    let cancel = CancelAt { asked: AtomicUsize::new(0), limit };
    let observer = |_: &Event<'_>| {};
    let mut options = RunOptions::new(&observer, &cancel);
    // Every other run has checkpoints to continue from; the others start again.
    options.checkpoint_interval =
        Duration::from_secs(if limit.is_multiple_of(2) { 0 } else { 1000 });
    let outcome = run(&load(folder, text), &options).unwrap().outcome;
    (outcome, cancel.asked.into_inner())
}

/// Saved frames and manifests; a manifest of an unfinished run lists what is finished, so it is left out.
fn frames(results: &BTreeMap<PathBuf, Vec<u8>>) -> impl Iterator<Item = (&PathBuf, &Vec<u8>)> {
    results.iter().filter(|(name, _)| !name.ends_with("manifest.json"))
}

fn cancelled_anywhere(text: &str) {
    let whole = tempfile::tempdir().unwrap();
    write_inputs(whole.path());
    let (outcome, questions) = run_until(whole.path(), text, usize::MAX);
    assert_eq!(outcome, RunOutcome::Finished);
    let wanted = results(&whole.path().join("out"));
    assert!(questions > 5, "only {questions} questions");
    for limit in 0..questions {
        let folder = tempfile::tempdir().unwrap();
        write_inputs(folder.path());
        let output = folder.path().join("out");
        let (outcome, _) = run_until(folder.path(), text, limit);
        assert_eq!(outcome, RunOutcome::Cancelled, "question {limit} of {questions} was ignored");
        for (name, bytes) in frames(&results(&output)) {
            assert!(*bytes == wanted[name], "{} is wrong after question {limit}", name.display());
        }
        assert_eq!(run_until(folder.path(), text, usize::MAX).0, RunOutcome::Finished);
        let found = results(&output);
        assert!(found.keys().eq(wanted.keys()), "question {limit}: {:?}", found.keys());
        for (name, bytes) in &wanted {
            let same = found[name] == *bytes;
            assert!(same, "{} differs after question {limit} of {questions}", name.display());
        }
    }
}

#[test]
fn a_liquid_its_surface_and_its_picture() {
    cancelled_anywhere(SPLASH);
}

#[test]
fn waves_and_the_surface_they_move() {
    cancelled_anywhere(WAVES);
}

#[test]
fn a_mesh_that_follows_a_liquid() {
    cancelled_anywhere(TRACK);
}

#[test]
fn a_spill_with_drops() {
    cancelled_anywhere(PIPES);
}

#[test]
fn smoke_of_particles_and_its_picture() {
    cancelled_anywhere(SMOKE);
}

/// Contract: no kind of stage is left out of this test.
#[test]
fn every_kind_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    write_inputs(folder.path());
    let mut tried = BTreeSet::new();
    for text in SHOTS {
        tried.extend(load(folder.path(), text).stages.iter().map(|stage| stage.info().name));
    }
    let registry = Registry::standard();
    let all: BTreeSet<&str> = registry.kinds().iter().map(|kind| kind.info().name).collect();
    assert_eq!(tried, all);
}

//! Contract: pictures work in a shot like anything else: particles, meshes and distance fields are rendered
//! with objects, lamps and menisci; the files are the same for any number of threads; what is wrong is
//! reported before anything is rendered.

use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Particles, TriMesh};
use whitecap_shot::{CancelToken, Event, Registry, RunOptions, Shot, run};

const SHOT: &str = r#"
[shot]
name = "pictures"
frames = [1, 2]
fps = 24

[water]
kind = "cache"
path = "block.bgeo"
radius = 0.05

[surface]
kind = "surface"
particles = "water"
cell = 0.05
save = ["ply"]

[meshed]
kind = "render"
surface = "surface"
width = 24
height = 16
samples = 4
camera = { position = [1.5, 1.2, 2], target = [0.2, 0.2, 0.2] }
passes = ["depth", "normal", "motion", "object"]
objects = [
    { shape = { floor = { height = -0.05 } }, material = { matt = { checker = [0.1, 0.1, 0.1] } } },
    { shape = { mesh = { path = "tile.ply", keys = [{ position = [0, 0.6, 0] }, { time = 1, position = [0, 0.6, 0], angle = 90 }] } }, material = { metal = { color = [0.9, 0.7, 0.3] } }, flat = true },
]
lights = [{ lamp = { position = [0, 3, 1], target = [0, 0, 0], size = 0.5, radiance = [20, 20, 20] } }]
save = ["exr", "png"]

[direct]
kind = "render"
surface = "water"
mist = "water"
width = 24
height = 16
samples = 2
turn = 45
camera = { position = [1.5, 1.2, 2], target = [0.2, 0.2, 0.2] }
material = { liquid = { color = [0.5, 0.8, 0.9], depth = 0.2, film = { thickness = 4e-7 } } }
meniscus = { capillary-length = 0.05 }
objects = [{ shape = { box = { min = [-1, -1, -1], max = [1, 0, 1] } }, contact-angle = 30 }]
save = ["exr", "png"]
"#;

fn write_inputs(folder: &Path) {
    let cells = (0..125).map(|i| Vec3::new((i % 5) as f32, (i / 5 % 5) as f32, (i / 25) as f32));
    let particles = Particles::new(cells.map(|cell| 0.1 * cell).collect());
    whitecap_io::write_particles(folder.join("block.bgeo"), &particles).unwrap();
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Z];
    let tile = TriMesh::new(corners, vec![[0, 2, 1]]).unwrap();
    whitecap_io::write_mesh(folder.join("tile.ply"), &tile).unwrap();
}

fn files_after_run(threads: usize) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    write_inputs(folder.path());
    let path = folder.path().join("pictures.toml");
    std::fs::write(&path, SHOT).unwrap();
    let shot = Shot::load(&path, &Registry::standard()).unwrap_or_else(|error| panic!("{error}"));
    let cancel = CancelToken::new();
    let observer = |_: &Event<'_>| {};
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| run(&shot, &RunOptions::new(&observer, &cancel))).unwrap();
    let mut files = Vec::new();
    for stage in ["meshed", "direct"] {
        for frame in 1..=2 {
            for format in ["exr", "png"] {
                let name = format!("{stage}/{stage}.{frame:04}.{format}");
                let bytes = std::fs::read(shot.output.join(&name));
                files.push((name.clone(), bytes.unwrap_or_else(|error| panic!("{name}: {error}"))));
            }
        }
    }
    files
}

/// Contract: 1, 2 and 7 threads write the same bytes; the pictures hold the layers that were asked
/// for, and show something.
#[test]
fn pictures_do_not_depend_on_threads() {
    let files = files_after_run(1);
    for threads in [2, 7] {
        for ((name, expected), (_, found)) in files.iter().zip(files_after_run(threads)) {
            assert!(*expected == found, "{name} differs with {threads} threads");
        }
    }
    let layers = whitecap_io::image::parse_layers(&files[0].1, Path::new("meshed.exr")).unwrap();
    for name in ["Combined.R", "Combined.A", "Depth.Z", "Normal.X", "Vector.W", "Object.X"] {
        assert!(layers.channel(&format!("ViewLayer.{name}")).is_some(), "{name}");
    }
    let preview = whitecap_io::image::parse(&files[1].1, Path::new("meshed.png")).unwrap();
    let levels = preview.pixels().iter().map(|pixel| pixel[1]);
    assert!(levels.clone().fold(0.0, f32::max) > 2.0 * levels.fold(1.0, f32::min));
}

/// Contract: an empty region, a file that is not there and a film that is too thick are reported at
/// their lines.
#[test]
fn mistakes_are_told_before_anything_is_rendered() {
    let told = |from: &str, to: &str| {
        let folder = tempfile::tempdir().unwrap();
        write_inputs(folder.path());
        let path = folder.path().join("pictures.toml");
        assert!(SHOT.contains(from), "{from}");
        std::fs::write(&path, SHOT.replacen(from, to, 1)).unwrap();
        Shot::load(&path, &Registry::standard()).err().map(|error| error.to_string()).unwrap()
    };
    assert!(told("turn = 45", "region = [0.5, 0, 0.5, 1]").contains("holds no pixel"));
    assert!(told("tile.ply", "no-tile.ply").contains("no-tile.ply"));
    assert!(told("thickness = 4e-7", "thickness = 4").contains("thickness"));
}

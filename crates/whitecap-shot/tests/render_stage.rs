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
    // Programs without layers find the picture, those with a camera find where it was seen from.
    for letter in ["R", "G", "B", "A"] {
        let layered = layers.channel(&format!("ViewLayer.Combined.{letter}")).unwrap();
        assert_eq!(layers.channel(letter).unwrap().samples, layered.samples, "{letter}");
    }
    for name in ["worldToCamera", "worldToNDC", "fieldOfViewHorizontal", "fieldOfViewVertical"] {
        let found = files[0].1.windows(name.len()).any(|bytes| bytes == name.as_bytes());
        assert!(found, "{name}");
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

/// Contract: the motion in a file leads back to where the object was, and its way to the next frame is
/// the same while it moves evenly; what is at rest has none, but where the camera turns everything moves.
#[test]
fn motion_in_files_looks_back_and_ahead() {
    let shot = r#"
[shot]
name = "moving"
frames = [1, 2]
fps = 24

[picture]
kind = "render"
width = 48
height = 32
samples = 1
camera = { position = [0, 0, 4], target = [0, 0, 0], field-of-view = 45 }
passes = ["motion", "object"]
objects = [
    { shape = { mesh = { path = "wall.ply", keys = [{ position = [0, -0.5, 0] }, { time = 1, position = [2.4, 0.7, 0] }] } } },
]
save = ["exr"]
"#;
    let motion = |text: &str, column: usize| {
        let folder = tempfile::tempdir().unwrap();
        let corners = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]];
        let corners = corners.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
        let wall = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        whitecap_io::write_mesh(folder.path().join("wall.ply"), &wall).unwrap();
        let path = folder.path().join("moving.toml");
        std::fs::write(&path, text).unwrap();
        let shot =
            Shot::load(&path, &Registry::standard()).unwrap_or_else(|error| panic!("{error}"));
        let cancel = CancelToken::new();
        run(&shot, &RunOptions::new(&|_: &Event<'_>| {}, &cancel)).unwrap();
        let file = shot.output.join("picture/picture.0002.exr");
        let layers = whitecap_io::image::read_layers(file).unwrap();
        ["X", "Y", "Z", "W"].map(|letter| {
            let name = format!("ViewLayer.Vector.{letter}");
            layers.channel(&name).unwrap().samples.at(16 * 48 + column)
        })
    };
    // 0.1 m right and 0.05 m up a frame; the picture is 2 * 4 * tan(22.5°) = 3.314 m high.
    let found = motion(shot, 24);
    for (found, expected) in found.into_iter().zip([-0.9657, -0.4828, -0.9657, -0.4828]) {
        assert!((found - expected).abs() < 2e-3, "{found} {expected}");
    }
    // A camera that turns by a degree a frame moves what is at rest, most at the edge of the picture.
    let still = shot.replace("[2.4, 0.7, 0]", "[0, -0.5, 0]");
    assert_eq!(motion(&still, 44), [0.0; 4]);
    let turning = motion(&still.replace("samples = 1", "samples = 1\nturn = 24"), 44);
    assert!(turning[0].abs() > 0.05 && turning[2].abs() > 0.05, "{turning:?}");
}

/// Contract: the look that is found for a liquid suits its size: water is coloured by the same share of
/// it and exposed alike, from a millimetre to a kilometre.
#[test]
fn a_liquid_of_any_size_looks_like_water() {
    use whitecap_shot::stages::{MaterialSettings, look};
    use whitecap_shot::{FrameData, ShotContext};
    let context = ShotContext {
        folder: "".into(),
        first: 1,
        last: 1,
        left_out: Vec::new(),
        fps: 24.0,
        seed: 0,
    };
    let mut looks = Vec::new();
    for size in [1e-3f32, 1.0, 1e3] {
        let settings = serde_json::json!({
            "width": 96, "height": 64,
            "camera": { "position": [2.0 * size, 2.0 * size, 3.0 * size],
                "target": [0.5 * size, 0.4 * size, 0.5 * size] },
            "objects": [{ "shape": { "floor": { "height": 0.001 * size } } }],
        });
        let block = TriMesh::cuboid(Vec3::ZERO, Vec3::new(size, 0.8 * size, size));
        let data = FrameData::from(block);
        let input = |key: &str| (key == "surface").then_some(&data);
        let watch = &whitecap_core::Unwatched;
        let look = look(settings, &context, context.time_of(1), &input, true, watch).unwrap();
        let MaterialSettings::Liquid(liquid) = &look.material else { panic!("{look:?}") };
        looks.push((liquid.depth / size, look.exposure));
    }
    for (depth, exposure) in &looks {
        assert!((0.5..1.5).contains(depth), "{looks:?}");
        assert!((depth - looks[0].0).abs() < 0.06, "{looks:?}");
        assert!((exposure - looks[0].1).abs() < 0.11, "{looks:?}");
        assert!(exposure.abs() < 3.0, "{looks:?}");
    }
}

/// Contract: a picture of shallow liquid shows the terrain that the liquid lies on, unless the shot says
/// what else is there.
#[test]
fn an_open_sheet_is_rendered_with_its_terrain() {
    let text = r#"
[shot]
name = "puddle"
frames = [1, 1]
fps = 60

[puddle]
kind = "pipes"
terrain = { slope = [0.1, 0] }
area = { min = [0, 0], max = [0.1, 0.1] }
cell = 0.005
fill = [{ sphere = { center = [0.05, 0.01, 0.05], radius = 0.02 } }]

[picture]
kind = "render"
surface = "puddle"
width = 32
height = 24
samples = 2
camera = { position = [0.05, 0.15, 0.2], target = [0.05, 0, 0.05] }
passes = ["object"]
save = ["exr"]
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("puddle.toml");
    let load = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Shot::load(&path, &Registry::standard()).unwrap_or_else(|error| panic!("{error}"))
    };
    let shot = load(text);
    let cancel = CancelToken::new();
    run(&shot, &RunOptions::new(&|_: &Event<'_>| {}, &cancel)).unwrap();
    let layers =
        whitecap_io::image::read_layers(shot.output.join("picture/picture.0001.exr")).unwrap();
    let objects = &layers.channel("ViewLayer.Object.X").unwrap().samples;
    let count = |object: f32| (0..objects.len()).filter(|&p| objects.at(p) == object).count();
    assert!(count(1.0) > 50, "the terrain covers {} pixels", count(1.0));
    assert!(count(2.0) > 20, "the liquid covers {} pixels", count(2.0));
    let on_floor = text
        .replace("samples = 2", "samples = 2\nobjects = [{ shape = { floor = { height = -1 } } }]");
    assert_eq!(load(&on_floor).stages.len(), 2);
    assert_eq!(shot.stages.len(), 3);
}

/// Contract: passes that no saved file could hold are refused, at their place; with an OpenEXR file among those
/// saved, or with none saved, they are not.
#[test]
fn passes_without_a_file_for_them_are_refused() {
    let told = |save: &str| {
        let text = format!(
            "[shot]\nname = \"picture\"\nframes = [1, 1]\nfps = 24\n\n[picture]\nkind = \"render\"\n\
             camera = {{ position = [0, 0, 4], target = [0, 0, 0] }}\npasses = [\"depth\"]\n{save}\n"
        );
        let shot = Shot::parse(&text, Path::new("picture.toml"), &Registry::standard());
        shot.err().map(|mistakes| mistakes.to_string())
    };
    let refusal = told("save = [\"png\"]").unwrap();
    assert!(refusal.contains("passes are saved in .exr files, but `save` names none"), "{refusal}");
    assert!(refusal.contains("picture.toml:9:"), "{refusal}");
    assert!(refusal.contains("add \"exr\" to `save`, or remove `passes`"), "{refusal}");
    assert_eq!(told("save = [\"png\", \"exr\"]"), None);
    assert_eq!(told(""), None);
}

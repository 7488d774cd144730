//! Contract: a simulated liquid says what it knows of itself, in its files and to later stages, and stages whose
//! result depends on time say so when particles were made for another frame rate.

use std::path::Path;
use std::sync::Mutex;

use whitecap_core::glam::Vec3;
use whitecap_core::{Facts, TriMesh};
use whitecap_shot::{CancelToken, Event, Registry, RunOptions, Shot, run};

const WATER: &str = r#"
[shot]
name = "water"
frames = [1, 2]
fps = 50
output = "water"

[liquid]
kind = "sph"
spacing = 0.1
rest-density = 900
domain = { min = [0, 0, 0], max = [0.8, 0.8, 0.4] }
fill = [{ box = { min = [0, 0, 0], max = [0.4, 0.4, 0.4] } }]
solids = [{ path = "rock.ply" }]
save = ["bgeo", "ply"]

[points]
kind = "waves"
particles = "liquid"
give = "points"
"#;

const LATER: &str = r#"
[shot]
name = "later"
frames = [1, 2]
fps = 24
output = "later"

[liquid]
kind = "cache"
path = "water/liquid/liquid.####.bgeo"

[points]
kind = "waves"
particles = "liquid"
give = "points"

[skin]
kind = "surface"
particles = "liquid"
"#;

/// Runs a shot; returns its notes, each with its stage.
fn notes(folder: &Path, text: &str) -> Vec<String> {
    let shot = Shot::parse(text, &folder.join("shot.toml"), &Registry::standard())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let notes = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        if let Event::Note { stage, text, .. } = event {
            notes.lock().unwrap().push(format!("{stage}: {text}"));
        }
    };
    run(&shot, &RunOptions::new(&observer, &CancelToken::new())).unwrap();
    notes.into_inner().unwrap()
}

#[test]
fn a_liquid_says_what_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rock = TriMesh::cuboid(Vec3::new(0.5, 0.0, 0.1), Vec3::new(0.7, 0.2, 0.3));
    whitecap_io::write_mesh(folder.join("rock.ply"), &rock).unwrap();
    let told = notes(folder, WATER);
    assert!(!told.iter().any(|note| note.contains("frames per second")), "{told:?}");
    let known = Facts {
        radius: Some(0.05),
        radius_is_estimated: false,
        rest_density: Some(900.0),
        frame_rate: Some(50.0),
        solids: vec![String::from("rock.ply")],
    };
    for format in ["bgeo", "ply"] {
        for frame in 1..=2 {
            let path = folder.join(format!("water/liquid/liquid.{frame:04}.{format}"));
            assert_eq!(whitecap_io::read_particles(path).unwrap().facts(), &known, "{format}");
        }
    }

    // Another frame rate matters to waves, once, and not to a surface.
    let told = notes(folder, LATER);
    let rates: Vec<&String> = told.iter().filter(|note| note.contains("per second")).collect();
    let [note] = rates[..] else { panic!("{told:?}") };
    assert!(note.starts_with("points: `particles` was made for 50 frames per second"), "{note}");
    let told = notes(folder, &LATER.replace("fps = 24", "fps = 50"));
    assert!(!told.iter().any(|note| note.contains("per second")), "{told:?}");
}

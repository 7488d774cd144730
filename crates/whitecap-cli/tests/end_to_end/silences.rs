//! What would once have passed without a word, or with the wrong one.

use std::fs;
use std::path::Path;

use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_io::image::{Image, PngDepth, write_png};

use crate::{outcome, run, run_json};

/// The exit code and standard error of a command.
fn told(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let (code, _, stderr) = outcome(&run(folder, arguments));
    (code, stderr)
}

/// Contract: a picture of heights needs the height of its white; without it, nothing is made and the flag is named.
#[test]
fn a_height_picture_without_its_height() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pixels = (0..256).map(|pixel| [(pixel % 16) as f32 / 15.0; 4]).collect();
    let ramp = Image::from_pixels(16, 16, false, pixels).unwrap();
    write_png(folder.join("ramp.png"), &ramp, PngDepth::Sixteen).unwrap();
    let flat = ["pipes", "ramp.png", "--fill-level", "0.01", "--frames", "1", "-o", "o.####.ply"];
    let (code, stderr) = told(folder, &flat);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--terrain-high") && stderr.contains("white"), "{stderr}");
    assert!(!folder.join("o.0001.ply").exists());
    let (code, stderr) = told(folder, &[&flat[..], &["--terrain-high", "0.02"]].concat());
    assert_eq!(code, 0, "{stderr}");
}

/// Contract: a source or a drain beside the terrain is a mistake that names its place and the terrain's.
#[test]
fn a_source_outside_the_terrain() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plane = ["pipes", "--area=0,0,0.05,0.05", "--frames=2", "-o", "o.####.ply"];
    for flag in ["--source=0.5,0.01,0.02:0.002:1e-6", "--drain=0.02,0.01,-0.3:0.002:1e-6"] {
        let (code, stderr) = told(folder, &[&plane[..], &[flag]].concat());
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("outside the simulated area"), "{stderr}");
    }
    let (code, stderr) =
        told(folder, &[&plane[..], &["--source=0.02,0.01,0.02:0.002:1e-6"]].concat());
    assert_eq!(code, 0, "{stderr}");
}

/// Contract: a closed mesh whose triangles face inwards fails the check, and the message says what turns it.
#[test]
fn an_inside_out_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cube = TriMesh::cuboid(Vec3::ZERO, Vec3::ONE);
    let turned = cube.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let turned = TriMesh::new(cube.positions().to_vec(), turned).unwrap();
    whitecap_io::write_mesh(folder.join("turned.0001.ply"), &turned).unwrap();
    whitecap_io::write_mesh(folder.join("cube.ply"), &cube).unwrap();
    for file in ["turned.0001.ply", "turned.####.ply"] {
        let (code, stdout, _) = outcome(&run(folder, &["check", file]));
        assert_eq!(code, 1, "{stdout}");
        assert!(stdout.contains("inside out") && stdout.contains("--flip-normals"), "{stdout}");
    }
    let object = run_json(folder, &["check", "cube.ply", "--json"]);
    assert_eq!(object["inside_out"], false);
}

/// Contract: the vertices of a mesh are taken as particles only with a note.
#[test]
fn vertices_taken_as_particles() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cube = TriMesh::cuboid(Vec3::ZERO, Vec3::ONE);
    whitecap_io::write_mesh(folder.join("cube.ply"), &cube).unwrap();
    let surface = ["surface", "cube.ply", "--radius", "0.5", "-o", "o.ply"];
    let (code, stderr) = told(folder, &surface);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("holds a mesh; its 8 vertices are taken as particles"), "{stderr}");
}

/// Contract: a shot that saves nothing is a mistake, for `run` and for `check`, before anything is made.
#[test]
fn a_shot_that_saves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "[shot]\nname = \"s\"\nframes = [1, 2]\n\n[water]\nkind = \"example\"\n";
    fs::write(folder.join("s.toml"), text).unwrap();
    for command in ["run", "check"] {
        let (code, stderr) = told(folder, &[command, "s.toml"]);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("save = [\"") && stderr.contains("[water]"), "{stderr}");
    }
    assert!(!folder.join("out").exists());
}

/// Contract: what is wrong inside a flag's JSON is said in the words of shot files, with the flag, not in those of a parser.
#[test]
fn a_mistake_within_json() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plane = ["pipes", "--area=0,0,0.05,0.05", "--frames=2", "-o", "o.####.ply"];
    let sources = r#"--sources=[{"position": [0, 0, 0], "radios": 0.01, "rate": 1e-6}]"#;
    let (code, stderr) = told(folder, &[&plane[..], &[sources]].concat());
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("a value of --sources needs `radius`"), "{stderr}");
    assert!(!stderr.contains("missing field"), "{stderr}");
}

/// Contract: messages of a command name flags, not the keys of shot files.
#[test]
fn messages_name_flags() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (code, stderr) = told(folder, &["pipes", "-o", "o.####.ply"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--area 0,0,0.1,0.1") && stderr.contains("--terrain-mesh"), "{stderr}");
    let (code, stderr) = told(folder, &["sph", "-o", "o.####.bgeo"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--fill-box"), "{stderr}");
}

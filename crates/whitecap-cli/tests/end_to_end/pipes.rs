//! `whitecap pipes`.

use std::fs;

use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

use crate::{outcome, run, run_json};

/// A ball of liquid on a plane.
const DROP: &str = r#"[{"sphere": {"center": [0.03, 0.017, 0.02], "radius": 0.006}}]"#;

/// Contract: liquid on a plane becomes a sequence of meshes; the object describes every frame, all
/// of the volume is there, and nothing is left behind.
#[test]
fn a_drop_runs_down_a_plane() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let fill = format!("--fill={DROP}");
    let arguments =
        ["pipes", "--terrain-slope=0.3,0", "--area=0,0,0.06,0.04", "-o", "out/d.####.ply"];
    let more = [&fill, "--frames=5", "--viscosity=4e-6", "--contact-angle=40", "--json"];
    let made = run_json(folder, &[&arguments[..], &more].concat());
    let frames = made["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 5);
    assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), 5);
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.006f64.powi(3);
    let volume = made["volume_cubic_metres"].as_f64().unwrap();
    let first = frames[0]["metrics"]["volume_cubic_metres"].as_f64().unwrap();
    assert!((first / ball - 1.0).abs() < 0.1 && (volume / first - 1.0).abs() < 1e-9, "{made}");
    let lowest = |name: &str| {
        let mesh = whitecap_io::read_mesh(folder.join(name)).unwrap();
        mesh.positions().iter().map(|position| position.x).fold(f32::INFINITY, f32::min)
    };
    assert!(lowest("out/d.0005.ply") < lowest("out/d.0001.ply") - 0.002);
}

/// Contract: a mesh needs no flag to be the terrain, and can be written again with its ground.
#[test]
fn a_mesh_is_terrain() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sheet = vec![Vec3::ZERO, Vec3::Z, Vec3::X + Vec3::Z, Vec3::X];
    let sheet: Vec<Vec3> = sheet.into_iter().map(|corner| 0.02 * corner).collect();
    let sheet = TriMesh::new(sheet, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    whitecap_io::write_mesh(folder.join("sheet.ply"), &sheet).unwrap();
    let give = ["--give=terrain", "--frames=1", "--terrain-ground=-0.01"];
    let arguments = ["pipes", "sheet.ply", "-o", "terrain.ply"];
    let (code, _, stderr) = outcome(&run(folder, &[&arguments[..], &give].concat()));
    assert_eq!(code, 0, "{stderr}");
    let terrain = whitecap_io::read_mesh(folder.join("terrain.ply")).unwrap();
    assert_eq!(terrain.triangles().len(), 4);
}

/// Contract: a mesh with a file for every frame moves; a frame without a file is reported before
/// anything is made.
#[test]
fn terrain_moves() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for frame in 1..=3 {
        let height = 0.001 * frame as f32;
        let corner = |x: f32, z: f32| Vec3::new(0.02 * x, height, 0.02 * z);
        let corners = vec![corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0)];
        let sheet = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        whitecap_io::write_mesh(folder.join(format!("sheet.{frame:04}.ply")), &sheet).unwrap();
    }
    let fill = r#"--fill=[{"level": {"height": 0.003}}]"#;
    let arguments = ["pipes", "sheet.####.ply", fill, "-o", "out/d.####.ply"];
    let made = run_json(folder, &[&arguments[..], &["--frames=3", "--json"]].concat());
    assert!(made["error_of_the_volume"].as_f64().unwrap() < 1e-9, "{made}");
    for frame in 1..=3 {
        let mesh = whitecap_io::read_mesh(folder.join(format!("out/d.{frame:04}.ply"))).unwrap();
        let level = 0.002 + 0.001 * frame as f32;
        assert!(mesh.positions().iter().all(|position| (position.y - level).abs() < 1e-6));
    }
    let (code, _, stderr) = outcome(&run(folder, &[&arguments[..], &["--frames=4"]].concat()));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("file 4 is missing"), "{stderr}");
}

/// Contract: what is wrong is reported in a sentence that names the flag.
#[test]
fn what_is_wrong_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = |more: &[&str], sentence: &str| {
        let arguments = [&["pipes", "-o", "d.####.ply"], more].concat();
        let (code, _, stderr) = outcome(&run(folder.path(), &arguments));
        assert!(code != 0 && stderr.contains(sentence), "{sentence}: {stderr}");
    };
    told(&[], "no bounds of its own");
    told(&["none.ply"], "none.ply");
    told(&["a.ply", "--terrain-mesh=b.ply"], "give only one of them");
    told(&["--area=0,0,1,1", "--viscosity=-1"], "viscosity");
    told(&["--area=0,0,1,1", "--fill=[{\"level\": {}}]"], "height");
    told(
        &["--area=0,0,1,1", "-o", "one.ply"],
        "the argument '--output <OUT>' cannot be used multiple times",
    );
}

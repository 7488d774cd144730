//! `whitecap convert`.

use std::fs;

use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

use crate::{block, outcome, run, run_json, write_sequence};

/// Contract: particles survive a round trip through another format, byte for byte.
#[test]
fn particles_survive() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("a.bgeo"), &block(4)).unwrap();
    for between in ["b.npz", "b.vtu", "b.ply", "b.csv"] {
        assert_eq!(outcome(&run(folder, &["convert", "a.bgeo", between])).0, 0);
        assert_eq!(outcome(&run(folder, &["convert", between, "c.bgeo"])).0, 0);
        let read = |name: &str| fs::read(folder.join(name)).unwrap();
        assert_eq!(read("a.bgeo"), read("c.bgeo"), "{between}");
    }
}

/// Contract: a mesh becomes a level set with `--cell` and a closed mesh again, with its volume.
#[test]
fn a_mesh_goes_through_a_level_set() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_mesh(folder.join("cube.obj"), &TriMesh::cuboid(Vec3::ZERO, Vec3::ONE))
        .unwrap();
    let (code, _, stderr) = outcome(&run(folder, &["convert", "cube.obj", "cube.vdb"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("--cell"), "{stderr}");
    run_json(folder, &["convert", "cube.obj", "cube.vdb", "--cell", "0.05", "--json"]);
    let object = run_json(folder, &["info", "cube.vdb", "--json"]);
    assert_eq!(object["grids"][0]["class"], "level set");
    assert_eq!(object["grids"][0]["cell"], 0.05);
    run_json(folder, &["convert", "cube.vdb", "back.ply", "--json"]);
    let report = run_json(folder, &["check", "back.ply", "--json"]);
    let volume = report["volume"].as_f64().unwrap();
    assert!((volume - 1.0).abs() < 0.02, "{volume}");
    let none = outcome(&run(folder, &["convert", "cube.vdb", "x.ply", "--grid", "smoke"]));
    assert_eq!(none.0, 1);
    assert!(none.2.contains("surface"), "{}", none.2);
}

/// Contract: particles are not turned into a mesh silently; the message names the command that
/// does it. A format asked for by name wins over the extension.
#[test]
fn what_cannot_be_converted_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    let (code, _, stderr) = outcome(&run(folder, &["convert", "frame.0001.bgeo", "a.obj"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("whitecap surface"), "{stderr}");
    let (code, _, stderr) = outcome(&run(folder, &["convert", "frame.0001.bgeo", "a.doc"]));
    assert_eq!(code, 2);
    assert!(stderr.contains(".bgeo"), "{stderr}");
    let arguments =
        ["convert", "frame.####.bgeo", "j.####.bgeo", "--format", "bgeo-json", "--json"];
    let object = run_json(folder, &arguments);
    assert_eq!(object["files"].as_array().unwrap().len(), 3);
    assert_eq!(whitecap_io::read_particles(folder.join("j.0003.bgeo")).unwrap(), block(5));
}

/// Contract: what a reader had to guess is told by `info`, `convert` and stages, once for a sequence.
#[test]
fn guesses_of_readers_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for frame in 1..=2 {
        let rows: String =
            (0..64).map(|i| format!("{},{},{},0,-1,0\n", i % 4, i / 4 % 4, i / 16)).collect();
        fs::write(folder.join(format!("p.{frame:04}.csv")), rows).unwrap();
    }
    let object = run_json(folder, &["info", "p.0001.csv", "--json"]);
    assert_eq!(
        (&object["particles"], &object["attributes"][0]["name"]),
        (&64.into(), &"velocity".into())
    );
    assert!(object["notes"][0].as_str().unwrap().contains("taken as x, y, z, then vx, vy, vz"));
    let (_, stdout, _) = outcome(&run(folder, &["info", "p.0001.csv"]));
    assert!(stdout.contains("note: there is no row of names"), "{stdout}");
    for arguments in [
        &["convert", "p.####.csv", "p.####.ply"][..],
        &["surface", "p.####.csv", "-o", "s.####.ply", "--radius", "0.5"],
    ] {
        let (code, _, stderr) = outcome(&run(folder, arguments));
        assert_eq!((code, stderr.matches("there is no row of names").count()), (0, 1), "{stderr}");
    }
}

/// Contract: normals that belong to corners of an OBJ file are not lost without a word: `info`, `check`
/// and `convert` say so.
#[test]
fn an_obj_with_seams_says_what_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvn 0 -1 0\nf 1//1 2//1 3//1\nf 1//2 4//2 2//2\n";
    fs::write(folder.join("seam.obj"), obj).unwrap();
    for arguments in
        [&["info", "seam.obj"][..], &["check", "seam.obj"], &["convert", "seam.obj", "seam.ply"]]
    {
        let (_, stdout, stderr) = outcome(&run(folder, arguments));
        let told = stdout + &stderr;
        assert!(told.contains("the normals differ from face to face"), "{told}");
    }
    let object = run_json(folder, &["convert", "seam.obj", "seam.vtk", "--json"]);
    assert_eq!(object["notes"].as_array().unwrap().len(), 1);
}

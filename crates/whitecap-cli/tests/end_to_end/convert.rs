//! `whitecap convert`.

use std::fs;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh};

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
    assert_eq!(object["grids"][0]["cell_metres"], 0.05);
    run_json(folder, &["convert", "cube.vdb", "back.ply", "--json"]);
    let report = run_json(folder, &["check", "back.ply", "--json"]);
    let volume = report["volume_cubic_metres"].as_f64().unwrap();
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

/// Contract: `--scale`, `--up`, `--translate`, `--rename`, `--keep` and `--drop` reach the file; a
/// column that is not there is an error that lists those that are.
#[test]
fn units_axes_and_names_are_changed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "x,y,z,vel_x,vel_y,vel_z,radius,mass\n1000,2000,3000,0,0,500,10,7\n";
    fs::write(folder.join("a.csv"), text).unwrap();
    let convert = |output: &str, more: &[&str]| {
        outcome(&run(folder, &[&["convert", "a.csv", output], more].concat()))
    };
    let flags = ["--scale=mm", "--up=z", "--translate=-1,0,10", "--drop=mass"];
    let (code, _, stderr) = convert("b.bgeo", &flags);
    assert_eq!(code, 0, "{stderr}");
    let read = whitecap_io::read_particles(folder.join("b.bgeo")).unwrap();
    assert_eq!(read.positions(), [Vec3::new(0.0, 3.0, 8.0)]);
    assert_eq!(read.velocities(), Some(&[Vec3::new(0.0, 0.5, 0.0)][..]));
    assert_eq!(read.radii(), Some(&[0.01][..]));
    assert!(read.attribute("mass").is_none());
    assert_eq!(convert("c.bgeo", &["--rename", "mass=m0", "--keep", "m0"]).0, 0);
    let read = whitecap_io::read_particles(folder.join("c.bgeo")).unwrap();
    let names: Vec<&str> = read.attributes().iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["m0"]);
    let (code, _, stderr) = convert("d.bgeo", &["--drop=pressure"]);
    assert!(code == 1 && stderr.contains("velocity, radius, mass"), "{stderr}");
    let (code, _, stderr) = convert("d.bgeo", &["--flip-normals"]);
    assert!(code == 1 && stderr.contains("only a mesh"), "{stderr}");
    assert!(!folder.join("d.bgeo").exists());
}

/// Contract: `--fps` makes velocities from the motion between frames, over gaps as well.
#[test]
fn velocities_come_from_motion() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (frame, x) in [(1, 0.0f32), (2, 1.0), (4, 5.0)] {
        let mut particles = Particles::new(vec![Vec3::new(x, 0.0, 0.0), Vec3::ZERO]);
        particles.set_attribute("pid", Column::I64(vec![8, 9])).unwrap();
        whitecap_io::write_particles(folder.join(format!("f.{frame}.npz")), &particles).unwrap();
    }
    let flags = ["convert", "f.#.npz", "v.#.npz", "--fps=10", "--rename=pid=id", "--drop=id"];
    let (code, _, stderr) = outcome(&run(folder, &flags));
    assert_eq!(code, 0, "{stderr}");
    let along = |frame: i32| {
        let read = whitecap_io::read_particles(folder.join(format!("v.{frame}.npz"))).unwrap();
        assert!(read.ids().is_none());
        read.velocities().unwrap().iter().map(|v| v.x).collect::<Vec<_>>()
    };
    assert_eq!([along(1), along(2), along(4)], [[10.0, 0.0], [5.0 / 0.3, 0.0], [20.0, 0.0]]);
    let (code, _, stderr) = outcome(&run(folder, &["convert", "f.#.npz", "w.#.npz", "--fps=10"]));
    assert!(code == 1 && stderr.contains("`id`") && stderr.contains("pid"), "{stderr}");
    let (code, _, stderr) = outcome(&run(folder, &["convert", "f.1.npz", "w.npz", "--fps=10"]));
    assert!(code == 1 && stderr.contains("give a sequence"), "{stderr}");
}

/// Contract: what messages advise can be done as written: a mesh that is inside out or in millimetres
/// is refused with a command that repairs it.
#[test]
fn advice_names_flags_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for frame in [1, 2] {
        whitecap_io::write_particles(folder.join(format!("p.{frame}.bgeo")), &block(6)).unwrap();
    }
    let surface = ["surface", "p.1.bgeo", "-o", "good.ply", "--radius=0.05", "--cell=0.05"];
    assert_eq!(outcome(&run(folder, &surface)).0, 0);
    for spoil in ["--flip-normals", "--scale=1000"] {
        assert_eq!(outcome(&run(folder, &["convert", "good.ply", "bad.ply", spoil])).0, 0);
        let track = |mesh: &str| {
            outcome(&run(folder, &["track", "p.#.bgeo", "--mesh", mesh, "-o", "t.#.ply"]))
        };
        let (code, _, stderr) = track("bad.ply");
        assert_eq!(code, 1, "{spoil}: {stderr}");
        let advice = stderr.split('`').find(|part| part.starts_with("whitecap convert")).unwrap();
        let words: Vec<&str> = advice
            .split(' ')
            .skip(1)
            .map(|word| match word {
                "IN" => "bad.ply",
                "OUT" => "repaired.ply",
                word => word,
            })
            .collect();
        let (code, _, stderr) = outcome(&run(folder, &words));
        assert_eq!(code, 0, "{advice}: {stderr}");
        let (code, _, stderr) = track("repaired.ply");
        assert_eq!(code, 0, "{advice}: {stderr}");
    }
}

/// Contract: a frame gets the same velocities whatever range is converted: its neighbours are the files
/// next to it, so a conversion can be continued.
#[test]
fn velocities_do_not_depend_on_the_range() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for frame in 1..=7_u8 {
        let mut particles = Particles::new(vec![Vec3::X * f32::from(frame * frame)]);
        particles.set_attribute("id", Column::I64(vec![8])).unwrap();
        whitecap_io::write_particles(folder.join(format!("f.{frame}.npz")), &particles).unwrap();
    }
    for (out, input, frames) in [
        ("all", "f.#.npz", &[][..]),
        ("rest", "f.#.npz", &["--frames=4-7"]),
        ("some", "f.#.npz", &["--frames=1-7x3"]),
        ("glob", "f.[4-7].npz", &[]),
    ] {
        let output = format!("{out}/f.#.npz");
        let arguments = [&["convert", input, &output, "--fps=24"], frames].concat();
        let (code, _, stderr) = outcome(&run(folder, &arguments));
        assert_eq!(code, 0, "{stderr}");
        for frame in [4, 7] {
            let read = |out: &str| fs::read(folder.join(format!("{out}/f.{frame}.npz"))).unwrap();
            assert_eq!(read(out), read("all"), "{out}, frame {frame}");
        }
    }
}

/// Contract: a format that is only read is refused as output with a sentence that says so.
#[test]
fn formats_that_are_only_read_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    let (code, _, stderr) = outcome(&run(folder, &["convert", "frame.0001.bgeo", "y.prt"]));
    assert!(code == 2 && stderr.contains(".prt files are only read"), "{stderr}");
    assert!(stderr.contains(".bgeo"), "{stderr}");
}

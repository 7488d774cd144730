//! `whitecap surface`.

use std::fs;

use crate::{block, outcome, run, run_json, write_sequence};

const CHECKED: [&str; 12] = [
    "vertices",
    "triangles",
    "seconds",
    "surfacing_seconds",
    "peak_bytes",
    "components",
    "euler_characteristic",
    "open_edges",
    "non_manifold_edges",
    "volume_cubic_metres",
    "area_square_metres",
    "non_manifold_vertices",
];

/// Contract: `surface --check --json` prints one object with every number of the report, and the
/// mesh file agrees with it; each method gives a closed surface around the block.
#[test]
fn one_file_becomes_a_closed_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(6)).unwrap();
    for method in ["density", "zhu-bridson", "solenthaler", "anisotropic"] {
        let arguments = [
            "surface",
            "block.bgeo",
            "-o",
            "made/block.ply",
            "--method",
            method,
            "--radius=0.05",
            "--attributes=velocity,normal",
            "--check",
            "--json",
        ];
        let object = run_json(folder, &arguments);
        for key in CHECKED {
            assert!(!object[key].is_null(), "{method}: {key} is missing: {object}");
        }
        assert_eq!(object["open_edges"], 0);
        assert_eq!(object["components"], 1);
        assert_eq!(object["euler_characteristic"], 2);
        let volume = object["volume_cubic_metres"].as_f64().unwrap();
        assert!((0.1..0.25).contains(&volume), "{method}: 0.6³ is 0.216, not {volume}");
        let mesh = whitecap_io::read_mesh(folder.join("made/block.ply")).unwrap();
        assert_eq!(object["triangles"], mesh.triangles().len());
        assert!(mesh.attribute("velocity").is_some() && mesh.attribute("normal").is_some());
    }
}

/// Contract: every mesh is measured; without `--json` a sentence is printed, and with `--quiet` nothing
/// at all. Nothing but the mesh stays.
#[test]
fn one_sentence_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(4)).unwrap();
    let plain = ["surface", "block.bgeo", "-o", "block.obj"];
    let object = run_json(folder, &[&plain[..], &["--json"]].concat());
    assert!(
        object["volume_cubic_metres"].as_f64() > Some(0.0)
            && object["vertices"].as_u64().unwrap() > 0
    );
    let (code, stdout, _) = outcome(&run(folder, &plain));
    assert_eq!(code, 0);
    assert!(stdout.starts_with("1 frame with 64 particles and "), "{stdout}");
    assert!(stdout.ends_with("; it is in block.obj.\n"), "{stdout}");
    let silent = run(folder, &[&plain[..], &["--quiet"]].concat());
    assert_eq!(outcome(&silent), (0, String::new(), String::new()));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2);
}

/// Contract: an output called .vdb gets the signed distance, a level set that `info` and `render` read;
/// a format that can hold neither is refused.
#[test]
fn a_volume_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(4)).unwrap();
    run_json(folder, &["surface", "block.bgeo", "-o", "block.vdb", "--json"]);
    let info = run_json(folder, &["info", "block.vdb", "--json"]);
    assert_eq!(info["grids"][0]["class"], "level set");
    assert!(info["grids"][0]["range"][0].as_f64() < Some(0.0), "{info}");
    let small = ["--width", "40", "--height", "30", "--samples", "2", "--json"];
    let picture =
        run_json(folder, &[&["render", "block.vdb", "-o", "block.png"], &small[..]].concat());
    assert!(picture["rays"].as_u64() > Some(2400));
    let (code, _, stderr) = outcome(&run(folder, &["surface", "block.bgeo", "-o", "b.xyz"]));
    assert!(code == 2 && stderr.contains(".obj"), "{stderr}");
}

/// Contract: a sequence becomes a sequence with the same frame numbers, its object has a `frames`
/// array and totals, and the bytes do not depend on the number of threads.
#[test]
fn a_sequence_becomes_a_sequence() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    for threads in ["1", "2", "7"] {
        let output = format!("by_{threads}/mesh.%04d.ply");
        let arguments = [
            "surface",
            "frame.####.bgeo",
            "-o",
            &output,
            "--threads",
            threads,
            "--check",
            "--json",
        ];
        let object = run_json(folder, &arguments);
        let frames = object["frames"].as_array().unwrap();
        assert_eq!(frames.len(), 3);
        assert_eq!(frames[2]["frame"], 3);
        let sum: u64 =
            frames.iter().map(|frame| frame["metrics"]["triangles"].as_u64().unwrap()).sum();
        assert_eq!(object["triangles"], sum);
        assert_eq!(object["open_edges"], 0);
    }
    for frame in 1..=3 {
        let bytes = |threads: &str| {
            fs::read(folder.join(format!("by_{threads}/mesh.{frame:04}.ply"))).unwrap()
        };
        assert_eq!(bytes("1"), bytes("2"));
        assert_eq!(bytes("1"), bytes("7"));
    }
}

/// Contract: `--frames` takes part of a sequence; missing frames are named, and the others are made.
#[test]
fn part_of_a_sequence() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    let with = |frames| ["surface", "frame.####.bgeo", "-o", "m.####.ply", "--frames", frames];
    assert_eq!(outcome(&run(folder, &with("2-3"))).0, 0);
    assert!(!folder.join("m.0001.ply").exists() && folder.join("m.0003.ply").exists());
    let (code, _, stderr) = outcome(&run(folder, &with("2-5")));
    assert_eq!(code, 0);
    assert!(stderr.contains("frames 4-5 are missing"), "{stderr}");
}

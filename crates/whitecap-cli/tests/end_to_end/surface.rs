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
    "volume",
    "area",
    "closed_manifold",
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
        let volume = object["volume"].as_f64().unwrap();
        assert!((0.1..0.25).contains(&volume), "{method}: 0.6³ is 0.216, not {volume}");
        let mesh = whitecap_io::read_mesh(folder.join("made/block.ply")).unwrap();
        assert_eq!(object["triangles"], mesh.triangles().len());
        assert!(mesh.attribute("velocity").is_some() && mesh.attribute("normal").is_some());
    }
}

/// Contract: without `--check` the report is not made; without `--json` a sentence is printed,
/// and with `--quiet` nothing at all.
#[test]
fn reports_are_made_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(4)).unwrap();
    let plain = ["surface", "block.bgeo", "-o", "block.obj"];
    let object = run_json(folder, &[&plain[..], &["--json"]].concat());
    assert!(object["volume"].is_null() && object["vertices"].as_u64().unwrap() > 0);
    let (code, stdout, _) = outcome(&run(folder, &plain));
    assert_eq!(code, 0);
    assert!(stdout.starts_with("64 particles became"), "{stdout}");
    let silent = run(folder, &[&plain[..], &["--quiet"]].concat());
    assert_eq!(outcome(&silent), (0, String::new(), String::new()));
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
        let sum: u64 = frames.iter().map(|frame| frame["triangles"].as_u64().unwrap()).sum();
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

/// Contract: `--frames` takes part of a sequence; a missing frame is named.
#[test]
fn part_of_a_sequence() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    let with = |frames| ["surface", "frame.####.bgeo", "-o", "m.####.ply", "--frames", frames];
    assert_eq!(outcome(&run(folder, &with("2-3"))).0, 0);
    assert!(!folder.join("m.0001.ply").exists() && folder.join("m.0003.ply").exists());
    let (code, _, stderr) = outcome(&run(folder, &with("2-5")));
    assert_eq!(code, 1);
    assert!(stderr.contains("frames 4-5 are missing"), "{stderr}");
}

//! `whitecap info` and `whitecap check`.

use std::fs;

use crate::{block, outcome, run, run_json, write_sequence};

/// Contract: `info` counts particles, finds their spacing, and lists attributes with their range.
#[test]
fn info_tells_what_is_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(11)).unwrap();
    let object = run_json(folder, &["info", "block.bgeo", "--json"]);
    assert_eq!(object["kind"], "particles");
    assert_eq!(object["particles"], 1331);
    let spacing = object["spacing"].as_f64().unwrap();
    assert!((spacing - 0.1).abs() < 0.003, "{spacing}");
    assert_eq!(object["bounds"]["max"], serde_json::json!([1.0, 1.0, 1.0]));
    assert_eq!(object["attributes"][0]["name"], "velocity");
    assert_eq!(object["attributes"][0]["range"][1], serde_json::json!([1.0, 1.0, 0.0]));
    let (_, stdout, _) = outcome(&run(folder, &["info", "block.bgeo"]));
    assert!(stdout.contains("1331 particles") && stdout.contains("spacing about 0."), "{stdout}");
}

/// Contract: of a sequence, `info` names the first, the last and the missing frames.
#[test]
fn info_finds_missing_frames() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    fs::remove_file(folder.join("frame.0002.bgeo")).unwrap();
    let object = run_json(folder, &["info", "frame.####.bgeo", "--json"]);
    assert_eq!((object["first"].as_i64(), object["last"].as_i64()), (Some(1), Some(3)));
    assert_eq!(object["missing"], serde_json::json!([[2, 2]]));
    let (_, stdout, _) = outcome(&run(folder, &["info", "frame.####.bgeo"]));
    assert!(stdout.contains("missing: 2"), "{stdout}");
}

/// Contract: `check` accepts a closed mesh and refuses an open one with exit code 1, and its
/// object is the report in both cases.
#[test]
fn check_tells_open_from_closed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fs::write(folder.join("closed.obj"), format!("{corners}{faces}")).unwrap();
    fs::write(folder.join("open.obj"), format!("{corners}{}", &faces[..16])).unwrap();
    let closed = run_json(folder, &["check", "closed.obj", "--self-intersections", "--json"]);
    assert_eq!(closed["closed_manifold"], true);
    assert_eq!(closed["self_intersections"], 0);
    assert!((closed["volume"].as_f64().unwrap() - 1.0 / 6.0).abs() < 1e-6);
    let (code, stdout, _) = outcome(&run(folder, &["check", "open.obj", "--json"]));
    assert_eq!(code, 1);
    let open: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(open["open_edges"], 4);
    let (code, stdout, _) = outcome(&run(folder, &["check", "open.obj"]));
    assert_eq!(code, 1);
    assert!(stdout.contains("not closed: 4 open edges"), "{stdout}");
}

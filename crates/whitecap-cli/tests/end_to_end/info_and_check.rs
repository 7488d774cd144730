//! `whitecap info` and `whitecap check`.

use std::fs;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles};

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
    let spacing = object["spacing_metres"].as_f64().unwrap();
    assert!((spacing - 0.1).abs() < 0.003, "{spacing}");
    assert_eq!(object["bounds_metres"]["max"], serde_json::json!([1.0, 1.0, 1.0]));
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
    assert!((closed["volume_cubic_metres"].as_f64().unwrap() - 1.0 / 6.0).abs() < 1e-6);
    let (code, stdout, _) = outcome(&run(folder, &["check", "open.obj", "--json"]));
    assert_eq!(code, 1);
    let open: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(open["open_edges"], 4);
    let (code, stdout, _) = outcome(&run(folder, &["check", "open.obj"]));
    assert_eq!(code, 1);
    assert!(stdout.contains("not closed: 4 open edges"), "{stdout}");
}

/// Contract: what a file calls its attributes, and what the file itself is called, cannot control a
/// terminal: neither in the answer of `info` or `check` nor in an error, as text or as JSON.
#[test]
fn no_terminal_escapes_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let wild = "\u{1b}[2J\u{9b}31m\u{202e}\r\nfake: line";
    let mut particles = block(3);
    particles.set_attribute(wild, Column::F32(vec![1.0; 27])).unwrap();
    whitecap_io::write_particles(folder.join("wild.bgeo"), &particles).unwrap();
    let is_wild = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    let tame = |arguments: &[&str]| {
        let (_, stdout, stderr) = outcome(&run(folder, arguments));
        assert!(!stdout.contains(is_wild) && !stderr.contains(is_wild), "{stdout:?} {stderr:?}");
        stdout + &stderr
    };
    let text = tame(&["info", "wild.bgeo"]);
    assert!(text.contains("\\u{1b}[2J") && !text.contains("\nfake"), "{text}");
    let object: serde_json::Value =
        serde_json::from_str(&tame(&["info", "wild.bgeo", "--json"])).unwrap();
    assert_eq!(object["attributes"][1]["name"], wild);
    fs::write(folder.join("wild.csv"), "a\u{1b}[31m,b\n1,2\n").unwrap();
    assert!(tame(&["info", "wild.csv"]).contains("columns are"));
    tame(&["info", "no\u{1b}[31msuch.ply"]);
    let named = "\u{1b}[31mred.obj";
    fs::write(folder.join(named), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    assert!(tame(&["check", named]).contains("open edges"));
    tame(&["check", named, "--json"]);
}

/// Contract: the bounds beside particles that are not numbers are those of the others, whatever the
/// order, and `info` says how many there are and names the first.
#[test]
fn bounds_are_right_beside_nan() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for places in [[0, 5], [25, 26]] {
        let mut particles: Particles = block(3);
        for place in places {
            particles.positions_mut()[place] = Vec3::new(f32::NAN, 0.5, -9.0);
        }
        let mut heat = vec![1.0; 27];
        (heat[0], heat[1]) = (f32::NAN, f32::INFINITY);
        particles.set_attribute("heat", Column::F32(heat)).unwrap();
        whitecap_io::write_particles(folder.join("a.bgeo"), &particles).unwrap();
        let object = run_json(folder, &["info", "a.bgeo", "--json"]);
        assert_eq!(object["bounds_metres"]["min"], serde_json::json!([0.0, 0.0, 0.0]));
        assert_eq!(object["bounds_metres"]["max"], serde_json::json!([0.2, 0.2, 0.2]));
        assert_eq!(object["not_finite"], serde_json::json!({ "count": 2, "first": places[0] }));
        assert_eq!(object["attributes"][1]["range"], serde_json::json!([1.0, 1.0]));
        assert_eq!(object["attributes"][1]["not_finite"], 2);
        assert!(object["spacing_metres"].as_f64().is_some());
        let (_, stdout, _) = outcome(&run(folder, &["info", "a.bgeo"]));
        let first = format!("2 positions are not finite, the first that of particle {}", places[0]);
        assert!(stdout.contains(&first), "{stdout}");
    }
}

/// Contract: inputs, outputs and patterns of every kind of command may have names that are not
/// UTF-8.
#[cfg(unix)]
#[test]
fn file_names_need_not_be_utf_8() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let name = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    for frame in 1..=2 {
        let file = [b"caf\xe9.000", frame.to_string().as_bytes(), b".bgeo"].concat();
        whitecap_io::write_particles(folder.join(name(&file)), &block(4)).unwrap();
    }
    let succeeds = |arguments: &[OsString]| {
        let output = crate::whitecap(folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let (json, pattern) = (name(b"--json"), name(b"caf\xe9.####.bgeo"));
    let object = succeeds(&[name(b"info"), name(b"caf\xe9.0001.bgeo"), json.clone()]);
    assert_eq!(object["particles"], 64);
    let object = succeeds(&[name(b"info"), pattern.clone(), json.clone()]);
    assert_eq!(object["frame_count"], 2);
    let copies = name(b"th\xe9.####.ply");
    succeeds(&[name(b"convert"), pattern.clone(), copies, json.clone()]);
    assert!(folder.join(name(b"th\xe9.0002.ply")).is_file());
    let meshes = name(b"out\xff/eau\xe9.####.ply");
    let radius = [name(b"--radius"), name(b"0.05")];
    let surface = [name(b"surface"), pattern, name(b"-o"), meshes.clone(), json.clone()];
    succeeds(&[&surface[..], &radius[..]].concat());
    assert!(folder.join(name(b"out\xff/eau\xe9.0002.ply")).is_file());
    succeeds(&[name(b"check"), meshes, json]);
}

/// Contract: no shot file among several is left unchecked without a word.
#[test]
fn shot_files_are_checked_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    for files in [["a.toml", "b.toml"], ["a.ply", "b.toml"]] {
        let (code, _, stderr) = outcome(&run(folder.path(), &["check", files[0], files[1]]));
        assert!(code == 2 && stderr.contains("one at a time"), "{stderr}");
    }
}

/// Contract: `check` and `info` take several files and whole folders, and look at each of them; one faulty
/// mesh fails the check.
#[test]
fn several_files_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fs::write(folder.join("closed_38.obj"), format!("{corners}{faces}")).unwrap();
    fs::write(folder.join("points.obj"), corners).unwrap();
    for arguments in [&["."][..], &["closed_38.obj", "points.obj"], &["*.obj"]] {
        let check = [&["check", "--json"], arguments].concat();
        let (code, stdout, _) = outcome(&run(folder, &check));
        let object: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((code, &object["good"]), (1, &serde_json::json!(false)), "{stdout}");
        assert_eq!(object["inputs"].as_array().unwrap().len(), 2, "{stdout}");
        let (_, stdout, _) = outcome(&run(folder, &[&["check"], arguments].concat()));
        assert!(stdout.contains("empty: there are no triangles"), "{stdout}");
        let info = run_json(folder, &[&["info", "--json"], arguments].concat());
        assert_eq!(info["inputs"].as_array().unwrap().len(), 2);
    }
    assert_eq!(run_json(folder, &["check", "closed_38.obj", "--json"])["good"], true);
    fs::rename(folder.join("points.obj"), folder.join("points_1.obj")).unwrap();
    let (code, stdout, _) = outcome(&run(folder, &["check", "."]));
    assert!(code == 1 && stdout.contains("no triangle in any frame"), "{stdout}");
    fs::write(folder.join("bad.obj"), "v 0 x 0\n").unwrap();
    let (code, stdout, stderr) = outcome(&run(folder, &["check", "."]));
    assert!(code == 1 && stdout.contains("every mesh is closed"), "{stdout}");
    assert!(stderr.contains("bad.obj") && stderr.contains("`x` is not a number"), "{stderr}");
    fs::remove_file(folder.join("bad.obj")).unwrap();
    fs::write(folder.join("bad.csv"), "a,b\n1,2\n").unwrap();
    let (code, stdout, stderr) = outcome(&run(folder, &["info", "."]));
    assert!(code == 1 && stdout.contains("closed_#") && stderr.contains("bad.csv"), "{stderr}");
    let (code, _, stderr) = outcome(&run(folder, &["info", "nosuch"]));
    assert!(code == 1 && stderr.contains("nosuch") && !stderr.contains("format"), "{stderr}");
}

/// Contract: a mesh that cells are too large for is converted with a note that says which would do; one that
/// no longer fits into its numbers is refused.
#[test]
fn convert_tells_what_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e38\n";
    let faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fs::write(folder.join("far.obj"), format!("{corners}{faces}")).unwrap();
    fs::write(folder.join("near.obj"), format!("{}{faces}", corners.replace("e38", ""))).unwrap();
    let (code, _, stderr) = outcome(&run(folder, &["convert", "near.obj", "o.vdb", "--cell", "5"]));
    assert!(code == 0 && stderr.contains("it may lose its shape; try --cell 0.0625"), "{stderr}");
    let (code, _, stderr) =
        outcome(&run(folder, &["convert", "far.obj", "o.obj", "--scale", "km"]));
    assert!(code == 1 && stderr.contains("point 3 would be farther away"), "{stderr}");
    let (code, _, stderr) =
        outcome(&run(folder, &["convert", "near.obj", "o.obj", "--scale", "-1"]));
    assert!(code == 2 && stderr.contains("positive number"), "{stderr}");
}

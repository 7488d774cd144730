//! `whitecap run`, `whitecap demo` and `whitecap schema`.

use std::fs;

use crate::{outcome, run, run_json, write_sequence};

const SHOT: &str = r#"
[shot]
name = "blocks"
frames = [1, 3]

[water]
kind = "cache"
path = "frame.####.bgeo"
radius = 0.05

[surface]
kind = "surface"
particles = "water"
save = ["ply"]
"#;

/// Contract: a run makes every frame and the report; a second run makes nothing; a changed setting
/// makes again what depends on it; `--output` chooses the folder.
#[test]
fn only_what_changed_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    fs::write(folder.join("blocks.toml"), SHOT).unwrap();
    let first = run_json(folder, &["run", "blocks.toml", "--json"]);
    assert_eq!((first["computed"].as_u64(), first["total"].as_u64()), (Some(6), Some(6)));
    assert!(folder.join("out/blocks/surface/surface.0003.ply").is_file());
    assert!(folder.join("out/blocks/report.html").is_file());
    let second = run_json(folder, &["run", "blocks.toml", "--json"]);
    assert_eq!(second["computed"], 0);
    fs::write(folder.join("blocks.toml"), SHOT.replace("save =", "smooth = 2\nsave =")).unwrap();
    let third = run_json(folder, &["run", "blocks.toml", "--json"]);
    assert_eq!(third["computed"], 3);
    let other = run_json(folder, &["run", "blocks.toml", "--output", "elsewhere", "--json"]);
    assert_eq!(other["output"], "elsewhere");
    assert!(folder.join("elsewhere/surface/surface.0001.ply").is_file());
}

/// Contract: a shot file with mistakes is exit code 2; every mistake is shown with its line, and
/// listed in the object. `check` says the same and makes nothing.
#[test]
fn mistakes_are_shown_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    let text = SHOT.replace("radius = 0.05", "radus = 0.05").replace("\"water\"\n", "\"watr\"\n");
    fs::write(folder.join("bad.toml"), text).unwrap();
    let (code, _, stderr) = outcome(&run(folder, &["run", "bad.toml"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("bad.toml:9:1") && stderr.contains("radius"), "{stderr}");
    let (code, stdout, _) = outcome(&run(folder, &["run", "bad.toml", "--json"]));
    let object: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(code, 2);
    assert_eq!(object["mistakes"].as_array().unwrap().len(), 2);
    assert_eq!(object["mistakes"][0]["line"], 9);
    assert_eq!(outcome(&run(folder, &["check", "bad.toml"])), (2, String::new(), stderr));
    assert_eq!(outcome(&run(folder, &["run", "none.toml"])).0, 2);

    fs::write(folder.join("blocks.toml"), SHOT).unwrap();
    let outline = run_json(folder, &["check", "blocks.toml", "--json"]);
    assert_eq!(outline["stages"][1]["kind"], "surface");
    assert!(!folder.join("out").exists());
}

/// Contract: the demo makes 30 closed surfaces with a report, says where they are, leaves a shot
/// file that runs, and does not overwrite it once it has been changed.
#[test]
fn the_demo_makes_closed_surfaces() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (code, stdout, stderr) = outcome(&run(folder, &["demo", "-o", "made"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("made/surface/surface.####.ply"), "{stdout}");
    assert!(stdout.contains("Stanford PLY"), "{stdout}");
    let meshes = run_json(folder, &["check", "made/surface/surface.####.ply", "--json"]);
    assert_eq!(meshes["frames"].as_array().unwrap().len(), 30);
    for frame in meshes["frames"].as_array().unwrap() {
        let volume = frame["volume_cubic_metres"].as_f64().unwrap();
        assert!((0.15..0.25).contains(&volume), "a pool of 0.2 m³ and a drop: {frame}");
    }
    let info = run_json(folder, &["info", "made/surface/surface.0030.ply", "--json"]);
    let highest = info["bounds_metres"]["max"][1].as_f64().unwrap();
    assert!(highest < 1.52, "the jet stays in the domain, 1.5 m high: {highest}");
    let again = run_json(folder, &["run", "made/demo.toml", "--json"]);
    assert_eq!(again["computed"], 0);
    let changed = fs::read_to_string(folder.join("made/demo.toml")).unwrap() + "# mine\n";
    fs::write(folder.join("made/demo.toml"), changed).unwrap();
    let (code, _, stderr) = outcome(&run(folder, &["demo", "-o", "made"]));
    assert_eq!(code, 1);
    assert!(stderr.contains("whitecap run"), "{stderr}");
}

/// Contract: the schema is JSON that knows every stage and its settings.
#[test]
fn the_schema_is_json() {
    let folder = tempfile::tempdir().unwrap();
    let schema = run_json(folder.path(), &["schema"]);
    let cell = &schema["$defs"]["surface-stage"]["properties"]["cell"];
    assert_eq!(cell["unit"], "m");
}

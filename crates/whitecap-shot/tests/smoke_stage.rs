//! Contract: smoke works in a shot like any other stage: files hold its three grids, the report its metrics;
//! what is wrong is reported at its line, what releases nothing in a note. (That a cancelled run continues with
//! the same bytes is in `cancelled_anywhere.rs`.)

use std::path::Path;

use serde_json::Value;
use whitecap_core::GridValues;
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_shot::{CancelToken, Event, Registry, RunOptions, Shot, run};

const SHOT: &str = r#"
[shot]
name = "plume"
frames = [1, 4]
fps = 24

[smoke]
kind = "smoke"
cell = 0.05
sources = [{ from = { ball = { center = [0, 0.3, 0], radius = 0.15 } } }]
solids = [{ path = "block.ply" }]
domain = { min = [-0.5, 0, -0.5], max = [0.5, 1, 0.5] }
open-sides = ["+y"]
save = ["vdb"]
"#;

fn parsed(folder: &Path, old: &str, new: &str) -> Result<Shot, String> {
    assert!(SHOT.contains(old), "{old}");
    let block = TriMesh::cuboid(Vec3::new(-0.2, 0.7, -0.2), Vec3::new(0.2, 0.9, 0.2));
    whitecap_io::write_mesh(folder.join("block.ply"), &block).unwrap();
    let text = SHOT.replace(old, new);
    Shot::parse(&text, &folder.join("plume.toml"), &Registry::standard())
        .map_err(|mistakes| mistakes.to_string())
}

fn ran(folder: &Path, old: &str, new: &str) -> Result<Value, String> {
    let shot = parsed(folder, old, new)?;
    let options = (|_: &Event<'_>| {}, CancelToken::new());
    let summary = run(&shot, &RunOptions::new(&options.0, &options.1));
    let summary = summary.map_err(|error| error.to_string())?;
    let report = std::fs::read_to_string(summary.report_json.unwrap()).unwrap();
    Ok(serde_json::from_str(&report).unwrap())
}

#[test]
fn files_hold_density_temperature_and_velocity() {
    let folder = tempfile::tempdir().unwrap();
    let report = ran(folder.path(), "cell = 0.05", "cell = 0.05").unwrap().to_string();
    for metric in ["cells", "total density", "left through open sides", "largest speed"] {
        assert!(report.contains(metric), "{metric} is not in {report}");
    }
    let volume = whitecap_io::vdb::read(&folder.path().join("out/plume/smoke/smoke.0004.vdb"));
    let volume = volume.unwrap();
    for name in ["density", "temperature"] {
        let Some(GridValues::Scalar(grid)) = volume.grid(name).map(|grid| &grid.values) else {
            panic!("there is no grid {name}");
        };
        assert!(grid.sample(Vec3::new(0.0, 0.3, 0.0)) > 0.1, "{name}");
        assert_eq!(grid.sample(Vec3::new(0.0, 0.8, 0.0)), 0.0, "{name} inside the solid");
    }
    let Some(GridValues::Vector(grid)) = volume.grid("velocity").map(|grid| &grid.values) else {
        panic!("there is no grid velocity");
    };
    let middle = ((Vec3::new(0.0, 0.3, 0.0) - grid.lattice().origin) / grid.lattice().cell).round();
    assert!(grid.get(middle.as_ivec3()).y > 0.05);
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = |old: &str, new: &str| ran(folder.path(), old, new).unwrap_err();
    let ball = "{ from = { ball = { center = [0, 0.3, 0], radius = 0.15 } } }";
    assert!(told(&format!("sources = [{ball}]"), "").contains("there is no smoke"));
    let mesh = "{ from = { mesh = { path = \"none.ply\" } } }";
    assert!(told(ball, mesh).contains("there is no mesh file"));
    assert!(told("max = [0.5, 1, 0.5]", "max = [0.5, -1, 0.5]").contains("empty along y"));
    let message = told(ball, "{ from = { particles = {} } }");
    assert!(message.contains("has no input `particles`"), "{message}");
    let hidden = "{ from = { ball = { center = [0, 0.8, 0], radius = 0.05 } } }";
    let report = ran(folder.path(), ball, hidden).unwrap().to_string();
    assert!(report.contains("source 1 covers no cell that is free"), "{report}");
}

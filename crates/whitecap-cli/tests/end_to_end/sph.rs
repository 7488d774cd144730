//! `whitecap sph`.

use std::fs;
#[cfg(unix)]
use std::path::Path;

use crate::{outcome, run, run_json};

/// A small splash; the caller adds the output.
const SPLASH: [&str; 9] = [
    "sph",
    "--fill-box=0,0,0,0.6,0.1,0.4",
    "--fill-sphere=0.3,0.35,0.2,0.1",
    "--domain=0,0,0,0.6,0.6,0.4",
    "--spacing=0.05",
    "--gravity=0,-9.81,0",
    "--frames=5",
    "--fps=30",
    "-o",
];

fn splash<'a>(output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    SPLASH.iter().copied().chain([output]).chain(more.iter().copied()).collect()
}

/// Contract: a liquid is simulated from flags alone and written in any format of particles; the
/// object describes every frame, and nothing is left behind.
#[test]
fn a_liquid_from_flags() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let made = run_json(folder, &splash("out/water.####.bgeo", &["--json"]));
    assert_eq!(made["frames"].as_array().unwrap().len(), 5);
    let particles = made["particles"].as_u64().unwrap();
    assert!(particles > 190, "{particles}");
    for frame in made["frames"].as_array().unwrap() {
        assert_eq!(frame["metrics"]["particles"].as_u64(), Some(particles));
        assert_eq!(frame["metrics"]["particles_inside_a_solid"], 0);
        assert_eq!(frame["metrics"]["particles_outside_the_domain"], 0);
    }
    assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), 5);
    let last = whitecap_io::read_particles(folder.join("out/water.0005.bgeo")).unwrap();
    for format in ["ply", "vtu", "npz"] {
        let output = format!("water.%03d.{format}");
        let (code, stdout, stderr) = outcome(&run(folder, &splash(&output, &[])));
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains(&format!("5 frames with {particles} particles")), "{stdout}");
        let same = whitecap_io::read_particles(folder.join(format!("water.005.{format}")));
        assert_eq!(same.unwrap().positions(), last.positions(), "{format}");
    }
}

/// Contract: a closed mesh can be filled and another be a solid; paths start where the command
/// runs.
#[test]
fn meshes_from_flags() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &crate::block(4)).unwrap();
    run_json(folder, &["surface", "block.bgeo", "-o", "block.ply", "--json"]);
    let solids = r#"--solids=[{"path": "block.ply", "keys": [{"position": [0, -0.6, 0]}]}]"#;
    let arguments =
        ["sph", "--fill-mesh=block.ply", "--spacing=0.04", solids, "--frames=8", "-o", "w.##.bgeo"];
    let made = run_json(folder, &[&arguments[..], &["--json"]].concat());
    for frame in made["frames"].as_array().unwrap() {
        assert_eq!(frame["metrics"]["particles_inside_a_solid"], 0);
    }
    let (code, _, stderr) =
        outcome(&run(folder, &["sph", "--fill-mesh=none.ply", "-o", "w.##.bgeo"]));
    assert!(code == 2 && stderr.contains("there is no mesh file none.ply"), "{stderr}");
}

/// Contract: wrong usage is exit code 2 and a sentence that names the flag or says what would be
/// right; nothing is written.
#[test]
fn wrong_usage_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = |arguments: &[&str]| {
        let (code, _, stderr) = outcome(&run(folder.path(), arguments));
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        stderr
    };
    assert!(told(&["sph", "-o", "w.##.bgeo"]).contains("--fill-box"));
    assert!(told(&splash("water.bgeo", &[])).contains("####"));
    assert!(told(&splash("water.##.obj", &[])).contains(".bgeo"));
    assert!(told(&splash("w.##.bgeo", &["--fill-box=0,0,0,1"])).contains("6 numbers"));
    assert!(told(&splash("w.##.bgeo", &["--fill-box=0,0,0,1,nan,1"])).contains("not a number"));
    assert!(told(&splash("w.##.bgeo", &["--fill-box=0,0,0,1,-1,1"])).contains("empty along y"));
    assert!(told(&splash("w.##.bgeo", &["--viscosity=-1"])).contains("it must be"));
    assert!(told(&splash("w.##.bgeo", &["--planes=[{}]"])).contains("point"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The files in a folder, in order.
#[cfg(unix)]
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Contract: Ctrl-C ends the run with exit code 130 and a sentence; the same command continues
/// where it stopped and ends with the files of an uninterrupted run. Other settings start over.
#[cfg(unix)]
#[test]
fn a_stopped_run_continues() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let command = |output| -> Vec<&str> {
        let long = splash(output, &["--spacing=0.02", "--frames=30"]).into_iter();
        long.filter(|flag| *flag != "--spacing=0.05" && *flag != "--frames=5").collect()
    };
    let (code, _, told) = outcome(&run(folder, &command("whole/w.####.bgeo")));
    assert_eq!(code, 0, "{told}");
    let whole = files(&folder.join("whole"));
    assert_eq!(whole.len(), 30);

    let again = command("parts/w.####.bgeo");
    let told = crate::interrupt::stopped(folder, &again);
    assert!(told.contains("The same command continues"), "{told}");
    let other = [&again[..], &["--cfl=0.3"]].concat();
    let (code, _, told) = outcome(&run(folder, &other));
    assert!(code == 0 && !told.contains("Continuing"), "{told}");

    let told = crate::interrupt::stopped(folder, &again);
    assert!(!told.contains("Continuing"), "{told}");
    let (code, _, told) = outcome(&run(folder, &again));
    assert!(code == 0 && told.contains("Continuing after frame"), "{told}");
    assert!(files(&folder.join("parts")) == whole, "other files after continuing");
}

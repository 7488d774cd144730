//! What all commands of stages have in common.

use std::fs;
use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh};

use crate::{block, outcome, run, run_json, write_sequence};

/// Every file in a folder with its bytes, hidden ones too.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, if path.is_dir() { Vec::new() } else { fs::read(path).unwrap() })
        })
        .collect();
    found.sort();
    found
}

/// Contract: no command overwrites a file that it reads, whether it is its subject, another input, the file
/// of a setting, or the target of a side result; two results never share a file. Nothing changes.
#[test]
fn inputs_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    for frame in 1..=3 {
        let mesh = TriMesh::cuboid(Vec3::splat(-0.1), Vec3::splat(0.1));
        whitecap_io::write_mesh(folder.join(format!("m.{frame:04}.ply")), &mesh).unwrap();
    }
    let before = files(folder);
    let waves = ["waves", "frame.####.bgeo", "--coarse=0.2", "--fine=0.1"];
    let cases: [(&[&str], &[&str]); 8] = [
        (&waves, &["-o", "w.####.ply", "--points", "frame.####.bgeo"]),
        (&waves, &["-o", "m.####.ply", "--surface", "m.####.ply"]),
        (&waves, &["-o", "m.####.ply", "--obstacles", "m.####.ply"]),
        (&waves, &["-o", "w.####.ply", "--points", "w.####.ply"]),
        (&["track", "frame.####.bgeo"], &["--mesh", "m.0001.ply", "-o", "m.####.ply"]),
        (&["pipes", "m.0002.ply"], &["--frames=3", "-o", "m.####.ply"]),
        (&["sph", "--fill-mesh=m.0003.ply", "--spacing=0.05"], &["--frames=3", "-o", "m.####.ply"]),
        (&["surface", "frame.0001.bgeo"], &["-o", "frame.0001.bgeo"]),
    ];
    for (command, rest) in cases {
        let arguments = [command, rest].concat();
        let (code, _, stderr) = outcome(&run(folder, &arguments));
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(files(folder) == before, "{arguments:?} changed something");
    }
}

/// Contract: a command that fails, or is used wrongly, before it has finished a frame leaves nothing behind,
/// not even hidden files, and says what is wrong with which file or flag.
#[test]
fn failures_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    whitecap_io::write_particles(folder.join("block.bgeo"), &block(4)).unwrap();
    let mut odd = Particles::new(vec![Vec3::ZERO, Vec3::X, Vec3::splat(f32::INFINITY)]);
    odd.set_attribute("radius", Column::F32(vec![0.1; 3])).unwrap();
    whitecap_io::write_particles(folder.join("odd.bgeo"), &odd).unwrap();
    let before = files(folder);
    let cases: [(&[&str], &str); 6] = [
        (&["surface", "block.bgeo", "-o", "a.ply", "--attributes=foam"], "block.bgeo: "),
        (&["waves", "block.bgeo", "-o", "a.ply", "--paint=dirt"], "`paint = "),
        (
            &["render", "odd.bgeo", "-o", "a.png", "--width=16", "--height=16"],
            "odd.bgeo: particle 2",
        ),
        (&["pipes", "--area=0,0,1,1", "--fill-sphere=0,0,0,-1", "-o", "a.####.ply"], "--fill: "),
        (
            &["pipes", "--area=0,0,0.1,0.1", "--fill-level=0.01", "-o", "a.####.bgeo"],
            "--give drops",
        ),
        (&["sph", "--fill-mesh=none.ply", "-o", "a.####.bgeo"], "--fill: there is no mesh file"),
    ];
    for (arguments, expected) in cases {
        let (code, _, stderr) = outcome(&run(folder, arguments));
        assert_ne!(code, 0, "{arguments:?}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
        assert!(files(folder) == before, "{arguments:?} left something behind");
    }
}

/// Contract: `displace` moves a mesh by the points of `waves`, as its stage does.
#[test]
fn a_mesh_is_displaced() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sequence(folder);
    let waves = ["waves", "frame.####.bgeo", "--give=points", "--coarse=0.2", "--fine=0.1"];
    assert_eq!(outcome(&run(folder, &[&waves[..], &["-o", "p.####.bgeo"]].concat())).0, 0);
    let surface = ["surface", "frame.####.bgeo", "-o", "s.####.ply", "--radius=0.05"];
    assert_eq!(outcome(&run(folder, &surface)).0, 0);
    let arguments =
        ["displace", "s.####.ply", "--points", "p.####.bgeo", "-o", "d.####.ply", "--json"];
    let made = run_json(folder, &arguments);
    assert_eq!(made["frames"].as_array().unwrap().len(), 3);
    let moved = whitecap_io::read_mesh(folder.join("d.0003.ply")).unwrap();
    assert_eq!(made["vertices"].as_u64(), Some(moved.positions().len() as u64));
    assert!(moved.attribute("height").is_some());
}

/// Contract: a run that is stopped again before it has made anything keeps what the first run left, and a
/// side result continues with it.
#[cfg(unix)]
#[test]
fn a_second_stop_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let command = |output: &'static str| {
        vec![
            "sph",
            "--fill-box=0,0,0,0.6,0.3,0.4",
            "--domain=0,0,0,0.8,0.6,0.4",
            "--spacing=0.02",
            "--frames=20",
            "-o",
            output,
        ]
    };
    let (code, _, told) = outcome(&run(folder, &command("whole/w.####.bgeo")));
    assert_eq!(code, 0, "{told}");
    crate::interrupt::stopped(folder, &command("parts/w.####.bgeo"));
    let records = |folder: &Path| {
        let hidden = folder.join("parts/.w.0001.bgeo.run/sph/.frames");
        fs::read_dir(hidden).map_or(0, |entries| entries.count())
    };
    let before = records(folder);
    assert!(before > 0);
    // A source that cannot be read fails at once.
    let failing = [&command("parts/w.####.bgeo")[..], &["--largest-time-step=1e-7"]].concat();
    let mut child = crate::whitecap(folder).args(&failing).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let _ = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    child.wait().unwrap();
    assert!(records(folder) >= before, "the records of the first run are gone");
    let (code, _, told) = outcome(&run(folder, &command("parts/w.####.bgeo")));
    assert_eq!(code, 0, "{told}");
    assert!(files(&folder.join("parts")) == files(&folder.join("whole")), "other files");
}

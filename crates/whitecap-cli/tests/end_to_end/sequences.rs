//! Sequences with gaps, ranges of frames, folders and globs.

use std::fs;
use std::path::Path;

use serde_json::json;
use whitecap_core::Column;

use crate::{block, outcome, run, run_json};

/// Blocks with ids, `f.NNNN.bgeo`, that fall; only these frames.
fn write_frames(folder: &Path, frames: &[i64]) {
    fs::create_dir_all(folder).unwrap();
    for &frame in frames {
        let mut particles = block(4);
        particles.positions_mut().iter_mut().for_each(|p| p.y -= 0.01 * frame as f32);
        let ids = Column::I64((0..particles.len() as i64).collect());
        particles.set_attribute("id", ids).unwrap();
        whitecap_io::write_particles(folder.join(format!("f.{frame:04}.bgeo")), &particles)
            .unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Contract: `surface`, `convert`, `check`, `render` and `displace` use the frames that exist and say
/// which are missing, on the terminal and in JSON.
#[test]
fn gaps_are_said_and_the_rest_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(&folder.join("sim"), &[1, 2, 5, 7]);
    for (arguments, files) in [
        (vec!["surface", "sim/f.####.bgeo", "-o", "m/m.####.ply"], "m"),
        (vec!["convert", "sim/f.####.bgeo", "c/c.####.vtk"], "c"),
        (vec!["check", "m/m.####.ply"], "m"),
        (
            vec![
                "render",
                "sim/f.####.bgeo",
                "-o",
                "r/r.####.png",
                "--width=8",
                "--height=8",
                "--samples=1",
            ],
            "r",
        ),
    ] {
        let (code, stdout, stderr) = outcome(&run(folder, &[&arguments[..], &["--json"]].concat()));
        assert_eq!(code, 0, "{arguments:?}: {stderr}");
        assert!(stderr.contains("frames 3-4, 6 are missing"), "{arguments:?}: {stderr}");
        let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(answer["missing_frames"], json!([3, 4, 6]), "{arguments:?}");
        assert_eq!(names(&folder.join(files)).len(), 4, "{arguments:?}");
    }
    assert_eq!(
        names(&folder.join("m")),
        ["m.0001.ply", "m.0002.ply", "m.0005.ply", "m.0007.ply"],
        "and no folder of an unfinished run"
    );
    // A range of which nothing exists is an error that says what does.
    let none = ["surface", "sim/f.####.bgeo", "-o", "n.####.ply", "--frames=20-30"];
    let (code, _, stderr) = outcome(&run(folder, &none));
    assert!(
        code == 1 && stderr.contains("no frame of 20-30 exists; there are 1-2, 5, 7"),
        "{stderr}"
    );
}

/// Contract: where two inputs have different gaps, the frames that both have are made.
#[test]
fn gaps_of_a_second_input_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(folder, &[1, 2, 3]);
    let waves = [
        "waves",
        "f.####.bgeo",
        "--give=points",
        "-o",
        "p.####.bgeo",
        "--coarse=0.2",
        "--fine=0.1",
    ];
    assert_eq!(outcome(&run(folder, &waves)).0, 0);
    run_json(folder, &["surface", "f.####.bgeo", "-o", "s.####.ply", "--json"]);
    fs::remove_file(folder.join("p.0002.bgeo")).unwrap();
    let displace = ["displace", "s.####.ply", "--points", "p.####.bgeo", "-o", "w.####.ply"];
    let (code, _, stderr) = outcome(&run(folder, &displace));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("p.####.bgeo: frame 2 is missing"), "{stderr}");
    assert!(folder.join("w.0003.ply").exists() && !folder.join("w.0002.ply").exists());
}

/// Contract: what goes from frame to frame stops at a gap, with the range that has none.
#[test]
fn gaps_stop_what_needs_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(folder, &[1, 2, 3, 5]);
    whitecap_io::write_particles(folder.join("x.bgeo"), &block(2)).unwrap();
    for command in [vec!["waves"], vec!["track", "--mesh", "x.bgeo"]] {
        let files = ["f.####.bgeo", "-o", "w.####.ply"];
        let (code, _, stderr) = outcome(&run(folder, &[&command[..], &files].concat()));
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("frame 4 is missing"), "{stderr}");
        assert!(stderr.contains("--frames 1-3"), "{stderr}");
        let some = [&command[..], &files, &["--frames=1-3x2"]].concat();
        let (code, _, stderr) = outcome(&run(folder, &some));
        assert!(code == 2 && stderr.contains("--frames 1-3"), "{stderr}");
    }
    assert!(!folder.join("w.0001.ply").exists());
}

/// Contract: ranges have steps and negative numbers; backwards ones are refused with the right one. A
/// simulation takes a count or a range.
#[test]
fn frames_have_steps_and_negative_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(folder, &(-3..=12).collect::<Vec<_>>());
    let convert = |frames: &str, out: &str| {
        let arguments = ["convert", "f.####.bgeo", &format!("{out}/f.####.vtk"), frames];
        outcome(&run(folder, &arguments))
    };
    assert_eq!(convert("--frames=1-12x5", "a").0, 0);
    assert_eq!(names(&folder.join("a")), ["f.0001.vtk", "f.0006.vtk", "f.0011.vtk"]);
    assert_eq!(convert("--frames=-3--2", "b").0, 0);
    assert_eq!(names(&folder.join("b")), ["f.-002.vtk", "f.-003.vtk"]);
    let (code, _, stderr) = convert("--frames=12-1", "c");
    assert!(code == 2 && stderr.contains("write 1-12"), "{stderr}");
    let sph = |frames: &'static str, out: &'static str| {
        let box_of_water = "--fill-box=0,0,0,0.1,0.1,0.1";
        run(folder, &["sph", box_of_water, "--spacing=0.05", frames, "-o", out])
    };
    assert_eq!(sph("--frames=2", "d/w.##.bgeo").status.code(), Some(0));
    assert_eq!(names(&folder.join("d")), ["w.01.bgeo", "w.02.bgeo"]);
    assert_eq!(sph("--frames=-1-0", "e/w.##.bgeo").status.code(), Some(0));
    assert_eq!(names(&folder.join("e")), ["w.-1.bgeo", "w.00.bgeo"]);
    for wrong in ["--frames=0", "--frames=-4", "--frames=5-1", "--frames=1-9x2"] {
        assert_eq!(sph(wrong, "g/w.##.bgeo").status.code(), Some(2), "{wrong}");
    }
}

/// Contract: the frames of a shot file may be negative; backwards they are a mistake that says so, and
/// a gap of a cache is one that says what to do.
#[test]
fn frames_of_shot_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(&folder.join("sim"), &[-2, -1, 0, 1]);
    let shot = |frames: &str, path: &str| {
        let text = format!(
            "[shot]\nname = \"s\"\nframes = {frames}\n[in]\nkind = \"cache\"\npath = \"{path}\"\n\
             [out]\nkind = \"surface\"\nparticles = \"in\"\nsave = [\"ply\"]\n"
        );
        fs::write(folder.join("s.toml"), text).unwrap();
        outcome(&run(folder, &["run", "s.toml"]))
    };
    let (code, _, stderr) = shot("[-2, 1]", "sim/f.####.bgeo");
    assert_eq!(code, 0, "{stderr}");
    assert!(
        folder.join("out/s/out/out.-002.ply").exists(),
        "{:?}",
        names(&folder.join("out/s/out"))
    );
    let (code, _, stderr) = shot("[1, -2]", "sim/f.####.bgeo");
    assert!(code == 2 && stderr.contains("frames = [-2, 1]"), "{stderr}");
    let (code, _, stderr) = shot("[-2, 3]", "sim/f.####.bgeo");
    assert!(code == 2 && stderr.contains("files 2 to 3 are missing"), "{stderr}");
    // A folder and a glob are sequences here, too.
    for path in ["sim", "sim/*.bgeo"] {
        let (code, _, stderr) = shot("[-2, 1]", path);
        assert_eq!(code, 0, "{stderr}");
    }
    fs::remove_dir_all(folder.join("out")).unwrap();
    let (_, _, stderr) = shot("[-2, 1]", "sim");
    assert!(stderr.contains("4 files, frames -2-1"), "{stderr}");
}

/// Contract: a folder, a quoted glob and what a shell makes of a glob are taken like `####`, and what was
/// understood is said.
#[test]
fn folders_and_globs_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(&folder.join("sim"), &[1, 2, 3]);
    fs::write(folder.join("sim/notes.md"), "hello").unwrap();
    let expanded = ["sim/f.0001.bgeo", "sim/f.0002.bgeo", "sim/f.0003.bgeo"];
    for input in [&["sim"][..], &["sim/"], &["sim/*.bgeo"], &expanded] {
        for (before, after) in [
            (&["surface"][..], &["-o", "m.####.ply"][..]),
            (&["convert"], &["c.####.vtk"]),
            (&["info"], &[]),
        ] {
            let (code, _, stderr) = outcome(&run(folder, &[before, input, after].concat()));
            assert_eq!(code, 0, "{before:?} {input:?}: {stderr}");
            assert!(stderr.contains("3 files, frames 1-3: sim/f.####.bgeo"), "{input:?}: {stderr}");
        }
        let checked = outcome(&run(folder, &["check", "m.0001.ply", "m.0002.ply"]));
        assert_eq!(checked.0, 0, "{}", checked.2);
        fs::remove_file(folder.join("m.0003.ply")).unwrap();
    }
    let (_, _, quiet) = outcome(&run(folder, &["info", "sim", "--quiet"]));
    assert_eq!(quiet, "");
}

/// Contract: several sequences in one folder are an error that lists them.
#[test]
fn mixed_sequences_are_an_error_with_candidates() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_frames(&folder.join("sim"), &[1, 2]);
    for frame in [1, 2, 3] {
        let path = folder.join(format!("sim/spray_{frame}.ply"));
        whitecap_io::write_particles(path, &block(2)).unwrap();
    }
    for input in
        [&["sim"][..], &["sim/*"], &["sim/f.0001.bgeo", "sim/spray_1.ply", "sim/spray_2.ply"]]
    {
        let arguments = [&["surface"], input, &["-o", "m.####.ply"]].concat();
        let (code, _, stderr) = outcome(&run(folder, &arguments));
        assert_ne!(code, 0);
        for candidate in ["sim/f.####.bgeo", "sim/spray_#.ply"] {
            assert!(stderr.contains(candidate), "{input:?}: {stderr}");
        }
    }
}

/// Contract: results in the folder of the input are not taken for input, nor are files that the command
/// cannot take, so the same command can be given again.
#[test]
fn results_beside_the_input_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sim = folder.join("sim");
    write_frames(&sim, &[1, 2]);
    for frame in [1, 2, 3] {
        // A mesh, which has no particles.
        fs::write(sim.join(format!("box.{frame}.stl")), "solid\nendsolid\n").unwrap();
    }
    for _ in 0..2 {
        for arguments in [
            &["surface", "sim/", "-o", "sim/s.####.ply"][..],
            &["surface", "sim/*", "-o", "./sim/s.####.ply"],
            &["surface", "sim/f.0001.bgeo", "sim/f.0002.bgeo", "-o", "sim/s.####.ply"],
        ] {
            let (code, _, stderr) = outcome(&run(folder, arguments));
            assert_eq!(code, 0, "{arguments:?}: {stderr}");
            assert!(stderr.contains("sim/f.####.bgeo"), "{arguments:?}: {stderr}");
        }
    }
    let expanded = ["sim/f.0001.bgeo", "sim/f.0002.bgeo", "sim/s.0001.ply", "sim/s.0002.ply"];
    let arguments = [&["surface"], &expanded[..], &["-o", "sim/s.####.ply"]].concat();
    let (code, _, stderr) = outcome(&run(folder, &arguments));
    assert_eq!(code, 0, "{stderr}");
    let own = tempfile::tempdir().unwrap();
    write_frames(own.path(), &[1, 2]);
    let (code, _, stderr) = outcome(&run(own.path(), &["convert", ".", "f.####.bgeo"]));
    assert!(code == 2 && stderr.contains("overwritten by its own result"), "{stderr}");
}

//! `whitecap waves`.

use std::fs;
use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles};

use crate::{outcome, run, run_json};

/// Writes frames of a pool into which a block falls, `w.0001.bgeo` and on.
fn write_splash(folder: &Path, frames: usize, ids: impl Fn(usize) -> Option<i32>) {
    for frame in 1..=frames {
        let place = |i: usize| {
            let cell = Vec3::new((i % 8) as f32, (i / 64) as f32, (i / 8 % 8) as f32);
            // The uppermost layers are a block that comes down on the pool.
            let falls = i / 64 > 3;
            let height = (0.4 - 0.08 * frame as f32).max(-0.12);
            0.1 * cell + Vec3::Y * if falls { height } else { 0.0 }
        };
        let mut particles = Particles::new((0..384).map(place).collect());
        if let Some(ids) = (0..384).map(&ids).collect::<Option<Vec<i32>>>() {
            particles.set_attribute("id", Column::I32(ids)).unwrap();
        }
        let path = folder.join(format!("w.{frame:04}.bgeo"));
        whitecap_io::write_particles(path, &particles).unwrap();
    }
}

fn numbered(i: usize) -> Option<i32> {
    Some(i as i32)
}

/// Contract: a sequence of particles becomes a sequence of meshes and points with the waves on them; the
/// object describes every frame, and nothing is left behind.
#[test]
fn waves_from_flags() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_splash(folder, 6, numbered);
    let arguments = [
        "waves",
        "w.####.bgeo",
        "-o",
        "out/mesh.####.ply",
        "--points",
        "out/points.####.bgeo",
        "--coarse=0.2",
        "--fine=0.07",
        "--domain=-0.05,-0.05,-0.05,0.75,2,0.75",
        "--json",
    ];
    let made = run_json(folder, &arguments);
    let frames = made["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 6);
    assert!(frames.iter().all(|frame| frame["notes"].as_array().unwrap().is_empty()), "{made}");
    assert!(frames[5]["metrics"]["points"].as_u64().unwrap() > 300);
    assert!(made["largest_height_metres"].as_f64().unwrap() > 1e-3, "{made}");
    assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), 12);
    let mesh = whitecap_io::read_mesh(folder.join("out/mesh.0006.ply")).unwrap();
    assert!(mesh.attribute("height").is_some() && mesh.attribute("velocity").is_some());
    let points = whitecap_io::read_particles(folder.join("out/points.0006.bgeo")).unwrap();
    assert!(points.attribute("displacement").is_some() && points.ids().is_some());

    let only = ["waves", "w.####.bgeo", "--give=points", "-o", "only.####.ply", "--frames=2-4"];
    let (code, stdout, stderr) = outcome(&run(folder, &only));
    assert!(code == 0 && stdout.contains("3 frames with"), "{stdout}{stderr}");
    assert!(stderr.contains("twice the particle spacing"), "{stderr}");
    let points = whitecap_io::read_particles(folder.join("only.0004.ply")).unwrap();
    assert!(points.attribute("displacement").is_some());
}

/// Contract: without ids particles are matched with the nearest, and a note says so once.
#[test]
fn missing_ids_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    write_splash(folder.path(), 4, |_| None);
    let arguments = ["waves", "w.####.bgeo", "-o", "m.####.ply", "--coarse=0.2", "--fine=0.1"];
    let (code, _, stderr) = outcome(&run(folder.path(), &arguments));
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stderr.matches("have no ids").count(), 1, "{stderr}");
}

/// Contract: a missing frame, ids used twice, positions that are not numbers, a single particle and
/// lengths that do not fit together are refused with a sentence that names them.
#[test]
fn bad_input_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let told = |expected_code: i32, more: &[&str]| {
        let arguments = [&["waves", "w.####.bgeo", "-o", "m.####.ply"], more].concat();
        let (code, _, stderr) = outcome(&run(folder, &arguments));
        assert_eq!(code, expected_code, "{stderr}");
        stderr
    };
    write_splash(folder, 5, numbered);
    let text = told(2, &["--coarse=0.1", "--fine=0.1"]);
    assert!(text.contains("--fine") && text.contains("0.1 m does not fit"), "{text}");
    assert!(told(2, &["--damping=2"]).contains("it must be 0 to 1"));
    assert!(told(2, &["--points=all.bgeo"]).contains("####"));

    fs::remove_file(folder.join("w.0003.bgeo")).unwrap();
    assert!(told(2, &[]).contains("frame 3 is missing"), "a gap");

    write_splash(folder, 3, |i| Some(i as i32 / 2));
    let text = told(1, &["--frames=1-3"]);
    assert!(text.contains("w.0001.bgeo") && text.contains("the same id, 0"), "{text}");

    // Other frames would say how far particles are apart.
    (2..=5).for_each(|frame| fs::remove_file(folder.join(format!("w.{frame:04}.bgeo"))).unwrap());
    let write = |places: Vec<Vec3>| {
        whitecap_io::write_particles(folder.join("w.0001.bgeo"), &Particles::new(places)).unwrap();
    };
    write(vec![Vec3::ONE]);
    assert!(told(1, &["--frames=1"]).contains("set --coarse"), "one particle");
    let mut places: Vec<Vec3> = (0..9).map(|i| Vec3::X * i as f32).collect();
    places[4].y = f32::NAN;
    write(places);
    let text = told(1, &["--frames=1", "--coarse=0.2"]);
    let wanted = "w.0001.bgeo: particle 4 is at [4, NaN, 0]";
    assert!(text.contains(wanted), "{text}");
}

/// Contract: a column of the particles masks the waves: ones change nothing, to the byte, zeros
/// suppress all waves; a column that is not there or has several components is refused with its
/// name.
#[test]
fn a_painted_mask() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_splash(folder, 6, numbered);
    for frame in 1..=6 {
        let path = folder.join(format!("w.{frame:04}.bgeo"));
        let mut particles = whitecap_io::read_particles(&path).unwrap();
        let count = particles.len();
        for (name, value) in [("full", 1.0), ("nothing", 0.0)] {
            particles.set_attribute(name, Column::F32(vec![value; count])).unwrap();
        }
        particles.set_attribute("flow", Column::Vec3(vec![Vec3::ONE; count])).unwrap();
        whitecap_io::write_particles(&path, &particles).unwrap();
    }
    let arguments = |output: &'static str, more: &'static str| {
        let lengths = ["--coarse=0.2", "--fine=0.07", "--json"];
        [&["waves", "w.####.bgeo", "-o", output], &lengths[..], &[more]].concat()
    };
    let highest = |output, more| {
        run_json(folder, &arguments(output, more))["largest_height_metres"].as_f64().unwrap()
    };
    assert!(highest("plain/m.####.ply", "--gain=1") > 1e-3);
    assert!(highest("full/m.####.ply", "--paint=full") > 1e-3);
    let read = |part: &str| fs::read(folder.join(part).join("m.0006.ply")).unwrap();
    assert!(read("plain") == read("full"), "a full mask changes the waves");
    assert_eq!(highest("nothing/m.####.ply", "--paint=nothing"), 0.0);

    for (flag, reason) in [("--paint=dirt", "they have: "), ("--paint=flow", "3 components")] {
        let (code, _, told) = outcome(&run(folder, &arguments("m.####.ply", flag)));
        assert_eq!(code, 1, "{told}");
        assert!(told.contains("w.0001.bgeo") && told.contains("`paint = "), "{told}");
        assert!(told.contains(reason), "{told}");
    }
}

/// Contract: a run that was killed leaves only whole frames; the same command ends with the files
/// of an uninterrupted run, and nothing else.
#[test]
fn a_killed_run_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_splash(folder, 16, numbered);
    let command = |output| ["waves", "w.####.bgeo", "-o", output, "--coarse=0.2", "--fine=0.03"];
    let (code, _, told) = outcome(&run(folder, &command("whole/m.####.ply")));
    assert_eq!(code, 0, "{told}");
    let frame = |part: &str, number: usize| folder.join(format!("{part}/m.{number:04}.ply"));
    let bytes = |part: &str, number: usize| fs::read(frame(part, number)).unwrap();

    for kills_after in [1, 6] {
        let mut child = crate::whitecap(folder)
            .args(command("parts/m.####.ply"))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while !frame("parts", kills_after).is_file() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it ended before it was killed");
        for number in (1..=16).filter(|&number| frame("parts", number).is_file()) {
            assert!(
                bytes("parts", number) == bytes("whole", number),
                "frame {number} is not whole"
            );
        }
    }
    let (code, _, told) = outcome(&run(folder, &command("parts/m.####.ply")));
    assert_eq!(code, 0, "{told}");
    for number in 1..=16 {
        assert!(bytes("parts", number) == bytes("whole", number), "frame {number} has other bytes");
    }
    let left: Vec<_> =
        fs::read_dir(folder.join("parts")).unwrap().map(|e| e.unwrap().path()).collect();
    let frames = left.iter().filter(|path| path.extension().is_some_and(|kind| kind == "ply"));
    assert_eq!(frames.count(), 16, "{left:?}");
}

/// Contract: Ctrl-C ends the run with exit code 130 and a sentence; the same command continues where it
/// stopped and ends with the files of an uninterrupted run.
#[cfg(unix)]
#[test]
fn a_stopped_run_continues() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_splash(folder, 24, numbered);
    let command = |output| {
        ["waves", "w.####.bgeo", "-o", output, "--coarse=0.2", "--fine=0.02", "--rounds=12"]
    };
    let (code, _, told) = outcome(&run(folder, &command("whole/m.####.ply")));
    assert_eq!(code, 0, "{told}");

    let told = crate::interrupt::stopped(folder, &command("parts/m.####.ply"));
    assert!(told.contains("The same command continues"), "{told}");

    let (code, _, told) = outcome(&run(folder, &command("parts/m.####.ply")));
    assert!(code == 0 && told.contains("Continuing after frame"), "{told}");
    for frame in 1..=24 {
        let read = |part: &str| fs::read(folder.join(format!("{part}/m.{frame:04}.ply"))).unwrap();
        assert!(read("parts") == read("whole"), "frame {frame} has other bytes");
    }
    assert_eq!(fs::read_dir(folder.join("parts")).unwrap().count(), 24, "nothing is left behind");
}

//! What files say of all particles at once, in commands.

use std::fs;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Facts, Particles};

use crate::{outcome, run, run_json};

/// Contract: `waves` takes the frame rate from the files if none is given, with a note, and the result is that of
/// the flag; the flag comes first, with a note that the files say otherwise.
#[test]
fn the_frame_rate_of_the_files_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for frame in 1..=3 {
        let place = |i: usize| {
            let cell = Vec3::new((i % 8) as f32, (i / 64) as f32, (i / 8 % 8) as f32);
            0.1 * cell + Vec3::X * 0.02 * frame as f32
        };
        let mut particles = Particles::new((0..256).map(place).collect());
        particles.set_attribute("id", Column::I32((0..256).collect())).unwrap();
        particles.facts_mut().frame_rate = Some(120.0);
        whitecap_io::write_particles(folder.join(format!("w.{frame:04}.bgeo")), &particles)
            .unwrap();
    }
    let waves = |output: &str, more: &[&str]| {
        let own = ["waves", "w.####.bgeo", "--give=points", "--coarse=0.2", "--fine=0.07", "-o"];
        let arguments: Vec<&str> = own.iter().chain(&[output]).chain(more).copied().collect();
        let (code, _, stderr) = outcome(&run(folder, &arguments));
        assert_eq!(code, 0, "{stderr}");
        stderr
    };
    let told = waves("found.####.ply", &[]);
    assert!(told.contains("was made for 120 frames per second, which is used"), "{told}");
    let told = waves("given.####.ply", &["--fps=120"]);
    assert!(!told.contains("frames per second"), "{told}");
    let told = waves("other.####.ply", &["--fps=24"]);
    assert!(told.contains("was made for 120 frames per second, but is used at 24"), "{told}");
    let last = |name: &str| fs::read(folder.join(format!("{name}.0003.ply"))).unwrap();
    assert!(last("found") == last("given"), "the rate of the files is that of the flag");
    assert!(last("found") != last("other"), "the rate matters");
}

/// Contract: `info` shows what a file says, for people and for programs; escapes cannot steer the terminal.
#[test]
fn info_shows_what_a_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut particles = crate::block(3);
    *particles.facts_mut() = Facts {
        radius: Some(0.05),
        radius_is_estimated: false,
        rest_density: Some(998.2),
        frame_rate: Some(23.976),
        solids: vec!["rock.ply".into(), "ship.ply".into()],
    };
    whitecap_io::write_particles(folder.join("known.vtu"), &particles).unwrap();
    let (code, stdout, stderr) = outcome(&run(folder, &["info", "known.vtu"]));
    assert_eq!(code, 0, "{stderr}");
    for line in [
        "  particle spacing 0.1 m\n",
        "  rest density 998.2 kg/m³\n",
        "  frame rate 23.976 frames/s\n",
        "  solids: rock.ply, ship.ply\n",
    ] {
        assert!(stdout.contains(line), "{line:?} is not in {stdout}");
    }
    let facts = run_json(folder, &["info", "known.vtu", "--json"])["facts"].clone();
    assert_eq!(facts["particle_spacing_metres"], 0.1);
    assert_eq!(facts["rest_density_kilograms_per_cubic_metre"], 998.2);
    assert_eq!(facts["frame_rate_frames_per_second"], 23.976);
    assert_eq!(facts["solids"][1], "ship.ply");

    let text = "ply\nformat ascii 1.0\nobj_info solids \x1b[2Jrock\nobj_info frame_rate -1\n\
                element vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n";
    fs::write(folder.join("hostile.ply"), text).unwrap();
    let (code, stdout, stderr) = outcome(&run(folder, &["info", "hostile.ply"]));
    assert!(code == 0 && !stdout.contains('\x1b'), "{stdout}{stderr}");
    assert!(stdout.contains("note: `frame_rate` cannot be -1.0; it is not used"), "{stdout}");
    assert!(stdout.contains("note: `solids` is not a list of names; it is not used"), "{stdout}");
}

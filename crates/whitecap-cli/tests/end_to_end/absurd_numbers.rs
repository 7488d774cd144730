//! Finite but absurd numbers, in files and in flags: every command ends soon, with a right result or
//! a sentence that has the numbers and what to change, never with a panic, a hang or a crash.

use std::path::Path;
use std::time::{Duration, Instant};

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh};

use crate::{block, outcome, run};

const PATIENCE: Duration = Duration::from_secs(60);

/// A block of particles of radius 0.05 m with one more.
fn with(position: Vec3, radius: f32) -> Particles {
    let mut positions = block(8).positions().to_vec();
    let mut radii = vec![0.05; positions.len()];
    positions.push(position);
    radii.push(radius);
    let mut particles = Particles::new(positions);
    particles.set_attribute("radius", Column::F32(radii)).unwrap();
    particles
}

fn mesh(scale: f32, far: Vec3) -> TriMesh {
    let corners = vec![Vec3::ZERO, far, scale * Vec3::Y, scale * Vec3::X];
    TriMesh::new(corners, vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]).unwrap()
}

fn write_files(folder: &Path) {
    let particles = |name: &str, particles: &Particles| {
        whitecap_io::write_particles(folder.join(name), particles).unwrap();
    };
    let above = Vec3::new(0.0, 2.0, 0.0);
    particles("radius2e38.ply", &with(above, 2e38));
    particles("radius5e37.ply", &with(above, 5e37));
    particles("radius20.ply", &with(above, 20.0));
    particles("radius1000.ply", &with(above, 1000.0));
    particles("far1e38.ply", &with(Vec3::new(1e38, 0.0, 0.0), 0.05));
    particles("far10km.ply", &with(Vec3::new(1e4, 1e4, 1e4), 0.05));
    particles("good.ply", &block(8));
    let mut three = Particles::new(vec![Vec3::ZERO, 0.1 * Vec3::X, Vec3::new(1e38, 0.0, 0.0)]);
    particles("three.ply", &three);
    three.positions_mut()[2] = 0.1 * Vec3::Y;
    three.set_attribute("radius", Column::F32(vec![0.1, 0.1, 2e38])).unwrap();
    particles("three2e38.ply", &three);
    let mesh_file = |name: &str, mesh: &TriMesh| {
        whitecap_io::write_mesh(folder.join(name), mesh).unwrap();
    };
    mesh_file("needle.obj", &mesh(0.1, Vec3::splat(1e5)));
    mesh_file("millimetres.obj", &mesh(800.0, 800.0 * Vec3::Z));
    mesh_file("metre.obj", &mesh(1.0, Vec3::Z));
}

/// Contract: each line ends with its exit code and words, in a gigabyte and soon.
#[test]
fn absurd_numbers_end_with_a_sentence_or_a_result() {
    const PICTURE: &[&str] = &["--width", "32", "--height", "32", "--samples", "1"];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_files(folder);
    let cases: &[(&str, i32, &str)] = &[
        ("info three.ply", 0, "3 particles"),
        ("info far1e38.ply", 0, "513 particles"),
        ("surface three2e38.ply -o a.ply", 1, "particle 2 has the radius 2e38 m"),
        ("surface radius5e37.ply -o a.ply", 1, "particle 512 has the radius 5e37 m"),
        ("surface far1e38.ply -o a.ply", 1, "particle 512"),
        ("surface far1e38.ply -o b.ply --outliers leave-out", 0, "particle 512"),
        ("surface radius1000.ply -o a.ply --outliers refuse", 1, "particle 512"),
        ("surface far10km.ply -o c.ply", 0, ""),
        ("render radius20.ply -o a.png", 1, "particle 512 has the radius 20 m"),
        ("render far1e38.ply -o a.png", 1, "particle 512"),
        ("render good.ply -o a.png --width 20000 --height 20000", 1, "20000 × 20000 pixels"),
        ("render good.ply -o a.png --width 65536 --height 65536", 1, "65536 × 65536 pixels"),
        ("waves radius1000.ply -o a.ply", 1, "particle 512 has the radius 1000 m"),
        ("convert needle.obj a.vdb --cell 1", 1, "limit of 1.0 GB"),
        ("convert metre.obj a.vdb --cell 1e-4", 1, "limit of 1.0 GB"),
        ("sph --fill-box 0,0,0,1,1,1 --spacing 0.0072 -o a.####.bgeo", 1, "a liquid of 2628072 "),
        ("track good.ply --mesh millimetres.obj --close -o a.ply", 1, "--scale 0.001"),
        ("track good.ply --mesh metre.obj --close --close-cell 1e-6 -o a.ply", 1, "close-cell"),
        ("track good.ply --mesh metre.obj --spacing 1e-5 -o a.ply", 1, "spacing"),
    ];
    for (line, expected_code, words) in cases {
        let mut arguments: Vec<&str> = line.split(' ').collect();
        if line.starts_with("render") && !line.contains("--width") {
            arguments.extend(PICTURE);
        }
        arguments.extend(["--memory", "1GB"]);
        let started = Instant::now();
        let (code, stdout, stderr) = outcome(&run(folder, &arguments));
        assert!(started.elapsed() < PATIENCE, "{line}: {:?}", started.elapsed());
        assert_eq!(code, *expected_code, "{line}: {stdout}{stderr}");
        assert!(stdout.contains(words) || stderr.contains(words), "{line}: {stdout}{stderr}");
        assert!(!stderr.contains("panicked"), "{line}: {stderr}");
    }
    assert!(!folder.join("a.ply").exists() && !folder.join("a.vdb").exists());
    assert!(folder.join("b.ply").exists() && folder.join("c.ply").exists());
}

/// Contract: a size that is none is wrong usage, with an example of a right one.
#[test]
fn memory_takes_a_size() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, stderr) = outcome(&run(folder.path(), &["info", "x.ply", "--memory", "lots"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("8GB"), "{stderr}");
}

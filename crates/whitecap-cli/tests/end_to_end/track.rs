//! `whitecap track`.

use std::fs;
use std::path::Path;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles};

use crate::{outcome, run, run_json};

/// Writes a block of particles that moves along x, `p.0001.bgeo` and on, and the mesh of its surface.
fn write_block(folder: &Path, frames: usize) {
    for frame in 1..=frames {
        let place = |i: usize| {
            let cell = Vec3::new((i % 8) as f32, (i / 64) as f32, (i / 8 % 8) as f32);
            0.1 * cell + Vec3::X * 0.02 * frame as f32
        };
        let mut particles = Particles::new((0..512).map(place).collect());
        particles.set_attribute("id", Column::I32((0..512).collect())).unwrap();
        let path = folder.join(format!("p.{frame:04}.bgeo"));
        whitecap_io::write_particles(path, &particles).unwrap();
    }
    let surface = ["surface", "p.0001.bgeo", "-o", "block.ply", "--radius=0.05", "--cell=0.05"];
    assert_eq!(outcome(&run(folder, &surface)).0, 0);
}

/// Contract: a sequence of particles and a mesh become a sequence of meshes that move along, with
/// their velocity; the object describes every frame, and nothing is left behind.
#[test]
fn a_mesh_goes_along() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_block(folder, 5);
    let made = run_json(
        folder,
        &["track", "p.####.bgeo", "--mesh", "block.ply", "-o", "out/m.####.ply", "--json"],
    );
    assert_eq!(made["frames"].as_array().unwrap().len(), 5);
    assert_eq!(made["remeshed_cells"].as_f64(), Some(0.0), "{made}");
    assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), 5);
    let [first, last] = ["out/m.0001.ply", "out/m.0005.ply"]
        .map(|name| whitecap_io::read_mesh(folder.join(name)).unwrap());
    assert_eq!(first.triangles(), last.triangles());
    for (a, b) in first.positions().iter().zip(last.positions()) {
        assert!((*b - *a - Vec3::X * 0.08).length() < 1e-3, "{a} {b}");
    }
    let Some(Column::Vec3(velocities)) = last.attribute("velocity") else { panic!("no velocity") };
    let velocity = velocities[0];
    assert!((velocity - Vec3::X * 0.02 * 24.0).length() < 0.02, "{velocity}");
}

/// Contract: a frame that is missing, an open mesh, a mesh in millimetres and settings out of range
/// are reported in a sentence that says what to do.
#[test]
fn what_is_wrong_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_block(folder, 4);
    let mesh = whitecap_io::read_mesh(folder.join("block.ply")).unwrap();
    let scaled = mesh.positions().iter().map(|p| *p * 1000.0).collect();
    let scaled = whitecap_core::TriMesh::new(scaled, mesh.triangles().to_vec()).unwrap();
    whitecap_io::write_mesh(folder.join("mm.ply"), &scaled).unwrap();
    let few = mesh.triangles()[4..].to_vec();
    let open = whitecap_core::TriMesh::new(mesh.positions().to_vec(), few).unwrap();
    whitecap_io::write_mesh(folder.join("open.ply"), &open).unwrap();
    let told = |mesh: &str, more: &[&str], sentence: &str| {
        let mut arguments = vec!["track", "p.####.bgeo", "--mesh", mesh, "-o", "m.####.ply"];
        arguments.extend(more);
        let (code, _, stderr) = outcome(&run(folder, &arguments));
        assert!(code != 0 && stderr.contains(sentence), "{sentence}: {stderr}");
    };
    told("mm.ply", &[], "whitecap convert IN OUT --scale 0.001");
    told("open.ply", &[], "the mesh is open");
    told("block.ply", &["--jump=9"], "jump");
    told("none.ply", &[], "none.ply");
    fs::remove_file(folder.join("p.0003.bgeo")).unwrap();
    told("block.ply", &[], "frame 3 is missing");
}

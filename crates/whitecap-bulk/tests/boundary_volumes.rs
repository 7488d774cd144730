//! Contracts of the volumes that boundary particles represent.

#[path = "../../whitecap-scene/tests/shapes/mod.rs"]
mod shapes;

use shapes::block;
use whitecap_bulk::sph::boundary::boundary_volumes;
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_core::kernels::{CubicSpline, Kernel};
use whitecap_scene::SceneError;
use whitecap_scene::sampling::{sample_box, sample_surface};

fn positions(mesh: &TriMesh, spacing: f32) -> Vec<Vec3> {
    sample_surface(mesh, spacing).unwrap().iter().map(|sample| sample.position(mesh)).collect()
}

/// Contract: the volumes compensate for uneven sampling. Per area they add up to the same within
/// 8 % for a regular grid, the random samples at the same spacing, and a grid twice as dense.
#[test]
fn boundary_volumes_even_out_the_sampling() {
    let (mesh, spacing) = (block(Vec3::ZERO, Vec3::new(1.0, 1.0, 1.0)), 0.04);
    let kernel = CubicSpline::new(2.0 * spacing);
    let per_area = |points: &[Vec3]| {
        let volumes = boundary_volumes(points, &kernel).unwrap();
        // The middle of one face, away from its edges.
        let counted = |p: &Vec3| p.y == 0.0 && (*p - 0.5).with_y(0.0).abs().max_element() < 0.32;
        let total: f32 =
            points.iter().zip(&volumes).filter(|(p, _)| counted(p)).map(|(_, v)| v).sum();
        total / (0.64 * 0.64)
    };
    let regular = per_area(&sample_box(Vec3::ZERO, Vec3::ONE, spacing).unwrap());
    let random = per_area(&positions(&mesh, spacing));
    let dense = per_area(&sample_box(Vec3::ZERO, Vec3::ONE, 0.5 * spacing).unwrap());
    assert!((random / regular - 1.0).abs() < 0.08, "{random} against {regular}");
    assert!((dense / regular - 1.0).abs() < 0.08, "{dense} against {regular}");
}

/// Contract: a single sample represents 1 / W(0), and coincident samples share that.
#[test]
fn lonely_and_coincident_samples_have_finite_volumes() {
    let kernel = CubicSpline::new(0.1);
    let alone = boundary_volumes(&[Vec3::ZERO, Vec3::X, Vec3::X], &kernel).unwrap();
    assert_eq!(alone[0], 1.0 / kernel.value(0.0));
    assert!((alone[1] - 0.5 * alone[0]).abs() < 1e-9 && alone[1] == alone[2]);
}

/// Contract: positions that are not finite are refused by number; no samples give no volumes.
#[test]
fn bad_samples_are_refused() {
    let kernel = CubicSpline::new(0.1);
    assert!(matches!(
        boundary_volumes(&[Vec3::ZERO, Vec3::NAN], &kernel),
        Err(SceneError::NonFinitePosition { index: 1, .. })
    ));
    assert_eq!(boundary_volumes(&[], &kernel), Ok(vec![]));
}

//! Contracts of the generalised winding number.

mod shapes;

use shapes::{points_in_cube, sphere, torus};
use whitecap_core::TriMesh;
use whitecap_core::glam::{Vec2, Vec3};
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::winding_number::WindingNumber;

/// A mesh of the triangles of `mesh` for which `keep(centroid)` holds.
fn filtered(mesh: &TriMesh, keep: impl Fn(Vec3) -> bool) -> TriMesh {
    let kept = (0..mesh.triangles().len())
        .filter(|&t| keep(mesh.corners(t).iter().sum::<Vec3>() / 3.0))
        .map(|t| mesh.triangles()[t])
        .collect();
    TriMesh::new(mesh.positions().to_vec(), kept).unwrap()
}

/// Contract: in a closed mesh the number is 1 inside and 0 outside, within 5·10⁻³ at the default
/// accuracy and 10⁻³ on average, and within 10⁻³ everywhere at accuracy 3.
#[test]
fn closed_meshes_give_one_inside_and_zero_outside() {
    let torus_distance =
        |p: Vec3| Vec2::new(Vec2::new(p.x, p.z).length() - 1.0, p.y).length() - 0.4;
    let shapes: [(TriMesh, &dyn Fn(Vec3) -> f32); 2] = [
        (sphere(Vec3::ZERO, 1.0, 40), &|p| p.length() - 1.0),
        (torus(1.0, 0.4, 60), &torus_distance),
    ];
    for (mesh, distance) in shapes {
        for (accuracy, tolerance, mean_tolerance) in [(2.0, 5e-3, 1e-3), (3.0, 1e-3, 2e-4)] {
            let winding = WindingNumber::from_bvh(TriangleBvh::build(&mesh), accuracy);
            let points: Vec<Vec3> =
                points_in_cube(1.6, 4000).filter(|&p| distance(p).abs() > 0.01).collect();
            let errors: Vec<f32> = points
                .iter()
                .map(|&p| winding.at(p) - if distance(p) < 0.0 { 1.0 } else { 0.0 })
                .map(f32::abs)
                .collect();
            let largest = errors.iter().copied().fold(0.0, f32::max);
            let mean = errors.iter().sum::<f32>() / errors.len() as f32;
            assert!(largest < tolerance, "accuracy {accuracy}: largest error {largest}");
            assert!(mean < mean_tolerance, "accuracy {accuracy}: mean error {mean}");
        }
    }
}

/// Contract: a sphere that lost a fan of triangles round one pole still distinguishes inside from
/// outside, away from the hole.
#[test]
fn a_hole_does_not_spoil_the_rest() {
    let whole = sphere(Vec3::ZERO, 1.0, 40);
    let holed = filtered(&whole, |centroid| centroid.y < 0.95);
    assert!(holed.triangles().len() < whole.triangles().len());
    let winding = WindingNumber::build(&holed);
    for point in points_in_cube(1.5, 3000) {
        let (away_from_hole, distance) = (point.distance(Vec3::Y) > 0.5, point.length() - 1.0);
        if away_from_hole && distance.abs() > 0.02 {
            assert_eq!(winding.is_inside(point), distance < 0.0, "{point}: {}", winding.at(point));
        }
    }
}

/// Contract: two spheres that intersect count 2 where they overlap, 1 in either, 0 outside.
#[test]
fn overlapping_parts_add_up() {
    let (left, right) = (Vec3::new(-0.4, 0.0, 0.0), Vec3::new(0.4, 0.0, 0.0));
    let winding =
        WindingNumber::build(&TriMesh::joined([&sphere(left, 1.0, 40), &sphere(right, 1.0, 40)]));
    for point in points_in_cube(1.6, 2000) {
        let distances = [left, right].map(|center| point.distance(center) - 1.0);
        if distances.iter().all(|d| d.abs() > 0.02) {
            let expected = distances.iter().filter(|&&d| d < 0.0).count() as f32;
            assert!((winding.at(point) - expected).abs() < 5e-3, "{point}");
        }
    }
}

/// Contract: at the middle of its rim an open hemisphere covers half the view, seen from far
/// away nothing; and turned inside out the sign flips.
#[test]
fn an_open_hemisphere_covers_half_the_view() {
    let bowl = filtered(&sphere(Vec3::ZERO, 1.0, 40), |centroid| centroid.y < 0.0);
    let winding = WindingNumber::build(&bowl);
    assert!((winding.at(Vec3::ZERO) - 0.5).abs() < 1e-3);
    // Close to the bottom the rim spans a cone of half angle 48°, one sixth of the view.
    assert!((winding.at(Vec3::new(0.0, -0.9, 0.0)) - 0.835).abs() < 5e-3);
    assert!(winding.at(Vec3::splat(50.0)).abs() < 1e-3);
    let flipped = WindingNumber::build(&bowl.flipped());
    assert!((flipped.at(Vec3::ZERO) + 0.5).abs() < 1e-3);
}

/// Contract: the hierarchical number differs from the exact one by less than 6·10⁻³ at accuracy 2,
/// and the error falls as the accuracy grows, even close to the surface of an open mesh.
#[test]
fn the_error_falls_with_accuracy() {
    let mesh = filtered(&torus(1.0, 0.4, 120), |centroid| centroid.x < 0.8);
    let bvh = TriangleBvh::build(&mesh);
    let near: Vec<Vec3> = (0..500).map(|i| mesh.corners(i * 31)[0] * 1.003).collect();
    let points: Vec<Vec3> = near.into_iter().chain(points_in_cube(1.5, 1000)).collect();
    let worst = |accuracy| {
        let winding = WindingNumber::from_bvh(bvh.clone(), accuracy);
        let error = |p: &Vec3| (f64::from(winding.at(*p)) - winding.exact_at(*p)).abs();
        points.iter().map(error).fold(0.0, f64::max)
    };
    let (usual, fine, finest) = (worst(2.0), worst(4.0), worst(1e6));
    assert!(usual < 6e-3 && fine < 0.2 * usual && finest < 1e-5, "{usual} {fine} {finest}");
}

/// Contract: an empty mesh, triangles without area and a point on a vertex give finite numbers.
#[test]
fn degenerate_input_gives_finite_numbers() {
    assert_eq!(WindingNumber::build(&TriMesh::default()).at(Vec3::ZERO), 0.0);
    let flat =
        TriMesh::new(vec![Vec3::X; 300], (0..100).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect());
    let flat = WindingNumber::build(&flat.unwrap());
    assert_eq!((flat.at(Vec3::X), flat.at(Vec3::ZERO)), (0.0, 0.0));
    let ball = sphere(Vec3::ZERO, 1.0, 20);
    let winding = WindingNumber::build(&ball);
    for &vertex in ball.positions() {
        assert!(winding.at(vertex).is_finite());
    }
}

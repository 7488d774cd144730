//! Contracts of surface sampling.

mod shapes;

use shapes::{block, joined, sphere};
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_scene::SceneError;
use whitecap_scene::sampling::{CLOSEST, sample_box, sample_surface};

fn positions(mesh: &TriMesh, spacing: f32) -> Vec<Vec3> {
    sample_surface(mesh, spacing).unwrap().iter().map(|sample| sample.position(mesh)).collect()
}

/// Smallest distance between two points.
fn closest_pair(points: &[Vec3], search: f32) -> f32 {
    let grid = NeighbourGrid::build(points, search);
    let mut least = f32::INFINITY;
    for (place, &point) in grid.positions().iter().enumerate() {
        grid.for_each_within(point, search, |other, squared| {
            if other != place {
                least = least.min(squared.sqrt());
            }
        });
    }
    least
}

/// Largest distance from a point of the mesh to the nearest of `points`, over a dense net.
fn largest_gap(mesh: &TriMesh, points: &[Vec3], spacing: f32) -> f32 {
    let grid = NeighbourGrid::build(points, spacing);
    let mut largest = 0.0f32;
    for triangle in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(triangle);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let parts = ((longest / (0.1 * spacing)).ceil() as usize).clamp(1, 400);
        for i in 0..=parts {
            for j in 0..=parts - i {
                let [u, v] = [i, j].map(|k| k as f32 / parts as f32);
                let point = a + (b - a) * u + (c - a) * v;
                let gap = grid.nearest(point, 2.0 * spacing).map_or(f32::INFINITY, |n| n.1.sqrt());
                largest = largest.max(gap);
            }
        }
    }
    largest
}

fn needle() -> TriMesh {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::new(0.4, 1e-4, 0.0), Vec3::new(0.4, 0.0, 1e-4)];
    TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

/// Contract: no two samples are closer than 0.8 spacings and no point of the surface is farther
/// than one from a sample: on curved meshes, sharp edges, sheets thinner than the spacing,
/// needles, and triangles much smaller than the spacing.
#[test]
fn samples_are_spread_and_cover_everything() {
    let plate = block(Vec3::new(-0.3, 0.0, -0.2), Vec3::new(0.3, 0.003, 0.2));
    let cases: [(&str, TriMesh, f32); 6] = [
        ("sphere", sphere(Vec3::ONE, 0.3, 3), 0.03),
        ("block", block(Vec3::ZERO, Vec3::new(0.31, 0.23, 0.17)), 0.021),
        ("plate", plate, 0.02),
        ("needle", needle(), 0.02),
        ("fine sphere", sphere(Vec3::ZERO, 0.1, 6), 0.05),
        ("far away", sphere(Vec3::splat(1000.0), 5.0, 3), 0.5),
    ];
    for (name, mesh, spacing) in cases {
        let samples = positions(&mesh, spacing);
        let (closest, gap) = (
            closest_pair(&samples, spacing) / spacing,
            largest_gap(&mesh, &samples, spacing) / spacing,
        );
        assert!(closest > CLOSEST - 1e-3, "{name}: two samples {closest} spacings apart");
        assert!(gap <= 1.001, "{name}: a point {gap} spacings from every sample");
    }
}

/// Contract: on a large flat surface there are 1.0 to 1.2 samples per spacing².
#[test]
fn flat_surfaces_get_about_one_sample_per_spacing_squared() {
    let mesh = block(Vec3::ZERO, Vec3::new(1.0, 0.5, 1.0));
    let count = positions(&mesh, 0.02).len() as f32;
    let density = count * 0.02 * 0.02 / 4.0;
    assert!((1.0..1.2).contains(&density), "{density}");
}

/// Contract: the samples have the same bits for 1, 2 and 7 threads.
#[test]
fn samples_do_not_depend_on_threads() {
    let mesh = joined(&sphere(Vec3::ZERO, 0.5, 4), &block(Vec3::ZERO, Vec3::ONE));
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sample_surface(&mesh, 0.02).unwrap())
    };
    let one = with_threads(1);
    assert!(one.len() > 1000);
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(7));
}

/// Contract: a sample stays at its place on the material when the mesh is deformed.
#[test]
fn samples_follow_a_deformed_mesh() {
    let mesh = sphere(Vec3::ZERO, 0.5, 3);
    let samples = sample_surface(&mesh, 0.05).unwrap();
    let stretch = |p: Vec3| Vec3::new(2.0 * p.x + 0.3 * p.y, p.y, p.z - 0.1);
    let mut moved = mesh.clone();
    moved.positions_mut().iter_mut().for_each(|p| *p = stretch(*p));
    for sample in samples {
        assert!(sample.position(&moved).distance(stretch(sample.position(&mesh))) < 1e-5);
        assert!((sample.barycentric.element_sum() - 1.0).abs() < 1e-5);
    }
}

/// Contract: the grid on a box hits its corners, lies on its surface only, has no point twice,
/// and its step is the spacing where the spacing divides the edges.
#[test]
fn box_samples_are_a_grid_on_the_surface() {
    let (min, max) = (Vec3::new(-0.2, 0.0, 0.1), Vec3::new(0.2, 0.3, 0.6));
    let points = sample_box(min, max, 0.1).unwrap();
    assert_eq!(points.len(), 5 * 4 * 6 - 3 * 2 * 4);
    assert!(points.contains(&min) && points.contains(&max));
    assert!((closest_pair(&points, 0.2) - 0.1).abs() < 1e-6);
    for point in &points {
        let on_face = |axis: usize| point[axis] == min[axis] || point[axis] == max[axis];
        assert!((0..3).any(on_face), "{point}");
    }
    assert!(largest_gap(&block(min, max), &points, 0.1) <= 0.0708);
    let thin = sample_box(Vec3::ZERO, Vec3::new(1.0, 0.001, 1.0), 0.1).unwrap();
    assert_eq!(thin.len(), 2 * 11 * 11);
}

/// Contract: impossible spacings, empty meshes, vertices that are not finite and absurd numbers
/// of samples are refused with a sentence.
#[test]
fn bad_input_is_refused() {
    let mesh = block(Vec3::ZERO, Vec3::ONE);
    for spacing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = sample_surface(&mesh, spacing).unwrap_err();
        assert!(refused.to_string().starts_with("the spacing must be a positive length"));
        assert!(sample_box(Vec3::ZERO, Vec3::ONE, spacing).is_err());
    }
    assert_eq!(sample_surface(&TriMesh::default(), 0.1), Err(SceneError::EmptyMesh));
    let mut broken = mesh.clone();
    broken.positions_mut()[3].y = f32::NAN;
    let refused = sample_surface(&broken, 0.1);
    assert!(matches!(refused, Err(SceneError::NonFiniteVertex { vertex: 3, .. })));
    assert!(matches!(sample_surface(&mesh, 1e-7), Err(SceneError::TooMany { .. })));
    assert!(matches!(sample_box(Vec3::ZERO, Vec3::ONE, 1e-7), Err(SceneError::TooMany { .. })));
    let crossed = sample_box(Vec3::ONE, Vec3::ZERO, 0.1).unwrap_err();
    assert_eq!(crossed, SceneError::Setting(whitecap_scene::shape::empty_box('x')));
}

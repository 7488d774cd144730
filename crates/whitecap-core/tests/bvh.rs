//! Contracts of the triangle hierarchy.

mod shapes;

use shapes::{points_in_cube, sphere, torus};
use whitecap_core::TriMesh;
use whitecap_core::closest_point::closest_point_on_triangle;
use whitecap_core::glam::Vec3;
use whitecap_core::triangle_bvh::TriangleBvh;

fn triangle_soup(count: usize) -> TriMesh {
    let corners: Vec<Vec3> = points_in_cube(2.0, 4 * count)
        .collect::<Vec<_>>()
        .chunks(4)
        .flat_map(|c| [c[0], c[0] + 0.1 * c[1], c[0] + 0.1 * c[2]])
        .collect();
    let triangles = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh::new(corners, triangles).unwrap()
}

/// Contract: the closest point is bit for bit the one that a loop over all triangles finds, the
/// lowest index winning ties, for regular meshes (many ties) and for a triangle soup, however the
/// hierarchy was built.
#[test]
fn closest_points_equal_those_of_a_plain_loop() {
    for mesh in [sphere(Vec3::ZERO, 1.0, 24), torus(1.0, 0.3, 32), triangle_soup(1000)] {
        let bvh = TriangleBvh::build(&mesh);
        let quick = TriangleBvh::build_quickly(&mesh);
        let on_axes = [Vec3::ZERO, Vec3::Y, 3.0 * Vec3::Y, Vec3::X * 0.5, Vec3::Z * -2.0];
        for point in on_axes.into_iter().chain(points_in_cube(1.7, 500)) {
            let candidates = (0..mesh.triangles().len())
                .map(|t| closest_point_on_triangle(point, mesh.corners(t)));
            let (triangle, expected) = candidates
                .enumerate()
                .min_by(|a, b| a.1.distance_squared.total_cmp(&b.1.distance_squared))
                .unwrap();
            let found = bvh.closest_point(point, f32::INFINITY).unwrap();
            assert_eq!(quick.closest_point(point, f32::INFINITY).unwrap(), found);
            assert_eq!((found.triangle as usize, found.point), (triangle, expected.point));
            assert_eq!(found.distance_squared, expected.distance_squared);

            let distance = found.distance_squared.sqrt();
            assert!(bvh.closest_point(point, distance * 0.999 - 1e-9).is_none());
            assert!(bvh.closest_point(point, distance * 1.001).is_some());
        }
    }
}

/// Contract: a ray's first hit is the least `t` of a loop over single-triangle hierarchies, and
/// `any_hit` agrees on whether there is one.
#[test]
fn hits_equal_those_of_a_plain_loop() {
    let mesh = triangle_soup(400);
    let bvh = TriangleBvh::build(&mesh);
    let single: Vec<TriangleBvh> = (0..400)
        .map(|t| {
            TriangleBvh::build(&TriMesh::new(mesh.corners(t).into(), vec![[0, 1, 2]]).unwrap())
        })
        .collect();
    let mut hits = 0;
    let ends = points_in_cube(2.5, 2000).collect::<Vec<_>>();
    for pair in ends.chunks(2) {
        let (origin, direction) = (pair[0], pair[1] - pair[0]);
        let expected = single
            .iter()
            .enumerate()
            .filter_map(|(t, one)| Some((t, one.closest_hit(origin, direction, 0.0, 1.0)?.t)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let found = bvh.closest_hit(origin, direction, 0.0, 1.0);
        assert_eq!(found.map(|hit| (hit.triangle as usize, hit.t)), expected);
        assert_eq!(bvh.any_hit(origin, direction, 0.0, 1.0), expected.is_some());
        if let Some(hit) = found {
            let [a, b, c] = mesh.corners(hit.triangle as usize);
            let place = a * (1.0 - hit.u - hit.v) + b * hit.u + c * hit.v;
            assert!(place.distance(origin + direction * hit.t) < 1e-5);
            hits += 1;
        }
    }
    assert!(hits > 50, "only {hits} of 1000 rays hit anything");
}

/// Contract: rays from the centre of a closed sphere through its vertices and edge midpoints,
/// and along the axes, never slip through.
#[test]
fn no_ray_slips_through_an_edge_or_a_vertex() {
    let mesh = sphere(Vec3::ZERO, 1.0, 40);
    let bvh = TriangleBvh::build(&mesh);
    let mut targets = mesh.positions().to_vec();
    for t in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(t);
        targets.extend([(a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5]);
    }
    targets.extend([Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z]);
    for target in targets {
        for origin in [Vec3::ZERO, Vec3::new(0.3, -0.2, 0.1)] {
            let hit = bvh.closest_hit(origin, target - origin, 0.0, f32::INFINITY);
            assert!(hit.is_some_and(|hit| (hit.t - 1.0).abs() < 1e-2), "{origin} {target} {hit:?}");
        }
    }
}

/// Contract: empty meshes, triangles without area, and corners that are not numbers neither
/// panic nor spoil the answers about the good triangles.
#[test]
fn degenerate_and_broken_triangles_are_harmless() {
    let empty = TriangleBvh::build(&TriMesh::default());
    assert!(empty.is_empty() && empty.bounds().is_empty());
    assert!(empty.closest_point(Vec3::ZERO, f32::INFINITY).is_none());
    assert!(empty.closest_hit(Vec3::ZERO, Vec3::X, 0.0, 1.0).is_none());

    let mut positions = vec![Vec3::X; 30_000];
    positions.extend([Vec3::NAN, Vec3::INFINITY, Vec3::splat(2e38), Vec3::ZERO, Vec3::Y]);
    let mut triangles: Vec<[u32; 3]> = (0..10_000).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    triangles.extend([[0, 1, 30_000], [0, 1, 30_001], [0, 30_003, 30_004], [0, 30_002, 30_004]]);
    let bvh = TriangleBvh::build(&TriMesh::new(positions, triangles).unwrap());
    assert_eq!(bvh.len(), 10_002);
    let closest = bvh.closest_point(Vec3::new(2.0, 0.0, -1.0), f32::INFINITY).unwrap();
    assert_eq!((closest.triangle, closest.point), (0, Vec3::X));
    let hit = bvh.closest_hit(Vec3::new(0.2, 0.2, 1.0), -Vec3::Z, 0.0, f32::INFINITY).unwrap();
    assert_eq!((hit.triangle, hit.t), (10_002, 1.0));
    assert!(bvh.closest_point(Vec3::NAN, f32::INFINITY).is_none());
    assert!(bvh.closest_hit(Vec3::ZERO, Vec3::ZERO, 0.0, 1.0).is_none());
}

/// Contract: the hierarchy built by 1, 2 and 7 threads is the same to the bit.
#[test]
fn the_tree_does_not_depend_on_the_thread_count() {
    let mesh = torus(1.0, 0.4, 100);
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        format!("{:?}", pool.install(|| TriangleBvh::build(&mesh)))
    };
    let reference = with_threads(1);
    assert!(reference == with_threads(2) && reference == with_threads(7));
}

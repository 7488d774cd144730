use glam::{Vec2, Vec3};
use proptest::prelude::*;
use whitecap_core::triangle_bvh::TriangleBvh;

use super::*;

fn ray(origin: Vec3, direction: Vec3) -> Ray {
    Ray { origin, direction: direction.normalize(), time: 0.0, far: f32::INFINITY }
}

/// A ball of radius one, closed.
fn ball(rows: u32) -> TriMesh {
    let columns = 2 * rows;
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for row in 0..=rows {
        for column in 0..columns {
            let latitude = std::f32::consts::PI * row as f32 / rows as f32;
            let longitude = std::f32::consts::TAU * column as f32 / columns as f32;
            let ring = if row == 0 || row == rows { 0.0 } else { latitude.sin() };
            let (x, z) = (ring * longitude.sin(), ring * longitude.cos());
            positions.push(Vec3::new(x, latitude.cos(), z));
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let at = |r: u32, c: u32| r * columns + c % columns;
            triangles.push([at(row, column), at(row + 1, column), at(row, column + 1)]);
            triangles.push([at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)]);
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

fn shape(mesh: TriMesh) -> TriangleMesh {
    TriangleMesh::new(mesh, MeshOptions::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every ray hits the same triangle at the same distance as in the slower hierarchy of
    /// `whitecap-core`.
    #[test]
    fn agrees_with_the_binary_hierarchy(
        corners in prop::collection::vec(prop::array::uniform3(prop::array::uniform3(-1.0f32..1.0)), 1..120),
        origin in prop::array::uniform3(-2.0f32..2.0),
        target in prop::array::uniform3(-1.0f32..1.0),
    ) {
        let positions: Vec<Vec3> = corners.iter().flatten().map(|&p| Vec3::from_array(p)).collect();
        let triangles = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = TriMesh::new(positions, triangles).unwrap();
        let (origin, target) = (Vec3::from_array(origin), Vec3::from_array(target));
        prop_assume!(origin.distance(target) > 1e-3);
        let ray = ray(origin, target - origin);
        let expected = TriangleBvh::build(&mesh).closest_hit(ray.origin, ray.direction, 0.0, f32::MAX);
        let shape = shape(mesh);
        let found = shape.intersect(&ray);
        prop_assert_eq!(found.is_some(), expected.is_some());
        prop_assert_eq!(shape.blocks(&ray), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            prop_assert!((found.distance - expected.t).abs() < 1e-4 * (1.0 + expected.t));
            let before = Ray { far: 0.999 * found.distance, ..ray };
            prop_assert!(!shape.blocks(&before) && shape.intersect(&before).is_none());
        }
    }
}

/// No ray from inside a closed mesh gets out, not even along its edges and through its vertices.
#[test]
fn nothing_slips_through_edges() {
    let mesh = ball(12);
    let positions = mesh.positions().to_vec();
    let triangles = mesh.triangles().to_vec();
    let shape = shape(mesh);
    let inside = Vec3::new(0.1, -0.05, 0.07);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
        for target in [a, 0.5 * (a + b), 0.3 * b + 0.7 * c, (a + b + c) / 3.0] {
            assert!(shape.intersect(&ray(inside, target - inside)).is_some(), "{target}");
        }
    }
}

/// Points are inside or outside as they are for the ball, in whatever direction rays from them go.
#[test]
fn inside_and_outside() {
    let shape = shape(ball(16));
    for step in 0..400 {
        let t = step as f32;
        let direction = Vec3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 0.37).sin()).normalize();
        assert!(shape.contains(0.95 * direction, 0.0));
        assert!(!shape.contains(1.01 * direction, 0.0));
    }
}

/// Overlapping closed parts are inside where either is.
#[test]
fn overlapping_parts_are_inside() {
    let [one, mut other] = [ball(12), ball(12)];
    other.positions_mut().iter_mut().for_each(|position| *position += Vec3::X);
    let shape = shape(TriMesh::joined([&one, &other]));
    for x in [-0.8, 0.1, 0.5, 0.9, 1.8] {
        assert!(shape.contains(Vec3::new(x, 0.03, -0.02), 0.0), "{x}");
    }
    assert!(!shape.contains(Vec3::new(0.5, 1.2, 0.0), 0.0));
}

/// A hit blends the vertices' normals, texture coordinates, velocities, film thicknesses and opacities; a flat
/// mesh keeps its own normal.
#[test]
fn attributes_are_blended() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Z];
    let mut mesh = TriMesh::new(positions, vec![[0, 2, 1]]).unwrap();
    let tilted = Vec3::new(1.0, 1.0, 0.0).normalize();
    mesh.set_attribute("normal", Column::Vec3(vec![Vec3::Y, tilted, Vec3::Y])).unwrap();
    mesh.set_attribute("uv", Column::Vec2(vec![Vec2::ZERO, Vec2::X, Vec2::Y])).unwrap();
    mesh.set_attribute("velocity", Column::Vec3(vec![Vec3::X, Vec3::Y, Vec3::Z])).unwrap();
    mesh.set_attribute("film_thickness", Column::F32(vec![1e-7, 3e-7, 5e-7])).unwrap();
    assert!(shape(mesh.clone()).is_opaque());
    mesh.set_attribute("opacity", Column::F32(vec![0.0, 0.8, 1.0])).unwrap();
    assert!(!shape(mesh.clone()).is_opaque());
    let down = ray(Vec3::new(0.5, 1.0, 0.25), Vec3::NEG_Y);
    let hit = shape(mesh.clone()).intersect(&down).unwrap();
    assert!((hit.distance - 1.0).abs() < 1e-6);
    assert!(hit.geometric_normal.distance(Vec3::Y) < 1e-6);
    assert!(hit.shading_normal.distance((0.5 * Vec3::Y + 0.5 * tilted).normalize()) < 1e-5);
    assert!(hit.uv.distance(Vec2::new(0.5, 0.25)) < 1e-6);
    assert!(hit.velocity.distance(Vec3::new(0.25, 0.5, 0.25)) < 1e-6);
    assert!((hit.film_thickness - 3e-7).abs() < 1e-12);
    assert!((hit.opacity - 0.65).abs() < 1e-6);
    let flat = MeshOptions { smooth: false, ..MeshOptions::default() };
    let hit = TriangleMesh::new(mesh, flat).unwrap().intersect(&down).unwrap();
    assert!(hit.shading_normal.distance(Vec3::Y) < 1e-6);
}

/// A moving mesh is where its velocity takes it at the ray's moment.
#[test]
fn motion() {
    let mut mesh = ball(12);
    let count = mesh.positions().len();
    mesh.set_attribute("velocity", Column::Vec3(vec![Vec3::new(10.0, 0.0, 0.0); count])).unwrap();
    let options = MeshOptions { shutter: [-0.5, 0.5], ..MeshOptions::default() };
    let shape = TriangleMesh::new(mesh, options).unwrap();
    for time in [-0.5, -0.2, 0.0, 0.37, 0.5] {
        let towards = |x: f32| Ray { time, ..ray(Vec3::new(x + 0.01, 0.02, 5.0), Vec3::NEG_Z) };
        let hit = shape.intersect(&towards(10.0 * time)).unwrap();
        assert!((hit.distance - 4.0).abs() < 0.02, "{time}: {}", hit.distance);
        assert!(hit.velocity.distance(Vec3::new(10.0, 0.0, 0.0)) < 1e-4);
        assert!(shape.intersect(&towards(10.0 * time + 1.2)).is_none());
        assert!(shape.contains(Vec3::new(10.0 * time, 0.0, 0.0), time));
        assert!(!shape.contains(Vec3::new(10.0 * time + 1.2, 0.0, 0.0), time));
    }
}

/// Empty meshes, triangles of zero area and rays without direction give no hit and do no harm.
#[test]
fn degenerate_input() {
    let nothing = shape(TriMesh::default());
    assert!(nothing.intersect(&ray(Vec3::ZERO, Vec3::X)).is_none());
    assert!(nothing.bounds().is_empty() && !nothing.contains(Vec3::ZERO, 0.0));
    let positions = vec![Vec3::ZERO, Vec3::X, 2.0 * Vec3::X, Vec3::Y];
    let slivers = shape(TriMesh::new(positions, vec![[0, 1, 2], [1, 1, 1], [0, 0, 3]]).unwrap());
    assert!(slivers.intersect(&ray(Vec3::new(0.5, 1.0, 0.0), Vec3::NEG_Y)).is_none());
    for bad in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
        let ray = Ray { origin: Vec3::ZERO, direction: bad, time: 0.0, far: 1.0 };
        assert!(slivers.intersect(&ray).is_none());
        let ray = Ray { origin: Vec3::NAN, direction: Vec3::X, time: 0.0, far: 1.0 };
        assert!(slivers.intersect(&ray).is_none());
    }
}

/// Values that are not numbers are refused with the vertex and what is wrong with it.
#[test]
fn refuses_what_is_no_number() {
    let positions = vec![Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0), Vec3::Z];
    let mesh = TriMesh::new(positions, vec![[0, 1, 2]]).unwrap();
    let error = TriangleMesh::new(mesh, MeshOptions::default()).unwrap_err();
    assert!(matches!(error, MeshError::Position { vertex: 1, .. }), "{error}");
    let mut mesh = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![[0, 1, 2]]).unwrap();
    let column = Column::Vec3(vec![Vec3::ZERO, Vec3::ZERO, Vec3::splat(f32::INFINITY)]);
    mesh.set_attribute("velocity", column).unwrap();
    let error = TriangleMesh::new(mesh.clone(), MeshOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "vertex 2 of the mesh has a value of `velocity` that is not a finite number"
    );
    mesh.set_attribute("velocity", Column::F32(vec![0.0; 3])).unwrap();
    let error = TriangleMesh::new(mesh, MeshOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the mesh attribute `velocity` is a scalar; rendering needs a vector of 3"
    );
}

/// A hierarchy built by one thread is identical to one built by seven.
#[test]
fn building_does_not_depend_on_threads() {
    let mesh = Arc::new(ball(120));
    assert!(mesh.triangles().len() > 50_000);
    let build = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| TriangleMesh::new(mesh.clone(), MeshOptions::default()).unwrap())
    };
    let (one, seven) = (build(1), build(7));
    assert_eq!(one.bvh.order(), seven.bvh.order());
    assert_eq!(one.bvh.leaves(), seven.bvh.leaves());
    for step in 0..1000 {
        let t = step as f32;
        let direction = Vec3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 0.37).sin());
        let ray = ray(Vec3::new(0.2, 0.1, 0.0), direction);
        let hits = [&one, &seven].map(|shape| shape.intersect(&ray).unwrap());
        assert_eq!(hits[0].distance.to_bits(), hits[1].distance.to_bits());
        assert_eq!(hits[0].element, hits[1].element);
    }
}

//! Contract: distance fields are distances, meshes survive conversion to them and back with
//! second-order accuracy, and set operations do what they say.

use glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::local_node;
use whitecap_core::{Lattice, SparseGrid, Tile, TriMesh};
use whitecap_surface::{LevelSet, marching_cubes, report};

const MAJOR: f32 = 0.5;
const MINOR: f32 = 0.2;

fn torus_distance(p: Vec3) -> f32 {
    let ring = (p.x * p.x + p.z * p.z).sqrt() - MAJOR;
    (ring * ring + p.y * p.y).sqrt() - MINOR
}

/// A finely tessellated torus: its own error is far below that of the grids under test.
fn torus_mesh(around: u32, tube: u32) -> TriMesh {
    let tau = std::f32::consts::TAU;
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..tube {
            let (a, b) = (tau * i as f32 / around as f32, tau * j as f32 / tube as f32);
            let ring = MAJOR + MINOR * b.cos();
            positions.push(Vec3::new(ring * a.cos(), MINOR * b.sin(), ring * a.sin()));
            let at = |i: u32, j: u32| (i % around) * tube + j % tube;
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

fn analytic(cell: f32, distance: impl Fn(Vec3) -> f32 + Sync) -> SparseGrid<f32> {
    let lattice = Lattice::at_origin(cell);
    let reach = (1.0 / (8.0 * cell)).ceil() as i32;
    let edge = 2 * reach;
    let tiles = (0..edge * edge * edge)
        .map(|i| IVec3::new(i % edge, i / edge % edge, i / edge / edge) - reach)
        .collect();
    SparseGrid::filled(lattice, 1.0, tiles, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            *value = distance(lattice.position(tile * 8 + local_node(offset)));
        }
    })
}

fn rms_and_largest(mesh: &TriMesh, distance: impl Fn(Vec3) -> f32) -> (f64, f64) {
    let errors: Vec<f64> = mesh.positions().iter().map(|&p| f64::from(distance(p)).abs()).collect();
    let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    (rms, errors.iter().copied().fold(0.0, f64::max))
}

/// Contract: |∇φ| is within 1 % of one at every band node away from the medial axis, even when
/// the field that was redistanced was not a distance at all.
#[test]
fn gradient_length_is_one_in_the_band() {
    let cell = 0.02;
    let crooked = analytic(cell, |p| torus_distance(p) * (3.0 + (5.0 * p.x).sin()));
    let level_set = LevelSet::from_field(&crooked, 4.0 * cell);
    let grid = level_set.grid();
    let (mut checked, mut worst) = (0, 0.0f32);
    for (&tile, values) in grid.coordinates().iter().zip(grid.tiles()) {
        let Tile::Dense(values) = values else { continue };
        for (offset, value) in values.iter().enumerate() {
            if value.abs() > 2.5 * cell {
                continue;
            }
            let node = tile * 8 + local_node(offset);
            let slope =
                |axis: IVec3| (grid.get(node + axis) - grid.get(node - axis)) / (2.0 * cell);
            let gradient = Vec3::new(slope(IVec3::X), slope(IVec3::Y), slope(IVec3::Z));
            worst = worst.max((gradient.length() - 1.0).abs());
            checked += 1;
        }
    }
    assert!(checked > 40_000);
    assert!(worst < 0.01, "|grad| is off by {worst}");
}

/// Contract: mesh → distance field → mesh of a torus converges with second order.
#[test]
fn torus_round_trip_is_second_order_accurate() {
    let torus = torus_mesh(1500, 600);
    let mut previous: Option<f64> = None;
    for cells in [10.0f32, 20.0, 40.0, 80.0] {
        let cell = 1.0 / cells;
        let level_set = LevelSet::from_mesh(&torus, cell, 3.0 * cell).unwrap();
        let mesh = level_set.mesh();
        let quality = report(&mesh);
        assert!(quality.is_closed_manifold());
        assert_eq!((quality.components, quality.euler_characteristic), (1, 0));
        let (rms, largest) = rms_and_largest(&mesh, torus_distance);
        let order = previous.map(|p: f64| (p / rms).log2());
        println!("cell {cell:.4}: rms {rms:.3e}, largest {largest:.3e}, order {order:?}");
        if let Some(order) = order {
            assert!(order > 1.8, "order {order}");
        }
        previous = Some(rms);
    }
}

/// Contract: a mesh with a missing patch and a self-intersecting mesh still have the right inside.
#[test]
fn small_holes_and_self_intersections_do_not_leak() {
    let whole = torus_mesh(96, 48);
    let cell = 0.03;
    let expected = report(&LevelSet::from_mesh(&whole, cell, 3.0 * cell).unwrap().mesh()).volume;
    let holed: Vec<[u32; 3]> = whole
        .triangles()
        .iter()
        .enumerate()
        .filter(|(i, _)| i % 97 != 0)
        .map(|(_, t)| *t)
        .collect();
    let holed = TriMesh::new(whole.positions().to_vec(), holed).unwrap();
    let repaired = report(&LevelSet::from_mesh(&holed, cell, 3.0 * cell).unwrap().mesh());
    assert!(repaired.is_closed_manifold());
    assert_eq!(repaired.components, 1);
    assert!((repaired.volume / expected - 1.0).abs() < 0.01, "{} {expected}", repaired.volume);

    // The torus and a copy moved along x: one closed body, with the overlap counted once.
    let mut copy = whole.clone();
    copy.positions_mut().iter_mut().for_each(|p| *p += Vec3::new(0.3, 0.0, 0.0));
    let doubled = TriMesh::joined([&whole, &copy]);
    let merged = LevelSet::from_mesh(&doubled, cell, 3.0 * cell).unwrap();
    let inside = |p: Vec3| merged.distance(p) < 0.0;
    assert!(inside(Vec3::new(0.5, 0.0, 0.0)) && inside(Vec3::new(-0.5, 0.0, 0.0)));
    assert!(!inside(Vec3::new(0.15, 0.3, 0.0)));
    assert!(report(&merged.mesh()).is_closed_manifold());
}

fn ball(cell: f32, center: Vec3, radius: f32) -> LevelSet {
    LevelSet::from_field(&analytic(cell, |p| p.distance(center) - radius), 4.0 * cell)
}

fn sphere_volume(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)
}

/// Contract: union, intersection and difference have the volumes that two overlapping balls must
/// have, and offset changes the radius by the offset.
#[test]
fn set_operations_and_offset_have_the_right_volumes() {
    let cell = 0.025;
    let (radius, apart) = (0.4f64, 0.4f64);
    let a = ball(cell, Vec3::new(-0.2, 0.0, 0.0), 0.4);
    let b = ball(cell, Vec3::new(0.2, 0.0, 0.0), 0.4);
    let lens = std::f64::consts::PI
        * (2.0 * radius - apart).powi(2)
        * (apart * apart + 4.0 * apart * radius)
        / (12.0 * apart);
    let whole = sphere_volume(radius);
    let volume = |level_set: &LevelSet| {
        let report = report(&level_set.mesh());
        assert!(report.is_closed_manifold());
        report.volume
    };
    let close = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 0.01, "{found} against {expected}");
    };
    close(volume(&a.union(&b).unwrap()), 2.0 * whole - lens);
    close(volume(&a.intersection(&b).unwrap()), lens);
    close(volume(&a.difference(&b).unwrap()), whole - lens);
    close(volume(&a.offset(0.15)), sphere_volume(0.55));
    close(volume(&a.offset(-0.15)), sphere_volume(0.25));
    let other = ball(0.03, Vec3::ZERO, 0.3);
    assert!(a.union(&other).is_err());
}

/// Contract: smoothing removes a bump and keeps a ball a ball.
#[test]
fn smoothing_calms_noise() {
    let cell = 0.025;
    let noisy =
        analytic(cell, |p| p.length() - 0.5 + 0.01 * (60.0 * p.x).sin() * (60.0 * p.y).sin());
    let noisy = LevelSet::from_field(&noisy, 4.0 * cell);
    let sphere = |p: Vec3| p.length() - 0.5;
    let before = rms_and_largest(&noisy.mesh(), sphere).0;
    let after = rms_and_largest(&noisy.smooth(8).mesh(), |p| p.length() - 0.498).0;
    assert!(after < 0.4 * before, "{after} against {before}");
}

/// Contract: a ball advected through a full turn returns to its place with its volume.
#[test]
fn advection_by_a_rotation_returns_the_ball() {
    let cell = 0.025;
    let start = ball(cell, Vec3::new(0.35, 0.0, 0.0), 0.25);
    let steps = 40;
    let time_step = std::f32::consts::TAU / steps as f32;
    let spin = |p: Vec3| Vec3::new(-p.y, p.x, 0.0);
    let mut moved = start.clone();
    for _ in 0..steps {
        moved = moved.advect(spin, 1.0, time_step);
    }
    let drift = report(&moved.mesh()).volume / report(&start.mesh()).volume - 1.0;
    assert!(drift.abs() < 0.03, "volume drift {drift}");
    let (rms, _) = rms_and_largest(&moved.mesh(), |p| p.distance(Vec3::new(0.35, 0.0, 0.0)) - 0.25);
    assert!(rms < 0.4 * f64::from(cell), "rms {rms}");
}

/// Contract: meshes from any field of whole numbers of tiles are closed, and a redistanced field
/// keeps its zero level where it was.
#[test]
fn redistancing_keeps_the_zero_level() {
    let field = analytic(0.04, |p| torus_distance(p) * 7.0);
    let before = marching_cubes::extract(&field);
    let after = LevelSet::from_field(&field, 0.12).mesh();
    assert_eq!(report(&before).euler_characteristic, report(&after).euler_characteristic);
    // Ten times over: without the facet correction the volume would drop by several percent.
    let mut again = LevelSet::from_field(&field, 0.12);
    for _ in 0..10 {
        again = again.redistance();
    }
    let drift = report(&again.mesh()).volume / report(&before).volume - 1.0;
    assert!(drift.abs() < 0.005, "volume drift {drift}");
    let (rms, _) = rms_and_largest(&after, torus_distance);
    // A hundredth of a cell; the facets themselves miss the torus by three times that.
    assert!(rms < 4e-4, "rms {rms}");
}

/// Contract: values that change as distances do are taken as they are, to the bit; values that change too
/// fast or too slowly, or have no finite background, are measured and become distances.
#[test]
fn distances_are_trusted_and_others_measured() {
    let cell = 0.05;
    let ball = |p: Vec3| p.length() - 0.4;
    let distance = LevelSet::from_field(&analytic(cell, ball), 3.0 * cell);
    assert_eq!(LevelSet::from_distance(distance.grid()).grid(), distance.grid());
    for factor in [4.0, 0.25] {
        let field = analytic(cell, |p| factor * ball(p));
        let measured = LevelSet::from_distance(&field);
        for x in [0.33f32, 0.4, 0.45] {
            let found = measured.distance(Vec3::new(x, 0.0, 0.0));
            assert!((found - (x - 0.4)).abs() < 0.1 * cell, "{factor}: {found} at {x}");
        }
    }
    let endless = SparseGrid::new(Lattice::at_origin(cell), f32::INFINITY);
    assert!(LevelSet::from_distance(&endless).band().is_finite());
}

//! Contract: the mesh of any sign field is closed, 2-manifold and consistently oriented, and has
//! the same bytes for any number of threads.

use glam::{IVec3, Vec3};
use proptest::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node};
use whitecap_core::{Lattice, SparseGrid, Tile, TriMesh};
use whitecap_surface::{marching_cubes, report};

/// Pseudo-random node values with the given share of inside nodes.
fn noise(seed: u64, node: IVec3, inside_share: f32) -> f32 {
    let mut h = seed
        ^ (node.x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (node.y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ (node.z as u64).wrapping_mul(0x1656_67B1_9E37_79F9);
    for _ in 0..3 {
        h ^= h >> 32;
        h = h.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    ((h >> 40) as f32 / (1u64 << 24) as f32) - inside_share
}

fn random_grid(seed: u64, inside_share: f32, tiles: Vec<IVec3>) -> SparseGrid<f32> {
    SparseGrid::filled(Lattice::at_origin(1.0), 1.0, tiles, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            *value = noise(seed, tile * 8 + local_node(offset), inside_share);
        }
    })
}

fn assert_closed_manifold(mesh: &TriMesh, what: &str) {
    let report = report(mesh);
    assert!(report.is_closed_manifold(), "{what}: {report:?}");
    assert_eq!(report.vertices, mesh.positions().len(), "{what}: unused vertices");
}

#[test]
fn ten_thousand_random_sign_fields_give_closed_manifolds() {
    for seed in 0..10_000u64 {
        let share = [0.05, 0.2, 0.5, 0.8, 0.95][seed as usize % 5];
        // One or two tiles, in varying relative position, so that tile borders are exercised.
        let second =
            IVec3::new((seed % 3) as i32 - 1, (seed / 3 % 3) as i32 - 1, (seed / 9 % 3) as i32 - 1);
        let mesh = marching_cubes::extract(&random_grid(seed, share, vec![IVec3::ZERO, second]));
        assert!(!mesh.triangles().is_empty());
        assert_closed_manifold(&mesh, &format!("seed {seed}"));
    }
}

#[test]
fn all_cube_patterns_meet_all_neighbours_in_a_large_random_field() {
    let tiles = (0..64).map(|i| IVec3::new(i % 4, i / 4 % 4, i / 16) - 2).collect();
    let mesh = marching_cubes::extract(&random_grid(99, 0.5, tiles));
    assert!(mesh.triangles().len() > 50_000);
    assert_closed_manifold(&mesh, "large field");
}

#[test]
fn same_bytes_for_one_two_and_seven_threads() {
    let tiles: Vec<IVec3> = (0..27).map(|i| IVec3::new(i % 3, i / 3 % 3, i / 9)).collect();
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| marching_cubes::extract(&random_grid(5, 0.4, tiles.clone())))
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(7));
}

#[test]
fn a_sphere_has_outward_triangles_and_the_right_volume() {
    let lattice = Lattice { origin: Vec3::new(0.1, 0.2, -0.3), cell: 0.1 };
    let tiles = (0..64).map(|i| IVec3::new(i % 4, i / 4 % 4, i / 16) - 2).collect();
    let sphere = SparseGrid::filled(lattice, 1.0, tiles, |tile, values: &mut [f32; TILE_NODES]| {
        for (offset, value) in values.iter_mut().enumerate() {
            *value = lattice.position(tile * 8 + local_node(offset)).length() - 1.0;
        }
    });
    let mesh = marching_cubes::extract(&sphere);
    let report = report(&mesh);
    assert!(report.is_closed_manifold());
    assert_eq!((report.components, report.euler_characteristic), (1, 2));
    let exact = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((report.volume / exact - 1.0).abs() < 0.01, "volume {}", report.volume);
}

#[test]
fn interior_constant_tiles_and_nan_values_do_not_open_the_mesh() {
    let tiles = vec![
        (IVec3::ZERO, Tile::Constant(-1.0f32)),
        (IVec3::X, Tile::Dense(Box::new([f32::NAN; TILE_NODES]))),
    ];
    let grid = SparseGrid::from_tiles(Lattice::at_origin(1.0), 1.0, tiles).unwrap();
    let mesh = marching_cubes::extract(&grid);
    assert!(mesh.positions().iter().all(|p| p.is_finite()));
    assert_closed_manifold(&mesh, "constant tile");
    assert_eq!(report(&mesh).euler_characteristic, 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Values of every size, exact zeros among them.
    #[test]
    fn extreme_values_keep_the_mesh_closed_and_finite(values in prop::collection::vec(
        prop_oneof![Just(0.0f32), Just(-0.0), -1e-30f32..1e-30, -1e30f32..1e30, -1.0f32..1.0], TILE_NODES))
    {
        let dense: [f32; TILE_NODES] = values.try_into().unwrap();
        let grid = SparseGrid::from_tiles(
            Lattice::at_origin(0.01), 1.0, vec![(IVec3::new(3, -2, 1), Tile::Dense(Box::new(dense)))]).unwrap();
        let mesh = marching_cubes::extract(&grid);
        prop_assert!(mesh.positions().iter().all(|p| p.is_finite()));
        prop_assert!(report(&mesh).is_closed_manifold());
    }
}

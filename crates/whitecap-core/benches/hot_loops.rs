//! Neighbour search and Poisson solve: `cargo bench -p whitecap-core`.

use divan::Bencher;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::neighbours::{NeighbourGrid, NeighbourLists, SearchRadius};
use whitecap_core::poisson::{NodeKind, PoissonProblem, SolveSettings, solve};
use whitecap_core::sparse_grid::local_node;
use whitecap_core::{Lattice, SparseGrid, Unwatched};

fn main() {
    divan::main();
}

/// 64 000 particles, their grid and about thirty neighbours of each.
#[divan::bench(max_time = 3)]
fn neighbour_search(bencher: Bencher) {
    let place = |i: i32| IVec3::new(i % 40, i / 40 % 40, i / 1600).as_vec3() * 0.1;
    let wobble = |i: i32| Vec3::new((i as f32).sin(), (2.3 * i as f32).sin(), (i as f32).cos());
    let places: Vec<Vec3> = (0..64_000).map(|i| place(i) + 0.02 * wobble(i)).collect();
    let mut lists = NeighbourLists::default();
    bencher.bench_local(|| {
        let grid = NeighbourGrid::build(&places, 0.2);
        grid.lists(&places, SearchRadius::Uniform(0.2), &mut lists);
    });
}

/// A box of 48³ unknowns between known sides, to a residual of a millionth.
#[divan::bench(max_time = 3)]
fn poisson_solve(bencher: Bencher) {
    const COUNT: i32 = 48;
    let lattice = Lattice { origin: Vec3::ZERO, cell: 1.0 / COUNT as f32 };
    let tiles: Vec<IVec3> = (0..512).map(|t| IVec3::new(t % 8, t / 8 % 8, t / 64) - 1).collect();
    let kinds = SparseGrid::filled(lattice, NodeKind::Dirichlet, tiles.clone(), |tile, kinds| {
        for (offset, kind) in kinds.iter_mut().enumerate() {
            let node = tile * 8 + local_node(offset);
            let inside = node.min_element() >= 0 && node.max_element() < COUNT;
            *kind = if inside { NodeKind::Unknown } else { NodeKind::Dirichlet };
        }
    });
    let source = SparseGrid::filled(lattice, 0.0, tiles, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            let p = lattice.position(tile * 8 + local_node(offset));
            *value = (7.0 * p.x).sin() * (5.0 * p.y).cos() + p.z;
        }
    });
    let problem = PoissonProblem {
        kinds: &kinds,
        right_hand_side: &source,
        boundary_values: None,
        face_weights: None,
    };
    bencher.bench_local(|| solve(&problem, None, &SolveSettings::default(), &Unwatched).unwrap());
}

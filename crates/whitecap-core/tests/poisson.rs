//! Contracts of the Poisson solver.

use std::f32::consts::PI;

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::poisson::{
    NodeKind, PoissonProblem, Preconditioner, Solution, SolveSettings, solve,
};
use whitecap_core::sparse_grid::local_node;
use whitecap_core::{Error, Lattice, SparseGrid, Tile, Unwatched, Watch};

/// A grid over the nodes −8 to `count` + 7 on every axis.
fn grid<T: Copy + Send + Sync>(
    lattice: Lattice,
    count: i32,
    background: T,
    value: impl Fn(IVec3) -> T + Sync,
) -> SparseGrid<T> {
    let edge = (count + 7) / 8 + 2;
    let tiles = (0..edge * edge * edge)
        .map(|t| IVec3::new(t % edge, t / edge % edge, t / edge / edge) - 1)
        .collect();
    SparseGrid::filled(lattice, background, tiles, |tile, values| {
        for (offset, target) in values.iter_mut().enumerate() {
            *target = value(tile * 8 + local_node(offset));
        }
    })
}

/// The unit cube with `count` unknowns on each axis and known values on its six sides.
fn unit_box(count: i32) -> SparseGrid<NodeKind> {
    let cell = 1.0 / (count + 1) as f32;
    let lattice = Lattice { origin: Vec3::splat(cell), cell };
    grid(lattice, count, NodeKind::Dirichlet, |node| {
        let inside = node.min_element() >= 0 && node.max_element() < count;
        if inside { NodeKind::Unknown } else { NodeKind::Dirichlet }
    })
}

/// A ball of `count` nodes across in the unit cube, with `outside` around it.
fn unit_ball(count: i32, outside: NodeKind) -> SparseGrid<NodeKind> {
    let lattice = Lattice { origin: Vec3::ZERO, cell: 1.0 / count as f32 };
    grid(lattice, count, outside, |node| {
        let inside = lattice.position(node).distance(Vec3::new(0.51, 0.49, 0.5)) < 0.45;
        if inside { NodeKind::Unknown } else { outside }
    })
}

/// Values of a function of position on the tiles of `kinds`.
fn field(kinds: &SparseGrid<NodeKind>, value: impl Fn(Vec3) -> f32 + Sync) -> SparseGrid<f32> {
    let lattice = kinds.lattice();
    SparseGrid::filled(lattice, 0.0, kinds.coordinates().to_vec(), |tile, values| {
        for (offset, target) in values.iter_mut().enumerate() {
            *target = value(lattice.position(tile * 8 + local_node(offset)));
        }
    })
}

/// A number from 0 to 1 that looks random, the same at every run.
fn noise(node: IVec3, seed: u32) -> f32 {
    let mut hash = seed;
    for component in node.to_array() {
        hash = (hash ^ component as u32).wrapping_mul(0x9E37_79B1);
        hash = (hash ^ (hash >> 15)).wrapping_mul(0x85EB_CA77);
    }
    ((hash ^ (hash >> 13)) >> 8) as f32 / (1 << 24) as f32
}

fn unknowns(kinds: &SparseGrid<NodeKind>) -> impl Iterator<Item = IVec3> {
    kinds
        .coordinates()
        .iter()
        .flat_map(|&tile| (0..512).map(move |offset| tile * 8 + local_node(offset)))
        .filter(|&node| kinds.get(node) == NodeKind::Unknown)
}

fn largest_error(
    kinds: &SparseGrid<NodeKind>,
    solution: &Solution,
    exact: impl Fn(Vec3) -> f32,
) -> f32 {
    let error = |node| (solution.values.get(node) - exact(kinds.lattice().position(node))).abs();
    unknowns(kinds).map(error).fold(0.0, f32::max)
}

fn plain<'a>(
    kinds: &'a SparseGrid<NodeKind>,
    right_hand_side: &'a SparseGrid<f32>,
) -> PoissonProblem<'a> {
    PoissonProblem { kinds, right_hand_side, boundary_values: None, face_weights: None }
}

fn precise() -> SolveSettings {
    SolveSettings { tolerance: 1e-9, ..SolveSettings::default() }
}

/// Contract: on a box with known values at its sides, the error against a manufactured solution
/// falls by four when the cell is halved.
#[test]
fn a_box_converges_to_second_order() {
    let exact = |p: Vec3| (PI * p.x).sin() * (PI * p.y).sin() * (2.0 * PI * p.z).sin();
    let errors = [15, 31, 63].map(|count| {
        let kinds = unit_box(count);
        let source = field(&kinds, |p| 6.0 * PI * PI * exact(p));
        let solution = solve(&plain(&kinds, &source), None, &precise(), &Unwatched).unwrap();
        largest_error(&kinds, &solution, exact)
    });
    for pair in errors.windows(2) {
        assert!((3.7..4.3).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

/// Contract: the same on a ball whose border cuts across the cells, with known values that are
/// not zero; and the known values come back in the solution.
#[test]
fn a_ball_converges_to_second_order() {
    let exact = |p: Vec3| (3.0 * p.x).sin() * (2.0 * p.y).exp() + (p.z - 0.3).powi(4);
    let source = |p: Vec3| 5.0 * (3.0 * p.x).sin() * (2.0 * p.y).exp() - 12.0 * (p.z - 0.3).powi(2);
    let errors = [16, 32, 64].map(|count| {
        let kinds = unit_ball(count, NodeKind::Dirichlet);
        let (source, known) = (field(&kinds, source), field(&kinds, exact));
        let problem = PoissonProblem { boundary_values: Some(&known), ..plain(&kinds, &source) };
        let solution = solve(&problem, None, &precise(), &Unwatched).unwrap();
        for node in unknowns(&kinds).filter(|node| node.x & 7 != 0).map(|node| node - IVec3::X) {
            let outside = kinds.get(node) == NodeKind::Dirichlet;
            assert!(!outside || solution.values.get(node) == known.get(node), "{node}");
        }
        largest_error(&kinds, &solution, exact)
    });
    for pair in errors.windows(2) {
        assert!((3.0..5.0).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

/// Contract: with weights that vary in space the error falls by four too.
#[test]
fn variable_weights_converge_to_second_order() {
    let exact = |p: Vec3| (PI * p.x).sin() * (PI * p.y).sin() * (PI * p.z).sin();
    let weight = |p: Vec3| 1.0 + 0.8 * p.x * p.y;
    // −∇·(w ∇u) = 3 π² w u − ∇w · ∇u
    let source = |p: Vec3| {
        let (sin, cos) = ((PI * p).map(f32::sin), (PI * p).map(f32::cos));
        let slope = PI * sin.z * Vec3::new(cos.x * sin.y, sin.x * cos.y, 0.0);
        3.0 * PI * PI * weight(p) * exact(p) - 0.8 * Vec3::new(p.y, p.x, 0.0).dot(slope)
    };
    let errors = [15, 31, 63].map(|count| {
        let kinds = unit_box(count);
        let lattice = kinds.lattice();
        let weights = grid(lattice, count, Vec3::ONE, |node| {
            let half = |axis: usize| 0.5 * lattice.cell * Vec3::AXES[axis];
            let at = lattice.position(node);
            Vec3::new(weight(at - half(0)), weight(at - half(1)), weight(at - half(2)))
        });
        let source = field(&kinds, source);
        let problem = PoissonProblem { face_weights: Some(&weights), ..plain(&kinds, &source) };
        let solution = solve(&problem, None, &precise(), &Unwatched).unwrap();
        assert!(solution.iterations <= 15, "{} iterations", solution.iterations);
        largest_error(&kinds, &solution, exact)
    });
    for pair in errors.windows(2) {
        assert!((3.7..4.3).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

/// Contract: with multigrid at most 10 iterations reach 10⁻⁶ from 16³ to 128³, for known values
/// all around, walls all around, and both; with the diagonal alone the count doubles with the
/// resolution.
#[test]
fn iterations_hardly_depend_on_resolution() {
    let tank = |count: i32| {
        grid(Lattice::at_origin(1.0 / count as f32), count, NodeKind::Neumann, |node| {
            let inside = node.min_element() >= 0 && node.max_element() < count;
            let wave = (17.0 * node.x as f32 / count as f32).sin();
            let surface = count as f32 * (0.6 + 0.2 * wave);
            match (inside, (node.y as f32) < surface) {
                (false, _) => NodeKind::Neumann,
                (true, true) => NodeKind::Unknown,
                (true, false) => NodeKind::Dirichlet,
            }
        })
    };
    let count_iterations = |kinds: &SparseGrid<NodeKind>, preconditioner| {
        let source = grid(kinds.lattice(), 128, 0.0, |node| noise(node, 1) - 0.4);
        let settings =
            SolveSettings { preconditioner, max_iterations: 2000, ..SolveSettings::default() };
        solve(&plain(kinds, &source), None, &settings, &Unwatched).unwrap().iterations
    };
    for count in [16, 32, 64, 128] {
        let domains = [
            unit_box(count),
            unit_ball(count, NodeKind::Dirichlet),
            unit_ball(count, NodeKind::Neumann),
            tank(count),
        ];
        let iterations =
            domains.each_ref().map(|kinds| count_iterations(kinds, Preconditioner::Multigrid));
        assert!(iterations.iter().all(|&i| i <= 10), "{count}: {iterations:?}");
    }
    let jacobi = [16, 32, 64].map(|count| {
        count_iterations(&unit_ball(count, NodeKind::Dirichlet), Preconditioner::Jacobi)
    });
    for pair in jacobi.windows(2) {
        assert!(pair[1] as f32 > 1.6 * pair[0] as f32, "{jacobi:?}");
    }
}

/// Contract: on a random jumble of kinds with random weights and known values, each unknown
/// satisfies the equation as the module documentation writes it; parts that touch no known value
/// satisfy it up to their mean.
#[test]
fn the_documented_equation_holds_at_every_node() {
    let count = 24;
    let lattice = Lattice { origin: Vec3::new(3.0, -1.0, 0.5), cell: 0.5 };
    let kinds = grid(lattice, count, NodeKind::Neumann, |node| match noise(node, 2) {
        _ if node.min_element() < 0 || node.max_element() >= count => NodeKind::Neumann,
        n if n < 0.6 => NodeKind::Unknown,
        n if n < 0.75 => NodeKind::Dirichlet,
        _ => NodeKind::Neumann,
    });
    let weights = grid(lattice, count, Vec3::ONE, |node| {
        Vec3::new(noise(node, 3), noise(node, 4), (noise(node, 5) - 0.2).max(0.0))
    });
    let known = grid(lattice, count, 0.0, |node| noise(node, 6));
    let source = grid(lattice, count, 0.0, |node| noise(node, 7) - 0.5);
    let problem = PoissonProblem {
        kinds: &kinds,
        right_hand_side: &source,
        boundary_values: Some(&known),
        face_weights: Some(&weights),
    };
    let solution = solve(&problem, None, &precise(), &Unwatched).unwrap();
    let mut free = 0;
    for node in unknowns(&kinds) {
        let (mut flux, mut size, mut links) = (0.0f64, 0.0f64, 0);
        for axis in 0..3 {
            for (neighbour, face) in [
                (node - IVec3::AXES[axis], node),
                (node + IVec3::AXES[axis], node + IVec3::AXES[axis]),
            ] {
                let weight = f64::from(weights.get(face)[axis]) / 0.25;
                let beyond = match kinds.get(neighbour) {
                    NodeKind::Unknown => solution.values.get(neighbour),
                    NodeKind::Dirichlet => known.get(neighbour),
                    NodeKind::Neumann => continue,
                };
                let difference = f64::from(solution.values.get(node)) - f64::from(beyond);
                flux += weight * difference;
                size += weight * f64::from(beyond).abs();
                links += usize::from(weight > 0.0);
            }
        }
        if links == 0 {
            free += 1;
            assert_eq!(solution.values.get(node), 0.0);
        } else {
            let error = (flux - f64::from(source.get(node))).abs();
            assert!(error < 1e-5 * (size + 1.0), "{node}: {error}");
        }
    }
    assert!(free > 0, "the jumble was meant to hold unknowns without links");
}

/// Contract: where nothing is known, an inconsistent right-hand side is made consistent part by
/// part, and each part of the solution has zero mean.
#[test]
fn closed_parts_are_solved_up_to_a_constant() {
    let count = 24;
    let lattice = Lattice::at_origin(1.0 / count as f32);
    let part = |node: IVec3| (node.x >= 12) as usize;
    let kinds = grid(lattice, count, NodeKind::Neumann, |node| {
        let inside = node.min_element() >= 0 && node.max_element() < count && node.x != 12;
        if inside { NodeKind::Unknown } else { NodeKind::Neumann }
    });
    // Two rooms, each with the cosine that fits its own walls, plus a constant that must go.
    let wave = |node: IVec3| (PI * (node.y as f32 + 0.5) / count as f32).cos();
    let source = grid(lattice, count, 0.0, |node| {
        PI * PI * wave(node) + if part(node) == 0 { 5.0 } else { -3.0 }
    });
    let solution = solve(&plain(&kinds, &source), None, &precise(), &Unwatched).unwrap();
    let mut means = [0.0f64; 2];
    for node in unknowns(&kinds) {
        let value = solution.values.get(node);
        means[part(node)] += f64::from(value);
        assert!((value - wave(node)).abs() < 5e-3, "{node}: {value} against {}", wave(node));
    }
    assert!(means.iter().all(|mean| mean.abs() < 1e-2), "{means:?}");
}

/// Contract: 1, 2 and 7 threads give the same bits, with floating parts and without.
#[test]
fn the_solution_does_not_depend_on_the_thread_count() {
    for outside in [NodeKind::Dirichlet, NodeKind::Neumann] {
        let kinds = unit_ball(40, outside);
        let source = grid(kinds.lattice(), 40, 0.0, |node| noise(node, 8) - 0.3);
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let settings = SolveSettings::default();
            pool.install(|| solve(&plain(&kinds, &source), None, &settings, &Unwatched)).unwrap()
        };
        let reference = with_threads(1);
        for threads in [2, 7] {
            let other = with_threads(threads);
            assert!(reference.values == other.values);
            assert_eq!(reference.residual.to_bits(), other.residual.to_bits());
        }
    }
}

/// Contract: a solution given back as the guess is recognised, and a guess that is off helps.
#[test]
fn a_good_guess_saves_iterations() {
    let kinds = unit_ball(32, NodeKind::Dirichlet);
    let source = field(&kinds, |p| p.x);
    let settings = SolveSettings { tolerance: 1e-5, ..SolveSettings::default() };
    let first = solve(&plain(&kinds, &source), None, &settings, &Unwatched).unwrap();
    let problem = plain(&kinds, &source);
    let again = solve(&problem, Some(&first.values), &settings, &Unwatched).unwrap();
    assert!(first.iterations > 3 && again.iterations <= 1, "{}", again.iterations);
}

struct Cancelled;

impl Watch for Cancelled {
    fn cancelled(&self) -> bool {
        true
    }
}

/// Contract: running out of iterations and input that is not finite are the error that says how far it
/// got; being cancelled is an error of its own.
#[test]
fn what_does_not_converge_is_an_error() {
    let kinds = unit_box(20);
    let source = field(&kinds, |p| p.x - 0.3);
    let few = SolveSettings { max_iterations: 2, ..SolveSettings::default() };
    let error = solve(&plain(&kinds, &source), None, &few, &Unwatched).unwrap_err();
    let Error::NotConverged { iterations: 2, residual, .. } = error else { panic!("{error}") };
    assert!(residual > 1e-6 && residual < 1.0);

    let settings = SolveSettings::default();
    let error = solve(&plain(&kinds, &source), None, &settings, &Cancelled).unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");

    let broken = field(&kinds, |p| if p.x > 0.5 { f32::NAN } else { 1.0 });
    let error = solve(&plain(&kinds, &broken), None, &settings, &Unwatched).unwrap_err();
    assert!(matches!(error, Error::NotConverged { iterations: 0, .. }), "{error}");
}

/// Contract: no unknowns, a zero right-hand side, tiles of one constant, a background that claims
/// to be unknown, and one lone unknown are all fine.
#[test]
fn small_and_odd_problems_are_fine() {
    let lattice = Lattice::at_origin(0.1);
    let settings = SolveSettings::default();
    let zero = SparseGrid::new(lattice, 0.0);
    let empty = SparseGrid::new(lattice, NodeKind::Dirichlet);
    let solution = solve(&plain(&empty, &zero), None, &settings, &Unwatched).unwrap();
    assert_eq!((solution.values.tile_count(), solution.iterations), (0, 0));

    let kinds = unit_box(9);
    let solution =
        solve(&plain(&kinds, &zero), Some(&field(&kinds, |p| p.y)), &settings, &Unwatched);
    assert_eq!(solution.unwrap().values.get(IVec3::splat(4)), 0.0);

    // One constant tile inside known zeros is a box of 8³ unknowns: the same as written out.
    let one = SparseGrid::new(lattice, 1.0);
    let tiles = vec![(IVec3::ZERO, Tile::Constant(NodeKind::Unknown))];
    let constant = SparseGrid::from_tiles(lattice, NodeKind::Dirichlet, tiles.clone()).unwrap();
    let dense = grid(lattice, 8, NodeKind::Dirichlet, |node| {
        let inside = node.min_element() >= 0 && node.max_element() < 8;
        if inside { NodeKind::Unknown } else { NodeKind::Dirichlet }
    });
    let [a, b] = [&constant, &dense]
        .map(|kinds| solve(&plain(kinds, &one), None, &settings, &Unwatched).unwrap());
    assert!(unknowns(&dense).all(|node| a.values.get(node) == b.values.get(node)));

    // An unknown background is a wall: nothing is known, so the mean goes and nothing is left.
    let open = SparseGrid::from_tiles(lattice, NodeKind::Unknown, tiles).unwrap();
    let solution = solve(&plain(&open, &one), None, &settings, &Unwatched).unwrap();
    assert_eq!(solution.values.get(IVec3::splat(3)), 0.0);

    let lone = grid(lattice, 8, NodeKind::Dirichlet, |node| {
        if node == IVec3::ONE { NodeKind::Unknown } else { NodeKind::Dirichlet }
    });
    let solution = solve(&plain(&lone, &one), None, &settings, &Unwatched).unwrap();
    assert!((solution.values.get(IVec3::ONE) - 0.01 / 6.0).abs() < 1e-8);
}

//! Viscosity on a staggered grid, against closed forms and conservation.

use std::f32::consts::PI;

use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::mac::pressure::{PressureInput, project};
use whitecap_bulk::mac::solids::{NoObstacles, Obstacles, SolidFaces};
use whitecap_bulk::mac::viscosity::{Diffusion, Viscosity, ViscosityInput, diffuse};
use whitecap_core::glam::{DVec3, IVec3, Vec3};
use whitecap_core::poisson::{Preconditioner, SolveSettings};
use whitecap_core::scatter::Sequence;
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, local_node};
use whitecap_core::{Error, Lattice, Unwatched};

const CELL: f32 = 0.01;
const STEP: f32 = 1.0 / 48.0;

/// A box of tiles with liquid and solids.
struct Scene {
    lattice: MacLattice,
    tiles: Vec<IVec3>,
    liquid: SparseGrid<f32>,
    solids: SolidFaces,
}

fn box_of_tiles(low: IVec3, high: IVec3) -> Vec<IVec3> {
    let span = high - low;
    (0..span.element_product())
        .map(|t| low + IVec3::new(t % span.x, t / span.x % span.y, t / span.x / span.y))
        .collect()
}

fn on_tiles<T: Copy + Send + Sync>(
    tiles: &[IVec3],
    lattice: Lattice,
    background: T,
    value: impl Fn(Vec3) -> T + Sync,
) -> SparseGrid<T> {
    SparseGrid::filled(lattice, background, tiles.to_vec(), |tile, values| {
        for (offset, slot) in values.iter_mut().enumerate() {
            *slot = value(lattice.position(tile * 8 + local_node(offset)));
        }
    })
}

impl Scene {
    fn new(
        low: IVec3,
        high: IVec3,
        liquid: impl Fn(Vec3) -> f32 + Sync,
        obstacles: &dyn Obstacles,
    ) -> Self {
        let lattice = MacLattice::at_origin(CELL);
        let tiles = box_of_tiles(low, high);
        let solids = SolidFaces::new(lattice, &tiles, obstacles);
        let liquid = on_tiles(&tiles, lattice.centers(), 1.0, liquid);
        Self { lattice, tiles, liquid, solids }
    }

    /// A velocity, taken in the middle of each face.
    fn velocity(&self, value: impl Fn(Vec3) -> Vec3 + Sync) -> SparseGrid<Vec3> {
        let middles = [0, 1, 2].map(|axis| self.lattice.face_centers(axis));
        let lattice = self.lattice.corners;
        SparseGrid::filled(lattice, Vec3::ZERO, self.tiles.clone(), |tile, values| {
            for (offset, slot) in values.iter_mut().enumerate() {
                let node = tile * 8 + local_node(offset);
                for axis in 0..3 {
                    slot[axis] = value(middles[axis].position(node))[axis];
                }
            }
        })
    }

    fn try_diffuse(
        &self,
        velocity: &mut SparseGrid<Vec3>,
        viscosity: Viscosity<'_>,
        time_step: f32,
        preconditioner: Preconditioner,
    ) -> Result<Diffusion, Error> {
        let input =
            ViscosityInput { liquid: &self.liquid, solids: &self.solids, viscosity, time_step };
        let settings = SolveSettings { preconditioner, ..SolveSettings::default() };
        diffuse(velocity, &input, &settings, &Unwatched)
    }

    fn diffuse(
        &self,
        velocity: &mut SparseGrid<Vec3>,
        viscosity: f32,
        time_step: f32,
    ) -> Diffusion {
        let viscosity = Viscosity::Uniform(viscosity);
        self.try_diffuse(velocity, viscosity, time_step, Preconditioner::Multigrid).unwrap()
    }

    /// Calls `visit(face, axis, middle)` for the low faces of all cells.
    fn each_face(&self, mut visit: impl FnMut(IVec3, usize, Vec3)) {
        for &tile in &self.tiles {
            for offset in 0..TILE_NODES {
                let node = tile * 8 + local_node(offset);
                for axis in 0..3 {
                    visit(node, axis, self.lattice.face_centers(axis).position(node));
                }
            }
        }
    }

    /// The share of liquid around a face.
    fn mass(&self, node: IVec3, axis: usize) -> f64 {
        let mean = 0.5 * (self.liquid.get(node) + self.liquid.get(node - IVec3::AXES[axis]));
        f64::from((0.5 - mean / CELL).clamp(0.0, 1.0))
    }

    /// Momentum and angular momentum over the mass of a cell.
    fn momenta(&self, velocity: &SparseGrid<Vec3>) -> (DVec3, DVec3) {
        let mut sums = (DVec3::ZERO, DVec3::ZERO);
        self.each_face(|node, axis, middle| {
            let momentum = self.mass(node, axis) * f64::from(velocity.get(node)[axis]);
            let momentum = momentum * DVec3::AXES[axis];
            sums.0 += momentum;
            sums.1 += middle.as_dvec3().cross(momentum);
        });
        sums
    }

    /// The largest change of a face of a wet cell, in m/s.
    fn largest_change(&self, one: &SparseGrid<Vec3>, other: &SparseGrid<Vec3>) -> f32 {
        let mut largest = 0.0f32;
        self.each_face(|node, axis, _| {
            if self.mass(node, axis) > 0.0 {
                largest = largest.max((one.get(node)[axis] - other.get(node)[axis]).abs());
            }
        });
        largest
    }
}

/// A ball of liquid, not in the middle of anything.
fn blob() -> Scene {
    let middle = Vec3::new(0.013, -0.004, 0.007);
    let ball = move |p: Vec3| (p - middle).length() - 0.093;
    Scene::new(IVec3::splat(-2), IVec3::splat(2), ball, &NoObstacles)
}

fn noise(scene: &Scene) -> SparseGrid<Vec3> {
    let mut random = Sequence::new(7);
    let mut velocity = scene.velocity(|_| Vec3::ZERO);
    for tile in velocity.tiles_mut() {
        let values = std::array::from_fn(|_| 2.0 * random.point() - 1.0);
        *tile = whitecap_core::Tile::Dense(Box::new(values));
    }
    velocity
}

/// Contract: honey that flies and turns as a rigid body goes on as before, at any viscosity: the free surface
/// holds nothing back.
#[test]
fn rigid_motion_is_not_damped() {
    let scene = blob();
    let spin = Vec3::new(3.0, -5.0, 2.0);
    for viscosity in [1e-4, 1e-2, 1.0, 50.0] {
        let before = scene.velocity(|p| Vec3::new(0.5, -1.0, 0.25) + spin.cross(p));
        let mut after = before.clone();
        scene.diffuse(&mut after, viscosity, STEP);
        let change = scene.largest_change(&before, &after);
        assert!(change < 2e-6, "ν = {viscosity}: {change} m/s");
    }
}

/// Contract: viscosity takes neither momentum nor angular momentum from a free body, whatever moves inside
/// it, but takes its energy.
#[test]
fn momentum_and_angular_momentum_are_kept() {
    let scene = blob();
    let spin = Vec3::new(0.0, 4.0, 3.0);
    for viscosity in [1e-3, 1e-1, 10.0] {
        let before = scene.velocity(|p| {
            let wave = (200.0 * p.y).sin() * Vec3::X + (150.0 * p.z + 1.0).cos() * Vec3::Y;
            wave + spin.cross(p) + Vec3::new(0.3, 0.0, 0.2)
        });
        let mut after = before.clone();
        scene.diffuse(&mut after, viscosity, STEP);
        let ((p, l), (p_after, l_after)) = (scene.momenta(&before), scene.momenta(&after));
        assert!((p_after - p).length() < 1e-5 * p.length(), "{p} {p_after}");
        assert!((l_after - l).length() < 1e-5 * l.length(), "{l} {l_after}");
        assert!(scene.largest_change(&before, &after) > 0.02);
    }
}

/// Two plates with their distance from the origin along y, the upper one in motion.
struct Plates {
    low: f32,
    high: f32,
    upper: Vec3,
}

impl Obstacles for Plates {
    fn distance(&self, position: Vec3) -> f32 {
        (position.y - self.low).min(self.high - position.y)
    }

    fn velocity(&self, position: Vec3) -> Vec3 {
        if position.y > 0.5 * (self.low + self.high) { self.upper } else { Vec3::ZERO }
    }
}

impl Plates {
    /// A sheet of liquid between the plates, long along x, with open ends where it may move freely.
    fn scene(&self) -> Scene {
        let liquid = |p: Vec3| (p.x.abs() - 0.45).max((p.z - 0.04).abs() - 0.02);
        Scene::new(IVec3::new(-6, -1, 0), IVec3::new(6, 4, 1), liquid, self)
    }
}

/// The velocity along x halfway along the sheet on each face between the plates.
fn profile(scene: &Scene, plates: &Plates, velocity: &SparseGrid<Vec3>) -> Vec<(f32, f32)> {
    let heights = (-8..32).map(|y| (y, scene.lattice.face_centers(0).position(IVec3::Y * y).y));
    let between = heights.filter(|(_, y)| (plates.low..plates.high).contains(y));
    between.map(|(node, y)| (y, velocity.get(IVec3::new(0, node, 4)).x)).collect()
}

/// Where plates are: on borders of cells, and anywhere between.
const PLATES: [(f32, f32); 4] = [(0.0, 0.16), (0.0035, 0.158), (-0.0021, 0.1613), (0.0049, 0.1651)];

/// Contract: a force along two plates at rest gives the parabola of Poiseuille, to 2 % of its top at every
/// height, wherever the plates are between cells.
#[test]
fn poiseuille_flow_is_a_parabola() {
    let (viscosity, force) = (0.02, 10.0);
    for (low, high) in PLATES {
        let plates = Plates { low, high, upper: Vec3::ZERO };
        let scene = plates.scene();
        let mut velocity = scene.velocity(|_| Vec3::ZERO);
        for _ in 0..60 {
            for tile in velocity.tiles_mut() {
                let values = std::array::from_fn(|offset| tile.at(offset) + STEP * force * Vec3::X);
                *tile = whitecap_core::Tile::Dense(Box::new(values));
            }
            scene.diffuse(&mut velocity, viscosity, STEP);
        }
        let top = force / (8.0 * viscosity) * (high - low) * (high - low);
        for (y, found) in profile(&scene, &plates, &velocity) {
            let expected = force / (2.0 * viscosity) * (y - low) * (high - y);
            let error = (found - expected).abs() / top;
            assert!(
                error < 0.02,
                "plates at {low} and {high} m, height {y}: {found}, not {expected}"
            );
        }
    }
}

/// Contract: between a plate at rest and one that moves the velocity is linear (Couette), wherever the plates
/// are between cells.
#[test]
fn couette_flow_is_linear() {
    for (low, high) in PLATES {
        let plates = Plates { low, high, upper: Vec3::X };
        let scene = plates.scene();
        let mut velocity = scene.velocity(|_| Vec3::ZERO);
        for _ in 0..10 {
            scene.diffuse(&mut velocity, 0.2, 10.0 * STEP);
        }
        for (y, found) in profile(&scene, &plates, &velocity) {
            let expected = (y - low) / (high - low);
            assert!((found - expected).abs() < 0.005, "height {y}: {found}, not {expected}");
        }
    }
}

/// Contract: where two layers of liquid meet, one fifty times as viscous, the stress is the same on both sides:
/// the velocity has a kink there, by the ratio of the viscosities.
#[test]
fn stress_is_the_same_on_both_sides_of_two_layers() {
    let plates = Plates { low: 0.0, high: 0.16, upper: Vec3::X };
    let scene = plates.scene();
    let middle = 0.09;
    let (thin, thick) = (0.01, 0.5);
    let viscosity = on_tiles(&scene.tiles, scene.lattice.centers(), 0.0, |p| {
        if p.y < middle { thick } else { thin }
    });
    let mut velocity = scene.velocity(|_| Vec3::ZERO);
    for _ in 0..40 {
        let viscosity = Viscosity::PerCell(&viscosity);
        scene.try_diffuse(&mut velocity, viscosity, STEP, Preconditioner::Multigrid).unwrap();
    }
    let stress = 1.0 / (middle / thick + (plates.high - middle) / thin);
    for (y, found) in profile(&scene, &plates, &velocity) {
        let expected = match y < middle {
            true => stress * y / thick,
            false => 1.0 - stress * (plates.high - y) / thin,
        };
        assert!((found - expected).abs() < 0.01, "height {y}: {found}, not {expected}");
    }
}

/// Contract: the vortices of Taylor and Green decay at the rate 2 ν k², to 3 %, with projection and viscosity
/// in turns.
///
/// There is no periodic grid: after each step one period in the middle is copied all around, and viscosity
/// reaches less far in a step than these copies do. Along the axis of the vortices the sheet is thin, with a
/// free surface, on which the flow has no stress. The flow carries itself along itself, so that nothing is
/// left out by leaving out its transport.
#[test]
fn taylor_green_vortices_decay_at_their_rate() {
    let (period, viscosity, time_step) = (24, 0.002, 0.004);
    let k = 2.0 * PI / (period as f32 * CELL);
    let vortices = |p: Vec3| {
        let (x, y) = (k * p.x, k * p.y);
        Vec3::new(x.sin() * y.cos(), -x.cos() * y.sin(), 0.0)
    };
    let sheet = |p: Vec3| (p.z - 0.5 * 8.0 * CELL).abs() - 2.0 * CELL;
    let scene = Scene::new(IVec3::new(-3, -3, 0), IVec3::new(6, 6, 1), sheet, &NoObstacles);
    let tank = Tank { low: -24.0 * CELL, high: 48.0 * CELL };
    let walls = SolidFaces::new(scene.lattice, &scene.tiles, &tank);
    let full = scene.liquid.map_tiles(-CELL, |_, _| whitecap_core::Tile::Constant(-CELL));
    let input = PressureInput { liquid: &full, solids: &walls, divergence: None, surface: None };
    let mut velocity = scene.velocity(vortices);
    let start = energy(&velocity, period);
    let steps = 50;
    for _ in 0..steps {
        project(&mut velocity, &input, None, &SolveSettings::default(), &Unwatched).unwrap();
        scene.diffuse(&mut velocity, viscosity, time_step);
        velocity = repeated(&velocity, period);
    }
    let rate = 0.5 * (start / energy(&velocity, period)).ln() / f64::from(steps as f32 * time_step);
    let expected = f64::from(2.0 * viscosity * k * k);
    println!("decays at {rate:.4} 1/s; the closed form is {expected:.4} 1/s");
    assert!((rate / expected - 1.0).abs() < 0.03, "{rate} and not {expected}");
}

/// Walls all around, along borders of cells.
struct Tank {
    low: f32,
    high: f32,
}

impl Obstacles for Tank {
    fn distance(&self, p: Vec3) -> f32 {
        let inside = |x: f32| (x - self.low).min(self.high - x);
        inside(p.x).min(inside(p.y)).min(p.z).min(8.0 * CELL - p.z)
    }

    fn velocity(&self, _position: Vec3) -> Vec3 {
        Vec3::ZERO
    }
}

/// The sum of squares of the first period in the middle layer.
fn energy(velocity: &SparseGrid<Vec3>, period: i32) -> f64 {
    let faces = (0..period * period).map(|place| IVec3::new(place % period, place / period, 4));
    faces.map(|face| f64::from(velocity.get(face).length_squared())).sum()
}

/// The first period everywhere.
fn repeated(velocity: &SparseGrid<Vec3>, period: i32) -> SparseGrid<Vec3> {
    let (lattice, tiles) = (velocity.lattice(), velocity.coordinates().to_vec());
    SparseGrid::filled(lattice, Vec3::ZERO, tiles, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            let node = tile * 8 + local_node(offset);
            let first = IVec3::new(node.x.rem_euclid(period), node.y.rem_euclid(period), node.z);
            *value = velocity.get(first);
        }
    })
}

/// A bath of liquid with a tilted bottom, with a thread that stands in it.
fn bath() -> Scene {
    struct Slope;
    impl Obstacles for Slope {
        fn distance(&self, p: Vec3) -> f32 {
            (p.y - 0.2 * p.x - 0.031) / 1.04f32.sqrt()
        }
        fn velocity(&self, _position: Vec3) -> Vec3 {
            Vec3::new(0.1, 0.02, 0.0)
        }
    }
    let liquid = |p: Vec3| {
        let bath = (p.y - 0.11).max((p.x - 0.16).abs().max((p.z - 0.16).abs()) - 0.11);
        let thread = (Vec3::new(p.x - 0.16, 0.0, p.z - 0.16).length() - 0.024).max(p.y - 0.45);
        bath.min(thread)
    };
    Scene::new(IVec3::ZERO, IVec3::new(4, 7, 4), liquid, &Slope)
}

/// Contract: honey takes tens of iterations, not thousands, at any viscosity, with a thread, walls, and
/// velocities that are pure noise; the table is printed, beside the diagonal as preconditioner.
#[test]
fn iterations_hardly_depend_on_viscosity() {
    println!("ν Δt / h²: iterations in a bath, in a ball, and in the bath with the diagonal alone");
    for power in -1..=4 {
        let coefficient = 10f32.powi(power);
        let viscosity = coefficient * CELL * CELL / STEP;
        let scenes = [bath(), blob()];
        let iterations = scenes.each_ref().map(|scene| {
            let mut velocity = noise(scene);
            scene.diffuse(&mut velocity, viscosity, STEP).iterations
        });
        let mut velocity = noise(&scenes[0]);
        let viscosity = Viscosity::Uniform(viscosity);
        let plain = scenes[0].try_diffuse(&mut velocity, viscosity, STEP, Preconditioner::Jacobi);
        let plain = plain.map_or("more than 200".into(), |plain| plain.iterations.to_string());
        println!("{coefficient:>8}: {:>3} {:>3} {plain:>5}", iterations[0], iterations[1]);
        assert!(iterations.iter().all(|&count| count <= 80), "{coefficient}: {iterations:?}");
    }
}

/// Contract: 1, 2 and 7 threads give the same bits.
#[test]
fn same_bits_with_any_number_of_threads() {
    let scene = bath();
    let result = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut velocity = noise(&scene);
            let diffusion = scene.diffuse(&mut velocity, 0.5, STEP);
            (velocity, diffusion)
        })
    };
    let one = result(1);
    for threads in [2, 7] {
        assert!(result(threads) == one, "{threads} threads");
    }
}

/// Contract: without viscosity, or without liquid, nothing changes, not even on faces of solids.
#[test]
fn no_viscosity_changes_nothing() {
    let scene = bath();
    let before = noise(&scene);
    let mut after = before.clone();
    let diffusion = scene.diffuse(&mut after, 0.0, STEP);
    assert!(diffusion.iterations == 0 && after == before);
    let dry = Scene::new(IVec3::ZERO, IVec3::ONE, |_| 1.0, &NoObstacles);
    let before = noise(&dry);
    let mut after = before.clone();
    dry.diffuse(&mut after, 1.0, STEP);
    assert!(after == before);
}

/// Contract: a velocity, viscosity or time step that is not a number, or a negative viscosity, is an error, and
/// leaves the velocity as it was.
#[test]
fn what_is_not_a_number_is_an_error() {
    let scene = blob();
    let cases =
        [(f32::NAN, 1.0, STEP), (1.0, f32::NAN, STEP), (1.0, 1.0, f32::NAN), (1.0, -1e-6, STEP)];
    for (speed, viscosity, step) in cases {
        let mut velocity = scene.velocity(|p| Vec3::splat(speed * p.x));
        let viscosity = Viscosity::Uniform(viscosity);
        let result = scene.try_diffuse(&mut velocity, viscosity, step, Preconditioner::Multigrid);
        assert!(matches!(result, Err(Error::NotConverged { iterations: 0, .. })), "{result:?}");
        assert_eq!(velocity.get(IVec3::ONE).x.is_nan(), speed.is_nan());
    }
}

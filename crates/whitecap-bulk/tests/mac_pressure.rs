//! The projection on a staggered grid, against closed forms.

use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::mac::faces::outflow;
use whitecap_bulk::mac::pressure::{PressureInput, Projection, project};
use whitecap_bulk::mac::solids::{NoObstacles, Obstacles, SolidFaces};
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::poisson::SolveSettings;
use whitecap_core::scatter::Sequence;
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, local_node};
use whitecap_core::{Lattice, Unwatched};

const CELL: f32 = 0.1;
/// Tiles along an axis.
const TILES: i32 = 3;

/// A vessel: inside all planes, each with its normal towards the liquid and its offset.
struct Vessel(Vec<(Vec3, f32)>);

impl Obstacles for Vessel {
    fn distance(&self, position: Vec3) -> f32 {
        self.0.iter().map(|(n, d)| n.dot(position) - d).fold(f32::INFINITY, f32::min)
    }

    fn velocity(&self, _position: Vec3) -> Vec3 {
        Vec3::ZERO
    }
}

fn vessel(tilt: Vec3) -> Vessel {
    let side = CELL * 8.0 * TILES as f32;
    let turned = |n: Vec3| (n + 0.3 * tilt.cross(n)).normalize();
    let walls = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::Z, Vec3::NEG_Z].map(turned);
    let middle = Vec3::splat(0.5 * side);
    Vessel(walls.iter().map(|&n| (n, n.dot(middle) - 0.28 * side)).collect())
}

fn tiles() -> Vec<IVec3> {
    (0..TILES.pow(3)).map(|t| IVec3::new(t % TILES, t / TILES % TILES, t / TILES / TILES)).collect()
}

fn grid_of<T: Copy + Send + Sync>(
    lattice: Lattice,
    background: T,
    value: impl Fn(Vec3) -> T + Sync,
) -> SparseGrid<T> {
    SparseGrid::filled(lattice, background, tiles(), |tile, values| {
        for (offset, slot) in values.iter_mut().enumerate() {
            *slot = value(lattice.position(tile * 8 + local_node(offset)));
        }
    })
}

struct Scene {
    lattice: MacLattice,
    liquid: SparseGrid<f32>,
    solids: SolidFaces,
}

impl Scene {
    fn new(liquid: impl Fn(Vec3) -> f32 + Sync, obstacles: &dyn Obstacles) -> Self {
        let lattice = MacLattice::at_origin(CELL);
        let solids = SolidFaces::new(lattice, &tiles(), obstacles);
        Self { lattice, liquid: grid_of(lattice.centers(), 1.0, liquid), solids }
    }

    fn input(&self) -> PressureInput<'_> {
        PressureInput {
            liquid: &self.liquid,
            solids: &self.solids,
            divergence: None,
            surface: None,
        }
    }

    fn project(&self, velocity: &mut SparseGrid<Vec3>, tolerance: f64) -> Projection {
        let settings = SolveSettings { tolerance, ..SolveSettings::default() };
        project(velocity, &self.input(), None, &settings, &Unwatched).unwrap()
    }

    /// The largest speed on faces that have one, in m/s.
    fn largest_speed(&self, velocity: &SparseGrid<Vec3>, projection: &Projection) -> f32 {
        let mut largest = 0.0f32;
        for &tile in projection.known.coordinates() {
            for offset in 0..TILE_NODES {
                let node = tile * 8 + local_node(offset);
                for axis in (0..3).filter(|axis| projection.known.get(node) >> axis & 1 == 1) {
                    largest = largest.max(velocity.get(node)[axis].abs());
                }
            }
        }
        largest
    }

    /// The largest divergence of a wet cell, in 1/s, and the number of wet cells.
    fn divergence(&self, velocity: &SparseGrid<Vec3>) -> (f32, usize) {
        let (mut largest, mut wet) = (0.0f32, 0);
        for tile in tiles() {
            let around = velocity.neighbourhood(tile);
            let fractions = self.solids.fractions.neighbourhood(tile);
            let solid = self.solids.velocity.neighbourhood(tile);
            for offset in 0..TILE_NODES {
                let cell = local_node(offset);
                let is_open = (0..3).any(|axis| {
                    fractions.get(cell)[axis] + fractions.get(cell + IVec3::AXES[axis])[axis] > 0.0
                });
                if self.liquid.get(tile * 8 + cell) < 0.0 && is_open {
                    let flow = outflow(&around, &fractions, &solid, cell) / CELL;
                    largest = largest.max(flow.abs());
                    wet += 1;
                }
            }
        }
        (largest, wet)
    }
}

/// Contract: liquid at rest stays at rest, to the tolerance of the solver, whatever the angles of gravity,
/// surface and walls: after a step of free fall, at 24 frames a second, no face moves.
#[test]
fn liquid_at_rest_stays_at_rest() {
    for (gravity, tilt) in [
        (Vec3::new(0.0, -9.81, 0.0), Vec3::ZERO),
        (Vec3::new(0.0, -9.81, 0.0), Vec3::new(0.4, 0.3, -0.6)),
        (Vec3::new(2.0, -9.0, 3.1), Vec3::new(-0.5, 0.1, 0.8)),
    ] {
        let up = -gravity.normalize();
        let level = up.dot(Vec3::splat(1.13));
        let scene = Scene::new(|x| up.dot(x) - level, &vessel(tilt));
        let fallen = gravity / 24.0;
        let mut velocity = grid_of(scene.lattice.corners, fallen, |_| fallen);
        let projection = scene.project(&mut velocity, 1e-8);
        let speed = scene.largest_speed(&velocity, &projection);
        let (_, wet) = scene.divergence(&velocity);
        assert!(wet > 1000, "{wet}");
        assert!(speed < 1e-5 * fallen.length(), "{gravity} {tilt}: {speed} m/s");
    }
}

/// Contract: a full vessel without air, and two bodies of which one touches no wall, are solved too: the
/// first stays at rest, the second falls freely.
#[test]
fn closed_parts_and_drops_are_solved() {
    let walls = vessel(Vec3::new(0.2, 0.0, 0.3));
    let lid = (Vec3::NEG_Y, -1.67);
    let closed = Vessel(walls.0.iter().copied().chain([lid]).collect());
    let fallen = Vec3::new(0.0, -0.4, 0.0);
    let scene = Scene::new(|_| -1.0, &closed);
    let mut velocity = grid_of(scene.lattice.corners, fallen, |_| fallen);
    let projection = scene.project(&mut velocity, 1e-6);
    assert!(scene.largest_speed(&velocity, &projection) < 1e-5);

    let drop = |x: Vec3| (x - Vec3::new(1.2, 1.6, 1.2)).length() - 0.31;
    let scene = Scene::new(|x| drop(x).min(x.y - 0.93), &walls);
    let mut velocity = grid_of(scene.lattice.corners, fallen, |_| fallen);
    let projection = scene.project(&mut velocity, 1e-8);
    let at = |p: Vec3| velocity.get(scene.lattice.cell_of(p));
    assert!((at(Vec3::new(1.2, 1.6, 1.2)) - fallen).length() < 1e-5);
    assert!(at(Vec3::new(1.2, 0.7, 1.2)).length() < 1e-5);
    assert!(projection.residual <= 1e-8);
}

/// Contract: whatever the velocity was, afterwards no wet cell has a divergence above the tolerance.
#[test]
fn every_wet_cell_is_free_of_divergence() {
    let scene = Scene::new(|x| x.y - 1.1 - 0.2 * (5.0 * x.x).sin(), &vessel(Vec3::splat(0.3)));
    let mut random = Sequence::new(3);
    let noise: Vec<Vec3> = (0..997).map(|_| 2.0 * random.point() - 1.0).collect();
    let rough = |x: Vec3| noise[((x * 1234.567).element_sum().abs() as usize) % 997];
    let mut velocity = grid_of(scene.lattice.corners, Vec3::ZERO, rough);
    let (before, _) = scene.divergence(&velocity);
    let projection = scene.project(&mut velocity, 1e-6);
    let (after, wet) = scene.divergence(&velocity);
    assert!(wet > 1000 && projection.iterations < 40, "{wet}, {}", projection.iterations);
    assert!(after < 2e-5 * before, "{after} of {before}");
}

/// Contract: without solids and with air on all sides, a rotation is left alone: it has no divergence.
#[test]
fn a_rotation_passes_unchanged() {
    let middle = Vec3::splat(1.2);
    let scene = Scene::new(|x| (x - middle).length() - 0.8, &NoObstacles);
    let spin = |x: Vec3| Vec3::new(0.3, 1.0, -0.2).cross(x - middle);
    let lattice = scene.lattice;
    let mut velocity = grid_of(lattice.corners, Vec3::ZERO, |corner| {
        Vec3::from_array(std::array::from_fn(|axis| {
            spin(corner + 0.5 * CELL * (Vec3::ONE - Vec3::AXES[axis]))[axis]
        }))
    });
    let before = velocity.clone();
    let projection = scene.project(&mut velocity, 1e-8);
    let mut largest = 0.0f32;
    for &tile in projection.known.coordinates() {
        for offset in 0..TILE_NODES {
            let node = tile * 8 + local_node(offset);
            largest = largest.max((velocity.get(node) - before.get(node)).length());
        }
    }
    assert!(largest < 1e-4, "{largest}");
}

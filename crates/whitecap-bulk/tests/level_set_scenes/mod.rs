//! Given flows and shapes that level sets are judged by. The example shares them with the tests.
#![allow(dead_code)]

use whitecap_bulk::mac::MacLattice;
use whitecap_bulk::particle_level_set::{
    LevelSetError, LevelSetSettings, ParticleLevelSet, negative_share_of_cube,
};
use whitecap_core::glam::{IVec3, Vec2, Vec3};
use whitecap_core::sparse_grid::{SparseGrid, local_node};
use whitecap_core::{Bounds, Unwatched};

/// A flow on the faces of all cells from the origin to `cells`, and some around them.
pub fn faces(
    lattice: MacLattice,
    cells: IVec3,
    flow: impl Fn(Vec3) -> Vec3 + Sync,
) -> SparseGrid<Vec3> {
    let span: IVec3 = (cells >> 3) + 3;
    let tiles = (0..span.x * span.y * span.z)
        .map(|n| IVec3::new(n % span.x, n / span.x % span.y, n / span.x / span.y) - 1)
        .collect();
    SparseGrid::filled(lattice.corners, Vec3::ZERO, tiles, |tile, values| {
        for (offset, value) in values.iter_mut().enumerate() {
            let cell = tile * 8 + local_node(offset);
            let face = |axis: usize| flow(lattice.face_centers(axis).position(cell))[axis];
            *value = Vec3::from_array(std::array::from_fn(face));
        }
    })
}

/// Settings without particles.
pub fn without_particles() -> LevelSetSettings {
    LevelSetSettings { particles_per_cell: 0, ..LevelSetSettings::default() }
}

/// A ball.
pub fn ball(
    cell: f32,
    settings: LevelSetSettings,
    middle: Vec3,
    radius: f32,
) -> Result<ParticleLevelSet, LevelSetError> {
    let bounds = Bounds { min: middle - radius, max: middle + radius };
    let distance = |place: Vec3| place.distance(middle) - radius;
    ParticleLevelSet::from_distance(MacLattice::at_origin(cell), settings, bounds, distance)
}

/// Enright's test: a ball in the flow of LeVeque (1996), which draws it out to a thin sheet and back.
///
/// The flow is f(x) cos(π t / 3), and where a point gets to depends on the integral of the cosine alone: it
/// flows by f for 3 / π seconds and then by −f for as long.
pub struct Enright {
    pub surface: ParticleLevelSet,
    pub forth: SparseGrid<Vec3>,
    back: SparseGrid<Vec3>,
    pub first_volume: f64,
}

impl Enright {
    /// With this many cells along the edge of the unit cube.
    pub fn new(cells: i32, settings: LevelSetSettings) -> Self {
        let flow = |place: Vec3| {
            let single = (place * std::f32::consts::PI).map(f32::sin);
            let (square, double) = (single * single, (place * std::f32::consts::TAU).map(f32::sin));
            Vec3::new(
                2.0 * square.x * double.y * double.z,
                -double.x * square.y * double.z,
                -double.x * double.y * square.z,
            )
        };
        let cell = 1.0 / cells as f32;
        let lattice = MacLattice::at_origin(cell);
        let surface = ball(cell, settings, Vec3::splat(0.35), 0.15).unwrap();
        let first_volume = surface.volume();
        let [forth, back] =
            [1.0, -1.0].map(|sign| faces(lattice, IVec3::splat(cells), |p| sign * flow(p)));
        Self { surface, forth, back, first_volume }
    }

    /// From the start to the thinnest sheet, at 1.5 s.
    pub fn stretch(&mut self) {
        self.surface.advance(&self.forth, 3.0 / std::f64::consts::PI, &Unwatched).unwrap();
    }

    /// From there back to the ball, at 3 s.
    pub fn return_home(&mut self) {
        self.surface.advance(&self.back, 3.0 / std::f64::consts::PI, &Unwatched).unwrap();
    }

    /// How much the volume has changed, as a share of it.
    pub fn change(&self) -> f64 {
        self.surface.volume() / self.first_volume - 1.0
    }
}

/// Zalesak's disc (1979) of radius 15 in a square of 100 cells, with a notch 5 wide and 25 deep, as a slice of
/// a plate four cells thick; it turns once in 628 s.
pub struct Zalesak {
    pub surface: ParticleLevelSet,
    flow: SparseGrid<Vec3>,
    pub first_area: f64,
}

/// The cells below and above the middle of the plate.
const MIDDLE: i32 = 12;

impl Zalesak {
    pub fn new(settings: LevelSetSettings) -> Self {
        let distance = |place: Vec3| {
            let disc = place.truncate().distance(Vec2::new(50.0, 75.0)) - 15.0;
            let notch = ((place.x - 50.0).abs() - 2.5).max(place.y - 85.0);
            disc.max(-notch).max((place.z - MIDDLE as f32).abs() - 2.0)
        };
        let bounds = Bounds { min: Vec3::new(35.0, 60.0, 10.0), max: Vec3::new(65.0, 90.0, 14.0) };
        let lattice = MacLattice::at_origin(1.0);
        let surface = ParticleLevelSet::from_distance(lattice, settings, bounds, distance).unwrap();
        let speed = std::f32::consts::TAU / 628.0;
        let flow = faces(lattice, IVec3::new(100, 100, 24), |place| {
            speed * Vec3::new(50.0 - place.y, place.x - 50.0, 0.0)
        });
        let first_area = middle_area(&surface);
        Self { surface, flow, first_area }
    }

    /// Turns by a share of a revolution.
    pub fn turn(&mut self, share: f64) {
        self.surface.advance(&self.flow, 628.0 * share, &Unwatched).unwrap();
    }

    /// How much the area of the middle slice has changed, as a share of it.
    pub fn change(&self) -> f64 {
        middle_area(&self.surface) / self.first_area - 1.0
    }
}

/// Area of the slice in the middle of the plate, to a fraction of a cell.
fn middle_area(surface: &ParticleLevelSet) -> f64 {
    let mut sum = 0.0;
    for y in 0..100 {
        for x in 0..100 {
            sum += negative_share_of_cube(std::array::from_fn(|corner| {
                let step =
                    IVec3::new((corner & 1) as i32, (corner >> 1 & 1) as i32, (corner >> 2) as i32);
                surface.phi().get(IVec3::new(x, y, MIDDLE - 1) + step)
            }));
        }
    }
    sum
}

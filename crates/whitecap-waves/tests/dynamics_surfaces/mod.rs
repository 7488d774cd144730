//! Even point sets with known geometry, for the tests of the waves: sheets, spheres, cylinders.
#![allow(dead_code, reason = "each test file uses its own share")]

use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_waves::dynamics::{Obstacles, WaveDynamics, WaveOutput, WaveState, WaveSurface};
use whitecap_waves::points::{Aggregates, Neighbourhood, Sums, SurfacePoints};

/// Area of a point of a hexagonal lattice of unit spacing.
const HEXAGON: f32 = 0.866_025_4;

/// A reproducible source of numbers from 0 to 1.
pub struct Random(u32);

impl Random {
    pub fn new(seed: u32) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }
}

/// Points with everything a step needs.
pub struct Surface {
    pub points: SurfacePoints,
    pub neighbourhood: Neighbourhood,
    pub aggregates: Aggregates,
    pub coarse: f32,
    pub fine: f32,
    pub obstacles: Obstacles,
    pub velocity: Vec<Vec3>,
    pub painted: Option<Vec<f32>>,
}

impl Surface {
    /// Points with their neighbours; `normal` gives the normal at a place.
    pub fn new(places: &[Vec3], normal: impl Fn(Vec3) -> Vec3, coarse: f32, fine: f32) -> Self {
        Self::with_sums(places, normal, coarse, fine, Sums::Hierarchical)
    }

    pub fn with_sums(
        places: &[Vec3],
        normal: impl Fn(Vec3) -> Vec3,
        coarse: f32,
        fine: f32,
        sums: Sums,
    ) -> Self {
        let grid = NeighbourGrid::build(places, 2.0 * fine);
        let position = grid.positions().to_vec();
        let normals: Vec<Vec3> = position.iter().map(|&p| normal(p)).collect();
        let neighbourhood = Neighbourhood::build(&grid, &normals, 2.0 * fine);
        let area: Vec<f32> = (0..position.len())
            .map(|i| {
                let kernel =
                    |&j: &u32| 1.0 - position[i].distance(position[j as usize]) / (2.0 * fine);
                1.0 / (1.0 + neighbourhood.of(i).iter().map(kernel).sum::<f32>())
            })
            .collect();
        let aggregates = Aggregates::build(&position, &normals, &area, coarse, sums);
        let id = (0..position.len() as u64).collect();
        Self {
            points: SurfacePoints { position, normal: normals, id, area },
            neighbourhood,
            aggregates,
            coarse,
            fine,
            obstacles: Obstacles::default(),
            velocity: Vec::new(),
            painted: None,
        }
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    pub fn view(&self) -> WaveSurface<'_> {
        WaveSurface {
            points: &self.points,
            neighbourhood: &self.neighbourhood,
            aggregates: &self.aggregates,
            velocity: &self.velocity,
            painted: self.painted.as_deref(),
            obstacles: &self.obstacles,
        }
    }

    /// Values of a function at the points.
    pub fn values(&self, function: impl Fn(Vec3) -> f32) -> Vec<f32> {
        self.points.position.iter().map(|&p| function(p)).collect()
    }

    /// Waves of one band with the given heights and velocities.
    pub fn state(&self, height: Vec<f32>, velocity: Vec<f32>) -> WaveState {
        let mut state = WaveState::still(1, self.len());
        state.bands[0].height = height;
        state.bands[0].velocity = velocity;
        state
    }

    /// The output of `frames` frames of `duration` seconds that start at time 0.
    pub fn run(&self, dynamics: &mut WaveDynamics, frames: usize, duration: f64) -> WaveOutput {
        if dynamics.state().is_empty() {
            dynamics.calm(self.len());
        }
        let mut output = WaveOutput::default();
        for frame in 1..=frames {
            output = dynamics.step(&self.view(), frame as f64 * duration).unwrap();
        }
        output
    }
}

/// Moves points apart, projecting them back with `project` each time.
fn relaxed(
    mut places: Vec<Vec3>,
    fine: f32,
    rounds: usize,
    project: impl Fn(Vec3) -> Vec3,
) -> Vec<Vec3> {
    for _ in 0..rounds {
        let grid = NeighbourGrid::build(&places, 1.4 * fine);
        places = places
            .iter()
            .map(|&place| {
                let (mut push, mut total) = (Vec3::ZERO, 1.0);
                grid.for_each_within(place, 1.4 * fine, |other, _| {
                    let offset = place - grid.positions()[other];
                    let weight = 1.0 - offset.length() / (1.4 * fine);
                    push += weight * offset.normalize_or_zero();
                    total += weight;
                });
                project(place + 0.5 * fine * push / total)
            })
            .collect();
    }
    places
}

/// Jittered, then relaxed points of a sheet in the plane y = 0, from 0 to `width` and `depth`.
pub fn sheet(width: f32, depth: f32, fine: f32, rounds: usize) -> Vec<Vec3> {
    let mut random = Random::new(11);
    let row = HEXAGON * fine;
    let (columns, rows) = ((width / fine) as usize, (depth / row) as usize);
    let mut places = Vec::new();
    for z in 0..rows {
        for x in 0..columns {
            let shift = if z % 2 == 0 { 0.25 } else { 0.75 };
            let jitter = Vec3::new(random.next() - 0.5, 0.0, random.next() - 0.5) * 0.5 * fine;
            places.push(Vec3::new((x as f32 + shift) * fine, 0.0, (z as f32 + 0.5) * row) + jitter);
        }
    }
    let high = Vec3::new(width, 0.0, depth);
    relaxed(places, fine, rounds, |place| place.clamp(Vec3::ZERO, high))
}

/// Jittered, then relaxed points of a sphere about `center`.
pub fn sphere(center: Vec3, radius: f32, fine: f32, rounds: usize) -> Vec<Vec3> {
    let mut random = Random::new(5);
    let count = (4.0 * std::f32::consts::PI * radius * radius / (HEXAGON * fine * fine)) as usize;
    let turn = std::f32::consts::PI * (3.0 - 5.0f32.sqrt());
    let project = |place: Vec3| center + radius * (place - center).normalize();
    let places = (0..count)
        .map(|i| {
            let height = 1.0 - (2.0 * i as f32 + 1.0) / count as f32;
            let (sine, cosine) = (turn * i as f32).sin_cos();
            let across = (1.0 - height * height).max(0.0).sqrt();
            let jitter = Vec3::new(random.next(), random.next(), random.next()) - 0.5;
            let unit = Vec3::new(across * cosine, height, across * sine);
            project(center + radius * unit + 0.4 * fine * jitter)
        })
        .collect();
    relaxed(places, fine, rounds, project)
}

/// Upwards.
pub fn up(_: Vec3) -> Vec3 {
    Vec3::Y
}

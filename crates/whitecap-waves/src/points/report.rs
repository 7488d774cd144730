//! What a frame of surface points reports about itself.

use std::time::{Duration, Instant};

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::reduce;

use super::Neighbourhood;

/// Time spent in each part of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointTimes {
    /// Sorting coarse particles, matching them with the last frame and finding densities.
    pub particles: Duration,
    /// Moving points with the particles.
    pub advection: Duration,
    /// Putting points in order and finding their neighbours.
    pub neighbours: Duration,
    /// Levels and the projection into the band.
    pub band: Duration,
    /// Normals and the displacement along them.
    pub normals: Duration,
    /// The displacement along tangents.
    pub tangents: Duration,
    /// Insertion and deletion, and samples where there was no surface.
    pub turnover: Duration,
}

impl PointTimes {
    /// All parts together.
    pub fn total(&self) -> Duration {
        self.parts().map(|(_, time)| time).iter().sum()
    }

    /// The parts by name.
    pub fn parts(&self) -> [(&'static str, Duration); 7] {
        [
            ("particles", self.particles),
            ("advection", self.advection),
            ("neighbours", self.neighbours),
            ("band", self.band),
            ("normals", self.normals),
            ("tangents", self.tangents),
            ("turnover", self.turnover),
        ]
    }
}

/// Runs `work` and adds its time to a part.
pub(super) fn timed<T>(part: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = work();
    *part += start.elapsed();
    value
}

/// How even the points are: distances to the nearest neighbour, in fine spacings. Zero if there
/// are no two points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spacing {
    /// Mean.
    pub mean: f32,
    /// Standard deviation.
    pub deviation: f32,
    /// Smallest.
    pub least: f32,
    /// Points without a neighbour within two spacings.
    pub lonely: usize,
}

impl Spacing {
    /// The spacing of points, in units of `fine`.
    pub fn of(positions: &[Vec3], lists: &Neighbourhood, fine: f32) -> Self {
        let nearest: Vec<f32> = (0..positions.len())
            .into_par_iter()
            .with_min_len(512)
            .map(|point| {
                let squared =
                    |&other: &u32| positions[other as usize].distance_squared(positions[point]);
                lists.of(point).iter().map(squared).fold(f32::INFINITY, f32::min).sqrt() / fine
            })
            .collect();
        let is_known = |value: f32| value.is_finite();
        let known = nearest.iter().filter(|&&value| is_known(value)).count();
        if known == 0 {
            return Self { lonely: positions.len(), ..Self::default() };
        }
        let total = |power: i32| {
            let value = |i: usize| {
                if is_known(nearest[i]) { f64::from(nearest[i]).powi(power) } else { 0.0 }
            };
            reduce::sum(nearest.len(), value) / known as f64
        };
        let (mean, square) = (total(1), total(2));
        Self {
            mean: mean as f32,
            deviation: (square - mean * mean).max(0.0).sqrt() as f32,
            least: nearest.iter().copied().fold(f32::INFINITY, f32::min),
            lonely: positions.len() - known,
        }
    }
}

/// What happened to the points of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointReport {
    /// Points at the end.
    pub points: usize,
    /// Points that were made on spheres where there was no surface.
    pub sampled: usize,
    /// Points that were inserted where there were too few.
    pub inserted: usize,
    /// Points that were deleted where there were too many.
    pub crowded: usize,
    /// Points that were deleted because they were no longer at the surface.
    pub lost: usize,
    /// Coarse particles near the surface of the last frame that are not in this one.
    pub vanished_particles: usize,
    /// How even the points are.
    pub spacing: Spacing,
    /// Root mean square of the points' motion other than advection, in fine spacings, over those
    /// that existed in the last frame.
    pub correction: f32,
    /// Time spent.
    pub times: PointTimes,
    /// Sentences about the assumptions made.
    pub notes: Vec<String>,
}

//! Deletes points where there are too many and inserts them where there are too few (Mercier et al. 2015,
//! §4.3.4, insertion and deletion).

use std::f32::consts::FRAC_1_SQRT_2;

use glam::Vec3;
use rayon::prelude::*;

use super::poisson_disk::thinned;
use crate::points::{Neighbourhood, SurfacePoints};

/// Points per task.
const POINTS_PER_TASK: usize = 512;
/// Of two points closer than this many fine spacings, the younger is deleted.
const LEAST_DISTANCE: f32 = 0.75;
/// A place this many fine spacings from all points has room for one more.
const ROOM: f32 = 0.93;
/// So has a narrower one, if the density is below [`SPARSE`]: an even sheet that was stretched has no
/// wide holes.
const NARROW_ROOM: f32 = 0.8;
/// The density ρ (Eq. 4.2) at a narrow place must be below this. It is 4.8 in the middle of three points
/// of an even sheet, and 2.6 if the sheet is stretched by a third.
const SPARSE: f32 = 2.8;
/// Distance of a new point from the point next to it, in fine spacings.
const STRIDE: f32 = 0.82;
/// No search for room around points with a larger density. It is 4.8 in an even sheet at one
/// spacing, 4.2 at the 1.07 spacings that points have, and 3.8 there if one is missing.
const FULL: f32 = 4.1;
/// Cosines and sines of the directions in which room is searched for.
const DIRECTIONS: [[f32; 2]; 8] = [
    [1.0, 0.0],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [0.0, 1.0],
    [0.0, -1.0],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [-1.0, 0.0],
];

/// Whether each point is deleted: it is too close to an older one that stays.
pub(crate) fn crowded(points: &SurfacePoints, lists: &Neighbourhood, fine: f32) -> Vec<bool> {
    let limit = (LEAST_DISTANCE * fine).powi(2);
    let is_close = |point: usize, other: usize| {
        points.position[point].distance_squared(points.position[other]) < limit
            && points.id[other] < points.id[point]
    };
    let mut suspects: Vec<u32> = (0..points.len())
        .into_par_iter()
        .with_min_len(POINTS_PER_TASK)
        .filter(|&point| lists.of(point).iter().any(|&other| is_close(point, other as usize)))
        .map(|point| point as u32)
        .collect();
    // From old to young, so that a point is deleted only for one that stays.
    suspects.par_sort_unstable_by_key(|&point| points.id[point as usize]);
    let mut goes = vec![false; points.len()];
    for point in suspects {
        let point = point as usize;
        goes[point] = lists
            .of(point)
            .iter()
            .any(|&other| !goes[other as usize] && is_close(point, other as usize));
    }
    goes
}

/// Positions for new points, each with the point next to it.
pub(crate) fn vacancies(
    points: &SurfacePoints,
    lists: &Neighbourhood,
    goes: &[bool],
    fine: f32,
) -> Vec<(u32, Vec3)> {
    let found: Vec<(u32, Vec3)> = (0..points.len())
        .into_par_iter()
        .with_min_len(POINTS_PER_TASK)
        .filter(|&point| !goes[point] && points.area[point] * FULL >= 1.0)
        .filter_map(|point| {
            let place = vacancy(points, lists.of(point), goes, point, fine)?;
            Some((point as u32, place))
        })
        .collect();
    let places: Vec<Vec3> = found.iter().map(|&(_, place)| place).collect();
    thinned(&places, ROOM * fine).into_iter().map(|kept| found[kept as usize]).collect()
}

/// The place near a point that has the most room, if it has enough.
fn vacancy(
    points: &SurfacePoints,
    neighbours: &[u32],
    goes: &[bool],
    point: usize,
    fine: f32,
) -> Option<Vec3> {
    let (here, normal) = (points.position[point], points.normal[point]);
    let stay = neighbours.iter().map(|&other| other as usize).filter(|&other| !goes[other]);
    let others = stay.map(|other| points.position[other]);
    let mut away = Vec3::ZERO;
    for other in others.clone() {
        let offset = here - other;
        let distance = offset.length();
        if distance > 0.0 {
            away += offset * ((1.0 - 0.5 * distance / fine).max(0.0) / distance);
        }
    }
    away -= normal * away.dot(normal);
    let ahead = away.normalize_or(normal.any_orthonormal_vector());
    let aside = normal.cross(ahead);
    let mut best = (0.0, here);
    for [cosine, sine] in DIRECTIONS {
        let place = here + STRIDE * fine * (cosine * ahead + sine * aside);
        let nearest = others.clone().map(|other| other.distance_squared(place));
        let room = nearest.fold(f32::INFINITY, f32::min);
        if room > best.0 {
            best = (room, place);
        }
    }
    let (room, place) = (best.0.sqrt() / fine, best.1);
    let kernel = |other: Vec3| (1.0 - 0.5 * other.distance(place) / fine).max(0.0);
    let is_sparse = || others.clone().map(kernel).sum::<f32>() + kernel(here) < SPARSE;
    (room >= ROOM || (room >= NARROW_ROOM && is_sparse())).then_some(place)
}

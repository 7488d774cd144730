//! Points that go where there are too many and come where there are too few (Mercier et al. 2015,
//! §4.3.4, insertion and deletion).

use glam::Vec3;
use rayon::prelude::*;

use super::poisson_disk::thinned;
use super::{Neighbourhood, SurfacePoints};

/// Points per task.
const POINTS_PER_TASK: usize = 512;
/// Of two points closer than this many fine spacings the younger goes.
const LEAST_DISTANCE: f32 = 0.75;

/// Whether each point goes: it is too close to an older one that stays.
pub(super) fn crowded(points: &SurfacePoints, lists: &Neighbourhood, fine: f32) -> Vec<bool> {
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
    // From old to young, so that a point goes only for one that stays.
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

/// Places for new points, each with the point beside which it lies: one spacing from that point where
/// its neighbourhood is thinnest, and at least one from all others.
pub(super) fn vacancies(
    points: &SurfacePoints,
    lists: &Neighbourhood,
    goes: &[bool],
    fine: f32,
) -> Vec<(u32, Vec3)> {
    let found: Vec<(u32, Vec3)> = (0..points.len())
        .into_par_iter()
        .with_min_len(POINTS_PER_TASK)
        .filter(|&point| !goes[point])
        .filter_map(|point| {
            let place = vacancy(points, lists.of(point), goes, point, fine)?;
            Some((point as u32, place))
        })
        .collect();
    let places: Vec<Vec3> = found.iter().map(|&(_, place)| place).collect();
    thinned(&places, fine).into_iter().map(|kept| found[kept as usize]).collect()
}

fn vacancy(
    points: &SurfacePoints,
    neighbours: &[u32],
    goes: &[bool],
    point: usize,
    fine: f32,
) -> Option<Vec3> {
    let (here, normal) = (points.position[point], points.normal[point]);
    let mut away = Vec3::ZERO;
    for &other in neighbours {
        let offset = here - points.position[other as usize];
        let distance = offset.length();
        if !goes[other as usize] && distance > 0.0 {
            away += offset * ((1.0 - 0.5 * distance / fine).max(0.0) / distance);
        }
    }
    away -= normal * away.dot(normal);
    let direction = away.normalize_or(normal.any_orthonormal_vector());
    let place = here + fine * direction;
    let is_free = neighbours.iter().all(|&other| {
        goes[other as usize]
            || points.position[other as usize].distance_squared(place) >= fine * fine
    });
    is_free.then_some(place)
}

//! The push that spreads points evenly (Mercier et al. 2015, Eq. 4.12).
//!
//! Eq. 4.12 as printed pulls points together; here its sign is reversed.

use glam::Vec3;
use rayon::prelude::*;

use crate::points::Neighbourhood;

/// Points per task.
const POINTS_PER_TASK: usize = 512;

/// The tangential displacement of each point away from its neighbours within `fine` (Eq. 4.12). The
/// densities over `fine` may be slightly out of date.
pub(crate) fn pushes(
    positions: &[Vec3],
    normals: &[Vec3],
    lists: &Neighbourhood,
    density: &[f32],
    fine: f32,
) -> Vec<Vec3> {
    let inverse_radius = 1.0 / fine;
    let push = |point: usize| {
        let here = positions[point];
        // The point itself has a share in the mean, so a lone neighbour at the rim pushes little.
        let mut weights = 1.0 / density[point];
        let mut away = Vec3::ZERO;
        for &other in lists.of(point) {
            let other = other as usize;
            let offset = here - positions[other];
            let distance = offset.length();
            if distance < fine && distance > 0.0 {
                let weight = (1.0 - distance * inverse_radius) / density[other];
                weights += weight;
                away += offset * (weight / distance);
            }
        }
        let push = away * (0.5 * fine / weights);
        push - normals[point] * push.dot(normals[point])
    };
    (0..positions.len()).into_par_iter().with_min_len(POINTS_PER_TASK).map(push).collect()
}

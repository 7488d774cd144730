//! Detail-preserving projection (Dagenais et al. 2017, §2.3.2) and, for comparison, that of Yu et
//! al. 2012.
//!
//! From a vertex x a point x* walks down the coarse distance φ to φ = 0; the vertex then goes to the
//! signed distance δ that it had at birth, on the line through x and x*. As printed the last formula
//! flips for vertices inside: here n = sign φ(x) (x − x*) / |x − x*| points out of the liquid on
//! both sides, and x_proj = x* + n δ. Close to the surface, where that line has no direction, n is
//! the gradient. The gradient is taken at x*, not at x.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::SparseGrid;

use crate::projection::cubic::CubicSampler;

/// Fraction of the distance walked per step while far from the surface (§2.3.2).
const STEP: f32 = 0.35;
/// The walk ends this close to the surface, in cells (§2.3.2).
const TOLERANCE: f32 = 0.005;
/// Steps after which the walk is given up.
const MOST_STEPS: usize = 60;
/// Closer to the surface than this many cells its gradient gives the direction.
const NEAR: f32 = 0.1;

/// Where a vertex lies relative to the coarse surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Foot {
    /// The point on φ = 0.
    pub point: Vec3,
    /// Unit direction out of the liquid.
    pub normal: Vec3,
    /// Signed distance of the vertex.
    pub distance: f32,
}

/// The foot of a point on the coarse surface; `None` if the walk finds no surface.
pub(crate) fn foot(sampler: &mut CubicSampler<'_>, cell: f32, band: f32, x: Vec3) -> Option<Foot> {
    let (first_value, first_gradient) = sampler.at(x);
    let mut foot = x;
    let (mut value, mut gradient) = (first_value, first_gradient);
    for _ in 0..MOST_STEPS {
        let slope = gradient.length();
        if value.abs() <= TOLERANCE * cell {
            let offset = x - foot;
            let distance = offset.length();
            let side = if first_value < 0.0 { -1.0 } else { 1.0 };
            let normal = if distance > NEAR * cell {
                side * offset / distance
            } else {
                gradient.normalize_or_zero()
            };
            return Some(Foot { point: foot, normal, distance: side * distance });
        }
        // A distance has slope one; a flat place means the edge of the band or the middle of a
        // thin part, where there is no way down.
        if slope < 0.05 || value.abs() > 0.999 * band {
            return None;
        }
        // Near the surface, the whole remaining distance is walked at once.
        let share = if value.abs() < cell { 1.0 / slope.clamp(0.5, 2.0) } else { STEP };
        foot -= gradient / slope * (share * value);
        (value, gradient) = sampler.at(foot);
    }
    None
}

/// What projection does to a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Drawn {
    /// It goes here.
    To(Vec3),
    /// It would move too far, or has nowhere to go: the topology changed. It stays where it is.
    Jumped,
}

/// How far vertices may be moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Farther than this is a change of topology (τ), in metres.
    pub jump: f32,
    /// Less than this is left alone, in metres.
    pub steadiness: f32,
}

/// Projects vertices to their distance δ from φ = 0. Vertices with an infinite δ stay, but those that began
/// inside (−∞) are reported when the liquid has left them.
pub(crate) fn keep_distance(
    positions: &[Vec3],
    delta: &[f32],
    distance: &SparseGrid<f32>,
    band: f32,
    reach: Reach,
) -> Vec<Drawn> {
    let cell = distance.lattice().cell;
    positions
        .par_iter()
        .zip(delta)
        .map_init(
            || CubicSampler::new(distance),
            |sampler, (&x, &delta)| {
                if !delta.is_finite() {
                    let left = delta < 0.0 && sampler.at(x).0 > reach.jump;
                    return if left { Drawn::Jumped } else { Drawn::To(x) };
                }
                let Some(foot) = foot(sampler, cell, band, x) else { return Drawn::Jumped };
                settle(x, foot.point + foot.normal * delta, reach)
            },
        )
        .collect()
}

/// Projects vertices onto φ = 0 along their normals (Yu et al. 2012).
pub(crate) fn along_normals(
    positions: &[Vec3],
    normals: &[Vec3],
    distance: &SparseGrid<f32>,
    reach: Reach,
) -> Vec<Drawn> {
    let cell = distance.lattice().cell;
    positions
        .par_iter()
        .zip(normals)
        .map_init(
            || CubicSampler::new(distance),
            |sampler, (&x, &normal)| {
                let found = root_on_line(sampler, cell, x, normal, 2.0 * reach.jump);
                found.map_or(Drawn::Jumped, |target| settle(x, target, reach))
            },
        )
        .collect()
}

fn settle(x: Vec3, target: Vec3, reach: Reach) -> Drawn {
    let way = target - x;
    let length = way.length();
    if length > reach.jump || !length.is_finite() {
        Drawn::Jumped
    } else if length <= reach.steadiness {
        Drawn::To(x)
    } else {
        // The part within the dead zone is left alone, so that motion stays continuous.
        Drawn::To(x + way * ((length - reach.steadiness) / length))
    }
}

/// The point nearest to x on the line along `normal` where φ changes sign, within `most`.
fn root_on_line(
    sampler: &mut CubicSampler<'_>,
    cell: f32,
    x: Vec3,
    normal: Vec3,
    most: f32,
) -> Option<Vec3> {
    let start = sampler.at(x).0;
    let direction = if start > 0.0 { -normal } else { normal };
    let step = 0.5 * cell;
    let mut before = start;
    let mut walked = 0.0;
    while walked <= most {
        let value = sampler.at(x + direction * (walked + step)).0;
        if (value > 0.0) != (before > 0.0) {
            let share = before / (before - value);
            return Some(x + direction * (walked + step * share.clamp(0.0, 1.0)));
        }
        before = value;
        walked += step;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::IVec3;
    use whitecap_core::Lattice;
    use whitecap_core::sparse_grid::local_node;

    fn ball() -> SparseGrid<f32> {
        let lattice = Lattice::at_origin(0.05);
        let tiles = (0..216).map(|s| IVec3::new(s % 6, s / 6 % 6, s / 36) - 3).collect();
        SparseGrid::filled(lattice, 1.0, tiles, |tile, values| {
            for (offset, value) in values.iter_mut().enumerate() {
                let position = lattice.position(tile * 8 + local_node(offset));
                *value = (position.length() - 0.6).clamp(-1.0, 1.0);
            }
        })
    }

    /// Contract: vertices inside and outside a ball go to their own distance on the ray through
    /// the centre; the printed formula would move the inner ones to the wrong side.
    #[test]
    fn distances_are_kept_on_both_sides() {
        let grid = ball();
        let reach = Reach { jump: 0.2, steadiness: 0.0 };
        let direction = Vec3::new(0.3, -0.8, 0.5).normalize();
        for (at, delta) in [(0.65, 0.1), (0.55, -0.1), (0.58, 0.05), (0.6, -0.02)] {
            let found = keep_distance(&[direction * at], &[delta], &grid, 1.0, reach)[0];
            let Drawn::To(found) = found else { panic!("{at} {delta}: {found:?}") };
            assert!(found.distance(direction * (0.6 + delta)) < 2e-3, "{at} {delta}: {found}");
        }
    }

    /// Contract: too long a move is a jump and leaves the vertex alone; too short a move is not made.
    #[test]
    fn long_ways_are_jumps_and_short_ones_nothing() {
        let grid = ball();
        let reach = Reach { jump: 0.05, steadiness: 0.01 };
        let x = Vec3::X * 0.7;
        assert_eq!(keep_distance(&[x], &[0.0], &grid, 1.0, reach), [Drawn::Jumped]);
        assert_eq!(keep_distance(&[x], &[0.095], &grid, 1.0, reach), [Drawn::To(x)]);
        assert_eq!(keep_distance(&[x], &[f32::INFINITY], &grid, 1.0, reach), [Drawn::To(x)]);
        let inner = f32::NEG_INFINITY;
        assert_eq!(keep_distance(&[x], &[inner], &grid, 1.0, reach), [Drawn::Jumped]);
        let deep = Vec3::X * 0.5;
        assert_eq!(keep_distance(&[deep], &[inner], &grid, 1.0, reach), [Drawn::To(deep)]);
    }

    /// Contract: Yu's projection puts vertices on the surface along their normals.
    #[test]
    fn normals_lead_onto_the_surface() {
        let grid = ball();
        let reach = Reach { jump: 0.2, steadiness: 0.0 };
        let tilted = Vec3::new(1.0, 0.2, 0.0).normalize();
        for x in [Vec3::X * 0.66, Vec3::X * 0.55] {
            let Drawn::To(found) = along_normals(&[x], &[tilted], &grid, reach)[0] else {
                panic!("no surface from {x}")
            };
            assert!((found.length() - 0.6).abs() < 2e-3);
            assert!((found - x).normalize().dot(tilted).abs() > 0.999);
        }
    }
}

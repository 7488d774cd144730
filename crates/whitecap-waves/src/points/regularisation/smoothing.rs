//! Normals and the displacement along them, from sums over λ_c (Mercier et al. 2015, Algorithm 1 and
//! Eq. 4.10 and 4.11).
//!
//! The weight of a sample is its area times the triangular kernel, so densities are normalised at the
//! scale of the points rather than at that of the sum. Unlike in the paper, it fades to zero for samples
//! that face another way: bodies that come close do not pull at each other.
//!
//! Eq. 4.10 as printed moves a point away from the circle; here its sign is reversed.

use glam::Vec3;
use wide::f32x8;

use crate::points::sums::lanes::{Oriented, dot, offsets, splat, sum};

/// Offsets, distances squared and weights of eight samples as a point sees them.
#[inline(always)]
fn seen(
    group: &[f32x8; 7],
    here: [f32x8; 3],
    along: f32x8,
    inverse_radius: f32x8,
) -> ([f32x8; 3], f32x8, f32x8) {
    let offset = offsets(group, here);
    let squared = dot(offset, offset);
    let kernel = (f32x8::ONE - squared.sqrt() * inverse_radius).fast_max(f32x8::ZERO);
    // One within 60 degrees, zero beyond a right angle.
    let side = (along + along).fast_max(f32x8::ZERO).fast_min(f32x8::ONE);
    (offset, squared, group[6] * kernel * side)
}

#[inline(always)]
fn normals_of(group: &[f32x8; 7]) -> [f32x8; 3] {
    [group[3], group[4], group[5]]
}

/// The normal of the plane that fits the samples within `radius` best, as a height over the plane
/// orthogonal to `start` (lines 3 to 5).
pub(crate) fn fitted_normal(point: Vec3, start: Vec3, samples: &Oriented, radius: f32) -> Vec3 {
    let (here, axis) = (splat(point), splat(start));
    let inverse_radius = f32x8::splat(1.0 / radius);
    let mut weights = f32x8::ZERO;
    let mut first = [f32x8::ZERO; 3];
    let mut second = [f32x8::ZERO; 6];
    for group in samples.groups() {
        let along = dot(axis, normals_of(group));
        let (offset, _, weight) = seen(group, here, along, inverse_radius);
        let [x, y, z] = offset;
        let [wx, wy, wz] = [x, y, z].map(|lane| lane * weight);
        weights += weight;
        for (sum, value) in first.iter_mut().zip([wx, wy, wz]) {
            *sum += value;
        }
        let factors = [(wx, x), (wx, y), (wx, z), (wy, y), (wy, z), (wz, z)];
        for (sum, (a, b)) in second.iter_mut().zip(factors) {
            *sum = a.mul_add(b, *sum);
        }
    }
    let total = weights.reduce_add();
    if total <= 0.0 {
        return start;
    }
    let mean = sum(first) / total;
    let [xx, xy, xz, yy, yz, zz] = second.map(|lane| lane.reduce_add() / total);
    // Covariances along a vector, in the unit of the radius so that no scale under- or overflows.
    let spread = |v: Vec3| {
        let moment = Vec3::new(
            xx * v.x + xy * v.y + xz * v.z,
            xy * v.x + yy * v.y + yz * v.z,
            xz * v.x + yz * v.y + zz * v.z,
        );
        (moment - mean * mean.dot(v)) / (radius * radius)
    };
    let (t1, t2) = start.any_orthonormal_pair();
    let (from_1, from_2) = (spread(t1), spread(t2));
    let (uu, uv, vv) = (from_1.dot(t1), from_1.dot(t2), from_2.dot(t2));
    let (uh, vh) = (from_1.dot(start), from_2.dot(start));
    let determinant = uu * vv - uv * uv;
    // Samples in a line say nothing about the slope across it.
    if determinant <= 1e-3 * (uu + vv) * (uu + vv) {
        return start;
    }
    let slope_1 = (vv * uh - uv * vh) / determinant;
    let slope_2 = (uu * vh - uv * uh) / determinant;
    (start - slope_1 * t1 - slope_2 * t2).normalize_or(start)
}

/// The mean normal within `radius` (lines 7 and 8).
pub(crate) fn mean_normal(point: Vec3, normal: Vec3, samples: &Oriented, radius: f32) -> Vec3 {
    let (here, axis) = (splat(point), splat(normal));
    let inverse_radius = f32x8::splat(1.0 / radius);
    let mut total = [f32x8::ZERO; 3];
    for group in samples.groups() {
        let normals = normals_of(group);
        let along = dot(axis, normals);
        let (_, _, weight) = seen(group, here, along, inverse_radius);
        for (sum, value) in total.iter_mut().zip(normals) {
            *sum = weight.mul_add(value, *sum);
        }
    }
    sum(total).normalize_or(normal)
}

/// How far a point moves along its normal to lie, on average, on circles that it shares with the
/// samples and that are orthogonal to both normals (Eq. 4.10 and 4.11).
pub(crate) fn shift(point: Vec3, normal: Vec3, samples: &Oriented, radius: f32) -> f32 {
    let (here, axis) = (splat(point), splat(normal));
    let inverse_radius = f32x8::splat(1.0 / radius);
    let least_across = f32x8::splat(1e-10 * radius * radius);
    let (mut weights, mut shifts) = (f32x8::ZERO, f32x8::ZERO);
    for group in samples.groups() {
        let normals = normals_of(group);
        let along = dot(axis, normals);
        let (offset, squared, weight) = seen(group, here, along, inverse_radius);
        let height = dot(axis, offset);
        // In the plane of the axis and the offset, the sample's normal has the component `along` on
        // the axis and `tilt` / √`across` beside it.
        let across = (squared - height * height).fast_max(least_across);
        let tilt = dot(normals, offset) - along * height;
        let length = (along * along + tilt * tilt / across).sqrt();
        let shift = (height + tilt / (length + along)) * 0.5;
        let is_seen = weight.simd_gt(f32x8::ZERO);
        weights += weight;
        // A sample that faces away may have no circle.
        shifts += is_seen.bitselect(weight * shift, f32x8::ZERO);
    }
    let weights = weights.reduce_add();
    if weights > 0.0 { shifts.reduce_add() / weights } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::sums::lanes::{Row, oriented};

    /// Samples of area one.
    fn lanes(count: u32, sample: impl Fn(u32) -> (Vec3, Vec3)) -> Oriented {
        let rows: Vec<Row> = (0..count)
            .map(sample)
            .map(|(position, normal)| oriented(position, normal, 1.0))
            .collect();
        let mut lanes = Oriented::default();
        lanes.fill(&(0..count).collect::<Vec<_>>(), &rows);
        lanes
    }

    /// Points on a ball of radius 2 about the origin, near its top.
    fn cap() -> Oriented {
        lanes(4000, |i| {
            let angle = 2.399_963_2 * i as f32;
            let y = 1.0 - 0.3 * (i as f32 + 0.5) / 4000.0;
            let across = (1.0 - y * y).sqrt();
            let direction = Vec3::new(across * angle.cos(), y, across * angle.sin());
            (2.0 * direction, direction)
        })
    }

    /// Contract: on a ball the fitted and the mean normal are radial, from a start that is off by
    /// half a radian; a point on the ball does not move along its normal, one above it moves down,
    /// one below it up, by half the distance.
    #[test]
    fn a_ball_stays_a_ball() {
        let samples = cap();
        let direction = Vec3::new(0.1, 1.0, -0.2).normalize();
        let start = Vec3::new(0.5, 1.0, 0.1).normalize();
        let point = 2.0 * direction;
        assert!((fitted_normal(point, start, &samples, 0.8) - direction).length() < 0.02);
        assert!((mean_normal(point, direction, &samples, 0.8) - direction).length() < 0.01);
        assert!(shift(point, direction, &samples, 0.8).abs() < 1e-3);
        for offset in [-0.1, 0.1] {
            let moved = shift(point + offset * direction, direction, &samples, 0.8);
            assert!((moved / offset + 0.5).abs() < 0.05, "{moved} from {offset}");
        }
    }

    /// Contract: samples that face the other way are not seen.
    #[test]
    fn the_far_side_of_a_sheet_is_not_seen() {
        let lanes = lanes(800, |i| {
            let side = if i < 400 { 1.0 } else { -1.0 };
            let place = Vec3::new((i % 20) as f32, side - 1.0, (i / 20 % 20) as f32) * 0.1;
            (place, side * Vec3::Y)
        });
        let point = Vec3::new(1.0, 0.0, 0.95);
        assert!(shift(point, Vec3::Y, &lanes, 0.5).abs() < 1e-6);
        assert!((fitted_normal(point, Vec3::Y, &lanes, 0.5) - Vec3::Y).length() < 1e-5);
    }
}

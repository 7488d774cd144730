//! Rays against boxes and triangles, without gaps at shared edges.

use glam::{DVec3, Vec3};

use super::Node;

/// A ray prepared for the watertight test: its largest direction component becomes z, and a shear
/// turns it into the z axis (Woop et al. 2013, §2).
pub(super) struct Ray {
    origin: Vec3,
    inverse_direction: Vec3,
    axes: [usize; 3],
    shear: Vec3,
}

impl Ray {
    /// `None` for a direction that is zero or not finite.
    pub(super) fn new(origin: Vec3, direction: Vec3) -> Option<Self> {
        if !direction.is_finite() || !origin.is_finite() || direction == Vec3::ZERO {
            return None;
        }
        let kz = direction.abs().max_position();
        let (mut kx, mut ky) = ((kz + 1) % 3, (kz + 2) % 3);
        if direction[kz] < 0.0 {
            std::mem::swap(&mut kx, &mut ky);
        }
        let shear = Vec3::new(direction[kx], direction[ky], 1.0) / direction[kz];
        // A zero component becomes tiny: zero times infinity would be NaN in the slab test.
        let inverse = |d: f32| 1.0 / if d.abs() < 1e-30 { 1e-30_f32.copysign(d) } else { d };
        Some(Self { origin, inverse_direction: direction.map(inverse), axes: [kx, ky, kz], shear })
    }

    /// Ray parameter at which the ray enters the box, or infinity when it misses it between
    /// `t_min` and `t_max`.
    pub(super) fn enters(&self, node: &Node, t_min: f32, t_max: f32) -> f32 {
        // Three roundings separate the computed exit from the true one (Ize 2013).
        const CONSERVATIVE: f32 = 1.0 + 4.0 * f32::EPSILON;
        let t0 = (node.min - self.origin) * self.inverse_direction;
        let t1 = (node.max - self.origin) * self.inverse_direction;
        let entry = t0.min(t1).max_element().max(t_min);
        let exit = t0.max(t1).min_element();
        let exit = if exit > 0.0 { exit * CONSERVATIVE } else { exit / CONSERVATIVE };
        if entry <= exit.min(t_max) { entry } else { f32::INFINITY }
    }

    /// Ray parameter and weights of corners 1 and 2 where the ray meets the triangle's plane
    /// inside the triangle, its border included.
    pub(super) fn meets(&self, corners: &[Vec3; 3]) -> Option<(f32, f32, f32)> {
        let [kx, ky, kz] = self.axes;
        let relative = corners.map(|corner| corner - self.origin);
        let x = relative.map(|r| r[kx] - self.shear.x * r[kz]);
        let y = relative.map(|r| r[ky] - self.shear.y * r[kz]);
        let edge = |i: usize, j: usize| x[i] * y[j] - y[i] * x[j];
        let mut weights = Vec3::new(edge(2, 1), edge(0, 2), edge(1, 0));
        if weights.cmpeq(Vec3::ZERO).any() {
            // On an edge as far as single precision can tell: double precision decides.
            let edge = |i: usize, j: usize| {
                f64::from(x[i]) * f64::from(y[j]) - f64::from(y[i]) * f64::from(x[j])
            };
            weights = DVec3::new(edge(2, 1), edge(0, 2), edge(1, 0)).as_vec3();
        }
        if weights.min_element() < 0.0 && weights.max_element() > 0.0 {
            return None;
        }
        let determinant = weights.element_sum();
        if determinant == 0.0 {
            return None;
        }
        let depth = Vec3::new(relative[0][kz], relative[1][kz], relative[2][kz]) * self.shear.z;
        let t = weights.dot(depth) / determinant;
        t.is_finite().then(|| (t, weights.y / determinant, weights.z / determinant))
    }
}

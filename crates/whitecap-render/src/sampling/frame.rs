//! A right-handed frame around a normal, in which scattering is computed.

use glam::Vec3;

/// Three unit vectors at right angles; z is the normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    x: Vec3,
    y: Vec3,
    z: Vec3,
}

impl Frame {
    /// A frame around a normal of length one (Duff et al. 2017).
    pub(crate) fn new(normal: Vec3) -> Self {
        let (x, y) = normal.any_orthonormal_pair();
        Self { x, y, z: normal }
    }

    /// A vector of the world, in the frame.
    pub(crate) fn local(&self, v: Vec3) -> Vec3 {
        Vec3::new(v.dot(self.x), v.dot(self.y), v.dot(self.z))
    }

    /// A vector of the frame, in the world.
    pub(crate) fn world(&self, v: Vec3) -> Vec3 {
        v.x * self.x + v.y * self.y + v.z * self.z
    }
}

/// A direction above the plane, with probability density cos / π (Malley's method).
pub(crate) fn cosine_hemisphere([u, v]: [f32; 2]) -> Vec3 {
    let disc = uniform_disc([u, v]);
    Vec3::new(disc[0], disc[1], (1.0 - disc[0] * disc[0] - disc[1] * disc[1]).max(0.0).sqrt())
}

/// A uniform point of the unit disc; squares map to sectors with little distortion (Shirley & Chiu
/// 1997).
pub(crate) fn uniform_disc([u, v]: [f32; 2]) -> [f32; 2] {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
    let (x, y) = (2.0 * u - 1.0, 2.0 * v - 1.0);
    if x == 0.0 && y == 0.0 {
        return [0.0, 0.0];
    }
    let (radius, angle) = if x.abs() > y.abs() {
        (x, FRAC_PI_4 * (y / x))
    } else {
        (y, FRAC_PI_2 - FRAC_PI_4 * (x / y))
    };
    [radius * angle.cos(), radius * angle.sin()]
}

/// A uniform direction.
pub(crate) fn uniform_sphere([u, v]: [f32; 2]) -> Vec3 {
    let y = 1.0 - 2.0 * u;
    let ring = (1.0 - y * y).max(0.0).sqrt();
    let angle = std::f32::consts::TAU * v;
    Vec3::new(ring * angle.cos(), y, ring * angle.sin())
}

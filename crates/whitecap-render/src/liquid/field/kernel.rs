//! Particles as rays see them.

use glam::Vec3;

/// A particle as rays see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub center: Vec3,
    /// 1 / reach, in 1/m.
    pub inverse_reach: f32,
    pub velocity: Vec3,
    /// Weight of the kernel, or the radius for averaged positions.
    pub weight: f32,
}

impl Kernel {
    /// 1 / reach², in 1/m².
    #[inline]
    pub fn scale(&self) -> f32 {
        self.inverse_reach * self.inverse_reach
    }

    /// How far it reaches, in m.
    pub fn reach(&self) -> f32 {
        self.inverse_reach.recip()
    }
}

/// Quadratic form of a stretched kernel: xx, yy, zz, xy, xz, yz.
pub(crate) type Form = [f32; 6];

/// M d.
#[inline]
pub(crate) fn apply([xx, yy, zz, xy, xz, yz]: Form, d: Vec3) -> Vec3 {
    Vec3::new(
        xx * d.x + xy * d.y + xz * d.z,
        xy * d.x + yy * d.y + yz * d.z,
        xz * d.x + yz * d.y + zz * d.z,
    )
}

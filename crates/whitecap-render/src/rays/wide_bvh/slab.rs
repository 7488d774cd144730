//! A ray against eight boxes at once.

use glam::Vec3;
use wide::f32x8;

/// A ray prepared for slab tests.
pub(crate) struct SlabRay {
    origin: [f32x8; 3],
    inverse_direction: [f32x8; 3],
    /// 1 where the direction is negative, so that the high side of a box comes first.
    first_side: [usize; 3],
}

impl SlabRay {
    pub(crate) fn new(origin: Vec3, direction: Vec3) -> Self {
        // A zero component becomes tiny: zero times infinity would be NaN.
        let inverse = |d: f32| 1.0 / if d.abs() < 1e-30 { 1e-30_f32.copysign(d) } else { d };
        let inverse = direction.map(inverse);
        Self {
            origin: origin.to_array().map(f32x8::splat),
            inverse_direction: inverse.to_array().map(f32x8::splat),
            first_side: inverse.to_array().map(|d| usize::from(d < 0.0)),
        }
    }

    /// Distances at which the ray enters the boxes, and a mask of those that it enters before `limit`.
    #[inline]
    pub(super) fn enters(&self, bounds: &[[f32x8; 3]; 2], limit: f32) -> ([f32; 8], u32) {
        // Three roundings separate the computed exit from the true one (Ize 2013).
        const CONSERVATIVE: f32 = 1.0 + 4.0 * f32::EPSILON;
        let crossing = |axis: usize, side: usize| {
            (bounds[side & 1][axis] - self.origin[axis]) * self.inverse_direction[axis]
        };
        let [x, y, z] = [0, 1, 2].map(|axis| crossing(axis, self.first_side[axis]));
        let entry = x.fast_max(y).fast_max(z.fast_max(f32x8::ZERO));
        let [x, y, z] = [0, 1, 2].map(|axis| crossing(axis, 1 - self.first_side[axis]));
        let exit = x.fast_min(y).fast_min(z);
        let exit = (exit * f32x8::splat(CONSERVATIVE)).fast_min(f32x8::splat(limit));
        (entry.to_array(), entry.simd_le(exit).to_bitmask())
    }
}

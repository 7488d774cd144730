//! Where foam and spray would form: where the surface becomes strongly curved and moves fast.
//!
//! The tag of a point is 0 for clear water and 1 for full foam. It appears at once and fades with a
//! half-life, so it trails behind the splash that made it. It is meant as an emission mask for a
//! particle system or as a weight in a shader, not as a model of bubbles.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;

use super::smooth_step;

/// Limits of the two criteria, and the share of foam that is left after a frame.
pub(super) struct FoamRule {
    /// Changes of curvature at which the first criterion begins and is complete.
    pub curvature: (f32, f32),
    /// Speed at which the second criterion begins; it is complete at twice this speed.
    pub speed: f32,
    /// Share that is left after a frame.
    pub left: f32,
}

impl FoamRule {
    /// Updates the tags from the last frame to this one.
    pub fn advance(&self, foam: &mut [f32], changes: &[f32], velocities: &[Vec3]) {
        let (least, full) = self.curvature;
        foam.par_iter_mut().enumerate().with_min_len(1024).for_each(|(point, foam)| {
            let curved = smooth_step(changes[point], least, full);
            let speed = velocities.get(point).map_or(0.0, |velocity| velocity.length());
            let fast = smooth_step(speed, self.speed, 2.0 * self.speed);
            *foam = (*foam * self.left).max(curved * fast);
        });
    }
}

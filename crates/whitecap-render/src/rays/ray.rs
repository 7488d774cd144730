//! Rays.

use glam::Vec3;

/// A ray at a moment of the shutter interval.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it starts, in m.
    pub origin: Vec3,
    /// Where it goes; of length one.
    pub direction: Vec3,
    /// Time in seconds relative to the frame's own time; geometry moves with its velocity.
    pub time: f32,
    /// Hits farther than this, in m, do not count. May be infinite.
    pub far: f32,
}

impl Ray {
    /// The point at a distance from the origin.
    pub fn at(&self, distance: f32) -> Vec3 {
        self.origin + distance * self.direction
    }
}

//! Shapes in motion.

use glam::Vec3;
use whitecap_core::Bounds;

use crate::{Hit, Ray, Shape};

/// A shape that moves along a straight line during the shutter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving<S> {
    shape: S,
    velocity: Vec3,
    shutter: [f32; 2],
}

impl<S: Shape> Moving<S> {
    /// The shape where it is at the frame's own time, its velocity in m/s, and the interval of ray
    /// times in seconds.
    pub fn new(shape: S, velocity: Vec3, shutter: [f32; 2]) -> Self {
        Self { shape, velocity, shutter }
    }
}

impl<S: Shape> Shape for Moving<S> {
    fn bounds(&self) -> Bounds {
        let still = self.shape.bounds();
        let at = |time: f32| {
            let offset = time * self.velocity;
            Bounds::new(still.min + offset, still.max + offset)
        };
        at(self.shutter[0]).union(at(self.shutter[1]))
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        let still = Ray { origin: ray.origin - ray.time * self.velocity, ..*ray };
        let hit = self.shape.intersect(&still)?;
        Some(Hit { velocity: hit.velocity + self.velocity, ..hit })
    }

    fn blocks(&self, ray: &Ray) -> bool {
        self.shape.blocks(&Ray { origin: ray.origin - ray.time * self.velocity, ..*ray })
    }

    fn contains(&self, point: Vec3, time: f32) -> bool {
        self.shape.contains(point - time * self.velocity, time)
    }

    fn is_opaque(&self) -> bool {
        self.shape.is_opaque()
    }

    fn bytes(&self) -> usize {
        self.shape.bytes() + size_of::<Vec3>() + size_of::<[f32; 2]>()
    }
}

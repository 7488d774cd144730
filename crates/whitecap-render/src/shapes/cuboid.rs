//! Boxes.

use glam::{Vec2, Vec3};
use whitecap_core::Bounds;

use super::plain_hit;
use crate::{Hit, Ray, Shape};

/// An axis-aligned box. Texture coordinates are metres along the two other axes of the side hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Lowest corner, in m.
    pub min: Vec3,
    /// Highest corner, in m.
    pub max: Vec3,
}

impl Cuboid {
    /// A box from its corners.
    pub fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }
}

impl Shape for Cuboid {
    fn bounds(&self) -> Bounds {
        Bounds::new(self.min, self.max)
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        // A zero component becomes tiny: zero times infinity would be NaN.
        let inverse = |d: f32| 1.0 / if d.abs() < 1e-30 { 1e-30_f32.copysign(d) } else { d };
        let inverse = ray.direction.map(inverse);
        let low = (self.min - ray.origin) * inverse;
        let high = (self.max - ray.origin) * inverse;
        let (entries, exits) = (low.min(high), low.max(high));
        let (entry_axis, exit_axis) = (entries.max_position(), exits.min_position());
        let (entry, exit) = (entries[entry_axis], exits[exit_axis]);
        if entry.is_nan() || entry > exit {
            return None;
        }
        let (distance, axis) = if entry > 0.0 { (entry, entry_axis) } else { (exit, exit_axis) };
        if !(distance > 0.0 && distance <= ray.far) {
            return None;
        }
        // Entering, the outward normal opposes the direction; leaving, it follows it.
        let outward = if entry > 0.0 { -ray.direction[axis] } else { ray.direction[axis] };
        let mut normal = Vec3::ZERO;
        normal[axis] = outward.signum();
        let point = ray.at(distance) - self.min;
        let uv = match axis {
            0 => Vec2::new(point.z, point.y),
            1 => Vec2::new(point.x, point.z),
            _ => Vec2::new(point.x, point.y),
        };
        let size = (self.max - self.min).max_element();
        Some(plain_hit(ray, distance, normal, uv, size))
    }

    fn contains(&self, point: Vec3, _time: f32) -> bool {
        point.cmpgt(self.min).all() && point.cmplt(self.max).all()
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

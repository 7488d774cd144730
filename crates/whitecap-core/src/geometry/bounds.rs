//! Axis-aligned boxes.

use glam::Vec3;
use rayon::prelude::*;

/// An axis-aligned box. Empty when `min` exceeds `max` on some axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub min: Vec3,
    /// Highest corner.
    pub max: Vec3,
}

impl Bounds {
    /// The box that contains nothing.
    pub const EMPTY: Bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// A box from its corners.
    pub fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The smallest box around `points`. Exact, so the same for any thread count.
    pub fn of(points: &[Vec3]) -> Self {
        points
            .par_chunks(16 * 1024)
            .map(|chunk| chunk.iter().fold(Bounds::EMPTY, |bounds, &p| bounds.with(p)))
            .reduce(|| Bounds::EMPTY, Bounds::union)
    }

    /// The smallest box around the corners of a triangle.
    pub fn of_corners([a, b, c]: [Vec3; 3]) -> Self {
        Self { min: a.min(b).min(c), max: a.max(b).max(c) }
    }

    /// Whether the box contains nothing.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// The smallest box around this one and `point`.
    pub fn with(self, point: Vec3) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `margin` on every side.
    pub fn grown(self, margin: f32) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Edge lengths; zero for an empty box.
    pub fn size(&self) -> Vec3 {
        (self.max - self.min).max(Vec3::ZERO)
    }

    /// Half the surface area.
    pub fn half_area(&self) -> f32 {
        let size = self.size();
        size.x * size.y + size.y * size.z + size.z * size.x
    }

    /// Middle of the box.
    pub fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Whether two boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether `point` lies inside or on the box.
    pub fn contains(&self, point: Vec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// Squared distance from `point` to the box; zero inside.
    pub fn distance_squared(&self, point: Vec3) -> f32 {
        (self.min - point).max(point - self.max).max(Vec3::ZERO).length_squared()
    }
}

//! Flat shapes: planes, rectangles, discs.

use glam::{Vec2, Vec3};
use whitecap_core::Bounds;

use super::plain_hit;
use crate::{Hit, Ray, Shape};

/// Distance at which a ray crosses a plane ahead of its origin.
fn crossing(ray: &Ray, point: Vec3, normal: Vec3) -> Option<f32> {
    let distance = (point - ray.origin).dot(normal) / ray.direction.dot(normal);
    (distance > 0.0 && distance <= ray.far && distance.is_finite()).then_some(distance)
}

/// An infinite plane. Everything on the side opposite its normal is inside. Texture coordinates are
/// metres along the plane; for a floor, x and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    point: Vec3,
    normal: Vec3,
}

impl Plane {
    /// A plane through a point. A normal of length zero becomes +y.
    pub fn new(point: Vec3, normal: Vec3) -> Self {
        Self { point, normal: normal.normalize_or(Vec3::Y) }
    }

    /// A floor at a height, in m.
    pub fn floor(height: f32) -> Self {
        Self::new(Vec3::new(0.0, height, 0.0), Vec3::Y)
    }
}

impl Shape for Plane {
    fn bounds(&self) -> Bounds {
        Bounds::new(Vec3::NEG_INFINITY, Vec3::INFINITY)
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        let distance = crossing(ray, self.point, self.normal)?;
        let (u, v) = if self.normal == Vec3::Y {
            (Vec3::X, Vec3::Z)
        } else {
            self.normal.any_orthonormal_pair()
        };
        let offset = ray.at(distance) - self.point;
        let uv = Vec2::new(offset.dot(u), offset.dot(v));
        Some(plain_hit(ray, distance, self.normal, uv, 0.0))
    }

    fn contains(&self, point: Vec3, _time: f32) -> bool {
        (point - self.point).dot(self.normal) < 0.0
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

/// A rectangle. Texture coordinates go from 0 to 1 along its edges; it faces the side from which edge u
/// turns counter-clockwise into edge v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The corner where both edges start, in m.
    pub corner: Vec3,
    /// The first edge, in m.
    pub edge_u: Vec3,
    /// The second edge, in m, at a right angle to the first.
    pub edge_v: Vec3,
}

impl Rectangle {
    /// The side it faces; +y for a rectangle of zero area.
    pub fn normal(&self) -> Vec3 {
        self.edge_u.cross(self.edge_v).normalize_or(Vec3::Y)
    }

    /// Area, in m².
    pub fn area(&self) -> f32 {
        self.edge_u.cross(self.edge_v).length()
    }
}

impl Shape for Rectangle {
    fn bounds(&self) -> Bounds {
        let opposite = self.corner + self.edge_u + self.edge_v;
        let corners = [self.corner + self.edge_u, self.corner + self.edge_v, opposite];
        corners.into_iter().fold(Bounds::new(self.corner, self.corner), Bounds::with)
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        let normal = self.normal();
        let distance = crossing(ray, self.corner, normal)?;
        let offset = ray.at(distance) - self.corner;
        let u = offset.dot(self.edge_u) / self.edge_u.length_squared();
        let v = offset.dot(self.edge_v) / self.edge_v.length_squared();
        if !((0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v)) {
            return None;
        }
        let size = self.edge_u.length() + self.edge_v.length();
        Some(plain_hit(ray, distance, normal, Vec2::new(u, v), size))
    }

    fn contains(&self, _point: Vec3, _time: f32) -> bool {
        false
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

/// A disc. Texture coordinates are metres from its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Centre, in m.
    pub center: Vec3,
    /// The side it faces; of length one.
    pub normal: Vec3,
    /// Radius, in m.
    pub radius: f32,
}

impl Shape for Disc {
    fn bounds(&self) -> Bounds {
        let reach =
            self.radius * (Vec3::ONE - self.normal * self.normal).max(Vec3::ZERO).map(f32::sqrt);
        Bounds::new(self.center - reach, self.center + reach)
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        let distance = crossing(ray, self.center, self.normal)?;
        let offset = ray.at(distance) - self.center;
        if offset.length_squared() > self.radius * self.radius {
            return None;
        }
        let (u, v) = self.normal.any_orthonormal_pair();
        let uv = Vec2::new(offset.dot(u), offset.dot(v));
        Some(plain_hit(ray, distance, self.normal, uv, self.radius))
    }

    fn contains(&self, _point: Vec3, _time: f32) -> bool {
        false
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

//! Spheres.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};
use whitecap_core::Bounds;

use super::plain_hit;
use crate::{Hit, Ray, Shape};

/// A sphere. Its texture coordinates are longitude and latitude, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre, in m.
    pub center: Vec3,
    /// Radius, in m.
    pub radius: f32,
}

impl Sphere {
    /// Distances at which a ray enters and leaves, in a form that keeps its digits when the sphere is
    /// small and far away (Haines et al. 2019).
    pub(crate) fn crossings(&self, ray: &Ray) -> Option<[f32; 2]> {
        let from_center = ray.origin - self.center;
        let along = -from_center.dot(ray.direction);
        let closest = from_center + along * ray.direction;
        let half_chord_squared = self.radius * self.radius - closest.length_squared();
        if half_chord_squared < 0.0 || self.radius <= 0.0 {
            return None;
        }
        let larger = along + half_chord_squared.sqrt().copysign(along);
        let product = from_center.length_squared() - self.radius * self.radius;
        let smaller = if larger == 0.0 { 0.0 } else { product / larger };
        Some([larger.min(smaller), larger.max(smaller)])
    }
}

impl Shape for Sphere {
    fn bounds(&self) -> Bounds {
        Bounds::new(self.center, self.center).grown(self.radius.max(0.0))
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        let ahead = |distance: &f32| *distance > 0.0 && *distance <= ray.far;
        let distance = self.crossings(ray)?.into_iter().find(ahead)?;
        let normal = (ray.at(distance) - self.center).normalize_or(Vec3::Y);
        let longitude = normal.x.atan2(normal.z) / TAU + 0.5;
        let latitude = normal.y.clamp(-1.0, 1.0).asin() / PI + 0.5;
        Some(plain_hit(ray, distance, normal, Vec2::new(longitude, latitude), self.radius))
    }

    fn contains(&self, point: Vec3, _time: f32) -> bool {
        point.distance_squared(self.center) < self.radius * self.radius
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

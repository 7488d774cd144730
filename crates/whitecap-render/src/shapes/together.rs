//! Two shapes that are one body.

use std::sync::Arc;

use glam::Vec3;
use whitecap_core::Bounds;

use crate::{Hit, Ray, Shape};

/// Two surfaces that together bound one body, such as the top of a liquid and its sides. As each is
/// open, it says of no point that it lies inside.
#[derive(Clone)]
pub struct Together(pub [Arc<dyn Shape>; 2]);

impl Shape for Together {
    fn bounds(&self) -> Bounds {
        let [one, other] = &self.0;
        one.bounds().union(other.bounds())
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        let [one, other] = &self.0;
        let near = one.intersect(ray);
        let far = near.map_or(ray.far, |hit| hit.distance);
        other.intersect(&Ray { far, ..*ray }).or(near)
    }

    fn blocks(&self, ray: &Ray) -> bool {
        self.0.iter().any(|shape| shape.blocks(ray))
    }

    fn contains(&self, _point: Vec3, _time: f32) -> bool {
        false
    }

    fn is_opaque(&self) -> bool {
        self.0.iter().all(|shape| shape.is_opaque())
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|shape| shape.bytes()).sum()
    }
}

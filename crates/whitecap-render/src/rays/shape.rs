//! What a scene is made of.

use glam::Vec3;
use whitecap_core::Bounds;

use crate::{Hit, Ray};

/// Something that rays can hit.
///
/// # Contract
/// * `intersect` finds the nearest crossing of the surface in front of the origin, from outside or from
///   inside, and reports no crossing that the neighbouring point on the ray's own side would not.
/// * A ray that starts on the surface, moved by the hit's `uncertainty` along the normal, does not
///   hit the same point again.
/// * No answer depends on the number of threads or on earlier calls.
pub trait Shape: Send + Sync {
    /// A box around the shape during the whole shutter.
    fn bounds(&self) -> Bounds;

    /// The nearest hit.
    fn intersect(&self, ray: &Ray) -> Option<Hit>;

    /// Whether anything lies between the ray's origin and its far end.
    fn blocks(&self, ray: &Ray) -> bool {
        self.intersect(ray).is_some()
    }

    /// Whether a point lies inside at a moment of the shutter. Open surfaces have no inside.
    fn contains(&self, point: Vec3, time: f32) -> bool;

    /// Whether every hit has an opacity of 1.
    fn is_opaque(&self) -> bool {
        true
    }

    /// Bytes held.
    fn bytes(&self) -> usize;
}

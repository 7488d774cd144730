//! The parts of a ray that lie inside a region.

use whitecap_core::Bounds;

use crate::{Ray, Shape};

/// The part of the ray inside a box, if any. A ray that is not finite has none.
pub(super) fn clip(ray: &Ray, bounds: &Bounds) -> Option<(f32, f32)> {
    let (mut start, mut end) = (0.0f32, ray.far);
    for axis in 0..3 {
        let (origin, direction) = (ray.origin[axis], ray.direction[axis]);
        if direction == 0.0 {
            if origin < bounds.min[axis] || origin > bounds.max[axis] {
                return None;
            }
            continue;
        }
        let low = (bounds.min[axis] - origin) / direction;
        let high = (bounds.max[axis] - origin) / direction;
        start = start.max(low.min(high));
        end = end.min(low.max(high));
    }
    (start < end && end.is_finite()).then_some((start, end))
}

/// The parts of the ray inside a closed shape, in order.
///
/// The normal says whether a crossing leads in or out, so that one crossing that a shape misses
/// does not turn the rest of the ray inside out.
pub(super) fn inside_stretches<'a>(
    shape: &'a dyn Shape,
    ray: &Ray,
) -> impl Iterator<Item = (f32, f32)> + use<'a> {
    let far = clip(ray, &shape.bounds()).map_or(0.0, |(_, end)| end);
    InsideStretches { shape, ray: Ray { far, ..*ray }, from: 0.0, entry: Entry::Unknown }
}

struct InsideStretches<'a> {
    shape: &'a dyn Shape,
    /// Ends where it leaves the shape's box.
    ray: Ray,
    /// Everything before this distance is settled.
    from: f32,
    entry: Entry,
}

enum Entry {
    /// No crossing yet: the ray may start inside.
    Unknown,
    /// Inside since this distance.
    At(f32),
    /// Outside.
    None,
}

impl Iterator for InsideStretches<'_> {
    type Item = (f32, f32);

    fn next(&mut self) -> Option<(f32, f32)> {
        while self.from < self.ray.far {
            let rest =
                Ray { origin: self.ray.at(self.from), far: self.ray.far - self.from, ..self.ray };
            let Some(hit) = self.shape.intersect(&rest) else { return self.finish() };
            let at = self.from + hit.distance;
            // The next search starts after this crossing, or it would be found again.
            self.from = at + hit.uncertainty.max(1e-6 * at).max(f32::MIN_POSITIVE);
            let leads_out = hit.geometric_normal.dot(self.ray.direction) > 0.0;
            let entry = match (leads_out, &self.entry) {
                (true, Entry::At(entry)) => Some(*entry),
                (true, Entry::Unknown) => Some(0.0),
                (true, Entry::None) => None,
                (false, Entry::At(entry)) => {
                    self.entry = Entry::At(*entry);
                    continue;
                }
                (false, _) => {
                    self.entry = Entry::At(at);
                    continue;
                }
            };
            self.entry = Entry::None;
            if let Some(entry) = entry.filter(|entry| *entry < at) {
                return Some((entry, at));
            }
        }
        None
    }
}

impl InsideStretches<'_> {
    /// The last stretch, if the ray ends inside.
    fn finish(&mut self) -> Option<(f32, f32)> {
        self.from = f32::INFINITY;
        let start = match self.entry {
            Entry::At(entry) => entry,
            Entry::Unknown if self.shape.contains(self.ray.origin, self.ray.time) => 0.0,
            _ => return None,
        };
        Some((start, self.ray.far))
    }
}

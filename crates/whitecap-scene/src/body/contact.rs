//! What happens to a particle that touches a body.

use whitecap_core::glam::Vec3;

use super::BodyPose;

/// How often a particle is moved to the nearest surface; halfway through, one that is still inside
/// is taken out along a straight line.
const ROUNDS: usize = 6;

/// How particles and solids touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Distance to keep from the surface, in metres.
    pub margin: f32,
    /// Coulomb friction: the tangential speed lost per normal speed lost.
    pub friction: f32,
    /// Particles farther than this from the surface, in metres, are assumed to be outside and are
    /// not checked. It must exceed the distance that particles and solid move relative to each other in a
    /// step. Infinite: every particle is checked, at a higher cost.
    pub reach: f32,
}

/// The velocity of a particle after it touched a solid: the part of the relative velocity that
/// points into the solid is removed, and friction slows the rest.
#[inline]
pub fn slide(velocity: Vec3, solid_velocity: Vec3, normal: Vec3, friction: f32) -> Vec3 {
    let relative = velocity - solid_velocity;
    let approach = -relative.dot(normal);
    if approach <= 0.0 {
        return velocity;
    }
    let tangential = relative + normal * approach;
    let speed = tangential.length();
    let kept = if speed > 0.0 { (1.0 - friction * approach / speed).max(0.0) } else { 0.0 };
    solid_velocity + tangential * kept
}

impl BodyPose {
    /// Where a particle that is inside, or closer than the margin, belongs: (position, velocity).
    /// `None` if it may stay.
    pub fn push_out(
        &self,
        position: Vec3,
        velocity: Vec3,
        contact: &Contact,
    ) -> Option<(Vec3, Vec3)> {
        let margin = contact.margin.max(self.rounding());
        let mut found = self.nearest(position, contact.reach.max(margin))?;
        if found.distance >= margin {
            return None;
        }
        let (mut place, mut speed) = (position, velocity);
        for round in 0..ROUNDS {
            place = found.point + found.normal * (margin + self.rounding());
            if round == ROUNDS / 2 {
                // Parts overlap, and the nearest surface leads from one into the other.
                place = self.way_out(place, margin).unwrap_or(place);
            }
            speed = slide(speed, found.velocity, found.normal, contact.friction);
            found = self.nearest(place, f32::INFINITY)?;
            if found.distance >= margin {
                return Some((place, speed));
            }
        }
        // In a narrow corner the margin cannot be kept from both sides; being outside is enough.
        if found.distance <= 0.0 {
            place = self.way_out(place, margin).unwrap_or(place);
        }
        Some((place, speed))
    }

    /// The end of a straight path out for a point inside, `clearance` metres beyond the surface;
    /// `None` for a point outside.
    fn way_out(&self, point: Vec3, clearance: f32) -> Option<Vec3> {
        let local = self.to_local.point(point);
        if !self.shape.contains(local) {
            return None;
        }
        let exit = self.shape.way_out(local, clearance / self.placement.scale)?;
        Some(self.placement.point(exit))
    }

    /// Moves a particle from `from`, where it was when the solid was in the pose `earlier`, to
    /// `to`, but not through the solid: (position, velocity). `None` if it may go there.
    ///
    /// The path is taken in the frame of the solid, so a thin blade that sweeps over a particle at rest
    /// carries it along.
    pub fn collide(
        &self,
        earlier: &BodyPose,
        from: Vec3,
        to: Vec3,
        velocity: Vec3,
        contact: &Contact,
    ) -> Option<(Vec3, Vec3)> {
        let Some((stopped, slowed)) = self.stop_crossing(earlier, from, to, velocity, contact)
        else {
            return self.push_out(to, velocity, contact);
        };
        Some(self.push_out(stopped, slowed, contact).unwrap_or((stopped, slowed)))
    }

    /// If the path from `from` to `to` enters the solid: the end of the path along the surface
    /// instead, or the point of entry if that leads into the solid again.
    fn stop_crossing(
        &self,
        earlier: &BodyPose,
        from: Vec3,
        to: Vec3,
        velocity: Vec3,
        contact: &Contact,
    ) -> Option<(Vec3, Vec3)> {
        let start = self.to_local.point(self.carried(earlier, from, contact.reach));
        let end = self.to_local.point(to);
        let swept = whitecap_core::Bounds::EMPTY.with(start).with(end);
        let bounds = self.shape.bounds();
        if swept.min.cmpgt(bounds.max).any() || swept.max.cmplt(bounds.min).any() {
            return None;
        }
        let (triangle, along) = self.shape.first_crossing(start, end)?;
        let normal = self.shape.face_normal(triangle);
        if normal.dot(end - start) >= 0.0 {
            return None;
        }
        let margin = contact.margin.max(self.rounding());
        let clearance = (margin + self.rounding()) / self.placement.scale;
        let entry = start.lerp(end, along);
        let held = entry + normal * clearance;
        let slid = end + normal * ((entry - end).dot(normal) + clearance);
        let place = if self.shape.first_crossing(held, slid).is_some() { held } else { slid };
        let outward = self.placement.normal(normal);
        let surface = self.nearest(self.placement.point(entry), f32::INFINITY)?;
        let slowed = slide(velocity, surface.velocity, outward, contact.friction);
        Some((self.placement.point(place), slowed))
    }

    /// Where a point near the surface is now if it has moved with the solid since the earlier pose.
    fn carried(&self, earlier: &BodyPose, point: Vec3, reach: f32) -> Vec3 {
        if std::sync::Arc::ptr_eq(&self.shape, &earlier.shape) {
            return self.placement.point(earlier.to_local.point(point));
        }
        match earlier.nearest(point, reach) {
            Some(near) => {
                let now = near.sample.position(self.shape.mesh());
                point + (self.placement.point(now) - near.point)
            }
            None => point,
        }
    }
}

//! The corrected function of a liquid: evaluated where the meniscus moves its points from, and cut off
//! at the solids.

use glam::{Mat3, Vec3};

use super::contact::{Contact, ContactGuide};
use super::profile::{Profile, REACH};
use super::{MeniscusMode, Solid};
use crate::liquid::LiquidField;

/// A solid with what is known about the liquid's contact with it.
pub(super) struct Wall {
    pub solid: Solid,
    pub guide: Option<ContactGuide>,
    pub profile: Profile,
}

/// How points of space are moved before the liquid is asked.
pub(super) struct Correction {
    pub walls: Vec<Wall>,
    /// Capillary length in m.
    pub length: f32,
    /// Distance to the wall below which the liquid's function is continued from farther out, in m;
    /// zero for particles, which have ghosts instead.
    pub extension: f32,
    /// How far the liquid reaches into the solids, in m; `None` if it is not cut off.
    pub overlap: Option<f32>,
}

impl Wall {
    /// Contact and distance at a point that the meniscus or the extension reaches.
    fn contact(&self, point: Vec3, reach: f32) -> Option<(Contact, f32)> {
        let guide = self.guide.as_ref()?;
        let distance = self.solid.distance(point);
        if distance >= reach.min(self.solid.band()) {
            return None;
        }
        guide.at(point).map(|contact| (contact, distance.max(0.0)))
    }
}

impl Correction {
    /// c at a point: what the meniscus moved it by.
    pub fn displacement(&self, point: Vec3) -> Vec3 {
        let reach = REACH * self.length;
        let mut sum = Vec3::ZERO;
        for wall in &self.walls {
            if let Some((contact, distance)) = wall.contact(point, reach) {
                let height = wall.profile.at(distance / self.length, contact.tilt).height;
                let size = contact.presence * self.length * height / contact.tilt.sin();
                sum += size * contact.along;
            }
        }
        sum
    }

    /// An upper bound of |c| within `radius` of a point, and its direction.
    pub fn largest_displacement(&self, point: Vec3, radius: f32) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for wall in &self.walls {
            let Some((contact, distance)) = wall.contact(point, REACH * self.length + radius)
            else {
                continue;
            };
            let nearest = (distance - radius).max(0.0) / self.length;
            let height = wall.profile.at(nearest, contact.tilt).height;
            sum += (1.1 * self.length * height / contact.tilt.sin()) * contact.along;
        }
        sum
    }

    /// ∂c/∂x, as far as it comes from the distance to the walls.
    fn displacement_gradient(&self, point: Vec3) -> Mat3 {
        let reach = REACH * self.length;
        let mut sum = Mat3::ZERO;
        for wall in &self.walls {
            if let Some((contact, distance)) = wall.contact(point, reach) {
                let slope = wall.profile.at(distance / self.length, contact.tilt).slope;
                let size = contact.presence * slope / contact.tilt.sin();
                sum += outer(size * contact.along, wall.solid.normal(point));
            }
        }
        sum
    }

    /// Where the liquid is asked for a point beside a wall, and the derivative of that place.
    fn extended(&self, point: Vec3) -> (Vec3, Mat3) {
        let (mut place, mut change) = (point, Mat3::IDENTITY);
        if self.extension <= 0.0 {
            return (place, change);
        }
        for wall in &self.walls {
            let Some((contact, _)) = wall.contact(point, self.extension) else { continue };
            let missing = self.extension - wall.solid.distance(point);
            let normal = wall.solid.normal(point);
            // One metre away from the wall for each metre, along the free surface.
            let across = contact.presence * (normal - contact.along / contact.tilt.tan());
            place += missing * across;
            change -= outer(across, normal);
        }
        (place, change)
    }

    /// The liquid's function, moved to the meniscus if `moved`.
    pub fn free_value(
        &self,
        liquid: &impl LiquidField,
        point: Vec3,
        time: f32,
        moved: bool,
    ) -> f32 {
        let shift = if moved { self.displacement(point) } else { Vec3::ZERO };
        liquid.value(self.extended(point - shift).0, time)
    }

    /// Its gradient.
    pub fn free_gradient(
        &self,
        liquid: &impl LiquidField,
        point: Vec3,
        time: f32,
        moved: bool,
    ) -> Vec3 {
        let (shift, change) = match moved {
            true => (self.displacement(point), self.displacement_gradient(point)),
            false => (Vec3::ZERO, Mat3::ZERO),
        };
        let (place, place_change) = self.extended(point - shift);
        let gradient = place_change.transpose() * liquid.gradient(place, time);
        gradient - change.transpose() * gradient
    }

    /// Distance to the nearest wall where the liquid is cut off, and which wall; `None` if it is not
    /// cut off at all.
    pub fn cut(&self, point: Vec3) -> Option<(f32, &Solid)> {
        let overlap = self.overlap?;
        let distances = self.walls.iter().map(|wall| (wall.solid.distance(point), &wall.solid));
        let nearest = distances.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((nearest.0 + overlap, nearest.1))
    }

    /// The corrected function: positive inside the solids.
    pub fn value(&self, liquid: &impl LiquidField, point: Vec3, time: f32, moved: bool) -> f32 {
        let cut = self.cut(point).map_or(f32::NEG_INFINITY, |(distance, _)| -distance);
        if cut > 0.0 {
            return cut;
        }
        self.free_value(liquid, point, time, moved).max(cut)
    }

    /// Whether a mode moves the surface.
    pub fn moves(mode: MeniscusMode) -> bool {
        mode == MeniscusMode::Geometric
    }
}

/// a bᵀ.
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

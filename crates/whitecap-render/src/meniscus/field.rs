//! The correction: where the meniscus moves points from, and where solids cut the liquid off.

use glam::{Mat3, Vec3};

use super::contact::{Contact, ContactGuide};
use super::profile::{Profile, REACH};
use super::{MeniscusMode, Solid};
use crate::liquid::LiquidField;

/// A solid and the liquid's contact with it.
pub(super) struct Wall {
    pub solid: Solid,
    pub guide: Option<ContactGuide>,
    pub profile: Profile,
}

/// How points of space are moved before the liquid is evaluated.
pub(super) struct Correction {
    pub walls: Vec<Wall>,
    /// Capillary length in m.
    pub length: f32,
    /// Distance to the wall below which the liquid's function is continued from farther out, in m;
    /// zero for particles, which have ghosts instead.
    pub extension: f32,
    /// How far the liquid extends into the solids, in m; `None` if it is not cut off.
    pub overlap: Option<f32>,
    /// Whether points are moved.
    pub moves: bool,
}

impl Wall {
    /// Displacement of a point by the meniscus, given its contact, its distance and the capillary
    /// length.
    #[inline]
    pub fn displacement_at(&self, contact: &Contact, distance: f32, length: f32) -> Vec3 {
        let height = self.profile.at(distance.max(0.0) / length, contact.tilt).height;
        (contact.presence * length * height / contact.tilt.sin()) * contact.along
    }
}

/// Away from a wall along the free surface: one metre of distance for each metre, weighted by the
/// presence of the contact.
pub(super) fn across(contact: &Contact, normal: Vec3) -> Vec3 {
    contact.presence * (normal - contact.along / contact.tilt.tan())
}

impl Correction {
    /// Distance to a wall beyond which the liquid is as it was, in m.
    pub fn influence(&self) -> f32 {
        let meniscus = if self.moves { REACH * self.length } else { 0.0 };
        meniscus.max(self.extension)
    }

    /// Contacts from the guides of the walls, on sides that face a direction (zero: on any).
    pub fn guided(&self, facing: Vec3) -> impl Fn(usize, Vec3) -> Option<Contact> {
        move |wall, point| {
            let contact = self.walls[wall].guide.as_ref()?.at(point);
            contact.filter(|contact| contact.is_on_side(facing))
        }
    }

    /// The walls nearer than `reach` to a point: distance, wall and contact.
    fn contacts(
        &self,
        point: Vec3,
        reach: f32,
        contact: &impl Fn(usize, Vec3) -> Option<Contact>,
    ) -> impl Iterator<Item = (f32, &Wall, Contact)> {
        self.walls.iter().enumerate().filter_map(move |(number, wall)| {
            wall.guide.as_ref()?;
            let distance = wall.solid.distance(point);
            let near = distance < reach.min(wall.solid.band());
            let contact = if near { contact(number, point) } else { None };
            Some((distance, wall, contact?))
        })
    }

    /// c at a point: the displacement by the meniscus.
    pub fn displacement(
        &self,
        point: Vec3,
        contact: &impl Fn(usize, Vec3) -> Option<Contact>,
    ) -> Vec3 {
        self.contacts(point, REACH * self.length, contact)
            .map(|(distance, wall, contact)| wall.displacement_at(&contact, distance, self.length))
            .sum()
    }

    /// ∂c/∂x, as far as it comes from the distance to the walls.
    fn displacement_gradient(
        &self,
        point: Vec3,
        contact: &impl Fn(usize, Vec3) -> Option<Contact>,
    ) -> Mat3 {
        let part = |(distance, wall, contact): (f32, &Wall, Contact)| {
            // Inside the solid the surface continues as it met the wall.
            if distance < 0.0 {
                return Mat3::ZERO;
            }
            let slope = wall.profile.at(distance / self.length, contact.tilt).slope;
            let size = contact.presence * slope / contact.tilt.sin();
            outer(size * contact.along, wall.solid.normal(point))
        };
        let parts = self.contacts(point, REACH * self.length, contact).map(part);
        parts.fold(Mat3::ZERO, |sum, part| sum + part)
    }

    /// Where the liquid is evaluated for a point beside a wall, and the derivative of that
    /// position.
    fn extended(
        &self,
        point: Vec3,
        contact: &impl Fn(usize, Vec3) -> Option<Contact>,
    ) -> (Vec3, Mat3) {
        let (mut place, mut change) = (point, Mat3::IDENTITY);
        if self.extension > 0.0 {
            for (distance, wall, contact) in self.contacts(point, self.extension, contact) {
                let normal = wall.solid.normal(point);
                let across = across(&contact, normal);
                place += (self.extension - distance) * across;
                change -= outer(across, normal);
            }
        }
        (place, change)
    }

    /// Where the liquid is evaluated for a point.
    pub fn place(
        &self,
        point: Vec3,
        moved: bool,
        contact: &impl Fn(usize, Vec3) -> Option<Contact>,
    ) -> Vec3 {
        let shift = if moved { self.displacement(point, contact) } else { Vec3::ZERO };
        self.extended(point - shift, contact).0
    }

    /// The gradient at a point of the corrected function, from that of the liquid where it is
    /// evaluated.
    pub fn moved_gradient(
        &self,
        point: Vec3,
        gradient: Vec3,
        moved: bool,
        contact: &impl Fn(usize, Vec3) -> Option<Contact>,
    ) -> Vec3 {
        let (shift, change) = match moved {
            true => (self.displacement(point, contact), self.displacement_gradient(point, contact)),
            false => (Vec3::ZERO, Mat3::ZERO),
        };
        let gradient = self.extended(point - shift, contact).1.transpose() * gradient;
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

    /// Away from the nearest wall; zero if there is none.
    pub fn facing(&self, point: Vec3) -> Vec3 {
        let distances = self.walls.iter().map(|wall| (wall.solid.distance(point), &wall.solid));
        let nearest = distances.min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map_or(Vec3::ZERO, |(_, solid)| solid.normal(point))
    }

    /// The corrected function: positive inside the solids.
    pub fn value(&self, liquid: &impl LiquidField, point: Vec3, time: f32) -> f32 {
        let cut = self.cut(point).map_or(f32::NEG_INFINITY, |(distance, _)| -distance);
        if cut > 0.0 {
            return cut;
        }
        let facing = if liquid.has_sides() { self.facing(point) } else { Vec3::ZERO };
        liquid.value(self.place(point, self.moves, &self.guided(facing)), time, facing).max(cut)
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

//! Pieces of a ray outside the solids, and the walls along them.

use glam::Vec3;

use super::block_walls::{BlockWall, MOST_PLANES, MOST_WALLS};
use super::contact::Contact;
use super::field::{Correction, Wall, across};
use super::profile::REACH;
use crate::Ray;
use crate::liquid::march::first_crossing_of_values;

/// A piece of a ray outside the solids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub from: f32,
    pub to: f32,
    /// Whether it begins at a wall.
    pub from_wall: bool,
    /// Whether it ends at a wall.
    pub to_wall: bool,
}

/// The first piece of a ray between two distances that lies outside the solids by more than −overlap.
pub(super) fn first_stretch(
    correction: &Correction,
    walls: &[BlockWall],
    ray: &Ray,
    (enter, leave): (f32, f32),
    detail: f32,
) -> Option<Stretch> {
    let free = Stretch { from: enter, to: leave, from_wall: false, to_wall: false };
    let Some(overlap) = correction.overlap else { return Some(free) };
    if walls.iter().all(BlockWall::is_flat) {
        flat_stretch(walls, ray, overlap, free)
    } else {
        curved_stretch(correction, walls, ray, overlap, free, detail)
    }
}

/// Between flat walls the free piece is found by division.
fn flat_stretch(
    walls: &[BlockWall],
    ray: &Ray,
    overlap: f32,
    mut stretch: Stretch,
) -> Option<Stretch> {
    for plane in walls.iter().flat_map(|wall| wall.planes.as_slice()) {
        let start = plane.distance(ray.origin) + overlap;
        let slope = plane.normal.dot(ray.direction);
        let meets = -start / slope;
        if slope > 0.0 && meets > stretch.from {
            (stretch.from, stretch.from_wall) = (meets, true);
        } else if slope < 0.0 && meets < stretch.to {
            (stretch.to, stretch.to_wall) = (meets, true);
        } else if slope == 0.0 && start <= 0.0 {
            return None;
        }
    }
    (stretch.from <= stretch.to).then_some(stretch)
}

/// Near curved walls it is found by steps equal to the distance.
fn curved_stretch(
    correction: &Correction,
    walls: &[BlockWall],
    ray: &Ray,
    overlap: f32,
    mut stretch: Stretch,
    detail: f32,
) -> Option<Stretch> {
    let outside = |at: f32| {
        let point = ray.at(at);
        let distance =
            |wall: &BlockWall| correction.walls[wall.wall as usize].solid.distance(point);
        walls.iter().map(distance).fold(f32::INFINITY, f32::min) + overlap
    };
    let [start, end] = [stretch.from, stretch.to].map(outside);
    // Distances change no faster than the position.
    let way = stretch.to - stretch.from;
    if start > 0.0 && start + end > 1.01 * way {
        return Some(stretch);
    }
    if start < 0.0 && start + end < -1.01 * way {
        return None;
    }
    let next = |from: f32| {
        let value = |at: f32| outside(from + at);
        // The last evaluated value is where the next step begins.
        let last = std::cell::Cell::new(0.0f32);
        let remembered = |at: f32| {
            last.set(value(at));
            last.get()
        };
        let step = |_: f32| last.get().abs().max(0.25 * detail);
        let length = stretch.to - from;
        if length <= 0.0 {
            return None;
        }
        let found = first_crossing_of_values(length, 1e-5 * detail, step, remembered, |_| true);
        // Rounding must not lead beyond the end.
        found.map(|crossing| (from + crossing.distance).min(stretch.to))
    };
    if start <= 0.0 {
        (stretch.from, stretch.from_wall) = (next(stretch.from)?, true);
    }
    // Away from the wall that it starts from, so that this one is not found again.
    let after = if stretch.from_wall { 1e-3 * detail } else { 0.0 };
    if let Some(end) = next(stretch.from + after) {
        (stretch.to, stretch.to_wall) = (end, true);
    }
    Some(stretch)
}

/// A wall along a stretch.
#[derive(Clone, Copy)]
struct WallAlong<'a> {
    wall: &'a Wall,
    block_wall: &'a BlockWall,
    /// Distance at the beginning and its slope, of each plane.
    lines: [(f32, f32); MOST_PLANES],
    contact: ContactAlong,
    facing: Vec3,
}

#[derive(Clone, Copy)]
enum ContactAlong {
    None,
    /// Changes evenly from the beginning to the end.
    Even(Contact, Contact),
    Uneven,
}

/// The walls along a stretch: nothing is looked up twice.
pub(super) struct WallsAlong<'a> {
    correction: &'a Correction,
    walls: [Option<WallAlong<'a>>; MOST_WALLS],
    inverse_length: f32,
}

impl<'a> WallsAlong<'a> {
    /// The walls along a piece of a ray: from a point, in a direction, of a length; on the side of thin walls
    /// that faces a direction.
    pub fn new(
        correction: &'a Correction,
        walls: &'a [BlockWall],
        facing: Vec3,
        (origin, direction, length): (Vec3, Vec3, f32),
    ) -> Self {
        let inverse_length = 1.0 / length.max(f32::MIN_POSITIVE);
        let mut made = Self { correction, walls: [None; MOST_WALLS], inverse_length };
        for (block_wall, place) in walls.iter().zip(&mut made.walls) {
            let wall = &correction.walls[block_wall.wall as usize];
            let mut lines = [(0.0, 0.0); MOST_PLANES];
            for (plane, line) in block_wall.planes.as_slice().iter().zip(&mut lines) {
                *line = (plane.distance(origin), plane.normal.dot(direction));
            }
            let mut along =
                WallAlong { wall, block_wall, lines, contact: ContactAlong::None, facing };
            // If a flat wall is far at both ends, it is far in between.
            let ends = [origin, origin + length * direction];
            let nearest = along.distance(0.0, ends[0]).0.min(along.distance(length, ends[1]).0);
            if nearest < correction.influence() || !block_wall.is_flat() {
                along.contact = contact_along(block_wall, facing, ends);
            }
            *place = Some(along);
        }
        made
    }

    /// Distance to the nearest wall and its largest rate of change, and where the liquid is
    /// evaluated for a point at a distance from the beginning.
    #[inline]
    pub fn at(&self, at: f32, point: Vec3) -> (f32, f32, Vec3) {
        let Correction { length, extension, moves, .. } = *self.correction;
        let (mut nearest, mut speed, mut place) = (f32::INFINITY, 1.0, point);
        for along in self.walls.iter().flatten() {
            let (distance, slope) = along.distance(at, point);
            if distance < nearest {
                (nearest, speed) = (distance, slope);
            }
            if moves
                && distance < (REACH * length).min(0.999 * along.wall.solid.band())
                && let Some(contact) = along.contact(at * self.inverse_length, point)
            {
                place -= along.wall.displacement_at(&contact, distance, length);
            }
        }
        if extension > 0.0 && nearest < extension {
            place = self.extended(at, place);
        }
        (nearest, speed, place)
    }

    /// As `Correction::extended`.
    fn extended(&self, at: f32, point: Vec3) -> Vec3 {
        let extension = self.correction.extension;
        let mut place = point;
        for along in self.walls.iter().flatten() {
            // Movement along a flat wall does not change the distance.
            let solid = &along.wall.solid;
            let flat = match along.block_wall.planes.as_slice() {
                [plane] => Some((along.distance(at, point).0, plane.normal)),
                _ => None,
            };
            let distance = flat.map_or_else(|| solid.distance(point), |(distance, _)| distance);
            if distance >= extension {
                continue;
            }
            let Some(contact) = along.contact(at * self.inverse_length, point) else { continue };
            let normal = flat.map_or_else(|| solid.normal(point), |(_, normal)| normal);
            place += (extension - distance) * across(&contact, normal);
        }
        place
    }
}

/// How far a contact may deviate from a linear change along a stretch, in radians or as a fraction
/// of one. The surface moves by that fraction of a capillary length.
pub(super) const EVENNESS: f32 = 2e-3;

/// The contact between the ends of a stretch.
fn contact_along(wall: &BlockWall, facing: Vec3, [first, last]: [Vec3; 2]) -> ContactAlong {
    let at = |point: Vec3| wall.contact(point).filter(|contact| contact.is_on_side(facing));
    match [first, first.midpoint(last), last].map(at) {
        [None, None, None] => ContactAlong::None,
        [Some(a), Some(b), Some(c)] if a.towards(&c, 0.5).agrees(&b, EVENNESS) => {
            ContactAlong::Even(a, c)
        }
        _ => ContactAlong::Uneven,
    }
}

impl WallAlong<'_> {
    /// Distance and the size of its slope.
    #[inline]
    fn distance(&self, at: f32, point: Vec3) -> (f32, f32) {
        let count = self.block_wall.planes.as_slice().len();
        if count == 0 {
            return (self.wall.solid.distance(point), 1.0);
        }
        let mut nearest = (f32::INFINITY, 0.0);
        for (start, slope) in &self.lines[..count] {
            let distance = start + at * slope;
            if distance < nearest.0 {
                nearest = (distance, slope.abs());
            }
        }
        nearest
    }

    #[inline]
    fn contact(&self, share: f32, point: Vec3) -> Option<Contact> {
        match &self.contact {
            ContactAlong::None => None,
            ContactAlong::Even(first, last) => Some(first.towards(last, share)),
            ContactAlong::Uneven => {
                let contact = self.block_wall.contact(point);
                contact.filter(|contact| contact.is_on_side(self.facing))
            }
        }
    }
}

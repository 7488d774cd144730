//! Walls in closed form: planes, the box that holds the liquid, and boxes in its way.
//!
//! # Guarantees
//! * A particle is pushed out of every wall, even in corners and where a box stands on the floor.
//! * Signed distances are negative inside a wall, that is where liquid must not be.

use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;

use crate::body::slide;
use crate::setting::SettingError;
use crate::shape::{BoxShape, PlaneShape, Side};

/// Planes and boxes round the liquid, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walls {
    /// (unit normal towards the liquid, offset): liquid where normal · x > offset.
    planes: Vec<(Vec3, f32)>,
    /// For each plane, half the distance to the plane that faces it.
    room: Vec<f32>,
    boxes: Vec<Bounds>,
}

impl Walls {
    /// No wall at all: an open domain.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a box that holds the liquid, except for its open sides.
    pub fn with_domain(mut self, domain: BoxShape, open: &[Side]) -> Result<Self, SettingError> {
        domain.check_or_flat()?;
        let Bounds { min, max } = domain.bounds();
        let sides = [
            (Side::LowX, Vec3::X, min.x),
            (Side::HighX, -Vec3::X, -max.x),
            (Side::LowY, Vec3::Y, min.y),
            (Side::HighY, -Vec3::Y, -max.y),
            (Side::LowZ, Vec3::Z, min.z),
            (Side::HighZ, -Vec3::Z, -max.z),
        ];
        let closed = sides.into_iter().filter(|(side, ..)| !open.contains(side));
        self.planes.extend(closed.map(|(_, normal, offset)| (normal, offset)));
        self.measure_room();
        Ok(self)
    }

    /// Adds a plane.
    pub fn with_plane(mut self, plane: PlaneShape) -> Result<Self, SettingError> {
        self.planes.push(plane.equation()?);
        self.measure_room();
        Ok(self)
    }

    /// Adds a box that the liquid flows round.
    pub fn with_obstacle(mut self, obstacle: BoxShape) -> Result<Self, SettingError> {
        obstacle.check_or_flat()?;
        self.boxes.push(obstacle.bounds());
        Ok(self)
    }

    /// Unit normals towards the liquid and offsets of all planes, those of the domain included:
    /// liquid where normal · x > offset.
    pub fn planes(&self) -> &[(Vec3, f32)] {
        &self.planes
    }

    /// The boxes that the liquid flows round.
    pub fn obstacles(&self) -> &[Bounds] {
        &self.boxes
    }

    /// Distance to the nearest wall in metres, negative inside one; infinite without walls.
    pub fn signed_distance(&self, point: Vec3) -> f32 {
        self.nearest(point).map_or(f32::INFINITY, |(distance, _)| distance)
    }

    /// Distance to the nearest wall, negative inside one, and the unit vector away from it.
    pub fn nearest(&self, point: Vec3) -> Option<(f32, Vec3)> {
        let planes =
            self.planes.iter().map(|&(normal, offset)| (normal.dot(point) - offset, normal));
        let boxes = self.boxes.iter().map(|bounds| box_distance(bounds, point));
        planes.chain(boxes).reduce(|best, next| if next.0 < best.0 { next } else { best })
    }

    /// Where to put a particle that is inside a wall, or closer than the margin: (position,
    /// velocity). `None` if it may stay. In a gap narrower than two margins it goes to the middle.
    pub fn push_out(
        &self,
        position: Vec3,
        velocity: Vec3,
        margin: f32,
        friction: f32,
    ) -> Option<(Vec3, Vec3)> {
        const ROUNDS: usize = 4;
        if !position.is_finite() {
            return None;
        }
        let (mut place, mut speed) = (position, velocity);
        for _ in 0..ROUNDS {
            let before = place;
            for (&(normal, offset), &room) in self.planes.iter().zip(&self.room) {
                let missing = offset + margin.min(room) - normal.dot(place);
                if missing > 0.0 {
                    place += normal * missing;
                    speed = slide(speed, Vec3::ZERO, normal, friction);
                }
            }
            for bounds in &self.boxes {
                let (distance, normal) = box_distance(bounds, place);
                if distance < margin {
                    let (exit, normal) = self.exit(bounds, place, (distance, normal), margin);
                    place = exit;
                    speed = slide(speed, Vec3::ZERO, normal, friction);
                }
            }
            if place == before {
                break;
            }
        }
        (place != position).then_some((place, speed))
    }

    fn measure_room(&mut self) {
        let room = |&(normal, offset): &(Vec3, f32)| {
            let facing = self.planes.iter().filter(|(other, _)| *other == -normal);
            let gap = facing.map(|(_, far)| -far - offset).fold(f32::INFINITY, f32::min);
            0.5 * gap.max(0.0)
        };
        self.room = self.planes.iter().map(room).collect();
    }

    /// Where a point too close to a box goes, and the normal there: from inside, through the
    /// nearest face with room behind it.
    fn exit(
        &self,
        bounds: &Bounds,
        place: Vec3,
        (distance, normal): (f32, Vec3),
        margin: f32,
    ) -> (Vec3, Vec3) {
        let nearest = (place + normal * (margin - distance), normal);
        if distance > 0.0 {
            return nearest;
        }
        let mut exits: Vec<(f32, Vec3, Vec3)> = (0..6)
            .map(|face| {
                let (axis, high) = (face / 2, face % 2 == 1);
                let mut exit = place;
                exit[axis] =
                    if high { bounds.max[axis] + margin } else { bounds.min[axis] - margin };
                let normal = Vec3::AXES[axis] * if high { 1.0 } else { -1.0 };
                ((exit[axis] - place[axis]).abs(), exit, normal)
            })
            .collect();
        exits.sort_by(|a, b| a.0.total_cmp(&b.0));
        let free = exits.iter().find(|(_, exit, _)| self.signed_distance(*exit) > 0.0);
        free.map_or(nearest, |&(_, exit, normal)| (exit, normal))
    }
}

/// Distance to a box, negative inside, and the unit vector away from it.
fn box_distance(bounds: &Bounds, point: Vec3) -> (f32, Vec3) {
    let below = bounds.min - point;
    let above = point - bounds.max;
    let outside = below.max(above);
    let nearest_face = || {
        let axis = outside.max_position();
        let sign = if above[axis] >= below[axis] { 1.0 } else { -1.0 };
        (outside[axis], Vec3::AXES[axis] * sign)
    };
    if outside.max_element() <= 0.0 {
        return nearest_face();
    }
    let away = above.max(Vec3::ZERO) - below.max(Vec3::ZERO);
    let distance = away.length();
    if distance > f32::MIN_POSITIVE { (distance, away / distance) } else { nearest_face() }
}

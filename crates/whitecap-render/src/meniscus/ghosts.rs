//! Ghost particles: a thin layer inside a solid that continues the liquid (Morgenroth 2021, Fig. 4.8).
//!
//! Every particle near a solid gets a copy on the other side of the wall, as far inside as the
//! particle is outside. If the liquid has a free surface nearby, the copy is made parallel to that
//! surface instead of perpendicular to the wall, so that the surface continues straight even into
//! an inclined wall. In the corner of a tank a particle is copied to the other side of each wall,
//! and of both. A copy may come out on the far side of a thin wall, where it does not count (see
//! `sides`).

use glam::Vec3;
use rayon::prelude::*;

use super::Solid;
use super::contact::{Contact, ContactGuide, Facing, Range};
use super::sides::is_opposite;

/// A copy of a particle inside a solid.
#[derive(Clone, Copy)]
pub(super) struct Ghost {
    /// Index of the particle.
    pub particle: u32,
    /// Position of the copy, perpendicular to the wall.
    pub place: Vec3,
    solid: usize,
    /// The walls that it was copied across.
    pub walls: [Option<WallSide>; 3],
}

/// The copies of all particles within `layer` of a solid, perpendicular to its walls.
pub(super) fn ghosts(positions: &[Vec3], solids: &[Solid], layer: f32) -> Vec<Ghost> {
    positions
        .par_iter()
        .enumerate()
        .flat_map_iter(|(index, &position)| {
            let mut found = Vec::new();
            for (number, solid) in solids.iter().enumerate() {
                let near = wall_sides(solid, position, layer.min(solid.band()));
                let count = near.iter().flatten().count();
                for chosen in 1usize..1 << count {
                    let walls: [Option<WallSide>; 3] =
                        std::array::from_fn(|bit| near[bit].filter(|_| chosen >> bit & 1 == 1));
                    let across = walls.iter().flatten().map(|side| side.distance * side.normal);
                    let place = position - 2.0 * across.sum::<Vec3>();
                    let through = solid.distance(place) >= 0.0;
                    // Outside elsewhere, such as beyond an edge, it would be visible.
                    let far_side = |side: &WallSide| is_opposite(side.normal, solid.normal(place));
                    if !through || walls.iter().flatten().all(far_side) {
                        let particle = index as u32;
                        found.push(Ghost { particle, place, solid: number, walls });
                    }
                }
            }
            found
        })
        .collect()
}

impl Ghost {
    /// The offset from a copy perpendicular to the wall to one parallel to the free surface, for a
    /// particle with the given `reach`.
    pub fn way(&self, position: Vec3, guides: &[ContactGuide], reach: f32) -> Vec3 {
        let guide = guides.get(self.solid);
        let range =
            Range { full: 1.5 * reach, reach: 2.0 * reach, along: (1.5 * reach, 2.0 * reach) };
        let Some(wall) = self.walls.iter().flatten().next() else { return Vec3::ZERO };
        let contact =
            guide.and_then(|guide| guide.around(position, (wall.normal, Facing::One), range));
        let Some(contact) = contact.and_then(Contact::from_blend) else { return Vec3::ZERO };
        let along = |side: &WallSide| match contact.along.dot(side.normal).abs() < 0.3 {
            true => 2.0 * side.distance * contact.presence / contact.tilt.tan() * contact.along,
            false => Vec3::ZERO,
        };
        self.walls.iter().flatten().map(along).sum()
    }
}

/// A wall near a point.
#[derive(Clone, Copy)]
pub(super) struct WallSide {
    pub normal: Vec3,
    /// Distance of the point, in m.
    pub distance: f32,
}

/// The sides of a solid within `layer` of a point outside it: one, or two or three in a corner.
pub(super) fn wall_sides(solid: &Solid, point: Vec3, layer: f32) -> [Option<WallSide>; 3] {
    let mut found: [Option<WallSide>; 3] = [None; 3];
    // Away from the sides already known, the next one is the nearest.
    let mut place = point;
    for number in 0..3 {
        let normal = solid.normal(place);
        let distance = solid.distance(place) - normal.dot(place - point);
        let new = found.iter().flatten().all(|side| side.normal.dot(normal) < 0.7);
        if !(distance > 0.0 && distance < layer && new && normal != Vec3::ZERO) {
            break;
        }
        found[number] = Some(WallSide { normal, distance });
        place += 1.5 * layer * normal;
    }
    found
}

//! Ghost particles: a thin layer inside a solid that continues the liquid (Morgenroth 2021, Fig. 4.8).
//!
//! Every particle near a solid gets a copy on the other side of the wall, as far inside as the
//! particle is outside. Where the liquid has a free surface nearby, the copy is made parallel to that
//! surface and not square to the wall, so that the surface continues straight into an inclined wall,
//! too. In the corner of a tank a particle is copied to the other side of each wall, and of both.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::Particles;

use super::Solid;
use super::contact::ContactGuide;

/// (index of the particle, place of its copy) for all particles within `layer` of a solid.
pub(super) fn ghosts(
    particles: &Particles,
    solids: &[Solid],
    guides: &[ContactGuide],
    layer: f32,
) -> Vec<(u32, Vec3)> {
    particles
        .positions()
        .par_iter()
        .enumerate()
        .flat_map_iter(|(index, &position)| {
            let mut places = Vec::new();
            for (number, solid) in solids.iter().enumerate() {
                let sides = sides(solid, position, layer.min(solid.band()));
                let count = sides.iter().flatten().count();
                for chosen in 1u32..1 << count {
                    let mut ghost = position;
                    let mut depth = f32::INFINITY;
                    for (bit, side) in sides.iter().flatten().enumerate() {
                        if chosen >> bit & 1 == 1 {
                            ghost -=
                                2.0 * side.distance * side.across(guides.get(number), position);
                            depth = depth.min(side.distance);
                        }
                    }
                    // In a thin wall, a copy beyond the middle would belong to the other side.
                    if solid.distance(ghost) < -0.8 * depth {
                        places.push((index as u32, ghost));
                    }
                }
            }
            places
        })
        .collect()
}

/// A wall near a point.
#[derive(Clone, Copy)]
struct Side {
    normal: Vec3,
    distance: f32,
}

impl Side {
    /// A vector that leads one metre away from the wall for each metre of distance, along the free
    /// surface where there is one.
    fn across(&self, guide: Option<&ContactGuide>, point: Vec3) -> Vec3 {
        match guide.and_then(|guide| guide.at(point)) {
            Some(contact) if contact.along.dot(self.normal).abs() < 0.3 => {
                self.normal - contact.presence / contact.tilt.tan() * contact.along
            }
            _ => self.normal,
        }
    }
}

/// The sides of a solid within `layer` of a point outside it: one, or two or three in a corner.
fn sides(solid: &Solid, point: Vec3, layer: f32) -> [Option<Side>; 3] {
    let mut found: [Option<Side>; 3] = [None; 3];
    // Away from the sides already known, the next one is the nearest.
    let mut place = point;
    for number in 0..3 {
        let normal = solid.normal(place);
        let distance = solid.distance(place) - normal.dot(place - point);
        let new = found.iter().flatten().all(|side| side.normal.dot(normal) < 0.7);
        if !(distance > 0.0 && distance < layer && new && normal != Vec3::ZERO) {
            break;
        }
        found[number] = Some(Side { normal, distance });
        place += 1.5 * layer * normal;
    }
    found
}

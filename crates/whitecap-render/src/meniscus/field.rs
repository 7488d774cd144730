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

/// The most walls that are followed along one piece of a ray.
const MOST_WALLS: usize = 4;

/// A wall that is flat as far as a piece of a ray can tell, with a contact that changes evenly.
#[derive(Clone, Copy)]
pub(super) struct Straight {
    first: f32,
    slope: f32,
    contacts: Option<[Contact; 2]>,
    inverse_length: f32,
}

/// The walls near a piece of a ray: nothing is looked up twice.
pub(super) struct Piece<'a> {
    correction: &'a Correction,
    walls: [Option<(&'a Wall, Option<Straight>)>; MOST_WALLS],
    /// How far points may be moved, in m; infinite if there are too many walls to follow.
    pub margin: f32,
}

impl Piece<'_> {
    /// Distance to the nearest wall, in m, and what the meniscus moved the point by.
    pub fn at(&self, at: f32, point: Vec3, moved: bool) -> (f32, Vec3) {
        let length = self.correction.length;
        let (mut nearest, mut shift) = (f32::INFINITY, Vec3::ZERO);
        for (wall, straight) in self.walls.iter().flatten() {
            let (distance, part) = match straight {
                Some(straight) => {
                    let distance = straight.first + at * straight.slope;
                    let part = |[first, last]: [Contact; 2]| {
                        let contact = first.towards(&last, at * straight.inverse_length);
                        wall.displacement_at(&contact, distance, length)
                    };
                    let near = moved && distance < REACH * length;
                    (distance, straight.contacts.filter(|_| near).map_or(Vec3::ZERO, part))
                }
                None => {
                    let distance = wall.solid.distance(point);
                    let part =
                        if moved { wall.displacement(point, distance, length) } else { Vec3::ZERO };
                    (distance, part)
                }
            };
            nearest = nearest.min(distance);
            shift += part;
        }
        (nearest, shift)
    }
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
    /// Contact at a point, given its distance, if the meniscus or the extension reaches it.
    #[inline]
    fn contact(&self, point: Vec3, distance: f32, reach: f32) -> Option<Contact> {
        let guide = self.guide.as_ref()?;
        if distance >= reach.min(self.solid.band()) { None } else { guide.at(point) }
    }

    /// A lower bound of the distance to the solid in a block. Distances change no faster than the
    /// place, so a few of them bound all; first one, and 4³ if that does not tell.
    fn nearest_in_block(&self, center: Vec3, edge: f32) -> f32 {
        let whole = self.solid.distance(center) - 0.87 * edge;
        if whole > 0.5 * edge || whole < -1.75 * edge {
            return whole;
        }
        let corner = center - 0.375 * edge;
        let places = (0..64).map(|i| {
            corner + Vec3::new((i & 3) as f32, (i >> 2 & 3) as f32, (i >> 4) as f32) * (0.25 * edge)
        });
        places.map(|place| self.solid.distance(place)).fold(f32::INFINITY, f32::min) - 0.217 * edge
    }

    /// What the meniscus moved a point by, given its distance and the capillary length.
    #[inline]
    fn displacement(&self, point: Vec3, distance: f32, length: f32) -> Vec3 {
        self.contact(point, distance, REACH * length)
            .map_or(Vec3::ZERO, |contact| self.displacement_at(&contact, distance, length))
    }

    #[inline]
    fn displacement_at(&self, contact: &Contact, distance: f32, length: f32) -> Vec3 {
        let height = self.profile.at(distance.max(0.0) / length, contact.tilt).height;
        (contact.presence * length * height / contact.tilt.sin()) * contact.along
    }
}

impl Correction {
    /// c at a point: what the meniscus moved it by.
    pub fn displacement(&self, point: Vec3) -> Vec3 {
        let part = |wall: &Wall| wall.displacement(point, wall.solid.distance(point), self.length);
        self.walls.iter().map(part).sum()
    }

    /// An upper bound of |c| in a block of an edge length around a point, and its direction.
    pub fn largest_displacement(&self, center: Vec3, edge: f32) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for wall in &self.walls {
            let Some(contact) = wall.guide.as_ref().and_then(|guide| guide.at(center)) else {
                continue;
            };
            let nearest = wall.nearest_in_block(center, edge).max(0.0) / self.length;
            let height = wall.profile.at(nearest, contact.tilt).height;
            sum += (1.1 * self.length * height / contact.tilt.sin()) * contact.along;
        }
        sum
    }

    /// A lower bound of the distance to the walls in a block.
    pub fn nearest_in_block(&self, center: Vec3, edge: f32) -> f32 {
        let bounds = self.walls.iter().map(|wall| wall.nearest_in_block(center, edge));
        bounds.fold(f32::INFINITY, f32::min)
    }

    /// ∂c/∂x, as far as it comes from the distance to the walls.
    fn displacement_gradient(&self, point: Vec3) -> Mat3 {
        let reach = REACH * self.length;
        let mut sum = Mat3::ZERO;
        for wall in &self.walls {
            let distance = wall.solid.distance(point);
            if let Some(contact) = wall.contact(point, distance, reach) {
                let slope = wall.profile.at(distance.max(0.0) / self.length, contact.tilt).slope;
                let size = contact.presence * slope / contact.tilt.sin();
                sum += outer(size * contact.along, wall.solid.normal(point));
            }
        }
        sum
    }

    /// Where the liquid is asked for a point beside a wall, and the derivative of that place.
    pub fn extended(&self, point: Vec3) -> (Vec3, Mat3) {
        let (mut place, mut change) = (point, Mat3::IDENTITY);
        if self.extension <= 0.0 {
            return (place, change);
        }
        for wall in &self.walls {
            let distance = wall.solid.distance(point);
            let Some(contact) = wall.contact(point, distance, self.extension) else { continue };
            let missing = self.extension - distance;
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

    /// Distance to the nearest wall, in m.
    pub fn nearest_wall(&self, point: Vec3) -> f32 {
        self.walls.iter().map(|wall| wall.solid.distance(point)).fold(f32::INFINITY, f32::min)
    }

    /// The walls as seen from a piece of a ray.
    pub fn on_piece(&self, origin: Vec3, direction: Vec3, length: f32) -> Piece<'_> {
        let reach = (REACH * self.length).max(self.extension);
        let mut piece = Piece { correction: self, walls: [None; MOST_WALLS], margin: 0.0 };
        let mut free = piece.walls.iter_mut();
        for wall in &self.walls {
            let at = |share: f32| origin + share * length * direction;
            let [first, last] = [0.0, 1.0].map(|share| wall.solid.distance(at(share)));
            // No point of the piece is nearer than this.
            let nearest = (0.5 * (first + last - length)).max(0.0);
            if nearest > reach.min(0.99 * wall.solid.band()) {
                continue;
            }
            let middle = wall.solid.distance(at(0.5));
            let flat = (middle - 0.5 * (first + last)).abs() < 1e-4 * self.length;
            let contacts = [0.0, 0.5, 1.0].map(|share| wall.guide.as_ref()?.at(at(share)));
            let steady = match contacts {
                [None, None, None] => Some(None),
                [Some(a), Some(b), Some(c)] if a.towards(&c, 0.5).agrees(&b) => Some(Some([a, c])),
                _ => None,
            };
            if let [Some(a), _, _] | [_, Some(a), _] | [_, _, Some(a)] = contacts {
                let height = wall.profile.at(nearest / self.length, a.tilt).height;
                piece.margin += 1.2 * (self.length * height / a.tilt.sin()).abs();
            }
            let inverse_length = 1.0 / length.max(f32::MIN_POSITIVE);
            let straight = steady.filter(|_| flat).map(|contacts| Straight {
                first,
                slope: (last - first) * inverse_length,
                contacts,
                inverse_length,
            });
            match free.next() {
                Some(place) => *place = Some((wall, straight)),
                None => {
                    return Piece {
                        correction: self,
                        walls: [None; MOST_WALLS],
                        margin: f32::INFINITY,
                    };
                }
            }
        }
        piece
    }

    /// The corrected function: positive inside the solids.
    pub fn value(&self, liquid: &impl LiquidField, point: Vec3, time: f32, moved: bool) -> f32 {
        // Each distance is looked up once, for the cut and for the displacement.
        let (mut nearest, mut shift) = (f32::INFINITY, Vec3::ZERO);
        for wall in &self.walls {
            let distance = wall.solid.distance(point);
            nearest = nearest.min(distance);
            if moved {
                shift += wall.displacement(point, distance, self.length);
            }
        }
        let cut = self.overlap.map_or(f32::NEG_INFINITY, |overlap| -nearest - overlap);
        if cut > 0.0 {
            return cut;
        }
        liquid.value(self.extended(point - shift).0, time).max(cut)
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

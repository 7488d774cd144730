//! Where the undisturbed liquid meets a solid, extended to the neighbourhood of that line.
//!
//! The contact line is found on points of the solid's surface: where the liquid's function is nearly zero
//! there, one step along the wall leads to its zero. The tilt β comes from the liquid's normal a short
//! distance away, beyond the reach of the kernels that round off the edge. A coarse grid around the line
//! holds the weighted mean of β and of the direction along the wall, and a presence that falls from one to
//! zero where the meniscus has ended.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::sparse_grid::{local_node, offset_in_tile, tile_of, tile_order};
use whitecap_core::{Lattice, SparseGrid};

use super::Solid;
use super::profile::{REACH, SMALLEST_TILT};
use crate::liquid::LiquidField;
use crate::liquid::blocks::FIRST_SIGN;

/// The contact nearest to a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// Unit vector along the wall, from liquid to air.
    pub along: Vec3,
    /// β in radians.
    pub tilt: f32,
    /// Away from the wall, of any length.
    pub wall: Vec3,
    /// One near the contact line, zero if there is none.
    pub presence: f32,
}

/// (direction, tilt, normal of the wall, 1) · presence: what may be interpolated between points.
pub(super) type Blend = [f32; 8];

/// No contact.
pub(super) const ABSENT: Blend = [0.0; 8];

impl Contact {
    /// The contact for an interpolated value.
    #[inline]
    pub fn from_blend([x, y, z, tilt, a, b, c, presence]: Blend) -> Option<Self> {
        let (along, wall) = (Vec3::new(x, y, z).try_normalize()?, Vec3::new(a, b, c));
        (presence > 1e-4).then(|| Self { along, tilt: tilt / presence, wall, presence })
    }

    /// Whether it belongs to the side of a wall that faces a direction (zero: to any).
    #[inline]
    pub fn is_on_side(&self, facing: Vec3) -> bool {
        self.wall.dot(facing) >= 0.0
    }

    /// The contact at a fraction of the way to another one.
    #[inline]
    pub fn towards(&self, other: &Self, share: f32) -> Self {
        Self {
            along: self.along.lerp(other.along, share),
            tilt: self.tilt + (other.tilt - self.tilt) * share,
            wall: self.wall,
            presence: self.presence + (other.presence - self.presence) * share,
        }
    }

    /// Whether another one is practically the same: within `part` of a radian, and of one.
    pub fn agrees(&self, other: &Self, part: f32) -> bool {
        self.along.distance(other.along) < part
            && (self.tilt - other.tilt).abs() < part
            && (self.presence - other.presence).abs() < part
    }
}

/// A point of the contact line.
#[derive(Clone, Copy, Debug)]
struct ContactPoint {
    position: Vec3,
    /// Away from the wall.
    normal: Vec3,
    along: Vec3,
    tilt: f32,
}

/// β and the direction along the wall around the contact line of one solid.
pub(super) struct ContactGuide {
    grid: SparseGrid<Blend>,
    points: Vec<ContactPoint>,
    /// The points by position.
    near: NeighbourGrid,
}

/// Which sides of a wall with a normal count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Facing {
    /// The one from which the normal points away.
    One,
    /// That and the opposite one.
    Both,
}

/// Where the contact line has an effect.
#[derive(Clone, Copy)]
pub(super) struct Range {
    /// Distance within which the presence is one, in m.
    pub full: f32,
    /// Distance at which it has fallen to zero, in m.
    pub reach: f32,
    /// The same two distances up or down the wall.
    pub along: (f32, f32),
}

impl ContactGuide {
    /// The guide of one solid for menisci of capillary length `length`.
    pub fn new(liquid: &impl LiquidField, solid: &Solid, length: f32) -> Self {
        let cell = (0.5 * liquid.spacing()).max(0.25 * length);
        let points = contact_points(liquid, solid, cell);
        // As far as the meniscus reaches sideways, or as far as it moves the contact line.
        let moved = |point: &ContactPoint| {
            let height = 2.0 * (0.5 * (point.tilt - solid.contact_angle())).sin();
            (height / point.tilt.sin()).abs()
        };
        let farthest = points.iter().map(moved).fold(0.0, f32::max).min(8.0);
        let full = REACH.max(farthest + 2.0) * length + 0.75 * cell;
        // Down the wall it ends sooner, but gradually, so that no two points are moved to the same
        // place.
        let along = (farthest + 0.5) * length + cell;
        let range = Range {
            full,
            reach: full + length + cell,
            along: (along, along + 3.0 * farthest.max(0.5) * length + cell),
        };
        let positions: Vec<Vec3> = points.iter().map(|point| point.position).collect();
        let lattice = Lattice::at_origin(cell);
        let near = NeighbourGrid::build(&positions, range.reach);
        let mut made = Self { grid: SparseGrid::new(lattice, ABSENT), points, near };
        made.grid = made.spread(lattice, range, solid);
        made
    }

    /// Whether the liquid does not touch the solid.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The grid's lattice and tiles.
    pub fn grid(&self) -> &SparseGrid<Blend> {
        &self.grid
    }

    /// The contact nearest to a point.
    #[inline]
    pub fn at(&self, point: Vec3) -> Option<Contact> {
        Contact::from_blend(self.blend(point)?)
    }

    /// What the contact is made from: (direction, tilt, 1) · presence, blended between nodes.
    pub fn blend(&self, point: Vec3) -> Option<Blend> {
        let (base, t) = self.grid.lattice().locate(point);
        let mut sum = ABSENT;
        let tile = self.grid.tile(tile_of(base));
        let whole = (base & 7).max_element() < 7;
        if whole && tile.is_none() {
            return None;
        }
        for corner in 0..8 {
            let step = IVec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
            let near = Vec3::ONE - (t - step.as_vec3()).abs();
            let weight = near.x * near.y * near.z;
            let node = base + step;
            let tile = if whole { tile } else { self.grid.tile(tile_of(node)) };
            if let Some(tile) = tile {
                for (sum, value) in sum.iter_mut().zip(tile.at(offset_in_tile(node))) {
                    *sum += weight * value;
                }
            }
        }
        Some(sum)
    }

    /// The contacts around a point beside a wall with a normal: a mean that weights near ones most. Those at
    /// a wall that faces elsewhere, such as the floor or the far side of a thin wall, do not count.
    pub fn around(&self, point: Vec3, wall: (Vec3, Facing), range: Range) -> Option<Blend> {
        let nearest = self.near.nearest(point, range.reach)?.1;
        let mut mean = ContactMean::new(self.cell(), nearest, range);
        self.near.for_each_within(point, mean.reach(), |place, squared| {
            mean.add(&self.points[self.near.order()[place] as usize], squared, point, wall);
        });
        mean.blend()
    }

    fn cell(&self) -> f32 {
        self.grid.lattice().cell
    }

    /// Means on the nodes near the contact line that are not deep inside the solid.
    fn spread(&self, lattice: Lattice, range: Range, solid: &Solid) -> SparseGrid<Blend> {
        let reach = range.reach;
        let mut tiles: Vec<IVec3> = self
            .points
            .par_iter()
            .flat_map_iter(|point| {
                let low: IVec3 = lattice.locate(point.position - reach).0 >> 3;
                let high: IVec3 = (lattice.locate(point.position + reach).0 + 1) >> 3;
                let span = high - low + 1;
                (0..span.x * span.y * span.z).map(move |i| {
                    low + IVec3::new(i % span.x, i / span.x % span.y, i / (span.x * span.y))
                })
            })
            .collect();
        tiles.par_sort_unstable_by_key(|tile| tile_order(*tile));
        tiles.dedup();
        SparseGrid::filled(lattice, ABSENT, tiles, |tile, values| {
            let candidates = self.near_tile(lattice, tile, reach);
            for (offset, value) in values.iter_mut().enumerate() {
                let node = lattice.position(tile * 8 + local_node(offset));
                let distance = solid.distance(node);
                if distance > -2.0 * lattice.cell && distance < reach {
                    // Inside a thin solid both sides are near.
                    let sides = if distance > 0.0 { Facing::One } else { Facing::Both };
                    let wall = (solid.normal(node), sides);
                    *value =
                        mean_of(&candidates, lattice.cell, node, wall, range).unwrap_or(ABSENT);
                }
            }
        })
    }

    /// All contacts that count for some node of a tile.
    fn near_tile(&self, lattice: Lattice, tile: IVec3, reach: f32) -> Vec<ContactPoint> {
        let half = 3.5 * 3.0f32.sqrt() * lattice.cell;
        let middle = lattice.position(tile * 8) + 3.5 * lattice.cell;
        let Some((_, nearest)) = self.near.nearest(middle, reach + half) else { return Vec::new() };
        // No node is farther from the nearest contact than this.
        let farthest = nearest.sqrt() + half;
        let mut found = Vec::new();
        self.near.for_each_within(middle, farthest + BREADTH * lattice.cell + half, |place, _| {
            found.push(self.points[self.near.order()[place] as usize]);
        });
        found
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.grid.tile_count() * 512 * size_of::<Blend>()
    }
}

/// The mean of contacts around a point.
fn mean_of(
    contacts: &[ContactPoint],
    cell: f32,
    point: Vec3,
    wall: (Vec3, Facing),
    range: Range,
) -> Option<Blend> {
    let squared = |contact: &ContactPoint| contact.position.distance_squared(point);
    let nearest = contacts.iter().map(squared).fold(f32::INFINITY, f32::min);
    if nearest > range.reach * range.reach {
        return None;
    }
    let mut mean = ContactMean::new(cell, nearest, range);
    for contact in contacts {
        mean.add(contact, squared(contact), point, wall);
    }
    mean.blend()
}

/// Contacts count for a point if they are farther than the nearest by less than this many cells.
const BREADTH: f32 = 6.0;

/// A mean of contacts that weights near ones most.
struct ContactMean {
    range: Range,
    cell: f32,
    /// Squares of the distance of the nearest contact, and of the distance beyond which none
    /// counts.
    nearest: f32,
    farthest: f32,
    along: Vec3,
    wall: Vec3,
    tilt: f32,
    way: f32,
    /// Sum of all weights, and of those by distance alone.
    total: f32,
    all: f32,
}

impl ContactMean {
    fn new(cell: f32, nearest: f32, range: Range) -> Self {
        Self {
            range,
            cell,
            nearest,
            farthest: (nearest.sqrt() + BREADTH * cell).powi(2),
            along: Vec3::ZERO,
            wall: Vec3::ZERO,
            tilt: 0.0,
            way: 0.0,
            total: 0.0,
            all: 0.0,
        }
    }

    fn reach(&self) -> f32 {
        self.farthest.sqrt()
    }

    fn add(&mut self, contact: &ContactPoint, squared: f32, point: Vec3, wall: (Vec3, Facing)) {
        let ahead = self.farthest - squared;
        if ahead <= 0.0 {
            return;
        }
        let fade = ahead / (self.farthest - self.nearest);
        let near = (fade / (squared / (self.cell * self.cell) + 1.0)).powi(2);
        let alike = contact.normal.dot(wall.0);
        let alike = if wall.1 == Facing::Both { alike.abs() } else { alike.max(0.0) };
        let weight = near * alike;
        self.all += near;
        self.total += weight;
        self.along += weight * contact.along;
        self.wall += weight * contact.normal;
        self.tilt += weight * contact.tilt;
        self.way += weight * (point - contact.position).dot(contact.along);
    }

    fn blend(&self) -> Option<Blend> {
        let (range, total) = (self.range, self.total);
        let along = self.along.try_normalize()?;
        let presence = fade(self.nearest.sqrt(), range.full, range.reach)
            * fade((self.way / total).abs(), range.along.0, range.along.1)
            * (1.0 - fade(total / self.all, 0.3, 0.7));
        let [x, y, z] = (along * presence).to_array();
        let [a, b, c] = (self.wall * (presence / total)).to_array();
        Some([x, y, z, self.tilt / total * presence, a, b, c, presence])
    }
}

/// One up to `from`, zero from `to` on.
fn fade(value: f32, from: f32, to: f32) -> f32 {
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
    1.0 - share * share * (3.0 - 2.0 * share)
}

/// Points of the contact line about `cell` apart.
fn contact_points(liquid: &impl LiquidField, solid: &Solid, cell: f32) -> Vec<ContactPoint> {
    let touched = thinned(touched_places(liquid, solid, cell), cell);
    touched.par_iter().filter_map(|&place| contact_point(liquid, solid, place)).collect()
}

/// Points on the solid's surface where the liquid's function is zero, several to a cell.
fn touched_places(liquid: &impl LiquidField, solid: &Solid, cell: f32) -> Vec<Vec3> {
    let blocks = liquid.blocks_of_surface();
    let edge = blocks.edge();
    let pieces = (edge / cell).ceil().clamp(1.0, 8.0);
    let pitch = edge / pieces;
    let states = blocks.states();
    let tiles: Vec<usize> = (0..states.tile_count()).collect();
    tiles
        .par_iter()
        .flat_map_iter(|&tile| {
            let mut found = Vec::new();
            let low = states.lattice().position(states.coordinates()[tile] * 8);
            let dense = states.tiles()[tile].dense();
            let far = solid.distance(low + 4.0 * edge).abs() > 7.0 * edge;
            if far && solid.band() > 7.1 * edge {
                return found;
            }
            for (offset, &state) in dense.into_iter().flatten().enumerate() {
                let corner = low + local_node(offset).as_vec3() * edge;
                if state >= FIRST_SIGN || solid.distance(corner + 0.5 * edge).abs() > edge {
                    continue;
                }
                for piece in 0..(pieces * pieces * pieces) as u32 {
                    let n = pieces as u32;
                    let step = glam::UVec3::new(piece % n, piece / n % n, piece / (n * n));
                    let point = corner + (step.as_vec3() + 0.5) * pitch;
                    found.extend(touched_place(liquid, solid, point, pitch));
                }
            }
            found
        })
        .collect()
}

/// The contact near a point, if the solid and the contact line pass within `pitch` of it.
fn touched_place(
    liquid: &impl LiquidField,
    solid: &Solid,
    point: Vec3,
    pitch: f32,
) -> Option<Vec3> {
    let distance = solid.distance(point);
    // In the corners of a tank the liquid is full of holes that are not contacts.
    if distance.abs() > 0.87 * pitch || !solid.is_smooth(point, pitch) {
        return None;
    }
    let normal = solid.normal(point);
    let mut position = point - distance * normal;
    for _ in 0..2 {
        let (value, gradient) = liquid.sample(position, 0.0, normal);
        let along = gradient - normal * gradient.dot(normal);
        let step = along * (value / along.length_squared());
        // Also if there is no gradient, and the step is NaN.
        let near = step.length() < 1.5 * pitch;
        if !near {
            return None;
        }
        position -= step;
    }
    Some(position)
}

/// One point for each cell: the mean of those in it.
fn thinned(places: Vec<Vec3>, cell: f32) -> Vec<Vec3> {
    if places.is_empty() {
        return places;
    }
    let grid = NeighbourGrid::build(&places, cell);
    (0..grid.cell_count())
        .map(|cell| {
            let places = &grid.positions()[grid.cell_range(cell)];
            places.iter().sum::<Vec3>() / places.len() as f32
        })
        .collect()
}

/// Tilt and direction at a point of the contact line; `None` if liquid and wall are nearly
/// parallel.
fn contact_point(liquid: &impl LiquidField, solid: &Solid, place: Vec3) -> Option<ContactPoint> {
    let normal = solid.normal(place);
    let position = place - solid.distance(place) * normal;
    let surface = surface_normal(liquid, position, normal)?;
    let cosine = surface.dot(normal).clamp(-1.0, 1.0);
    let tilt = cosine.acos();
    let usable = tilt > SMALLEST_TILT && tilt < std::f32::consts::PI - SMALLEST_TILT;
    let along = (surface - cosine * normal).try_normalize()?;
    usable.then_some(ContactPoint { position, normal, along, tilt })
}

/// The liquid's normal near a point of the contact line, taken beyond the rounded edge.
fn surface_normal(liquid: &impl LiquidField, contact: Vec3, wall: Vec3) -> Option<Vec3> {
    let mut away = wall;
    let mut normal = None;
    for _ in 0..2 {
        let sum = [0.9, 1.2, 1.5, 1.8].iter().fold(Vec3::ZERO, |sum, share| {
            let start = contact + away * (share * liquid.edge_width());
            sum + projected_normal(liquid, start, wall).unwrap_or(Vec3::ZERO)
        });
        let Some(found) = sum.try_normalize() else { break };
        normal = Some(found);
        // Next time along the surface, still one step away from the wall for each step of distance.
        let along = wall - found * found.dot(wall);
        if along.length_squared() < 0.03 {
            break;
        }
        away = along / along.dot(wall);
    }
    normal.or_else(|| liquid.sample(contact, 0.0, wall).1.try_normalize())
}

/// The normal where the surface is nearest to a point, if it is near.
fn projected_normal(liquid: &impl LiquidField, start: Vec3, wall: Vec3) -> Option<Vec3> {
    let mut point = start;
    for _ in 0..7 {
        let (value, gradient) = liquid.sample(point, 0.0, wall);
        let step = gradient * (value / gradient.length_squared());
        if !step.is_finite() {
            return None;
        }
        if step.length() < 0.02 * liquid.spacing() {
            let near = point.distance(start) < 1.5 * liquid.edge_width();
            return gradient.try_normalize().filter(|_| near);
        }
        point -= step.clamp_length_max(0.5 * liquid.spacing());
    }
    None
}

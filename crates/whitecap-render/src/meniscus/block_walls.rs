//! The walls near a block, with everything that rays need to know about them.

use glam::{IVec3, Vec3};

use super::Solid;
use super::contact::{ABSENT, Blend, Contact, ContactGuide};
use super::field::Wall;

/// Largest number of planes of one solid that meet in a block: the corner of a tank.
pub(super) const MOST_PLANES: usize = 3;

/// Largest number of walls of one block.
pub(super) const MOST_WALLS: usize = 4;

/// A plane n·x + offset, positive on the side of the liquid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plane {
    pub normal: Vec3,
    offset: f32,
}

impl Plane {
    pub fn distance(&self, point: Vec3) -> f32 {
        self.normal.dot(point) + self.offset
    }
}

/// A wall near a block. Its distance is the smallest of those of its planes, if it has any;
/// otherwise it is curved and must be evaluated.
#[derive(Clone, Debug)]
pub(super) struct BlockWall {
    /// Number of the wall.
    pub wall: u32,
    pub planes: Planes,
    contact: Option<BlockContact>,
}

/// Some planes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Planes {
    planes: [Plane; MOST_PLANES],
    count: usize,
}

impl Planes {
    /// All of them.
    pub fn as_slice(&self) -> &[Plane] {
        &self.planes[..self.count]
    }

    /// Smallest distance of a point.
    fn distance(&self, point: Vec3) -> f32 {
        self.as_slice().iter().map(|plane| plane.distance(point)).fold(f32::INFINITY, f32::min)
    }
}

/// The contact with a wall in a block: interpolated between nodes that are as far apart as those of
/// the guide, or at the corners of the block.
#[derive(Clone, Debug)]
struct BlockContact {
    low: Vec3,
    inverse_cell: f32,
    /// Cells along an edge of the block.
    cells: usize,
    nodes: Box<[Blend]>,
}

impl BlockContact {
    const MOST_CELLS: f32 = 4.0;

    /// The contact of a block; `None` if the guide has none in it.
    fn new(guide: &ContactGuide, center: Vec3, edge: f32) -> Option<Self> {
        let cells = (edge / guide.grid().lattice().cell).round().clamp(1.0, Self::MOST_CELLS);
        let (low, cell, cells) = (center - 0.5 * edge, edge / cells, cells as usize);
        let count = cells + 1;
        // Usually the nodes are those of the guide.
        let grid = guide.grid();
        let (first, aside) = grid.lattice().locate(low + 0.5 * grid.lattice().cell);
        let on_nodes = (aside - 0.5).abs().max_element() < 1e-3
            && (cell / grid.lattice().cell - 1.0).abs() < 1e-4;
        let node = |n: usize| {
            let step = IVec3::new(
                (n % count) as i32,
                (n / count % count) as i32,
                (n / (count * count)) as i32,
            );
            match on_nodes {
                true => grid.get(first + step),
                false => guide.blend(low + cell * step.as_vec3()).unwrap_or(ABSENT),
            }
        };
        let nodes: Box<[Blend]> = (0..count * count * count).map(node).collect();
        let any = nodes.iter().any(|blend| blend[7] > 0.0);
        any.then_some(Self { low, inverse_cell: 1.0 / cell, cells, nodes })
    }

    fn at(&self, point: Vec3) -> Option<Contact> {
        let most = self.cells as f32;
        let place = ((point - self.low) * self.inverse_cell).clamp(Vec3::ZERO, Vec3::splat(most));
        let base = place.min(Vec3::splat(most - 1.0)).floor();
        let (t, base, count) = (place - base, base.as_usizevec3(), self.cells + 1);
        let first = base.x + count * (base.y + count * base.z);
        let mix = |a: &Blend, b: &Blend, s: f32| -> Blend {
            std::array::from_fn(|i| a[i] + (b[i] - a[i]) * s)
        };
        let row = |start: usize| mix(&self.nodes[start], &self.nodes[start + 1], t.x);
        let slice = |start: usize| mix(&row(start), &row(start + count), t.y);
        Contact::from_blend(mix(&slice(first), &slice(first + count * count), t.z))
    }
}

impl BlockWall {
    /// The wall as a block sees it.
    pub fn new(number: u32, wall: &Wall, center: Vec3, edge: f32) -> Self {
        let contact = wall.guide.as_ref().and_then(|guide| BlockContact::new(guide, center, edge));
        Self { wall: number, planes: Planes::default(), contact }
    }

    /// Finds its planes; `tolerance` is how far they may be from it, in m.
    pub fn flatten(&mut self, solid: &Solid, center: Vec3, edge: f32, tolerance: f32) {
        self.planes = planes(solid, center, edge, tolerance).unwrap_or_default();
    }

    /// Whether there is a contact in the block.
    pub fn has_contact(&self) -> bool {
        self.contact.is_some()
    }

    /// The contact at a point of the block.
    #[inline]
    pub fn contact(&self, point: Vec3) -> Option<Contact> {
        self.contact.as_ref()?.at(point)
    }

    /// A lower bound of the distance in the block.
    pub fn nearest(&self, solid: &Solid, center: Vec3, edge: f32) -> f32 {
        if self.is_flat() {
            let lowest = |plane: &Plane| {
                plane.distance(center) - 0.501 * edge * plane.normal.abs().element_sum()
            };
            return self.planes.as_slice().iter().map(lowest).fold(f32::INFINITY, f32::min);
        }
        // Distances change no faster than positions, and no point is farther than this from a
        // sample.
        let samples = (0..27).map(|n| solid.distance(node(center, edge, n)));
        samples.fold(f32::INFINITY, f32::min) - 0.434 * edge
    }

    /// Whether the wall is made of planes here.
    pub fn is_flat(&self) -> bool {
        self.planes.count > 0
    }
}

/// The middle of a block, its corners, and the middles of its edges and sides.
fn node(center: Vec3, edge: f32, number: usize) -> Vec3 {
    let n = (number + 13) % 27;
    let step = Vec3::new((n % 3) as f32, (n / 3 % 3) as f32, (n / 9) as f32) - 1.0;
    center + 0.501 * edge * step
}

/// Planes whose smallest distance is the solid's throughout a block, if there are any.
fn planes(solid: &Solid, center: Vec3, edge: f32, tolerance: f32) -> Option<Planes> {
    // Usually there is one, and the corners show it.
    let normal = solid.normal(center);
    let first = Plane { normal, offset: solid.distance(center) - normal.dot(center) };
    let corners = (0..8).map(|c| {
        let step = Vec3::new((c & 1) as f32, (c >> 1 & 1) as f32, (c >> 2) as f32) - 0.5;
        center + 1.002 * edge * step
    });
    let on_plane = |point: Vec3| (first.distance(point) - solid.distance(point)).abs() <= tolerance;
    if normal != Vec3::ZERO && corners.into_iter().all(on_plane) {
        return Some(Planes { planes: [first, Plane::default(), Plane::default()], count: 1 });
    }
    let nodes = || (0..27).map(|n| node(center, edge, n)).map(|p| (p, solid.distance(p)));
    let mut found = Planes::default();
    for (point, exact) in nodes() {
        if (found.distance(point) - exact).abs() <= tolerance {
            continue;
        }
        let normal = solid.normal(point);
        if found.count == MOST_PLANES || normal == Vec3::ZERO {
            return None;
        }
        found.planes[found.count] = Plane { normal, offset: exact - normal.dot(point) };
        found.count += 1;
    }
    // A plane that was found late must agree with the earlier points.
    let agrees = |(point, exact): (Vec3, f32)| (found.distance(point) - exact).abs() <= tolerance;
    nodes().all(agrees).then_some(found)
}

//! Triangles between the columns of four neighbouring cells (Dagenais et al. 2018, §4.2 and 4.3).
//!
//! Going around the four corners of a quartet, linked columns follow each other in rings and chains. A ring
//! has four corners and becomes two triangles. A chain begins and ends where its surface does: at a shore,
//! inside a wall, or at a lip. It becomes a polygon, whose sides along the borders of the quartet depend on
//! pairs of columns only, so that the quartets on both sides of a border agree.
//!
//! The paper joins groups of columns that are all linked with each other, which can leave a border
//! between two quartets open; only links along the sides count here.

use std::ops::Range;

use glam::Vec3;

use crate::liquid::columns::Columns;
use crate::surface::ground::{cell_of, of_cell};
use crate::surface::links::{NONE, Side, is_solid};
use crate::surface::vertices::{extra_at, step};
use crate::surface::{Surface, VertexKind};

/// Numbers from here on mean corners of a row, numbered when the rows are put together.
const CORNER: u32 = 1 << 31;

/// A vertex in the middle of a quartet or at the far corner of a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub position: Vec3,
    pub normal: Vec3,
    pub opacity: f32,
    pub kind: VertexKind,
    pub column: u32,
}

/// Triangles and corners of some rows of quartets, kept from frame to frame to reuse their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Band {
    pub triangles: Vec<[u32; 3]>,
    pub corners: Vec<Corner>,
    chain: Vec<u32>,
}

impl Band {
    /// Clears it.
    pub fn clear(&mut self) {
        self.triangles.clear();
        self.corners.clear();
    }

    /// A vertex as numbered in the whole surface, when the band's first corner has number `first`.
    pub fn number(vertex: u32, first: u32) -> u32 {
        if vertex >= CORNER { vertex - CORNER + first } else { vertex }
    }

    /// A triangle whose corners follow each other from +x to +z: flipped, so that it faces up.
    fn triangle(&mut self, a: u32, b: u32, c: u32) {
        self.triangles.push([a, c, b]);
    }

    fn corner(&mut self, corner: Corner) -> u32 {
        self.corners.push(corner);
        CORNER + (self.corners.len() - 1) as u32
    }
}

/// Triangulates quartets.
pub(super) struct Quartets<'a> {
    pub surface: &'a Surface,
    pub columns: &'a Columns,
}

/// A chain of linked columns around a quartet: its vertices are in the band.
struct Chain {
    /// Corner of the quartet at which its first column or wall lies.
    first_corner: usize,
    starts_with_lip: bool,
    ends_with_lip: bool,
    has_free: bool,
}

impl Quartets<'_> {
    /// Adds the triangles of some rows of quartets.
    pub fn rows(&self, rows: Range<usize>, band: &mut Band) {
        let width = self.columns.grid().width();
        for z in rows {
            for x in 0..width - 1 {
                let low = z * width + x;
                let cells = [low, low + 1, low + width + 1, low + width];
                if cells.iter().any(|&cell| self.surface.links.cell_is_free(cell)) {
                    self.quartet(cells, band);
                }
            }
        }
    }

    fn quartet(&self, cells: [usize; 4], band: &mut Band) {
        let mut rings = 0;
        for column in of_cell(self.columns, cells[0]) {
            if let Some(ring) = self.ring(column) {
                self.square(ring, band);
                rings += 1;
            }
        }
        if cells.iter().all(|&cell| of_cell(self.columns, cell).len() == rings) {
            return;
        }
        for (corner, &cell) in cells.iter().enumerate() {
            for column in of_cell(self.columns, cell) {
                let used = self.surface.kinds[column] != VertexKind::Unused;
                if used && self.link(column, backward(corner)).is_none() {
                    let chain = self.chain(column, corner, band);
                    if chain.has_free {
                        self.polygon(&chain, cells, band);
                    }
                }
            }
        }
    }

    /// The four columns of a ring through a column of the first corner.
    fn ring(&self, column: usize) -> Option<[u32; 4]> {
        let second = self.link(column, 0)?;
        let third = self.link(second, 1)?;
        let fourth = self.link(third, 2)?;
        let closed = self.link(fourth, 3)? == column;
        closed.then_some([column as u32, second as u32, third as u32, fourth as u32])
    }

    /// Follows the links from a column that has none behind it.
    fn chain(&self, column: usize, corner: usize, band: &mut Band) -> Chain {
        let mut chain = Chain {
            first_corner: corner,
            starts_with_lip: false,
            ends_with_lip: false,
            has_free: false,
        };
        band.chain.clear();
        match self.side(column, backward(corner)) {
            Side::Wall => chain.first_corner = (corner + 3) % 4,
            Side::Lip => chain.starts_with_lip = true,
            Side::Edge | Side::Link => {}
        }
        band.chain.extend(self.extra(column, backward(corner)));
        let (mut column, mut corner) = (column, corner);
        loop {
            band.chain.push(column as u32);
            chain.has_free |= self.is_free(column as u32);
            match self.link(column, corner) {
                Some(next) => (column, corner) = (next, (corner + 1) % 4),
                None => break,
            }
        }
        chain.ends_with_lip = self.side(column, corner) == Side::Lip;
        band.chain.extend(self.extra(column, corner));
        chain
    }

    fn polygon(&self, chain: &Chain, cells: [usize; 4], band: &mut Band) {
        let nodes = std::mem::take(&mut band.chain);
        let lips = usize::from(chain.starts_with_lip) + usize::from(chain.ends_with_lip);
        let corners = nodes.len() - lips;
        match (corners, lips) {
            (3, 0) => self.corner_of_shore([nodes[0], nodes[1], nodes[2]], chain, cells, band),
            (4, 0) => {
                let at = |corner: usize| nodes[(corner + 4 - chain.first_corner) % 4];
                self.square([at(0), at(1), at(2), at(3)], band);
            }
            (1..=3, _) => {
                // Convex seen from above: a fan from the second corner, or the only one.
                let apex = usize::from(chain.starts_with_lip) + usize::from(corners == 3);
                let count = nodes.len();
                for turn in 1..count.saturating_sub(1) {
                    let (b, c) = ((apex + turn) % count, (apex + turn + 1) % count);
                    band.triangle(nodes[apex], nodes[b], nodes[c]);
                }
            }
            _ => self.fan(&nodes, band),
        }
        band.chain = nodes;
    }

    /// One column with a free surface between two shores or walls: a triangle, and a second one if
    /// the ground or wall continues at the far corner.
    fn corner_of_shore(&self, nodes: [u32; 3], chain: &Chain, cells: [usize; 4], band: &mut Band) {
        let [before, middle, after] = nodes;
        band.triangle(before, middle, after);
        let corner = (chain.first_corner + 1) % 4;
        let column = middle as usize;
        let (links, levels) = (&self.surface.links, &self.surface.levels);
        let cell = cell_of(self.columns, column);
        let far = match links.at(self.columns, levels, cell, column, 4 + corner) {
            NONE => {
                let level = self.surface.levels.spans[column].level;
                if !is_solid(self.columns, &self.surface.levels, level, cells[(corner + 2) % 4]) {
                    return;
                }
                band.corner(Corner {
                    position: self.surface.positions[column] + step(self.columns, 4 + corner, 1.0),
                    normal: self.surface.normals[column],
                    opacity: self.surface.opacity[column],
                    kind: VertexKind::Wall,
                    column: middle,
                })
            }
            // It belongs to another chain, which has triangles of its own.
            far if self.is_in_chain(far as usize, (corner + 2) % 4) => return,
            far => far,
        };
        band.triangle(before, after, far);
    }

    /// Two triangles. If exactly one diagonal joins two columns that both have or both lack a free
    /// surface, it is that one; otherwise it joins the higher columns (Chentanez and Müller 2010).
    fn square(&self, [a, b, c, d]: [u32; 4], band: &mut Band) {
        let heights = [a, b, c, d].map(|vertex| self.surface.positions[vertex as usize].y);
        if diagonal_is_first(heights, [a, b, c, d].map(|vertex| self.is_free(vertex))) {
            band.triangle(a, b, c);
            band.triangle(a, c, d);
        } else {
            band.triangle(b, c, d);
            band.triangle(b, d, a);
        }
    }

    /// A chain that ends above or below where it began: triangles around the middle of the quartet, open
    /// between its ends.
    fn fan(&self, nodes: &[u32], band: &mut Band) {
        let share = 1.0 / nodes.len() as f32;
        let (mut height, mut opacity, mut normal) = (0.0, 0.0, Vec3::ZERO);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &node in nodes {
            let position = self.surface.positions[node as usize];
            (low, high) = (low.min(position), high.max(position));
            height += share * position.y;
            opacity += share * self.surface.opacity[node as usize];
            normal += self.surface.normals[node as usize];
        }
        let middle = low.midpoint(high);
        let center = band.corner(Corner {
            position: Vec3::new(middle.x, height, middle.z),
            normal: normal.try_normalize().unwrap_or(Vec3::Y),
            opacity,
            kind: VertexKind::Lip,
            column: self.surface.vertex_columns[nodes[0] as usize],
        });
        for pair in nodes.windows(2) {
            band.triangle(center, pair[0], pair[1]);
        }
    }

    /// Whether a column at a corner of a quartet has a chain: a free surface, or a link along a side.
    fn is_in_chain(&self, column: usize, corner: usize) -> bool {
        self.is_free(column as u32)
            || self.link(column, corner).is_some()
            || self.link(column, backward(corner)).is_some()
    }

    fn is_free(&self, vertex: u32) -> bool {
        self.surface.kinds[vertex as usize] == VertexKind::Free
    }

    fn link(&self, column: usize, direction: usize) -> Option<usize> {
        let other = self.surface.links.beside(column, direction);
        (other != NONE).then_some(other as usize)
    }

    fn side(&self, column: usize, direction: usize) -> Side {
        self.surface.links.sides[column].at(direction)
    }

    /// The wall's or lip's vertex at a side of a column.
    fn extra(&self, column: usize, direction: usize) -> Option<u32> {
        matches!(self.side(column, direction), Side::Wall | Side::Lip)
            .then(|| extra_at(&self.surface.extra_start, &self.surface.links, column, direction))
    }
}

/// Direction from a corner of a quartet to the corner before it; `corner` itself is the direction to the
/// corner after it.
fn backward(corner: usize) -> usize {
    (corner + 1) % 4
}

/// Whether the diagonal of a square joins its first and third corner, rather than the others.
pub(super) fn diagonal_is_first(heights: [f32; 4], free: [bool; 4]) -> bool {
    match (free[0] == free[2], free[1] == free[3]) {
        (true, false) => true,
        (false, true) => false,
        _ => heights[0] + heights[2] >= heights[1] + heights[3],
    }
}

//! Cutting the mesh along the faces of marked cells.
//!
//! Every triangle that reaches a marked cell is cut by the planes of the grid, x first, then y, then
//! z, into pieces that lie in one cell each. Decisions are made with integers: each point
//! knows which planes it lies on and which it lies between, and a point between two others
//! never leaves the range between them. Positions only follow.
//!
//! # Guarantees
//! * Pieces of neighbouring triangles share their points, so the pieces are as closed as the mesh.
//! * A point lies on at most two planes; if on two, it is where the mesh crosses a grid edge.
//! * No piece has more than two points on one plane.
//!
//! # Non-guarantees
//! Pieces may be slivers or have no area at all; the quality pass collapses them.

use std::collections::BTreeMap;

use glam::{DVec3, IVec3};
use rayon::prelude::*;

use crate::mesh::half_edge::HalfEdgeMesh;
use crate::remeshing::triangulate::best_triangulation;
use crate::topology::cells::{CellSet, cell_of, cell_span};

/// A corner of a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Where it is, in cells.
    pub place: DVec3,
    /// On each axis the plane it lies on, or else the slab between two planes.
    pub slab: IVec3,
    /// Whether it lies on the plane, on each axis.
    pub on: [bool; 3],
}

impl Point {
    fn order(&self, axis: usize) -> (i32, bool) {
        (self.slab[axis], !self.on[axis])
    }

    fn side(&self, axis: usize, plane: i32) -> Side {
        match self.slab[axis].cmp(&plane) {
            std::cmp::Ordering::Less => Side::Below,
            std::cmp::Ordering::Equal if self.on[axis] => Side::On,
            _ => Side::Above,
        }
    }

    /// Number of planes it lies on.
    pub fn planes(&self) -> usize {
        self.on.iter().filter(|&&on| on).count()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    On,
    Above,
}

/// Where a point comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// A vertex of the mesh.
    Vertex(u32),
    /// Between two earlier points, at this fraction of the distance.
    Between(u32, u32, f32),
}

/// A side of a removed piece on a face between its marked cell and one that is not marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rim {
    /// Number of the marked cell in the set.
    pub cell: u32,
    /// Where it begins, as a point.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
}

/// A crossing of the mesh with a grid edge of a marked cell, in the order of edges and along them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgePoint {
    pub node: IVec3,
    pub axis: usize,
    pub point: u32,
}

/// The mesh cut along the faces of marked cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut {
    pub points: Vec<Point>,
    pub sources: Vec<Source>,
    /// Triangles of the mesh that are replaced.
    pub removed: Vec<u32>,
    /// The pieces of them that are kept, as points.
    pub kept: Vec<[u32; 3]>,
    pub rims: Vec<Rim>,
    pub edge_points: Vec<EdgePoint>,
}

/// Rounding put points in an order that is impossible for a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Degenerate;

impl Cut {
    /// Cuts `mesh`, whose vertices are at `places`, along the faces of the marked cells.
    pub fn make(
        mesh: &HalfEdgeMesh,
        places: &[DVec3],
        marked: &CellSet,
    ) -> Result<Self, Degenerate> {
        let reaching: Vec<u32> = (0..mesh.triangles.len() as u32)
            .into_par_iter()
            .filter(|&t| !mesh.is_dead(t as usize))
            .filter(|&t| {
                let (low, high) = cell_span(places, mesh.triangles[t as usize]);
                marked.meets(low, high)
            })
            .collect();
        let mut cutter = Cutter::new(mesh, places, marked, &reaching);
        cutter.cut_edges(&reaching);
        for &triangle in &reaching {
            cutter.cut_triangle(triangle)?;
        }
        cutter.refit_neighbours(&reaching);
        Ok(cutter.finish(reaching))
    }
}

struct Cutter<'a> {
    mesh: &'a HalfEdgeMesh,
    marked: &'a CellSet,
    /// Vertices of the triangles being cut, ascending; the first points represent them.
    vertices: Vec<u32>,
    /// The lower half-edge of every edge of the reaching triangles, ascending.
    edges: Vec<u32>,
    /// For each of those, its points from the lower vertex to the higher one.
    edge_lists: Vec<Vec<u32>>,
    cut: Cut,
}

impl<'a> Cutter<'a> {
    fn new(
        mesh: &'a HalfEdgeMesh,
        places: &[DVec3],
        marked: &'a CellSet,
        reaching: &[u32],
    ) -> Self {
        let mut vertices: Vec<u32> = Vec::with_capacity(3 * reaching.len());
        let mut edges: Vec<u32> = Vec::with_capacity(3 * reaching.len());
        for &triangle in reaching {
            vertices.extend(mesh.triangles[triangle as usize]);
            for half_edge in 3 * triangle..3 * triangle + 3 {
                edges.push(half_edge.min(mesh.twin(half_edge)));
                vertices.push(mesh.across(mesh.twin(half_edge)));
            }
        }
        for list in [&mut vertices, &mut edges] {
            list.sort_unstable();
            list.dedup();
        }
        let points = vertices
            .iter()
            .map(|&v| {
                let place = places[v as usize];
                Point { place, slab: cell_of(place), on: [false; 3] }
            })
            .collect();
        let sources = vertices.iter().map(|&v| Source::Vertex(v)).collect();
        let cut = Cut { points, sources, ..Cut::default() };
        Self { mesh, marked, vertices, edges, edge_lists: Vec::new(), cut }
    }

    fn point_of(&self, vertex: u32) -> u32 {
        self.vertices.partition_point(|&v| v < vertex) as u32
    }

    /// Splits every edge where it crosses a plane; both of its triangles use the same points.
    fn cut_edges(&mut self, reaching: &[u32]) {
        debug_assert!(self.edges.len() <= 3 * reaching.len());
        self.edge_lists.reserve(self.edges.len());
        for place in 0..self.edges.len() {
            let half_edge = self.edges[place];
            let (a, b) = (self.mesh.from(half_edge), self.mesh.to(half_edge));
            let mut list = vec![self.point_of(a.min(b)), self.point_of(a.max(b))];
            for axis in 0..3 {
                list = self.refined(&list, axis);
            }
            self.edge_lists.push(list);
        }
    }

    /// A polyline with points added where it crosses planes of an axis.
    fn refined(&mut self, line: &[u32], axis: usize) -> Vec<u32> {
        let mut result = Vec::with_capacity(line.len() + 2);
        for pair in line.windows(2) {
            result.push(pair[0]);
            self.cross_planes(pair[0], pair[1], axis, &mut result);
        }
        result.extend(line.last());
        result
    }

    /// Adds the points where the segment from `from` to `to` crosses planes of an axis.
    fn cross_planes(&mut self, from: u32, to: u32, axis: usize, found: &mut Vec<u32>) {
        let (a, b) = (self.cut.points[from as usize], self.cut.points[to as usize]);
        let rising = a.order(axis) < b.order(axis);
        let (low, high) = if rising { (&a, &b) } else { (&b, &a) };
        let last = if high.on[axis] { high.slab[axis] - 1 } else { high.slab[axis] };
        let mut here = from;
        for step in 0..(last - low.slab[axis]).max(0) {
            let plane = if rising { low.slab[axis] + 1 + step } else { last - step };
            here = self.point_between(here, to, axis, plane);
            found.push(here);
        }
    }

    /// A new point between two others on a plane.
    fn point_between(&mut self, from: u32, to: u32, axis: usize, plane: i32) -> u32 {
        let (a, b) = (self.cut.points[from as usize], self.cut.points[to as usize]);
        let way = b.place[axis] - a.place[axis];
        let share = ((f64::from(plane) - a.place[axis]) / way).clamp(0.0, 1.0);
        let share = if share.is_finite() { share } else { 0.5 };
        let mut place = a.place + share * (b.place - a.place);
        let mut slab = IVec3::ZERO;
        let mut on = [false; 3];
        for other in 0..3 {
            if other == axis {
                (slab[other], on[other]) = (plane, true);
                place[other] = f64::from(plane);
            } else if a.on[other] && b.on[other] && a.slab[other] == b.slab[other] {
                (slab[other], on[other]) = (a.slab[other], true);
                place[other] = f64::from(a.slab[other]);
            } else {
                let swap = a.order(other) > b.order(other);
                let (low, high) = if swap { (&b, &a) } else { (&a, &b) };
                let most = high.slab[other] - i32::from(high.on[other]);
                let between = place[other].floor().clamp(-1e9, 1e9) as i32;
                slab[other] = between.max(low.slab[other]).min(most.max(low.slab[other]));
            }
        }
        self.cut.points.push(Point { place, slab, on });
        self.cut.sources.push(Source::Between(from, to, share as f32));
        self.cut.points.len() as u32 - 1
    }

    /// The outline of a triangle with the points on its sides.
    fn outline(&self, triangle: u32) -> Vec<u32> {
        let mut outline = Vec::with_capacity(12);
        for half_edge in 3 * triangle..3 * triangle + 3 {
            let edge = half_edge.min(self.mesh.twin(half_edge));
            let place = self.edges.binary_search(&edge);
            match place {
                Ok(place) => {
                    let list = &self.edge_lists[place];
                    let inner = &list[..list.len() - 1];
                    if self.mesh.from(half_edge) < self.mesh.to(half_edge) {
                        outline.extend(inner);
                    } else {
                        outline.extend(list[1..].iter().rev());
                    }
                }
                Err(_) => outline.push(self.point_of(self.mesh.from(half_edge))),
            }
        }
        outline
    }

    fn cut_triangle(&mut self, triangle: u32) -> Result<(), Degenerate> {
        let mut pieces = vec![self.outline(triangle)];
        // Points on the lines between pieces, which both of them use.
        let mut lines: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for axis in 0..3 {
            let mut finer = Vec::new();
            for piece in pieces {
                let outline = self.refined_outline(&piece, axis, &mut lines);
                self.split(outline, axis, &mut finer)?;
            }
            pieces = finer;
        }
        for piece in pieces {
            self.assign(&piece)?;
        }
        Ok(())
    }

    fn refined_outline(
        &mut self,
        piece: &[u32],
        axis: usize,
        lines: &mut BTreeMap<(u32, u32), Vec<u32>>,
    ) -> Vec<u32> {
        let mut outline = Vec::with_capacity(piece.len() + 2);
        for i in 0..piece.len() {
            let (a, b) = (piece[i], piece[(i + 1) % piece.len()]);
            outline.push(a);
            let key = (a.min(b), a.max(b));
            let found = match lines.get(&key) {
                Some(found) => found.clone(),
                None => {
                    let mut found = Vec::new();
                    self.cross_planes(key.0, key.1, axis, &mut found);
                    if found.is_empty() {
                        continue;
                    }
                    lines.insert(key, found.clone());
                    found
                }
            };
            if a < b {
                outline.extend(&found);
            } else {
                outline.extend(found.iter().rev());
            }
        }
        outline
    }

    /// Splits an outline at every plane of an axis that it crosses.
    fn split(
        &self,
        mut rest: Vec<u32>,
        axis: usize,
        pieces: &mut Vec<Vec<u32>>,
    ) -> Result<(), Degenerate> {
        let point = |p: u32| &self.cut.points[p as usize];
        loop {
            let low = rest.iter().map(|&p| point(p).order(axis)).min().ok_or(Degenerate)?;
            // The first plane above the lowest point.
            let plane = low.0 + 1;
            let side = |p: u32| point(p).side(axis, plane);
            if !rest.iter().any(|&p| side(p) == Side::Above) {
                pieces.push(rest);
                return Ok(());
            }
            let count = rest.len();
            let starts = |i: usize, which: Side| {
                side(rest[i]) == which && side(rest[(i + count - 1) % count]) != which
            };
            let once = |which: Side| (0..count).filter(|&i| starts(i, which)).count() == 1;
            let on = rest.iter().filter(|&&p| side(p) == Side::On).count();
            if on != 2 || !once(Side::Below) || !once(Side::Above) {
                return Err(Degenerate);
            }
            let lower: Vec<u32> =
                rest.iter().copied().filter(|&p| side(p) != Side::Above).collect();
            rest.retain(|&p| side(p) != Side::Below);
            pieces.push(lower);
        }
    }

    /// Assigns a piece to its cell: kept, or removed with its rims and edge points recorded.
    fn assign(&mut self, piece: &[u32]) -> Result<(), Degenerate> {
        let mut cell = IVec3::ZERO;
        for axis in 0..3 {
            // The lowest point lies in the slab, or on the plane below it while others lie above.
            let orders = piece.iter().map(|&p| self.cut.points[p as usize].order(axis));
            let (low, high) = (orders.clone().min(), orders.max());
            if low == high && low.is_none_or(|(_, free)| !free) {
                return Err(Degenerate);
            }
            cell[axis] = low.map_or(0, |(slab, _)| slab);
        }
        match self
            .marked
            .cells()
            .binary_search_by_key(&(cell.z, cell.y, cell.x), |c| (c.z, c.y, c.x))
        {
            Err(_) => self.keep(piece),
            Ok(place) => self.remove(piece, cell, place as u32),
        }
        Ok(())
    }

    fn keep(&mut self, piece: &[u32]) {
        let places: Vec<DVec3> = piece.iter().map(|&p| self.cut.points[p as usize].place).collect();
        let triangles = best_triangulation(&places, |_, _| true).unwrap_or_else(|| {
            // A piece this large comes from a triangle that spans dozens of cells.
            (1..piece.len() - 1).map(|i| [0, i, i + 1]).collect()
        });
        self.cut.kept.extend(triangles.into_iter().map(|t| t.map(|i| piece[i])));
    }

    fn remove(&mut self, piece: &[u32], cell: IVec3, number: u32) {
        for i in 0..piece.len() {
            let (from, to) = (piece[i], piece[(i + 1) % piece.len()]);
            let (a, b) = (self.cut.points[from as usize], self.cut.points[to as usize]);
            if a.planes() == 2 {
                let axis = (0..3).find(|&axis| !a.on[axis]).unwrap_or(0);
                self.cut.edge_points.push(EdgePoint { node: a.slab, axis, point: from });
            }
            for axis in 0..3 {
                let shared = a.on[axis] && b.on[axis] && a.slab[axis] == b.slab[axis];
                if !shared {
                    continue;
                }
                let step = if a.slab[axis] > cell[axis] { 1 } else { -1 };
                if !self.marked.contains(cell + step * IVec3::AXES[axis]) {
                    self.cut.rims.push(Rim { cell: number, from, to });
                }
            }
        }
    }

    /// Triangles that reach no marked cell but share a cut edge get the points of that edge.
    fn refit_neighbours(&mut self, reaching: &[u32]) {
        let mut neighbours: Vec<u32> = Vec::new();
        for (place, &half_edge) in self.edges.iter().enumerate() {
            if self.edge_lists[place].len() == 2 {
                continue;
            }
            for side in [half_edge, self.mesh.twin(half_edge)] {
                if reaching.binary_search(&(side / 3)).is_err() {
                    neighbours.push(side / 3);
                }
            }
        }
        neighbours.sort_unstable();
        neighbours.dedup();
        for &triangle in &neighbours {
            let outline = self.outline(triangle);
            self.keep(&outline);
        }
        self.cut.removed = neighbours;
    }

    fn finish(mut self, reaching: Vec<u32>) -> Cut {
        self.cut.removed.extend(reaching);
        self.cut.removed.sort_unstable();
        self.cut.rims.sort_unstable();
        let points = &self.cut.points;
        let edge_order = |e: &EdgePoint| (e.axis, e.node.z, e.node.y, e.node.x);
        self.cut.edge_points.sort_by(|a, b| {
            let along = |e: &EdgePoint| points[e.point as usize].place[e.axis];
            edge_order(a)
                .cmp(&edge_order(b))
                .then(along(a).total_cmp(&along(b)))
                .then(a.point.cmp(&b.point))
        });
        self.cut.edge_points.dedup_by_key(|e| e.point);
        self.cut
    }
}

//! Filling marked cells with a surface that closes the cut mesh, by construction.
//!
//! On every face of a marked cell the surface leaves directed lines: on a face to another marked
//! cell the segments of marching cubes, on a face to an unmarked cell the cut mesh itself (the rims).
//! Each crossing of a grid edge has one line coming in and one going out, so the lines of a cell close
//! into loops, and a loop is triangulated as it is, with the detail of the mesh in it (the idea of
//! Wojtan et al. 2010, without snapping). Both cells at a face use the same lines in opposite
//! directions: nothing can stay open.
//!
//! Grid edges with an unmarked cell beside them keep the crossings of the mesh, however many there
//! are; the segments of a face cut off every run of inside, as in Montani et al. 1994. Other grid
//! edges are crossed once or not at all, according to the signs of Γ.
//!
//! # Guarantees
//! Diagonals never join two points of one inner face or of one grid edge, so no edge is used by more
//! than two triangles. Loops for which that leaves no triangulation get a point in their middle.

use glam::{DVec3, IVec3};
use rayon::prelude::*;
use whitecap_core::CoordinateIndex;

use crate::remeshing::cut::{Cut, EdgePoint};
use crate::remeshing::triangulate::best_triangulation;
use crate::topology::cells::{CellSet, cells_round_edge, cells_round_node};

/// Corners of each face, counter-clockwise seen from outside; corner c is at (c & 1, c >> 1 & 1,
/// c >> 2). Face 2 a + s lies towards −a (s = 0) or +a (s = 1).
const FACES: [[usize; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
/// New vertices stay this far from nodes, as a fraction of a cell: nearer ones make slivers.
const MARGIN: f64 = 0.03;

/// A vertex of the patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Corner {
    /// A point of the cut.
    Point(u32),
    /// A new vertex.
    New(u32),
}

/// The surface inside the marked cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patch {
    /// Positions of the new vertices, in cells.
    pub places: Vec<DVec3>,
    pub triangles: Vec<[Corner; 3]>,
}

/// Why there is no patch for these cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unpatched {
    /// The mesh reaches into these unmarked cells without crossing a grid edge: mark them too.
    PokesInto(Vec<IVec3>),
    /// Signs and crossings disagree around these cells.
    Inconsistent(Vec<IVec3>),
}

/// A node of the marked cells.
#[derive(Clone, Copy, Debug)]
struct Node {
    inside: bool,
    value: f32,
}

/// Everything a cell needs.
struct Patcher<'a> {
    marked: &'a CellSet,
    cut: &'a Cut,
    nodes: Vec<Node>,
    node_index: CoordinateIndex,
    /// Inner grid edges with a crossing: axis, low node; sorted. Their index is that of the new vertex.
    crossed: Vec<(usize, IVec3)>,
    /// Whether pokes are closed off instead of reported.
    cap: bool,
}

/// The result for one cell: loops, each with a triangulation or a middle.
struct Filled {
    triangles: Vec<[Corner; 3]>,
    /// Loops that need a point in their middle.
    fans: Vec<Vec<Corner>>,
    pokes: Vec<IVec3>,
}

/// Fills the marked cells. `gamma(node)` gives Γ, `inside(node)` whether the mesh says inside.
pub(crate) fn fill(
    marked: &CellSet,
    cut: &Cut,
    gamma: impl Fn(IVec3) -> f32 + Sync,
    inside: impl Fn(IVec3) -> bool + Sync,
    cap: bool,
) -> Result<Patch, Unpatched> {
    let patcher = Patcher::new(marked, cut, gamma, inside, cap);
    let filled: Vec<Result<Filled, Vec<IVec3>>> =
        (0..marked.len()).into_par_iter().map(|number| patcher.fill_cell(number as u32)).collect();
    let mut patch = Patch {
        places: patcher.crossed.iter().map(|&(axis, node)| patcher.place_on(axis, node)).collect(),
        triangles: Vec::new(),
    };
    let (mut pokes, mut inconsistent) = (Vec::new(), Vec::new());
    for filled in filled {
        match filled {
            Err(cells) => inconsistent.extend(cells),
            Ok(filled) => {
                pokes.extend(filled.pokes);
                patch.triangles.extend(filled.triangles);
                for cycle in filled.fans {
                    let middle = patcher.middle(&cycle);
                    let corner = Corner::New(patch.places.len() as u32);
                    patch.places.push(middle);
                    for i in 0..cycle.len() {
                        let next = cycle[(i + 1) % cycle.len()];
                        patch.triangles.push([cycle[i], next, corner]);
                    }
                }
            }
        }
    }
    if !inconsistent.is_empty() {
        return Err(Unpatched::Inconsistent(inconsistent));
    }
    if !pokes.is_empty() {
        return Err(Unpatched::PokesInto(pokes));
    }
    Ok(patch)
}

fn corner_offset(corner: usize) -> IVec3 {
    IVec3::new((corner & 1) as i32, (corner >> 1 & 1) as i32, (corner >> 2) as i32)
}

fn face_step(face: usize) -> IVec3 {
    let step = IVec3::AXES[face / 2];
    if face.is_multiple_of(2) { -step } else { step }
}

impl<'a> Patcher<'a> {
    fn new(
        marked: &'a CellSet,
        cut: &'a Cut,
        gamma: impl Fn(IVec3) -> f32 + Sync,
        inside: impl Fn(IVec3) -> bool + Sync,
        cap: bool,
    ) -> Self {
        let coordinates = marked.nodes();
        let nodes: Vec<Node> = coordinates
            .par_iter()
            .map(|&node| {
                let value = gamma(node);
                // Next to unmarked cells, the mesh itself decides what is inside.
                let inner = cells_round_node(node).all(|cell| marked.contains(cell));
                Node { inside: if inner { value < 0.0 } else { inside(node) }, value }
            })
            .collect();
        let node_index = CoordinateIndex::build(&coordinates);
        let mut patcher = Self { marked, cut, nodes, node_index, crossed: Vec::new(), cap };
        patcher.crossed = patcher.crossed_edges();
        patcher
    }

    fn node(&self, node: IVec3) -> Node {
        let place = self.node_index.get(node);
        place.map_or(Node { inside: false, value: 1.0 }, |place| self.nodes[place])
    }

    /// Whether all four cells round a grid edge are marked.
    fn is_inner(&self, node: IVec3, axis: usize) -> bool {
        cells_round_edge(node, axis).iter().all(|&cell| self.marked.contains(cell))
    }

    fn crossed_edges(&self) -> Vec<(usize, IVec3)> {
        let mut crossed: Vec<(usize, IVec3)> = self
            .marked
            .cells()
            .par_iter()
            .flat_map_iter(|&cell| {
                // The edges at the low corner; all inner edges are at some marked cell's.
                (0..3).map(move |axis| (axis, cell))
            })
            .filter(|&(axis, node)| {
                let differ = self.node(node).inside != self.node(node + IVec3::AXES[axis]).inside;
                differ && self.is_inner(node, axis)
            })
            .collect();
        crossed.par_sort_unstable_by_key(|(axis, n)| (*axis, n.z, n.y, n.x));
        crossed
    }

    fn new_vertex(&self, axis: usize, node: IVec3) -> Option<u32> {
        let key = (axis, node.z, node.y, node.x);
        let found = self.crossed.binary_search_by_key(&key, |(axis, n)| (*axis, n.z, n.y, n.x));
        found.ok().map(|place| place as u32)
    }

    /// Where Γ crosses zero on an inner edge.
    fn place_on(&self, axis: usize, node: IVec3) -> DVec3 {
        let from = f64::from(self.node(node).value);
        let to = f64::from(self.node(node + IVec3::AXES[axis]).value);
        let share = from / (from - to);
        let share = if share.is_finite() { share.clamp(MARGIN, 1.0 - MARGIN) } else { 0.5 };
        let mut place = node.as_dvec3();
        place[axis] += share;
        place
    }

    fn place_of(&self, corner: Corner) -> DVec3 {
        match corner {
            Corner::Point(point) => self.cut.points[point as usize].place,
            Corner::New(number) => {
                let (axis, node) = self.crossed[number as usize];
                self.place_on(axis, node)
            }
        }
    }

    fn middle(&self, cycle: &[Corner]) -> DVec3 {
        cycle.iter().map(|&corner| self.place_of(corner)).sum::<DVec3>() / cycle.len() as f64
    }

    /// The crossings of a grid edge from its low end to its high end.
    fn crossings(&self, axis: usize, node: IVec3, found: &mut Vec<Corner>) {
        if self.is_inner(node, axis) {
            found.extend(self.new_vertex(axis, node).map(Corner::New));
            return;
        }
        let order = |e: &EdgePoint| (e.axis, e.node.z, e.node.y, e.node.x);
        let key = (axis, node.z, node.y, node.x);
        let points = &self.cut.edge_points;
        let first = points.partition_point(|e| order(e) < key);
        let mine = points[first..].iter().take_while(|e| order(e) == key);
        found.extend(mine.map(|e| Corner::Point(e.point)));
    }

    /// The segments of an inner face seen from `cell`: each run of inside along its outline, from
    /// where it begins to where it ends.
    fn segments(
        &self,
        cell: IVec3,
        face: usize,
        lines: &mut Vec<(Corner, Corner)>,
    ) -> Result<(), Vec<IVec3>> {
        let mut around: Vec<(Corner, bool)> = Vec::new();
        let mut on_edge = Vec::new();
        for i in 0..4 {
            let (a, b) = (FACES[face][i], FACES[face][(i + 1) % 4]);
            let axis = (a ^ b).trailing_zeros() as usize;
            let low = cell + corner_offset(a & b);
            on_edge.clear();
            self.crossings(axis, low, &mut on_edge);
            if a > b {
                on_edge.reverse();
            }
            let mut inside = self.node(cell + corner_offset(a)).inside;
            for &corner in &on_edge {
                inside = !inside;
                around.push((corner, inside));
            }
            if inside != self.node(cell + corner_offset(b)).inside {
                return Err(cells_round_edge(low, axis).to_vec());
            }
        }
        for (i, &(corner, enters)) in around.iter().enumerate() {
            if enters {
                lines.push((corner, around[(i + 1) % around.len()].0));
            }
        }
        Ok(())
    }

    fn fill_cell(&self, number: u32) -> Result<Filled, Vec<IVec3>> {
        let cell = self.marked.cells()[number as usize];
        let mut inner_faces = 0u8;
        let mut lines: Vec<(Corner, Corner)> = Vec::new();
        for face in 0..6 {
            if self.marked.contains(cell + face_step(face)) {
                inner_faces |= 1 << face;
                self.segments(cell, face, &mut lines)?;
            }
        }
        let rims = &self.cut.rims;
        let first = rims.partition_point(|rim| rim.cell < number);
        let mine = rims[first..].iter().take_while(|rim| rim.cell == number);
        lines.extend(mine.map(|rim| (Corner::Point(rim.from), Corner::Point(rim.to))));
        let mut filled = Filled { triangles: Vec::new(), fans: Vec::new(), pokes: Vec::new() };
        for cycle in loops(lines).ok_or_else(|| vec![cell])? {
            self.fill_loop(cell, inner_faces, cycle, &mut filled);
        }
        Ok(filled)
    }

    fn fill_loop(&self, cell: IVec3, inner_faces: u8, cycle: Vec<Corner>, filled: &mut Filled) {
        // Two points joined in both directions: the cells on both sides share that edge.
        if cycle.len() < 3 {
            return;
        }
        let faces: Vec<u8> = cycle.iter().map(|&corner| self.faces_of(cell, corner)).collect();
        let common = faces.iter().fold(0x3F, |common, faces| common & faces);
        if common != 0 && !self.cap {
            // The whole loop lies in one face: the mesh pokes through it.
            filled.pokes.push(cell + face_step(common.trailing_zeros() as usize));
            return;
        }
        let places: Vec<DVec3> = cycle.iter().map(|&corner| self.place_of(corner)).collect();
        let allowed = |i: usize, j: usize| {
            let shared = faces[i] & faces[j];
            shared & inner_faces == 0 && shared.count_ones() < 2
        };
        match best_triangulation(&places, allowed) {
            Some(triangles) => {
                filled.triangles.extend(triangles.into_iter().map(|t| t.map(|i| cycle[i])));
            }
            None => filled.fans.push(cycle),
        }
    }

    /// The faces of a cell that a corner lies on, as bits; two for one on a grid edge.
    fn faces_of(&self, cell: IVec3, corner: Corner) -> u8 {
        let (slab, on) = match corner {
            Corner::Point(point) => {
                let point = &self.cut.points[point as usize];
                (point.slab, point.on)
            }
            Corner::New(number) => {
                let (axis, node) = self.crossed[number as usize];
                (node, std::array::from_fn(|other| other != axis))
            }
        };
        (0..3)
            .filter(|&axis| on[axis])
            .fold(0, |faces, axis| faces | 1 << (2 * axis + usize::from(slab[axis] > cell[axis])))
    }
}

/// Directed lines joined into loops; `None` if a corner does not have exactly one line in and one line out.
fn loops(mut lines: Vec<(Corner, Corner)>) -> Option<Vec<Vec<Corner>>> {
    let key = |corner: Corner| match corner {
        Corner::Point(point) => (0, point),
        Corner::New(number) => (1, number),
    };
    lines.sort_unstable_by_key(|(from, to)| (key(*from), key(*to)));
    if lines.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let mut used = vec![false; lines.len()];
    let mut found = Vec::new();
    for start in 0..lines.len() {
        if used[start] {
            continue;
        }
        let mut cycle = Vec::new();
        let mut place = start;
        loop {
            if used[place] {
                return None;
            }
            used[place] = true;
            cycle.push(lines[place].0);
            let next = lines[place].1;
            if next == lines[start].0 {
                break;
            }
            place = lines.binary_search_by_key(&key(next), |(from, _)| key(*from)).ok()?;
        }
        found.push(cycle);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::carried::Carried;
    use crate::mesh::half_edge::HalfEdgeMesh;
    use crate::remeshing::cut::Source;
    use crate::topology::cells::{cells_between, places};
    use crate::topology::crossings::Crossings;
    use glam::Vec3;
    use whitecap_core::scatter::fraction as noise;
    use whitecap_core::{Attributes, Lattice};

    /// A rough ball of several thousand triangles, some larger and some smaller than a cell.
    fn rough_ball() -> HalfEdgeMesh {
        let corners =
            [Vec3::ONE, Vec3::new(-1., -1., 1.), Vec3::new(-1., 1., -1.), Vec3::new(1., -1., -1.)];
        let triangles = vec![[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]];
        let carried = Carried::new(4, &Attributes::new());
        let mut mesh = HalfEdgeMesh::new(corners.to_vec(), triangles, carried).unwrap();
        crate::mesh::quality::refine(&mut mesh, 0.09);
        for (i, p) in mesh.positions.iter_mut().enumerate() {
            *p = p.normalize() * (3.0 + 0.3 * noise(i as u64));
        }
        mesh
    }

    /// The mesh with the cut part replaced; the positions of new vertices do not matter here.
    fn welded(mesh: &HalfEdgeMesh, cut: &Cut, patch: &Patch) -> Option<HalfEdgeMesh> {
        let mut result = mesh.clone();
        let vertices: Vec<u32> = cut
            .sources
            .iter()
            .map(|source| match source {
                Source::Vertex(vertex) => *vertex,
                Source::Between(..) => result.push_vertex(Vec3::ZERO, &[(0, 1.0)]),
            })
            .collect();
        let first = result.positions.len() as u32;
        for _ in &patch.places {
            result.push_vertex(Vec3::ZERO, &[(0, 1.0)]);
        }
        let corner = |corner: Corner| match corner {
            Corner::Point(point) => vertices[point as usize],
            Corner::New(number) => first + number,
        };
        let mut added: Vec<[u32; 3]> =
            cut.kept.iter().map(|t| t.map(|point| vertices[point as usize])).collect();
        added.extend(patch.triangles.iter().map(|t| t.map(corner)));
        result.replace(&cut.removed, &added).ok()?;
        Some(result)
    }

    /// Contract: whatever cells are marked and whatever Γ says in them, the cut mesh and its patch
    /// are closed, with one fan round each vertex and one edge between two vertices.
    #[test]
    fn any_marked_cells_with_any_signs_are_closed() {
        let mesh = rough_ball();
        let at = places(&mesh.positions, Lattice::at_origin(0.37), 0.0);
        let crossings = Crossings::find(&at, &mesh.triangles);
        let inside = |node: IVec3| crossings.is_inside(node);
        let everywhere: Vec<IVec3> = cells_between(IVec3::splat(-11), IVec3::splat(11)).collect();
        for trial in 0..60u64 {
            let share = [0.02, 0.2, 0.5, 0.8, 0.97][trial as usize % 5];
            let random = |cell: &IVec3, salt: u64| {
                let [x, y, z] = cell.to_array().map(|c| (c + 100) as u64);
                noise(x + 1000 * (y + 1000 * (z + 1000 * (salt + 7 * trial))))
            };
            let marked: Vec<IVec3> =
                everywhere.iter().copied().filter(|cell| random(cell, 1) < share).collect();
            let marked = CellSet::new(marked);
            let gamma = |node: IVec3| random(&node, 3) - 0.5;
            let cut = Cut::make(&mesh, &at, &marked).unwrap();
            let patch = fill(&marked, &cut, gamma, inside, true).unwrap();
            let mut result = welded(&mesh, &cut, &patch).expect("closed");
            assert_eq!(result.part_fans(), 0, "trial {trial}");
            assert!(result.is_sound() && result.edges_are_single(), "trial {trial}");
        }
    }
}

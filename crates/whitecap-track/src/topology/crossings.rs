//! Where the lines of the grid cross the mesh, and what follows for inside and outside.
//!
//! Along a grid line the winding number falls by one where the line leaves through a triangle and
//! rises by one where it enters, so that a sorted list of crossings gives the winding number of every
//! node without a search. Where a mesh passes through itself the number leaves 0 and 1: these are
//! the interpenetrations of Wojtan et al. 2009.
//!
//! # Guarantees
//! A triangle is cut first by planes of one axis, then by planes of the next. Points on an edge
//! shared by two triangles come out the same from both, so that the crossings of a closed mesh always
//! add up to zero along a line, with rounding or without.

use glam::{DVec3, IVec3};
use rayon::prelude::*;

use crate::topology::cells::cell_of;

/// One crossing of a grid line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// The line: its coordinates on the two axes after its own, in cyclic order.
    pub line: (i32, i32),
    /// Where on the line, in cells.
    pub along: f64,
    /// Winding number before the crossing.
    pub before: i32,
    /// Winding number after it.
    pub after: i32,
}

/// Crossings of the lines along x, y and z, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crossings {
    along: [Vec<Crossing>; 3],
}

impl Crossings {
    /// All crossings of the triangles with the lines of the grid; places are in cells.
    pub fn find(places: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        Self { along: std::array::from_fn(|axis| along_axis(places, triangles, axis)) }
    }

    /// The winding number at a node.
    pub fn winding(&self, node: IVec3) -> i32 {
        let line = (node.x, node.y);
        let place = f64::from(node.z);
        let list = &self.along[2];
        let end = list.partition_point(|c| (c.line, c.along) < (line, place));
        match list[..end].last() {
            Some(last) if last.line == line => last.after,
            _ => 0,
        }
    }

    /// Whether a node lies in the liquid.
    pub fn is_inside(&self, node: IVec3) -> bool {
        self.winding(node) > 0
    }

    /// The grid edges, as node and axis, on which the mesh passes through itself or is inside out.
    pub fn interpenetrations(&self) -> Vec<(IVec3, usize)> {
        let mut found = Vec::new();
        for (axis, list) in self.along.iter().enumerate() {
            let bad = |c: &&Crossing| c.before.min(c.after) < 0 || c.before.max(c.after) > 1;
            found.extend(list.iter().filter(bad).map(|c| (edge_of(c, axis), axis)));
        }
        found.dedup();
        found
    }

    /// The grid edges on which a sheet of liquid thinner than a cell is crossed.
    pub fn thin_sheets(&self) -> Vec<(IVec3, usize)> {
        let mut found = Vec::new();
        for (axis, list) in self.along.iter().enumerate() {
            for pair in list.windows(2) {
                let thin = pair[0].line == pair[1].line
                    && pair[0].after == 1
                    && pair[1].before == 1
                    && pair[1].along - pair[0].along < 1.0;
                if thin {
                    found.push((edge_of(&pair[0], axis), axis));
                    found.push((edge_of(&pair[1], axis), axis));
                }
            }
        }
        found
    }
}

/// The low node of the grid edge that a crossing lies on.
fn edge_of(crossing: &Crossing, axis: usize) -> IVec3 {
    let mut node = IVec3::ZERO;
    node[(axis + 1) % 3] = crossing.line.0;
    node[(axis + 2) % 3] = crossing.line.1;
    node[axis] = crossing.along.floor() as i32;
    node
}

/// A crossing before the winding numbers are known.
type Raw = ((i32, i32), f64, i32);

fn along_axis(places: &[DVec3], triangles: &[[u32; 3]], axis: usize) -> Vec<Crossing> {
    let mut raw: Vec<Raw> = triangles
        .par_chunks(2048)
        .flat_map_iter(|chunk| {
            let mut found = Vec::new();
            for &corners in chunk {
                cross_triangle(places, corners, axis, &mut found);
            }
            found
        })
        .collect();
    // Where two sheets touch, the entry comes before the exit.
    raw.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2)));
    let mut winding = 0;
    let mut previous = None;
    raw.into_iter()
        .map(|(line, along, change)| {
            if previous != Some(line) {
                (winding, previous) = (0, Some(line));
            }
            let before = winding;
            winding += change;
            Crossing { line, along, before, after: winding }
        })
        .collect()
}

fn cross_triangle(places: &[DVec3], corners: [u32; 3], axis: usize, found: &mut Vec<Raw>) {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let [a, b, c] = corners.map(|corner| places[corner as usize]);
    let (cell_a, cell_b, cell_c) = (cell_of(a), cell_of(b), cell_of(c));
    let (low, high) = (cell_a.min(cell_b).min(cell_c), cell_a.max(cell_b).max(cell_c));
    if low[u] == high[u] || low[v] == high[v] {
        return;
    }
    for plane in low[u] + 1..=high[u] {
        // The sides on which the outline rises through the plane and falls through it.
        let (mut up, mut down) = (None, None);
        for side in 0..3 {
            let (from, to) = (corners[side], corners[(side + 1) % 3]);
            let below = |vertex: u32| places[vertex as usize][u] < f64::from(plane);
            match (below(from), below(to)) {
                (true, false) => up = Some(on_edge(places, from, to, u, plane)),
                (false, true) => down = Some(on_edge(places, from, to, u, plane)),
                _ => {}
            }
        }
        let (Some(up), Some(down)) = (up, down) else { continue };
        let (first, last) = (up[v].min(down[v]), up[v].max(down[v]));
        let (first_cell, last_cell) = (first.floor() as i32, last.floor() as i32);
        for line in first_cell + 1..=last_cell {
            let share = (f64::from(line) - up[v]) / (down[v] - up[v]);
            let along = up[axis] + share * (down[axis] - up[axis]);
            // Counter-clockwise seen from +axis, the outline rises at the lower end: an exit.
            let change = if up[v] < down[v] { -1 } else { 1 };
            found.push(((plane, line), along, change));
        }
    }
}

/// Where an edge meets a plane, computed from the lower vertex to the higher one.
fn on_edge(places: &[DVec3], from: u32, to: u32, axis: usize, plane: i32) -> DVec3 {
    let (a, b) = (places[from.min(to) as usize], places[from.max(to) as usize]);
    let share = (f64::from(plane) - a[axis]) / (b[axis] - a[axis]);
    let mut point = a + share * (b - a);
    point[axis] = f64::from(plane);
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::cells::places;
    use glam::Vec3;
    use whitecap_core::Lattice;
    use whitecap_core::TriMesh;

    fn tetrahedron(center: Vec3, size: f32) -> TriMesh {
        let corners =
            [Vec3::ONE, Vec3::new(-1., -1., 1.), Vec3::new(-1., 1., -1.), Vec3::new(1., -1., -1.)];
        let positions = corners.iter().map(|&c| center + size * c).collect();
        TriMesh::new(positions, vec![[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]]).unwrap()
    }

    /// Contract: the winding number of every node is that of the solid angles, for one solid and
    /// for two that overlap; only the overlap is an interpenetration.
    #[test]
    fn windings_agree_with_solid_angles() {
        let first = tetrahedron(Vec3::new(0.13, 0.21, -0.07), 1.9);
        let second = tetrahedron(Vec3::new(1.33, 0.11, 0.37), 1.7);
        let both = TriMesh::joined([&first, &second]);
        let lattice = Lattice::at_origin(0.25);
        for (mesh, overlap) in [(&first, false), (&both, true)] {
            let found = Crossings::find(&places(mesh.positions(), lattice, 0.0), mesh.triangles());
            let exact = whitecap_core::winding_number::WindingNumber::build(mesh);
            for node in crate::topology::cells::cells_between(IVec3::splat(-12), IVec3::splat(14)) {
                let angle = exact.exact_at(lattice.position(node)).round() as i32;
                assert_eq!(found.winding(node), angle, "{node}");
            }
            assert_eq!(!found.interpenetrations().is_empty(), overlap);
        }
    }

    /// Contract: a slab thinner than a cell is recognised as a thin sheet, a thick one is not.
    #[test]
    fn thin_sheets_are_seen() {
        let flat = |thickness: f32| {
            let mut mesh = tetrahedron(Vec3::splat(0.3), 4.0);
            for p in mesh.positions_mut() {
                p.z = 0.3 + (p.z - 0.3) * thickness;
            }
            Crossings::find(
                &places(mesh.positions(), Lattice::at_origin(1.0), 0.0),
                mesh.triangles(),
            )
        };
        assert!(!flat(0.1).thin_sheets().is_empty());
        assert!(flat(1.0).along[2].iter().any(|c| c.after == 1));
    }
}

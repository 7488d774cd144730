//! The marching-cubes table, derived from rules rather than typed in.
//!
//! Rules, for each of the 256 sign patterns of a cube's corners:
//! 1. On each face, every run of inside corners is cut off by one segment. An ambiguous face
//!    (two inside corners on a diagonal) thus always separates its inside corners, as in
//!    Montani et al. 1994. The segments depend on the face alone, so both cubes that share a face
//!    agree.
//! 2. Segments join into closed loops. Each loop is triangulated without any diagonal between two
//!    points of one cube face, so that no edge in a face can be used by more than two triangles.
//! 3. Loops for which rule 2 cannot be met get a point in their middle.
//!
//! Together these make the mesh of any sign field closed, 2-manifold and consistently oriented.

use std::sync::LazyLock;

/// Cube edges: `axis * 4 + k`, where the bits of `k` are the offsets on the other two axes in
/// ascending order.
pub(super) const EDGE_COUNT: usize = 12;

/// How one sign pattern is triangulated.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern {
    /// Corners of each triangle: cube edges 0–11, or 12 + n for the middle of loop n.
    pub triangles: Vec<[u8; 3]>,
    /// Loops that need a point in their middle, as lists of cube edges.
    pub middles: Vec<Vec<u8>>,
}

/// The table, by the bit mask of inside corners; corner c is at (c & 1, c >> 1 & 1, c >> 2).
pub(super) static TABLE: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| (0..256).map(|inside| pattern(inside as u8)).collect());

/// Low-corner offset of a cube edge, and its axis.
pub(super) const fn edge_base(edge: usize) -> ([i32; 3], usize) {
    let (axis, k) = (edge / 4, edge % 4);
    let (low, high) = ((k & 1) as i32, (k >> 1) as i32);
    let base = match axis {
        0 => [0, low, high],
        1 => [low, 0, high],
        _ => [low, high, 0],
    };
    (base, axis)
}

/// The corners of each face, counter-clockwise seen from outside the cube.
const FACES: [[usize; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

fn edge_between(a: usize, b: usize) -> usize {
    let axis = (a ^ b).trailing_zeros() as usize;
    let low = a & b;
    let k = match axis {
        0 => low >> 1,
        1 => (low & 1) | (low >> 2) << 1,
        _ => low & 3,
    };
    axis * 4 + k
}

fn pattern(inside: u8) -> Pattern {
    let mut result = Pattern::default();
    for cycle in loops(inside) {
        match triangulate(&cycle) {
            Some(triangles) => result.triangles.extend(triangles),
            None => {
                let middle = (EDGE_COUNT + result.middles.len()) as u8;
                for (i, &edge) in cycle.iter().enumerate() {
                    result.triangles.push([edge, cycle[(i + 1) % cycle.len()], middle]);
                }
                result.middles.push(cycle);
            }
        }
    }
    result
}

/// Rule 1: segments on the faces, joined into loops of cube edges.
fn loops(inside: u8) -> Vec<Vec<u8>> {
    let is_inside = |corner: usize| inside >> corner & 1 == 1;
    let mut next = [None; EDGE_COUNT];
    for face in FACES {
        for start in 0..4 {
            // A run of inside corners begins where an outside corner is followed by an inside one.
            if is_inside(face[start]) || !is_inside(face[(start + 1) % 4]) {
                continue;
            }
            let mut end = (start + 1) % 4;
            while is_inside(face[(end + 1) % 4]) {
                end = (end + 1) % 4;
            }
            let enter = edge_between(face[start], face[(start + 1) % 4]);
            let leave = edge_between(face[end], face[(end + 1) % 4]);
            next[enter] = Some(leave as u8);
        }
    }
    let mut found = Vec::new();
    for first in 0..EDGE_COUNT {
        let mut cycle = Vec::new();
        let mut edge = first;
        while let Some(following) = next[edge].take() {
            cycle.push(edge as u8);
            edge = following as usize;
        }
        if !cycle.is_empty() {
            found.push(cycle);
        }
    }
    found
}

/// Whether two cube edges lie on a common face.
fn share_face(a: u8, b: u8) -> bool {
    let faces_of = |edge: u8| {
        let (base, axis) = edge_base(edge as usize);
        let mut faces = 0u8;
        for other in (0..3).filter(|&other| other != axis) {
            faces |= 1 << (2 * other + base[other] as usize);
        }
        faces
    };
    faces_of(a) & faces_of(b) != 0
}

/// Rule 2: the first triangulation of the loop whose diagonals all pass through the inside of
/// the cube; `None` if there is none.
fn triangulate(cycle: &[u8]) -> Option<Vec<[u8; 3]>> {
    let last = cycle.len() - 1;
    let is_side = |i: usize, j: usize| j - i == 1 || (i == 0 && j == last);
    let allowed = |i: usize, j: usize| is_side(i, j) || !share_face(cycle[i], cycle[j]);
    fn split(
        i: usize,
        j: usize,
        cycle: &[u8],
        allowed: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<[u8; 3]>> {
        if j - i < 2 {
            return Some(Vec::new());
        }
        (i + 1..j).find_map(|k| {
            if !allowed(i, k) || !allowed(k, j) {
                return None;
            }
            let mut triangles = split(i, k, cycle, allowed)?;
            triangles.extend(split(k, j, cycle, allowed)?);
            triangles.push([cycle[i], cycle[k], cycle[j]]);
            Some(triangles)
        })
    }
    split(0, last, cycle, &allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: in every pattern each crossed cube edge is used by exactly one loop, and each
    /// triangle side is either on a face (once) or shared by exactly two triangles.
    #[test]
    fn every_pattern_is_a_set_of_discs() {
        let mut with_middle = 0;
        for (inside, pattern) in TABLE.iter().enumerate() {
            let mut sides = std::collections::BTreeMap::new();
            for t in &pattern.triangles {
                for s in 0..3 {
                    *sides.entry((t[s], t[(s + 1) % 3])).or_insert(0) += 1;
                }
            }
            assert!(sides.values().all(|&n| n == 1), "a side is used twice in {inside:08b}");
            for &(a, b) in sides.keys() {
                if !sides.contains_key(&(b, a)) {
                    assert!(a < 12 && b < 12 && share_face(a, b), "an open side in {inside:08b}");
                }
            }
            with_middle += usize::from(!pattern.middles.is_empty());
        }
        assert!(TABLE[0].triangles.is_empty() && TABLE[255].triangles.is_empty());
        assert!(with_middle < 40, "{with_middle} patterns need a middle point");
    }
}

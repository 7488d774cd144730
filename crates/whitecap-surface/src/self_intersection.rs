//! Counting triangles that pass through each other.
//!
//! # Guarantees
//! Every pair of triangles that share no vertex, where an edge of one crosses the inside of
//! the other, is counted once.
//!
//! # Non-guarantees
//! Pairs that share a vertex, and triangles that overlap in one plane, are not counted.

use glam::{DVec3, IVec3};
use rayon::prelude::*;
use whitecap_core::{Bounds, Lattice, TriMesh, reduce};

/// Cells along one axis above which a triangle counts as large.
const LARGEST_SPAN: i32 = 16;

/// Number of pairs of triangles that intersect.
pub fn self_intersections(mesh: &TriMesh) -> usize {
    let count = mesh.triangles().len();
    if count == 0 {
        return 0;
    }
    let size = |t: usize| f64::from(Bounds::of_corners(mesh.corners(t)).size().max_element());
    let mean_size = reduce::sum(count, size) / count as f64;
    let lattice = Lattice::at_origin((2.0 * mean_size).max(1e-30) as f32);
    // A triangle far larger than the others would fill memory with cells: it meets every other
    // triangle directly.
    let spans = |t: usize| {
        let (low, high) = cells_of(mesh, lattice, t);
        (high - low).max_element() >= LARGEST_SPAN
    };
    let (large, ordinary): (Vec<usize>, Vec<usize>) = (0..count).partition(|&t| spans(t));
    let mut entries: Vec<(IVec3, u32)> = ordinary
        .into_par_iter()
        .flat_map_iter(|t| {
            let (low, high) = cells_of(mesh, lattice, t);
            cells_between(low, high).map(move |cell| (cell, t as u32))
        })
        .collect();
    entries.par_sort_unstable_by_key(|(cell, t)| (cell.z, cell.y, cell.x, *t));
    let cells: Vec<&[(IVec3, u32)]> = entries.chunk_by(|a, b| a.0 == b.0).collect();
    let among_ordinary: usize =
        cells.par_iter().map(|cell| pairs_in_cell(mesh, lattice, cell)).sum();
    let with_large: usize = (0..large.len())
        .map(|i| {
            let others = (0..count).into_par_iter();
            let pair = |&other: &usize| !large[..=i].contains(&other);
            others.filter(pair).filter(|&other| intersect(mesh, large[i], other)).count()
        })
        .sum();
    among_ordinary + with_large
}

fn pairs_in_cell(mesh: &TriMesh, lattice: Lattice, entries: &[(IVec3, u32)]) -> usize {
    let mut found = 0;
    for (i, &(cell, first)) in entries.iter().enumerate() {
        let first_low = cells_of(mesh, lattice, first as usize).0;
        for &(_, second) in &entries[i + 1..] {
            // A pair that meets in several cells is tested only in the lowest of them.
            let lowest = first_low.max(cells_of(mesh, lattice, second as usize).0);
            if lowest == cell && intersect(mesh, first as usize, second as usize) {
                found += 1;
            }
        }
    }
    found
}

fn cells_of(mesh: &TriMesh, lattice: Lattice, triangle: usize) -> (IVec3, IVec3) {
    let bounds = Bounds::of_corners(mesh.corners(triangle));
    (lattice.locate(bounds.min).0, lattice.locate(bounds.max).0)
}

fn cells_between(low: IVec3, high: IVec3) -> impl Iterator<Item = IVec3> {
    let along = move |axis: usize| low[axis]..=high[axis];
    along(2)
        .flat_map(move |z| along(1).flat_map(move |y| along(0).map(move |x| IVec3::new(x, y, z))))
}

fn intersect(mesh: &TriMesh, first: usize, second: usize) -> bool {
    let (a, b) = (mesh.triangles()[first], mesh.triangles()[second]);
    if a.iter().any(|v| b.contains(v)) {
        return false;
    }
    let [a, b] = [first, second].map(|t| mesh.corners(t).map(|p| p.as_dvec3()));
    (0..3).any(|i| crosses(a[i], a[(i + 1) % 3], b) || crosses(b[i], b[(i + 1) % 3], a))
}

/// Whether a segment passes through the inside of a triangle.
fn crosses(from: DVec3, to: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let volume = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| (q - p).cross(r - p).dot(s - p);
    if volume(a, b, c, from) * volume(a, b, c, to) >= 0.0 {
        return false;
    }
    let sides = [volume(from, to, a, b), volume(from, to, b, c), volume(from, to, c, a)];
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// Contract: two crossing triangles are one pair wherever they lie; neighbours that share an
    /// edge and triangles that are merely close do not count.
    #[test]
    fn counts_crossing_pairs_once() {
        let flat = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let upright =
            [Vec3::new(0.2, 0.2, -5.0), Vec3::new(0.3, 0.2, 5.0), Vec3::new(0.2, 0.3, 5.0)];
        let crossing = |offset: Vec3| {
            let positions = flat.iter().chain(&upright).map(|&p| p + offset).collect();
            self_intersections(&TriMesh::new(positions, vec![[0, 1, 2], [3, 4, 5]]).unwrap())
        };
        assert_eq!(crossing(Vec3::ZERO), 1);
        assert_eq!(crossing(Vec3::new(-7.3, 11.9, 2.5)), 1);
        // One triangle a million times larger than the rest.
        let huge =
            [Vec3::new(-1e6, -1e6, 0.5), Vec3::new(1e6, -1e6, 0.5), Vec3::new(0.0, 1e6, 0.5)];
        let mut positions: Vec<Vec3> = huge.to_vec();
        let mut triangles = vec![[0, 1, 2]];
        for i in 0..100u32 {
            let base = Vec3::new(i as f32, 0.0, 0.0);
            positions.extend([base, base + Vec3::Z, base + 0.1 * Vec3::X]);
            triangles.push([3 * i + 3, 3 * i + 4, 3 * i + 5]);
        }
        assert_eq!(self_intersections(&TriMesh::new(positions, triangles).unwrap()), 100);
        let square = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE, Vec3::Z, Vec3::X + Vec3::Z];
        let apart = TriMesh::new(square, vec![[0, 1, 2], [1, 3, 2]]).unwrap();
        assert_eq!(self_intersections(&apart), 0);
    }
}

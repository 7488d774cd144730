//! How far the surface jumps where it is rebuilt.
//!
//! Outside rebuilt cells, the path of a vertex shows how far the surface moved beyond what the particles
//! did. A rebuilt cell has other vertices than before; there the distance between the two surfaces is
//! measured both ways: from the new one to the old one, which finds surface that appeared, and from the old
//! one to the new one, which finds surface that vanished.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::{Lattice, TriMesh, reduce};

use crate::topology::cells::CellSet;

/// The largest distance from a vertex of one mesh to the surface of the other, either way, in metres:
/// among the vertices in `cells` and next to them, or among all. Infinite if a mesh is empty and the
/// other has vertices there.
pub(crate) fn largest_jump(
    old: &TriMesh,
    new: &TriMesh,
    cells: Option<&CellSet>,
    lattice: Lattice,
) -> f32 {
    // A vertex that was removed may have been pulled into its cell from the next one.
    let cells = cells.map(CellSet::widened);
    let asked = |p: &Vec3| cells.as_ref().is_none_or(|c| c.contains(lattice.locate(*p).0));
    one_way(old, new, asked).max(one_way(new, old, asked))
}

fn one_way(from: &TriMesh, to: &TriMesh, asked: impl Fn(&Vec3) -> bool + Sync) -> f32 {
    let asked: Vec<Vec3> = from.positions().par_iter().copied().filter(&asked).collect();
    if asked.is_empty() {
        return 0.0;
    }
    let bvh = TriangleBvh::build_quickly(to);
    let squared: Vec<f32> = asked
        .par_iter()
        .map(|&p| bvh.closest_point(p, f32::INFINITY).map_or(f32::INFINITY, |f| f.distance_squared))
        .collect();
    reduce::max(squared.len(), |i| squared[i]).sqrt()
}

//! Sides for a terrain that ends at the border of its grid, so that it is drawn as a block.

use glam::Vec3;
use whitecap_core::TriMesh;

/// The mesh with a side below each open edge that lies on the border of its box, down to `depth` below
/// its lowest point. A closed mesh has none and stays as it is.
pub(crate) fn with_sides(mesh: &TriMesh, depth: f32) -> TriMesh {
    let (low, high) = mesh
        .positions()
        .iter()
        .fold((Vec3::MAX, Vec3::MIN), |(low, high), &point| (low.min(point), high.max(point)));
    let on_same_border = |one: Vec3, other: Vec3| {
        [0, 2].into_iter().any(|axis| {
            one[axis] == other[axis] && (one[axis] == low[axis] || one[axis] == high[axis])
        })
    };
    let mut positions = mesh.positions().to_vec();
    let mut triangles = mesh.triangles().to_vec();
    for (from, to) in mesh.open_edges() {
        let ends = [from, to].map(|vertex| mesh.positions()[vertex as usize]);
        if !on_same_border(ends[0], ends[1]) {
            continue;
        }
        let first = positions.len() as u32;
        let feet = ends.map(|end| Vec3 { y: low.y - depth, ..end });
        positions.extend([ends[0], feet[0], feet[1], ends[1]]);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    TriMesh::new(positions, triangles).unwrap_or_else(|_| mesh.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;
    use whitecap_pipes::{Columns, Grid, Terrain, terrain_mesh};

    /// Contract: a square of terrain gets four sides that face outwards.
    #[test]
    fn a_square_gets_four_sides() {
        let grid = Grid::new(Vec2::ZERO, 1.0, 4, 4).unwrap();
        let mesh = terrain_mesh(&Columns::new(&Terrain::heightfield(grid, &[0.0; 16]).unwrap()));
        let block = with_sides(&mesh, 2.0);
        assert_eq!(block.triangles().len(), mesh.triangles().len() + 4 * 3 * 2);
        for triangle in &block.triangles()[mesh.triangles().len()..] {
            let [a, b, c] = triangle.map(|vertex| block.positions()[vertex as usize]);
            let outwards = (a + b + c) / 3.0 - Vec3::new(2.0, -1.0, 2.0);
            assert!((b - a).cross(c - a).dot(outwards) > 0.0);
        }
        assert_eq!(block.positions().iter().map(|at| at.y).fold(0.0, f32::min), -2.0);
    }
}

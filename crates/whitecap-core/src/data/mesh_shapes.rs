//! Meshes made from a few numbers or from other meshes.

use glam::Vec3;

use crate::TriMesh;

/// The corners of each side of a box, counter-clockwise seen from outside; bit 0 of a corner's number says
/// whether it lies at the high end along x, bit 1 along y, bit 2 along z.
const SIDES: [[u32; 4]; 6] =
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

impl TriMesh {
    /// A closed box of eight vertices and twelve triangles.
    ///
    /// ```
    /// use whitecap_core::{TriMesh, glam::Vec3};
    ///
    /// let block = TriMesh::cuboid(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0));
    /// assert_eq!((block.positions().len(), block.triangles().len()), (8, 12));
    /// assert!(block.open_edges().is_empty());
    /// ```
    pub fn cuboid(min: Vec3, max: Vec3) -> Self {
        let at = |corner: u32, axis: usize| if corner >> axis & 1 == 0 { min } else { max }[axis];
        let position = |corner| Vec3::from_array([0, 1, 2].map(|axis| at(corner, axis)));
        let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
        let triangles = SIDES.into_iter().flat_map(halves).collect();
        Self::new((0..8).map(position).collect(), triangles).expect("sides have eight corners")
    }

    /// All meshes as one, without their attributes.
    pub fn joined<'a>(meshes: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let first = positions.len() as u32;
            positions.extend_from_slice(mesh.positions());
            let moved = |triangle: &[u32; 3]| triangle.map(|vertex| first + vertex);
            triangles.extend(mesh.triangles().iter().map(moved));
        }
        Self::new(positions, triangles).expect("triangles moved with their vertices")
    }

    /// Edges that belong to one triangle only, in its direction, sorted.
    pub fn open_edges(&self) -> Vec<(u32, u32)> {
        open_edges(self.triangles())
    }
}

/// The edges of some triangles that no other triangle has in the opposite direction, sorted.
pub fn open_edges(triangles: &[[u32; 3]]) -> Vec<(u32, u32)> {
    let around = |&[a, b, c]: &[u32; 3]| [(a, b), (b, c), (c, a)];
    let mut edges: Vec<_> = triangles.iter().flat_map(around).collect();
    edges.sort_unstable();
    let is_open = |&(from, to): &(u32, u32)| edges.binary_search(&(to, from)).is_err();
    edges.iter().copied().filter(is_open).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a box reaches from corner to corner exactly, and all its sides face outwards.
    #[test]
    fn boxes_face_outwards() {
        let (min, max) = (Vec3::new(-0.1, 0.2, 1.0), Vec3::new(0.3, 0.7, 1.1));
        let block = TriMesh::cuboid(min, max);
        assert_eq!((block.bounds().min, block.bounds().max), (min, max));
        for triangle in 0..12 {
            let [a, b, c] = block.corners(triangle);
            assert!((b - a).cross(c - a).dot((a + b + c) / 3.0 - 0.5 * (min + max)) > 0.0);
        }
    }

    /// Contract: joined meshes keep their own triangles; the open edges of both are found, each in the
    /// direction of its triangle.
    #[test]
    fn joined_meshes_stay_apart() {
        let block = TriMesh::cuboid(Vec3::ZERO, Vec3::ONE);
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let single = TriMesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let both = TriMesh::joined([&block, &single]);
        assert_eq!(both.corners(12), single.corners(0));
        assert_eq!(both.open_edges(), [(8, 9), (9, 10), (10, 8)]);
        assert_eq!(TriMesh::joined([]), TriMesh::default());
    }
}

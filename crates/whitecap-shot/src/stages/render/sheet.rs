//! Sheets: surfaces of a liquid that are open below, such as a height field.
//!
//! A sheet encloses nothing, so that light would never leave the liquid again. Above a floor it is
//! therefore closed along its edge, down to the floor, and shows a block of the liquid.

use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

/// A sheet has this fraction of its area facing up.
const FACING_UP: f64 = 0.99;

/// Whether a mesh is open and nearly all of it faces up.
pub fn is_sheet(mesh: &TriMesh) -> bool {
    let (mut up, mut all) = (0.0f64, 0.0f64);
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|corner| mesh.positions()[corner as usize]);
        let normal = (b - a).cross(c - a);
        let area = f64::from(normal.length());
        all += area;
        up += if normal.y > 0.0 { area } else { 0.0 };
    }
    all > 0.0 && up >= FACING_UP * all && !mesh.open_edges().is_empty()
}

/// The sides of the block below a sheet, from its edge down to a height, facing outwards.
pub fn sides(mesh: &TriMesh, height: f32) -> TriMesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for (from, to) in mesh.open_edges() {
        let first = positions.len() as u32;
        let [from, to] = [from, to].map(|corner| mesh.positions()[corner as usize]);
        let below = |point: Vec3| Vec3::new(point.x, height.min(point.y), point.z);
        positions.extend([from, to, below(to), below(from)]);
        // The edge has the sheet to its left; seen from outside it runs to the left.
        triangles.extend([[1, 0, 3], [1, 3, 2]].map(|t| t.map(|corner| first + corner)));
    }
    TriMesh::new(positions, triangles).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::glam::Vec3Swizzles;

    fn square() -> TriMesh {
        let corners = [[0.0, 1.0, 0.0], [0.0, 1.2, 1.0], [1.0, 1.1, 1.0], [1.0, 1.3, 0.0]];
        let corners = corners.map(Vec3::from_array).to_vec();
        TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    /// Contract: the sides stand under the whole edge of a sheet, reach the height and face outwards.
    #[test]
    fn a_sheet_is_closed_down_to_its_floor() {
        let square = square();
        let sides = sides(&square, 0.25);
        assert_eq!(sides.triangles().len(), 8);
        let lowest = sides.positions().iter().map(|point| point.y).fold(f32::INFINITY, f32::min);
        assert_eq!(lowest, 0.25);
        for triangle in sides.triangles() {
            let [a, b, c] = triangle.map(|corner| sides.positions()[corner as usize]);
            let outwards = (a + b + c) / 3.0 - Vec3::new(0.5, 1.0, 0.5);
            let normal = (b - a).cross(c - a);
            assert!(normal.dot(outwards) > 0.0 && normal.y.abs() < 1e-6, "{a} {b} {c}");
        }
    }

    /// Contract: closed bodies and walls are no sheets.
    #[test]
    fn only_what_is_open_below_is_a_sheet() {
        assert!(is_sheet(&square()));
        assert!(!is_sheet(&TriMesh::cuboid(Vec3::ZERO, Vec3::ONE)));
        let mut wall = square();
        wall.positions_mut().iter_mut().for_each(|point| *point = point.yzx());
        assert!(!is_sheet(&wall));
        assert!(!is_sheet(&TriMesh::default()));
    }
}

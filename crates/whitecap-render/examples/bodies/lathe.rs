//! Bodies of revolution for the example scenes.

use whitecap_core::TriMesh;
use whitecap_render::glam::Vec3;

/// A closed body made by rotating a profile, which starts and ends on the axis, about the y axis.
pub fn lathe(profile: &[[f32; 2]], segments: u32) -> Result<TriMesh, whitecap_core::Error> {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for &[radius, height] in profile {
        for segment in 0..segments {
            let angle = std::f32::consts::TAU * segment as f32 / segments as f32;
            positions.push(Vec3::new(radius * angle.sin(), height, radius * angle.cos()));
        }
    }
    for ring in 0..profile.len() as u32 - 1 {
        for segment in 0..segments {
            let next = (segment + 1) % segments;
            let [a, b] = [ring * segments + segment, ring * segments + next];
            let [c, d] = [a + segments, b + segments];
            triangles.push([a, b, c]);
            triangles.push([b, d, c]);
        }
    }
    TriMesh::new(positions, triangles)
}

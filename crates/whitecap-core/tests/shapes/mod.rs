//! Closed test meshes, wound counter-clockwise seen from outside.

use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

/// A sphere of `rings` by 2 `rings` quads, closed by fans at the poles.
pub fn sphere(center: Vec3, radius: f32, rings: u32) -> TriMesh {
    let segments = 2 * rings;
    let mut positions = vec![center + radius * Vec3::Y, center - radius * Vec3::Y];
    for ring in 1..rings {
        let polar = std::f32::consts::PI * ring as f32 / rings as f32;
        for segment in 0..segments {
            let around = std::f32::consts::TAU * segment as f32 / segments as f32;
            let direction =
                Vec3::new(polar.sin() * around.cos(), polar.cos(), polar.sin() * around.sin());
            positions.push(center + radius * direction);
        }
    }
    let vertex = |ring: u32, segment: u32| 2 + (ring - 1) * segments + segment % segments;
    let mut triangles = Vec::new();
    for segment in 0..segments {
        triangles.push([0, vertex(1, segment + 1), vertex(1, segment)]);
        triangles.push([1, vertex(rings - 1, segment), vertex(rings - 1, segment + 1)]);
        for ring in 1..rings - 1 {
            let [a, b] = [vertex(ring, segment), vertex(ring, segment + 1)];
            let [c, d] = [vertex(ring + 1, segment), vertex(ring + 1, segment + 1)];
            triangles.push([a, b, d]);
            triangles.push([a, d, c]);
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

/// A torus round the y axis with tube radius `tube`.
pub fn torus(radius: f32, tube: f32, segments: u32) -> TriMesh {
    let mut positions = Vec::new();
    for i in 0..segments {
        let around = std::f32::consts::TAU * i as f32 / segments as f32;
        for j in 0..segments {
            let across = std::f32::consts::TAU * j as f32 / segments as f32;
            let reach = radius + tube * across.cos();
            positions.push(Vec3::new(
                reach * around.cos(),
                tube * across.sin(),
                reach * around.sin(),
            ));
        }
    }
    let vertex = |i: u32, j: u32| (i % segments) * segments + j % segments;
    let mut triangles = Vec::new();
    for i in 0..segments {
        for j in 0..segments {
            let (a, b) = (vertex(i, j), vertex(i + 1, j));
            let (c, d) = (vertex(i, j + 1), vertex(i + 1, j + 1));
            triangles.push([a, c, d]);
            triangles.push([a, d, b]);
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

/// Points spread evenly over the cube of half edge `half`, the same at every run.
pub fn points_in_cube(half: f32, count: usize) -> impl Iterator<Item = Vec3> {
    // Additive recurrence with the inverse powers of the plastic number (Roberts 2018).
    let steps = [0.819_172_5, 0.671_043_6, 0.549_700_5];
    (0..count).map(move |i| {
        Vec3::from_array(steps.map(|step: f64| ((i as f64 * step).fract() * 2.0 - 1.0) as f32))
            * half
    })
}

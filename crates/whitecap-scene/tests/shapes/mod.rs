//! Closed test meshes, wound counter-clockwise seen from outside.

// Each test binary uses some of them.
#![allow(dead_code)]

use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

/// A box of twelve triangles.
pub fn block(min: Vec3, max: Vec3) -> TriMesh {
    let corner = |i: usize| {
        let pick = |axis: usize| if i >> axis & 1 == 0 { min[axis] } else { max[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    };
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// An octahedron split `rounds` times and blown up to a sphere. Neighbouring triangles do not
/// share vertices, as in many files.
pub fn sphere(center: Vec3, radius: f32, rounds: u32) -> TriMesh {
    let octant = |i: usize| {
        let sign = |axis: usize| if i >> axis & 1 == 0 { 1.0 } else { -1.0 };
        let [x, y, z] = [Vec3::X * sign(0), Vec3::Y * sign(1), Vec3::Z * sign(2)];
        if sign(0) * sign(1) * sign(2) > 0.0 { [x, y, z] } else { [x, z, y] }
    };
    let mut corners: Vec<[Vec3; 3]> = (0..8).map(octant).collect();
    for _ in 0..rounds {
        let split = |[a, b, c]: [Vec3; 3]| {
            let [ab, bc, ca] = [a + b, b + c, c + a].map(Vec3::normalize);
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        corners = corners.into_iter().flat_map(split).collect();
    }
    let count = corners.len() as u32;
    let positions = corners.into_iter().flatten().map(|p| center + radius * p).collect();
    TriMesh::new(positions, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap()
}

/// Two meshes as one.
pub fn joined(a: &TriMesh, b: &TriMesh) -> TriMesh {
    let shift = a.positions().len() as u32;
    let mut triangles = a.triangles().to_vec();
    triangles.extend(b.triangles().iter().map(|t| t.map(|v| v + shift)));
    TriMesh::new([a.positions(), b.positions()].concat(), triangles).unwrap()
}

/// Points spread evenly over the cube from −1 to 1, the same at every run.
pub fn points_in_cube(count: usize) -> impl Iterator<Item = Vec3> {
    // Additive recurrence with the inverse powers of the plastic number (Roberts 2018).
    let steps = [0.819_172_5, 0.671_043_6, 0.549_700_5];
    (0..count).map(move |i| {
        Vec3::from_array(steps.map(|step: f64| ((i as f64 * step).fract() * 2.0 - 1.0) as f32))
    })
}

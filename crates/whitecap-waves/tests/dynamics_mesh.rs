//! A mesh of the coarse liquid is moved by the waves on the points around it.

mod dynamics_surfaces;

use dynamics_surfaces::{Surface, sheet, up};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, TriMesh};
use whitecap_waves::dynamics::{HEIGHT, WaveOutput, displaced_mesh};
use whitecap_waves::points::Lengths;

const COARSE: f32 = 0.1;
const FINE: f32 = 0.02;
const LENGTHS: Lengths = Lengths { coarse: COARSE, fine: FINE };
const REACH: f32 = 2.0 * COARSE;

/// A flat mesh at a height, facing up or down.
fn plane(height: f32, faces_up: bool) -> TriMesh {
    let count = 41;
    let place = |i: usize| Vec3::new((i % count) as f32 / 40.0, height, (i / count) as f32 / 40.0);
    let mut triangles = Vec::new();
    for z in 0..count as u32 - 1 {
        for x in 0..count as u32 - 1 {
            let corner = z * count as u32 + x;
            let (right, below) = (corner + 1, corner + count as u32);
            triangles.push([corner, below, right]);
            triangles.push([right, below, below + 1]);
        }
    }
    let mesh = TriMesh::new((0..count * count).map(place).collect(), triangles).unwrap();
    if faces_up { mesh } else { mesh.flipped() }
}

fn wave(surface: &Surface) -> WaveOutput {
    let height = surface.values(|p| 0.01 * (10.0 * p.x).sin());
    let count = surface.len();
    WaveOutput {
        wave_velocity: surface.values(|p| 0.3 * (10.0 * p.x).cos()),
        foam: vec![0.25; count],
        height,
        ..Default::default()
    }
}

/// Contract: vertices move along their normal by the wave, within 5 % of its height, whether the
/// mesh runs through the points or half a coarse length below them; height, foam and the velocity of
/// liquid and wave together are written on it.
#[test]
fn vertices_follow_the_wave() {
    let surface = Surface::new(&sheet(1.0, 1.0, FINE, 8), up, COARSE, FINE);
    let output = wave(&surface);
    let velocity = vec![Vec3::X; surface.len()];
    for level in [0.0, -0.5 * COARSE] {
        let flat = plane(level, true);
        let places = flat.positions().to_vec();
        let moved =
            displaced_mesh(flat, &surface.points, &output, &velocity, LENGTHS, REACH).unwrap();
        let Some(Column::F32(heights)) = moved.attribute(HEIGHT) else { panic!("no height") };
        let Some(Column::Vec3(velocities)) = moved.attribute("velocity") else {
            panic!("no velocity")
        };
        let Some(Column::F32(foam)) = moved.attribute("foam") else { panic!("no foam") };
        for (vertex, &place) in places.iter().enumerate() {
            if place.x.min(place.z) < 0.05 || place.x.max(place.z) > 0.95 {
                continue;
            }
            let expected = 0.01 * (10.0 * place.x).sin();
            assert!((heights[vertex] - expected).abs() < 0.0005, "{place}");
            let found = moved.positions()[vertex];
            assert!((found - place - Vec3::Y * heights[vertex]).length() < 1e-6);
            let expected = Vec3::new(1.0, 0.3 * (10.0 * place.x).cos(), 0.0);
            assert!((velocities[vertex] - expected).length() < 0.02, "{place}");
            assert!((foam[vertex] - 0.25).abs() < 1e-5);
        }
    }
}

/// Contract: a mesh that faces the other way, or that is farther than two coarse lengths and a reach from every
/// point, stays where it is; without velocities of the points, none are written.
#[test]
fn other_sides_and_far_meshes_stay() {
    let surface = Surface::new(&sheet(1.0, 1.0, FINE, 4), up, COARSE, FINE);
    let output = wave(&surface);
    for (level, faces_up) in [(-0.5 * COARSE, false), (2.5 * COARSE, true)] {
        let mesh = plane(level, faces_up);
        let places = mesh.positions().to_vec();
        let moved = displaced_mesh(mesh, &surface.points, &output, &[], LENGTHS, REACH).unwrap();
        assert_eq!(moved.positions(), places);
        assert!(moved.attribute("velocity").is_none());
    }
}

/// Contract: a drop of liquid just below the points, as when spray shares them with the liquid beneath
/// it, does not swell.
#[test]
fn drops_of_the_mesh_stay() {
    let surface = Surface::new(&sheet(1.0, 1.0, FINE, 8), up, COARSE, FINE);
    let output = WaveOutput {
        height: vec![0.02; surface.len()],
        wave_velocity: vec![0.1; surface.len()],
        foam: vec![0.0; surface.len()],
        ..Default::default()
    };
    // An octahedron, 0.3 coarse lengths from its middle to its corners.
    let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let middle = Vec3::new(0.5, -0.5 * COARSE, 0.5);
    let corners = axes.map(|axis| middle + 0.3 * COARSE * axis).to_vec();
    let faces =
        [[2, 4, 0], [2, 0, 5], [2, 5, 1], [2, 1, 4], [3, 0, 4], [3, 5, 0], [3, 1, 5], [3, 4, 1]];
    let drop = TriMesh::new(corners.clone(), faces.to_vec()).unwrap();
    let moved = displaced_mesh(drop, &surface.points, &output, &[], LENGTHS, REACH).unwrap();
    assert_eq!(moved.positions(), corners);
}

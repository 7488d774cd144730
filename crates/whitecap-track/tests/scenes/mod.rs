//! Meshes and particles for the tests.
#![allow(dead_code, reason = "each test file uses some of the scenes")]

use whitecap_core::glam::{Quat, Vec2, Vec3};
pub use whitecap_core::scatter::fraction as noise;
use whitecap_core::{Column, Particles, TriMesh, Unwatched};
use whitecap_surface::{MeshReport, Method, SurfaceSettings, report, surface_particles};

/// A ball from an icosahedron whose triangles are split `levels` times, with `height(direction)`
/// added to its radius; uv are longitude and latitude.
pub fn ball(center: Vec3, radius: f32, levels: u32, height: impl Fn(Vec3) -> f32) -> TriMesh {
    let (mut directions, mut triangles) = icosahedron();
    for _ in 0..levels {
        (directions, triangles) = split(&directions, &triangles);
    }
    let positions = directions.iter().map(|&d| center + d * (radius + height(d))).collect();
    let uv = directions.iter().map(|d| Vec2::new(d.x.atan2(d.z), d.y.asin())).collect();
    let mut mesh = TriMesh::new(positions, triangles).unwrap();
    mesh.set_attribute("uv", Column::Vec2(uv)).unwrap();
    mesh
}

fn icosahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let t = (1.0 + 5f32.sqrt()) / 2.0;
    let corners = [
        (-1., t, 0.),
        (1., t, 0.),
        (-1., -t, 0.),
        (1., -t, 0.),
        (0., -1., t),
        (0., 1., t),
        (0., -1., -t),
        (0., 1., -t),
        (t, 0., -1.),
        (t, 0., 1.),
        (-t, 0., -1.),
        (-t, 0., 1.),
    ];
    let triangles = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    (corners.iter().map(|&(x, y, z)| Vec3::new(x, y, z).normalize()).collect(), triangles)
}

fn split(directions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut all = directions.to_vec();
    let mut middles = std::collections::BTreeMap::new();
    let mut finer = Vec::new();
    for &[a, b, c] in triangles {
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                all.push((all[a as usize] + all[b as usize]).normalize());
                all.len() as u32 - 1
            })
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    (all, finer)
}

/// A torus round the y axis with `height(along, around)` added to the radius of its tube.
pub fn torus(
    major: f32,
    minor: f32,
    along: u32,
    around: u32,
    height: impl Fn(f32, f32) -> f32,
) -> TriMesh {
    let mut positions = Vec::new();
    let mut uv = Vec::new();
    for i in 0..along {
        for j in 0..around {
            let u = i as f32 / along as f32 * std::f32::consts::TAU;
            let v = j as f32 / around as f32 * std::f32::consts::TAU;
            let radius = minor + height(u, v);
            let out = Vec3::new(u.cos(), 0.0, u.sin());
            positions.push(out * (major + radius * v.cos()) + Vec3::Y * radius * v.sin());
            uv.push(Vec2::new(u, v));
        }
    }
    let at = |i: u32, j: u32| (i % along) * around + j % around;
    let mut triangles = Vec::new();
    for i in 0..along {
        for j in 0..around {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    let mut mesh = TriMesh::new(positions, triangles).unwrap();
    mesh.set_attribute("uv", Column::Vec2(uv)).unwrap();
    mesh
}

/// Several closed meshes as one.
pub fn together(meshes: &[TriMesh]) -> TriMesh {
    let (mut positions, mut triangles, mut uv) = (Vec::new(), Vec::new(), Vec::new());
    for mesh in meshes {
        let base = positions.len() as u32;
        positions.extend_from_slice(mesh.positions());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + base)));
        if let Some(Column::Vec2(column)) = mesh.attribute("uv") {
            uv.extend_from_slice(column);
        }
    }
    let mut mesh = TriMesh::new(positions, triangles).unwrap();
    mesh.set_attribute("uv", Column::Vec2(uv)).unwrap();
    mesh
}

/// Positions on a slightly perturbed lattice of `spacing` where `inside` holds, within ±`extent`.
pub fn filled(spacing: f32, extent: Vec3, inside: impl Fn(Vec3) -> bool) -> Vec<Vec3> {
    let count = (extent / spacing).ceil().as_ivec3();
    let mut places = Vec::new();
    for z in -count.z..=count.z {
        for y in -count.y..=count.y {
            for x in -count.x..=count.x {
                let seed = (x + 500 + 1000 * (y + 500 + 1000 * (z + 500))) as u64;
                let wobble =
                    Vec3::new(noise(seed), noise(seed + 1_000_003), noise(seed + 7_000_001));
                let p = Vec3::new(x as f32, y as f32, z as f32) * spacing
                    + (wobble - 0.5) * 0.2 * spacing;
                if inside(p) {
                    places.push(p);
                }
            }
        }
    }
    places
}

/// Particles with identities in the order of their positions.
pub fn particles(places: Vec<Vec3>) -> Particles {
    let ids = (0..places.len() as i64).collect();
    let mut particles = Particles::new(places);
    particles.set_attribute("id", Column::I64(ids)).unwrap();
    particles
}

/// The coarse surface of the particles itself, as a finer mesh: detail is nearly zero.
pub fn surfaced(particles: &Particles, spacing: f32, support: f32) -> TriMesh {
    let settings = SurfaceSettings {
        method: Method::Solenthaler,
        radius: Some(0.246 * support * spacing),
        cell: Some(0.3 * spacing),
        support: Some(support * spacing),
        ..SurfaceSettings::default()
    };
    surface_particles(particles, &settings, &Unwatched).unwrap().mesh
}

/// Fails unless the mesh is a closed 2-manifold.
pub fn assert_closed(mesh: &TriMesh, what: &str) -> MeshReport {
    let found = report(mesh);
    assert!(found.is_closed_manifold(), "{what}: {found:?}");
    found
}

/// A rigid motion: rotated about an axis through the origin, then translated.
pub fn turned(p: Vec3, angle: f32, shift: Vec3) -> Vec3 {
    Quat::from_axis_angle(Vec3::new(0.3, 0.8, -0.5).normalize(), angle) * p + shift
}

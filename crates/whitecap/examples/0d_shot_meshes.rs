//! Models the solids and the toy of the example shots and writes them to `shots/meshes/`.
//!
//! ```sh
//! cargo run --release -p whitecap --example 0d_shot_meshes
//! ```
//!
//! The toy, the balls, the loaf, the bar, the gear and the stirrer are signed distances, joined by
//! smooth minima; the glass and its contents are surfaces of revolution.

mod shapes;

use std::f32::consts::TAU;
use std::path::Path;

use whitecap::core::glam::{Vec2, Vec3};
use whitecap::core::{Bounds, TriMesh};

use shapes::{capsule, joined, mesh, rounded_box};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shots/meshes");
    std::fs::create_dir_all(&folder)?;
    let meshes = [
        (
            "toy.ply",
            mesh(
                toy,
                Bounds::new(Vec3::new(-0.2, -0.02, -0.12), Vec3::new(0.2, 0.34, 0.16)),
                0.0065,
            ),
        ),
        ("bar.ply", mesh(bar, Bounds::new(Vec3::splat(-0.2), Vec3::splat(0.2)), 0.006)),
        (
            "stirrer.ply",
            mesh(
                stirrer,
                Bounds::new(Vec3::new(-0.2, -0.2, -0.1), Vec3::new(0.2, 0.5, 0.1)),
                0.008,
            ),
        ),
        (
            "balls.ply",
            mesh(
                balls,
                Bounds::new(Vec3::new(-0.18, -0.02, -0.1), Vec3::new(0.18, 0.3, 0.1)),
                0.005,
            ),
        ),
        (
            "loaf.ply",
            mesh(
                loaf,
                Bounds::new(Vec3::new(-0.28, -0.08, -0.08), Vec3::new(0.28, 0.08, 0.08)),
                0.005,
            ),
        ),
        (
            "gear.ply",
            mesh(
                gear,
                Bounds::new(Vec3::new(-0.14, -0.14, -0.2), Vec3::new(0.14, 0.14, 0.2)),
                0.008,
            ),
        ),
        ("glass.ply", revolved(&glass(), 72)),
        ("glass-contents.ply", revolved(&contents(), 72)),
    ];
    for (name, mesh) in meshes {
        let path = folder.join(name);
        whitecap::io::write_mesh(&path, &mesh)?;
        let report = whitecap::surface::report(&mesh);
        println!(
            "{}: {} triangles, {:.6} m³, {} bytes",
            name,
            report.triangles,
            report.volume,
            std::fs::metadata(&path)?.len()
        );
    }
    Ok(())
}

/// A bear that stands on y = 0 and faces along z, 0.32 m tall.
fn toy(p: Vec3) -> f32 {
    // One side is the mirror image of the other.
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    let body = ellipsoid(p, Vec3::new(0.0, 0.105, 0.0), Vec3::new(0.075, 0.085, 0.066));
    let head = ball(p, Vec3::new(0.0, 0.225, 0.005), 0.068);
    let ear = ball(p, Vec3::new(0.055, 0.283, 0.0), 0.029);
    let inner_ear = ball(p, Vec3::new(0.057, 0.285, 0.034), 0.022);
    let snout = ball(p, Vec3::new(0.0, 0.208, 0.058), 0.032);
    let nose = ball(p, Vec3::new(0.0, 0.222, 0.088), 0.013);
    let eye = ball(p, Vec3::new(0.026, 0.243, 0.062), 0.011);
    let arm = capsule(p, Vec3::new(0.06, 0.155, 0.005), Vec3::new(0.135, 0.125, 0.04), 0.025);
    let leg = capsule(p, Vec3::new(0.045, 0.04, 0.01), Vec3::new(0.07, 0.032, 0.085), 0.031);
    let trunk = joined(joined(body, head, 0.02), joined(arm, leg, 0.004), 0.015);
    let hollowed_ear = ear.max(-inner_ear);
    let face = joined(joined(trunk, snout, 0.01), hollowed_ear, 0.008);
    face.min(nose).min(eye)
}

/// A round bar along z, 0.36 m long and 0.05 m thick, about the origin.
fn bar(p: Vec3) -> f32 {
    capsule(p, Vec3::new(0.0, 0.0, -0.155), Vec3::new(0.0, 0.0, 0.155), 0.025)
}

/// Two paddles on a shaft along y, 0.32 m across; the origin is on the shaft, between the paddles.
fn stirrer(p: Vec3) -> f32 {
    let paddle = rounded_box(p, Vec3::new(0.16, 0.11, 0.012), 0.01);
    let shaft = capsule(p, Vec3::new(0.0, -0.1, 0.0), Vec3::new(0.0, 0.45, 0.0), 0.018);
    joined(paddle, shaft, 0.015)
}

/// Three carved balls of 0.14 m, two side by side and one above: one studded, one ribbed, one ringed.
fn balls(p: Vec3) -> f32 {
    const RADIUS: f32 = 0.07;
    const RELIEF: f32 = 0.004;
    let carved = |center: Vec3, relief: fn(Vec3) -> f32| {
        let from = p - center;
        from.length() - RADIUS - RELIEF * relief(from.normalize_or_zero())
    };
    let studs = |d: Vec3| {
        let wave = d * 17.0;
        ((wave.x.sin() * wave.y.sin() + wave.y.cos() * wave.z.sin()) * 2.0).clamp(-1.0, 1.0)
    };
    let ribs = |d: Vec3| (14.0 * d.z.atan2(d.x)).sin() * (1.0 - d.y * d.y).sqrt();
    let rings = |d: Vec3| (26.0 * d.y.acos()).sin();
    let below = carved(Vec3::new(-0.085, 0.085, 0.0), studs)
        .min(carved(Vec3::new(0.085, 0.085, 0.0), ribs));
    below.min(carved(Vec3::new(0.01, 0.24, 0.0), rings))
}

/// A loaf along x, 0.5 m long and 0.12 m thick, about the origin, with a knurled crust.
fn loaf(p: Vec3) -> f32 {
    let around = p.z.atan2(p.y);
    let knurls = (120.0 * p.x + 9.0 * around).sin() * (120.0 * p.x - 9.0 * around).sin();
    capsule(p, Vec3::X * -0.19, Vec3::X * 0.19, 0.056) - 0.004 * knurls
}

/// A gear about the z axis with eight round teeth, 0.24 m across and 0.32 m long.
fn gear(p: Vec3) -> f32 {
    let across = Vec2::new(p.x, p.y);
    let teeth = 0.014 * (8.0 * across.to_angle()).sin();
    let side = across.length() - 0.1 - teeth;
    let half = Vec2::new(side, p.z.abs() - 0.16) + 0.01;
    half.max(Vec2::ZERO).length() + half.max_element().min(0.0) - 0.01
}

/// Half a section of a drinking glass, from the axis below to the axis above: (radius, height).
fn glass() -> Vec<Vec2> {
    const HEIGHT: f32 = 0.11;
    const WALL: f32 = 0.003;
    const FLOOR: f32 = 0.01;
    let outer = |height: f32| 0.031 + 0.009 * height / HEIGHT;
    let mut section = vec![Vec2::new(0.0, 0.0)];
    section.extend(arc(Vec2::new(outer(0.0) - 0.004, 0.004), 0.004, -0.25, 0.0, 5));
    let steps = 12;
    let heights =
        |from: f32, to: f32| (1..steps).map(move |i| from + (to - from) * i as f32 / steps as f32);
    section.extend(heights(0.004, HEIGHT).map(|y| Vec2::new(outer(y), y)));
    let rim = Vec2::new(outer(HEIGHT) - 0.5 * WALL, HEIGHT);
    section.extend(arc(rim, 0.5 * WALL, 0.0, 0.5, 7));
    section.extend(heights(HEIGHT, FLOOR + 0.008).map(|y| Vec2::new(outer(y) - WALL, y)));
    let hollow = Vec2::new(outer(FLOOR + 0.008) - WALL - 0.008, FLOOR + 0.008);
    section.extend(arc(hollow, 0.008, 0.0, -0.25, 6));
    section.extend([0.66, 0.33].map(|share| Vec2::new(share * hollow.x, FLOOR)));
    section.push(Vec2::new(0.0, FLOOR));
    section
}

/// Half a section of liquid in that glass, a millimetre from it.
fn contents() -> Vec<Vec2> {
    let points = [
        (0.0, 0.0111),
        (0.0205, 0.0111),
        (0.0255, 0.0135),
        (0.0283, 0.018),
        (0.0311, 0.05),
        (0.0324, 0.066),
        (0.0, 0.066),
    ];
    points.map(Vec2::from).to_vec()
}

/// Points of an arc; angles are in turns.
fn arc(center: Vec2, radius: f32, from: f32, to: f32, count: usize) -> Vec<Vec2> {
    let turn = |i: usize| TAU * (from + (to - from) * i as f32 / (count - 1) as f32);
    (0..count).map(|i| center + radius * Vec2::from_angle(turn(i))).collect()
}

/// The closed surface that a section from axis to axis sweeps about the y axis.
fn revolved(section: &[Vec2], segments: u32) -> TriMesh {
    let (first, last) = (section[0], section[section.len() - 1]);
    let rings = &section[1..section.len() - 1];
    let mut positions = vec![Vec3::new(0.0, first.y, 0.0), Vec3::new(0.0, last.y, 0.0)];
    for point in rings {
        positions.extend((0..segments).map(|segment| {
            let angle = TAU * segment as f32 / segments as f32;
            Vec3::new(point.x * angle.cos(), point.y, -point.x * angle.sin())
        }));
    }
    let vertex = |ring: usize, segment: u32| 2 + ring as u32 * segments + segment % segments;
    let mut triangles = Vec::new();
    for segment in 0..segments {
        triangles.push([0, vertex(0, segment + 1), vertex(0, segment)]);
        for ring in 0..rings.len() - 1 {
            let [a, b] = [vertex(ring, segment), vertex(ring, segment + 1)];
            let [c, d] = [vertex(ring + 1, segment), vertex(ring + 1, segment + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        let top = rings.len() - 1;
        triangles.push([1, vertex(top, segment), vertex(top, segment + 1)]);
    }
    TriMesh::new(positions, triangles).expect("the indices are those of the vertices above")
}

fn ball(p: Vec3, center: Vec3, radius: f32) -> f32 {
    p.distance(center) - radius
}

fn ellipsoid(p: Vec3, center: Vec3, radii: Vec3) -> f32 {
    let scaled = (p - center) / radii;
    (scaled.length() - 1.0) * radii.min_element()
}

//! Seconds per frame of tracking, part by part, for synthetic scenes of a given size.
//!
//! `cargo run --release -p whitecap-track --example 1_timings -- twist 20000 250000 20` twists a
//! knurled torus of about 20 000 particles and 250 000 triangles for 20 frames. Scenes: `twist`
//! (nothing tears), `split` (a knurled ball is torn in two), `merge` (two knurled balls collide). A
//! fifth argument is the projection (`keep-detail`, or `onto-surface` as Yu et al. 2012), a sixth the
//! support in spacings, a seventh a folder to write the meshes to. One thread: RAYON_NUM_THREADS=1.
//!
//! The last lines give the root mean square distance of the vertices from the mesh moved exactly with the
//! liquid, and that of the vertices of a plain surface of the particles.

#[path = "../tests/scenes/mod.rs"]
mod scenes;

use scenes::{ball, filled, particles, together, torus};
use whitecap_core::glam::{Quat, Vec2, Vec3};
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::{TriMesh, Unwatched};
use whitecap_track::{Projection, TrackSettings, Tracker};

type Motion = Box<dyn Fn(usize, Vec3) -> Vec3>;

struct Scene {
    mesh: TriMesh,
    spacing: f32,
    rest: Vec<Vec3>,
    motion: Motion,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).map_or(default, |s| s).to_owned();
    let name = argument(0, "twist");
    let particle_count: f32 = argument(1, "20000").parse()?;
    let triangle_count: f32 = argument(2, "100000").parse()?;
    let frames: usize = argument(3, "20").parse()?;
    let folder = arguments.get(6);
    let scene = match name.as_str() {
        "twist" => twist(particle_count, triangle_count),
        "split" => split(particle_count, triangle_count),
        "merge" => merge(particle_count, triangle_count),
        other => return Err(format!("there is no scene called {other}").into()),
    };
    let projection = match argument(4, "keep-detail").as_str() {
        "keep-detail" => Projection::KeepDetail,
        "onto-surface" => Projection::OntoSurface,
        other => return Err(format!("there is no projection called {other}").into()),
    };
    let mut settings =
        TrackSettings { spacing: Some(scene.spacing), projection, ..TrackSettings::default() };
    if let Some(support) = arguments.get(5) {
        settings.support = support.parse()?;
    }
    let at = |frame| particles(scene.rest.iter().map(|&p| (scene.motion)(frame, p)).collect());
    let mut previous = at(0);
    let start = std::time::Instant::now();
    let mut tracker = Tracker::new(&scene.mesh, &previous, settings, &Unwatched)?;
    println!(
        "{name}: {} particles, {} triangles, spacing {:.4} m, begun in {:.2} s",
        scene.rest.len(),
        scene.mesh.triangles().len(),
        scene.spacing,
        start.elapsed().as_secs_f64()
    );
    println!(
        "frame | advect ms | quality | coarse | project | detect | match | remesh | total | triangles | jumped | remeshed cells | parts (coarse) | Euler (coarse) | volume/coarse | jump/spacing | rebuilt"
    );
    let mut totals = [0.0; 8];
    for frame in 1..=frames {
        let next = at(frame);
        let report = tracker.advance(&previous, &next, 0.04, &Unwatched)?;
        let t = &report.times;
        let parts = [
            t.advection,
            t.quality,
            t.coarse_surface,
            t.projection,
            t.detection,
            t.matching,
            t.remeshing,
            t.total,
        ]
        .map(|part| part.as_secs_f64() * 1e3);
        let row: Vec<String> = parts.iter().map(|ms| format!("{ms:.1}")).collect();
        println!(
            "{frame} | {} | {} | {} | {} | {} ({}) | {} ({}) | {:.4} | {:.3} | {}",
            row.join(" | "),
            report.triangles,
            report.jumped_vertices,
            report.remeshed_cells,
            report.topology.components,
            report.coarse_topology.components,
            report.topology.euler_characteristic,
            report.coarse_topology.euler_characteristic,
            report.volume / report.coarse_volume,
            report.largest_jump / scene.spacing,
            report.rebuilt_components,
        );
        for (total, part) in totals.iter_mut().zip(parts) {
            *total += part / frames as f64;
        }
        if let Some(folder) = folder {
            whitecap_io::write_mesh(format!("{folder}/{name}_{frame:03}.ply"), &tracker.mesh())?;
        }
        previous = next;
    }
    let row: Vec<String> = totals.iter().map(|ms| format!("{ms:.1}")).collect();
    println!("mean | {}", row.join(" | "));
    let original = scene.moved_mesh(frames);
    let plain = scenes::surfaced(&previous, scene.spacing, 2.0);
    for (what, mesh) in [("tracked", &tracker.mesh()), ("plain surface", &plain)] {
        println!(
            "{what}: {:.4} spacings from the moved mesh",
            rms(mesh, &original) / scene.spacing
        );
    }
    Ok(())
}

impl Scene {
    /// The mesh moved exactly with the liquid.
    fn moved_mesh(&self, frame: usize) -> TriMesh {
        let moved = self.mesh.positions().iter().map(|&p| (self.motion)(frame, p)).collect();
        TriMesh::new(moved, self.mesh.triangles().to_vec()).unwrap_or_default()
    }
}

/// Root mean square distance of the vertices of `mesh` to `original`, in metres.
fn rms(mesh: &TriMesh, original: &TriMesh) -> f32 {
    let bvh = TriangleBvh::build(original);
    let distance = |&p: &Vec3| bvh.closest_point(p, f32::INFINITY).map(|f| f.distance_squared);
    let squares: f32 = mesh.positions().iter().filter_map(distance).sum();
    (squares / mesh.positions().len().max(1) as f32).sqrt()
}

fn spacing_for(volume: f32, particles: f32) -> f32 {
    (volume / particles).cbrt()
}

/// A knurled torus, each slice turned about the x axis by an angle that grows with x and time.
fn twist(particle_count: f32, triangle_count: f32) -> Scene {
    let (major, minor) = (1.0, 0.4);
    let volume = std::f32::consts::TAU * std::f32::consts::PI * minor * minor * major;
    let spacing = spacing_for(volume, particle_count);
    let around = (triangle_count / 2.0 / 2.5).sqrt();
    let knurls = move |u: f32, v: f32| 0.4 * spacing * (40.0 * u).sin() * (16.0 * v).cos();
    let mesh = torus(major, minor, (2.5 * around) as u32, around as u32, knurls);
    let inside = |p: Vec3| {
        Vec2::new(Vec2::new(p.x, p.z).length() - major, p.y).length() < minor - 0.3 * spacing
    };
    let rest = filled(spacing, Vec3::new(1.5, 0.5, 1.5), inside);
    let motion = move |frame: usize, p: Vec3| {
        Quat::from_rotation_x(0.02 * frame as f32 * p.x) * p + Vec3::Y * 0.01 * frame as f32
    };
    Scene { mesh, spacing, rest, motion: Box::new(motion) }
}

fn knurled_ball(center: Vec3, triangle_count: f32, spacing: f32) -> TriMesh {
    let levels = ((triangle_count / 20.0).log2() / 2.0).round() as u32;
    let knurls =
        move |d: Vec3| 0.4 * spacing * (24.0 * d.x).sin() * (24.0 * d.y).sin() * (24.0 * d.z).sin();
    ball(center, 1.0, levels, knurls)
}

/// A knurled ball torn apart along a wavy surface.
fn split(particle_count: f32, triangle_count: f32) -> Scene {
    let spacing = spacing_for(4.19, particle_count);
    let mesh = knurled_ball(Vec3::ZERO, triangle_count, spacing);
    let rest = filled(spacing, Vec3::splat(1.1), |p| p.length() < 1.0 - 0.3 * spacing);
    let motion = move |frame: usize, p: Vec3| {
        let side = (p.x + 0.2 * (4.0 * p.y).sin() * (3.0 * p.z).cos()).signum();
        p + Vec3::X * side * 0.15 * spacing * frame as f32
    };
    Scene { mesh, spacing, rest, motion: Box::new(motion) }
}

/// Two knurled balls pushed into each other.
fn merge(particle_count: f32, triangle_count: f32) -> Scene {
    let spacing = spacing_for(8.38, particle_count);
    let offset = Vec3::X * (1.0 + 2.5 * spacing);
    let bodies = [-offset, offset].map(|c| knurled_ball(c, 0.5 * triangle_count, spacing));
    let one = filled(spacing, Vec3::splat(1.1), |p| p.length() < 1.0 - 0.3 * spacing);
    let rest = [-offset, offset].iter().flat_map(|&c| one.iter().map(move |&p| p + c)).collect();
    let motion =
        move |frame: usize, p: Vec3| p - Vec3::X * p.x.signum() * 0.25 * spacing * frame as f32;
    Scene { mesh: together(&bodies), spacing, rest, motion: Box::new(motion) }
}

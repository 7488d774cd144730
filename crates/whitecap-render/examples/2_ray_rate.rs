//! How many rays per second a triangle mesh handles: `cargo run --release --example 2_ray_rate`.
//!
//! The mesh is a wavy ball of 1.3 million triangles. Camera rays come in rows; scattered rays start on
//! the surface in random directions, which is what most rays of a path tracer do.

use std::time::Instant;

use glam::Vec3;
use whitecap_core::TriMesh;
use whitecap_render::{MeshOptions, Ray, Sampler, Shape, TriangleMesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let started = Instant::now();
    let mesh = TriangleMesh::new(wavy_ball(800)?, MeshOptions::default())?;
    let triangles = mesh.mesh().triangles().len();
    println!("{triangles} triangles ready in {:.2} s", started.elapsed().as_secs_f32());
    println!("{:.0} bytes per triangle", mesh.bytes() as f32 / triangles as f32);

    let side = 1000;
    let mut starts = Vec::new();
    let started = Instant::now();
    for pixel in 0..side * side {
        let x = (pixel % side) as f32 / side as f32 * 2.4 - 1.2;
        let y = (pixel / side) as f32 / side as f32 * 2.4 - 1.2;
        let direction = (Vec3::new(x, y, 0.0) - Vec3::new(0.0, 0.0, 4.0)).normalize();
        let ray = Ray { origin: Vec3::new(0.0, 0.0, 4.0), direction, time: 0.0, far: f32::MAX };
        if let Some(hit) = mesh.intersect(&ray) {
            starts.push(ray.at(hit.distance) + hit.uncertainty * hit.geometric_normal);
        }
    }
    report("camera rays", side * side, started);

    let mut sampler = Sampler::new(1, [0, 0], 0);
    let rays: Vec<Ray> = (0..1_000_000)
        .map(|index| {
            let mut next = || 2.0 * sampler.next() - 1.0;
            let direction = Vec3::new(next(), next(), next()).normalize_or(Vec3::Y);
            let origin = starts[index * 7919 % starts.len()];
            Ray { origin, direction, time: 0.0, far: f32::MAX }
        })
        .collect();
    let started = Instant::now();
    let hits = rays.iter().filter(|ray| mesh.intersect(ray).is_some()).count();
    report("scattered rays", rays.len(), started);
    let started = Instant::now();
    let blocked = rays.iter().filter(|ray| mesh.blocks(ray)).count();
    report("shadow rays", rays.len(), started);
    println!("{hits} hits, {blocked} blocked");
    Ok(())
}

fn report(what: &str, count: usize, started: Instant) {
    let rate = count as f32 / started.elapsed().as_secs_f32() / 1e6;
    println!("{what}: {rate:.2} million per second and thread");
}

fn wavy_ball(rows: usize) -> Result<TriMesh, whitecap_core::Error> {
    let columns = rows;
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for row in 0..=rows {
        for column in 0..columns {
            let latitude = std::f32::consts::PI * row as f32 / rows as f32;
            let longitude = std::f32::consts::TAU * column as f32 / columns as f32;
            let radius = 1.0 + 0.05 * (20.0 * latitude).sin() * (15.0 * longitude).cos();
            let ring = latitude.sin();
            positions.push(
                radius * Vec3::new(ring * longitude.cos(), latitude.cos(), ring * longitude.sin()),
            );
            if row < rows {
                let at = |r: usize, c: usize| (r * columns + c % columns) as u32;
                let [a, b] = [at(row, column), at(row, column + 1)];
                let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
                triangles.push([a, b, c]);
                triangles.push([b, d, c]);
            }
        }
    }
    TriMesh::new(positions, triangles)
}

//! Particles for tests of surface points.

// Each test program uses some of these.
#![allow(dead_code)]

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles};

/// Distance between particles.
pub const SPACING: f32 = 0.05;

/// A repeatable number from 0 to 1 for each index.
pub fn random(index: usize) -> f32 {
    let mut state = (index as u32).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    state = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    ((state >> 22) ^ state) as f32 / u32::MAX as f32
}

/// Slightly disordered particles of a box with a corner at `min`, of `count` particles per edge.
pub fn block(min: Vec3, count: [usize; 3]) -> Vec<Vec3> {
    let [nx, ny, nz] = count;
    (0..nx * ny * nz)
        .map(|i| {
            let place = Vec3::new((i % nx) as f32, (i / nx % ny) as f32, (i / nx / ny) as f32);
            let wobble = Vec3::new(random(3 * i), random(3 * i + 1), random(3 * i + 2)) - 0.5;
            min + SPACING * (place + 0.3 * wobble)
        })
        .collect()
}

/// Particles of a ball.
pub fn ball(center: Vec3, radius: f32) -> Vec<Vec3> {
    let count = (2.0 * radius / SPACING).ceil() as usize + 1;
    let corner = center - 0.5 * SPACING * (count - 1) as f32;
    let inside = |p: &Vec3| p.distance(center) <= radius;
    block(corner, [count; 3]).into_iter().filter(inside).collect()
}

/// A pool with two crests that run outward and die down.
pub fn rippled(time: f32) -> Vec<Vec3> {
    let middle = 7.5 * SPACING;
    let place = |p: Vec3| {
        let wavelength = 6.0 * SPACING;
        let behind = ((p.x - middle).hypot(p.z - middle) - 0.5 * time) / wavelength;
        let strength = (-2.0 * time).exp() * (5.0 * time).min(1.0);
        let crest = (std::f32::consts::TAU * behind).cos() * (-behind * behind).exp();
        p + Vec3::Y * (0.4 * p.y * strength * crest)
    };
    block(Vec3::ZERO, [16, 6, 16]).into_iter().map(place).collect()
}

/// Particles with the ids 0, 1, 2, …
pub fn counted(positions: Vec<Vec3>) -> Particles {
    let ids = (0..positions.len() as i32).collect();
    with_ids(positions, ids)
}

/// Particles with ids.
pub fn with_ids(positions: Vec<Vec3>, ids: Vec<i32>) -> Particles {
    let mut particles = Particles::new(positions);
    particles.set_attribute("id", Column::I32(ids)).unwrap();
    particles
}

/// The largest distance from any of `places` to the nearest of `points`.
pub fn largest_gap(places: &[Vec3], points: &[Vec3]) -> f32 {
    let nearest = |place: &Vec3| {
        points.iter().map(|point| point.distance_squared(*place)).fold(f32::INFINITY, f32::min)
    };
    places.iter().map(nearest).fold(0.0, f32::max).sqrt()
}

//! A round tank of water, stirred by a rod: particles whose positions are known at every time.
//!
//! The water rotates, faster in the middle; its surface is hollow and sways; the rod moves round
//! against it and pushes a steep hump along, which the particles cannot resolve. Without the rod a
//! few ripples run outward from the middle and die down. Volume is conserved up to the slope of the
//! surface.

use std::f64::consts::TAU;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Error, Particles};

/// Radius of the tank in metres.
const RADIUS: f64 = 0.5;
/// Depth of the water at rest.
const DEPTH: f64 = 0.8;

/// The tank.
pub struct StirredTank {
    /// Positions at rest.
    rest: Vec<[f64; 3]>,
    spacing: f64,
    is_stirred: bool,
}

impl StirredTank {
    /// About `count` particles.
    pub fn new(count: usize, is_stirred: bool) -> Self {
        let spacing = (0.5 * TAU * RADIUS * RADIUS * DEPTH / count as f64).cbrt();
        let wide = (2.0 * RADIUS / spacing).ceil() as usize;
        let layers = (DEPTH / spacing).round() as usize;
        let place = |i: usize| {
            let wobble = |axis: usize| 0.3 * (random(3 * i + axis) - 0.5);
            [
                ((i % wide) as f64 + 0.5 + wobble(0)) * spacing - RADIUS,
                ((i / wide / wide) as f64 + 0.5 + wobble(1)) * spacing,
                ((i / wide % wide) as f64 + 0.5 + wobble(2)) * spacing - RADIUS,
            ]
        };
        let is_inside = |p: &[f64; 3]| p[0].hypot(p[2]) <= RADIUS;
        let rest = (0..wide * wide * layers).map(place).filter(is_inside).collect();
        Self { rest, spacing, is_stirred }
    }

    /// The particles at a time in seconds, with ids.
    pub fn particles(&self, time: f64) -> Result<Particles, Error> {
        let moved = self.rest.iter().map(|&rest| self.place(rest, time)).collect();
        let mut particles = Particles::new(moved);
        particles.set_attribute("id", Column::I32((0..self.rest.len() as i32).collect()))?;
        Ok(particles)
    }

    /// Where a particle with the given position at rest is.
    fn place(&self, [x, y, z]: [f64; 3], time: f64) -> Vec3 {
        let (radius, angle) = (x.hypot(z), z.atan2(x));
        let speed = if self.is_stirred { 2.0 / (1.0 + 4.0 * radius / RADIUS) } else { 0.0 };
        let angle = angle + speed * time;
        let (x, z) = (radius * angle.cos(), radius * angle.sin());
        let height =
            if self.is_stirred { self.stirred(x, z, time) } else { self.rippled(x, z, time) };
        Vec3::new(x as f32, (y * (1.0 + height / DEPTH)) as f32, z as f32)
    }

    /// Height of the stirred surface above the one at rest.
    fn stirred(&self, x: f64, z: f64, time: f64) -> f64 {
        let square = (x * x + z * z) / (RADIUS * RADIUS);
        let hollow = 0.06 * RADIUS * (2.0 * square - 1.0);
        let sway = 0.04 * x * (5.0 * time).sin();
        let turn = -3.0 * time;
        let (rod_x, rod_z) = (0.6 * RADIUS * turn.cos(), 0.6 * RADIUS * turn.sin());
        let away = (x - rod_x).hypot(z - rod_z) / (3.0 * self.spacing);
        hollow + sway + 3.0 * self.spacing * (-away * away).exp()
    }

    /// Height of the rippled surface above the one at rest: two crests that leave the middle.
    fn rippled(&self, x: f64, z: f64, time: f64) -> f64 {
        let wavelength = 8.0 * self.spacing;
        let behind = (x.hypot(z) - 0.5 * time) / wavelength;
        let strength = (-2.0 * time).exp() * (5.0 * time).min(1.0);
        1.2 * self.spacing * strength * (TAU * behind).cos() * (-behind * behind).exp()
    }
}

/// A repeatable number from 0 to 1 for each index.
fn random(index: usize) -> f64 {
    let mut state = (index as u32).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    state = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    f64::from((state >> 22) ^ state) / f64::from(u32::MAX)
}

//! The wave equation over one frame (Mercier et al. 2015, Eq. 4.14 with c², Alg. 2, lines 9–14):
//! symplectic Euler in as many steps as are stable.
//!
//! Two terms are added to c² Δh: diffusion of the velocity, which removes what is too short for
//! the points, and a weak pull back to the surface of the liquid, −ω₀² h, which keeps what is too long
//! to be a wave from piling up.
//!
//! # Guarantees
//! * The number of steps follows from the bound of the stencil, so that the highest frequency the
//!   points can carry is stable; diffusion is part of that bound.
//! * Heights and velocities stay within their limits.
//! * A wave without neighbours, forcing or velocity stays as it is, except for damping.

use rayon::prelude::*;

use super::bands::Band;
use super::laplacian::Stencil;

/// Share of the longest stable step that is taken.
const SAFETY: f32 = 0.9;
/// A height below this share of the largest one is set to zero, and so is a velocity that would make less
/// than that in a step. Ahead of a wave front, heights fall below the
/// smallest normal number within a few dozen points, where arithmetic would be slow.
const SILENCE: f32 = 1e-9;

/// Waves of one band, one value for each point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BandState {
    /// Height of the visible wave along the normal, in metres.
    pub height: Vec<f32>,
    /// Its rate of change, in metres per second.
    pub velocity: Vec<f32>,
}

/// What a band needs to know to move over one frame.
pub(super) struct Motion {
    /// Time at which the frame's motion starts, in seconds.
    pub start: f64,
    /// Time between frames, in seconds.
    pub duration: f64,
    /// Diffusion of velocity times the wave speed, in m²/s.
    pub diffusion: f32,
    /// Square of the angular frequency at which a uniform offset swings back, in 1/s².
    pub restoring: f32,
    /// Share of a wave that is left after the frame.
    pub left: f32,
    /// Largest height, in metres.
    pub largest_height: f32,
    /// Largest velocity, in metres per second.
    pub largest_velocity: f32,
}

impl Motion {
    /// Number of steps that a frame needs at a wave speed.
    pub fn steps(&self, stencil: &Stencil, speed: f32) -> u64 {
        let (speed, diffusion) = (f64::from(speed), f64::from(self.diffusion));
        if stencil.bound() <= 0.0 || speed <= 0.0 {
            return 1;
        }
        let bound = f64::from(stencil.bound()) + f64::from(self.restoring) / (speed * speed);
        // The step is stable while bound · (c²Δt² + 2 ν Δt) < 4.
        let limit = 4.0 * f64::from(SAFETY * SAFETY) / bound;
        let drift = diffusion / speed;
        let reach = (drift * drift + limit).sqrt() - drift;
        (self.duration * speed / reach).ceil().max(1.0) as u64
    }

    /// Moves the waves of a band over the frame. `forcing` holds the Laplacians of the amplitudes
    /// of the oscillators at the start and the end of the frame.
    pub fn advance(
        &self,
        stencil: &Stencil,
        band: &Band,
        steps: u64,
        state: &mut BandState,
        forcing: [&[f32]; 2],
    ) {
        let step = (self.duration / steps as f64) as f32;
        let squared = band.speed * band.speed;
        let left = f64::from(self.left).powf(1.0 / steps as f64) as f32;
        let quiet_height = SILENCE * self.largest_height;
        let quiet_velocity = quiet_height / step;
        // c² h + ν v: its Laplacian is the whole acceleration.
        let mix = |height: f32, velocity: f32| squared * height + self.diffusion * velocity;
        let pairs = state.height.par_iter().zip(&state.velocity);
        let mut mixed: Vec<f32> = pairs.map(|(&h, &v)| mix(h, v)).collect();
        let mut next = vec![0.0; mixed.len()];
        for index in 0..steps {
            let passed = index as f64 / steps as f64;
            let oscillation = squared * band.oscillation(self.start + passed * self.duration);
            let share = passed as f32;
            stencil.advance(
                &mixed,
                [&mut state.height, &mut state.velocity, &mut next],
                |point, laplacian, loss, [height, velocity, next]| {
                    let [before, after] = [forcing[0][point], forcing[1][point]];
                    let seeds = oscillation * (before + share * (after - before));
                    let kept = left - loss * band.speed * step;
                    let moved = kept * *velocity
                        + left * step * (laplacian + seeds - self.restoring * *height);
                    *velocity = limited(moved, self.largest_velocity, quiet_velocity);
                    let moved = left * *height + step * *velocity;
                    *height = limited(moved, self.largest_height, quiet_height);
                    *next = mix(*height, *velocity);
                },
            );
            std::mem::swap(&mut mixed, &mut next);
        }
    }
}

#[inline]
fn limited(value: f32, limit: f32, quiet: f32) -> f32 {
    // A comparison rather than `clamp`, so that a NaN is not hidden.
    if value.abs() < quiet {
        0.0
    } else if value > limit {
        limit
    } else if value < -limit {
        -limit
    } else {
        value
    }
}

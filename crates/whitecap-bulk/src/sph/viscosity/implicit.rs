//! Viscosity that is stable at any time step: backward Euler in the velocity.
//!
//! (1 − Δt V) v = v*, with V the linear function of [`super::ViscousForce`], is solved by conjugate
//! gradients, as Weiler et al. 2018 do for the same discretisation. The matrix is symmetric, because
//! all particles have one mass, and positive definite, because viscosity dissipates energy.
//!
//! # Guarantees
//! Momentum is conserved to the tolerance of the solve; the kinetic energy does not grow; the result
//! has the same bits for any number of threads.

use rayon::prelude::*;
use wide::f32x4;

use crate::sph::neighbours::CHUNK;
use crate::sph::viscosity::ViscousForce;

/// Largest residual, relative to the change of velocity that viscosity causes.
const TOLERANCE: f64 = 1e-3;
/// Largest number of iterations.
pub(crate) const MOST_ITERATIONS: u32 = 200;

/// Vectors of the solve, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImplicitViscosity {
    residual: Vec<f32x4>,
    direction: Vec<f32x4>,
    partial: Vec<f64>,
}

impl ImplicitViscosity {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<f32x4>() * (self.residual.capacity() + self.direction.capacity())
            + 8 * self.partial.capacity()
    }

    /// Replaces the velocity by the solution; `image` is scratch. Returns the iterations done.
    pub fn solve(
        &mut self,
        force: &ViscousForce<'_>,
        time_step: f32,
        velocity: &mut [f32x4],
        image: &mut [f32x4],
    ) -> u32 {
        let count = velocity.len();
        let Self { residual, direction, partial } = self;
        residual.resize(count, f32x4::ZERO);
        direction.resize(count, f32x4::ZERO);
        partial.resize(count.div_ceil(CHUNK), 0.0);
        let time_step = f32x4::splat(time_step);
        // Starting from v*, the residual is Δt V v*: what an explicit step would change.
        apply(force, velocity, residual, |_, viscous| viscous * time_step);
        direction.copy_from_slice(residual);
        let start = dot(residual, residual, partial);
        let mut square = start;
        for iteration in 0..MOST_ITERATIONS {
            if square <= TOLERANCE * TOLERANCE * start {
                return iteration;
            }
            apply(force, direction, image, |own, viscous| own - viscous * time_step);
            let step = f32x4::splat((square / dot(direction, image, partial)) as f32);
            velocity.par_iter_mut().zip(&*direction).for_each(|(velocity, direction)| {
                *velocity = direction.mul_add(step, *velocity);
            });
            residual.par_iter_mut().zip(&*image).for_each(|(residual, image)| {
                *residual = image.mul_neg_add(step, *residual);
            });
            let next = dot(residual, residual, partial);
            let carry = f32x4::splat((next / square) as f32);
            direction.par_iter_mut().zip(&*residual).for_each(|(direction, residual)| {
                *direction = direction.mul_add(carry, *residual);
            });
            square = next;
        }
        MOST_ITERATIONS
    }
}

/// image_i = combine(x_i, (V x)_i).
fn apply(
    force: &ViscousForce<'_>,
    vector: &[f32x4],
    image: &mut [f32x4],
    combine: impl Fn(f32x4, f32x4) -> f32x4 + Sync,
) {
    image.par_chunks_mut(CHUNK).zip(force.pairs.chunks()).enumerate().for_each(
        |(number, (image, chunk))| {
            for (local, image) in image.iter_mut().enumerate() {
                let i = number * CHUNK + local;
                *image = combine(vector[i], force.of(vector, chunk, local, i));
            }
        },
    );
}

/// The scalar product, summed chunk by chunk in order.
fn dot(a: &[f32x4], b: &[f32x4], partial: &mut [f64]) -> f64 {
    let chunks = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK));
    partial.par_iter_mut().zip(chunks).for_each(|(partial, (a, b))| {
        *partial = a.iter().zip(b).map(|(a, b)| f64::from((*a * *b).reduce_add())).sum();
    });
    partial.iter().sum()
}

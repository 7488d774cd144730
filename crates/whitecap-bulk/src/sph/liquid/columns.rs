//! The particles of a liquid: one array per quantity, all in the same order.
//!
//! The order changes at every step, when particles are sorted along a Z-order curve; `id` identifies
//! them.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use wide::f32x4;

use crate::sph::pressure::{pack, vector};

/// What is known about each particle between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// Position in metres.
    pub position: Vec<Vec3>,
    /// Velocity in m/s.
    pub velocity: Vec<Vec3>,
    /// Identity, never used twice.
    pub id: Vec<i64>,
    /// Time since the particle was made, in seconds.
    pub age: Vec<f32>,
    /// Density at the last step, in kg/m³.
    pub density: Vec<f32>,
    /// P = p/ρ² at the last step: the first guess of the next.
    pub pressure: Vec<f32>,
    /// Acceleration that the caller supplied, in m/s²; empty if none.
    pub acceleration: Vec<Vec3>,
    scratch: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    scalars: Vec<f32>,
    integers: Vec<i64>,
}

impl Columns {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Makes room for exactly this many more.
    pub fn reserve(&mut self, more: usize) {
        self.position.reserve_exact(more);
        self.velocity.reserve_exact(more);
        self.id.reserve_exact(more);
        self.age.reserve_exact(more);
        self.density.reserve_exact(more);
        self.pressure.reserve_exact(more);
    }

    /// Adds a particle that was made `age` seconds ago.
    pub fn push(&mut self, position: Vec3, velocity: Vec3, id: i64, age: f32, rest_density: f32) {
        self.position.push(position);
        self.velocity.push(velocity);
        self.id.push(id);
        self.age.push(age);
        self.density.push(rest_density);
        self.pressure.push(0.0);
        if !self.acceleration.is_empty() {
            self.acceleration.push(Vec3::ZERO);
        }
    }

    /// Reorders the particles by `order`, which may leave some out. `positions` are the
    /// positions, already in that order; `packed` is scratch.
    pub fn reorder(&mut self, order: &[u32], positions: &[Vec3], packed: &mut Vec<f32x4>) {
        self.position.clear();
        self.position.extend_from_slice(positions);
        permute_vectors(&mut self.velocity, order, packed);
        permute(&mut self.id, order, &mut self.scratch.integers);
        permute(&mut self.age, order, &mut self.scratch.scalars);
        permute(&mut self.density, order, &mut self.scratch.scalars);
        permute(&mut self.pressure, order, &mut self.scratch.scalars);
        if !self.acceleration.is_empty() {
            permute_vectors(&mut self.acceleration, order, packed);
        }
    }

    /// Removes the particles whose position does not satisfy `is_kept`.
    pub fn retain(&mut self, is_kept: impl Fn(Vec3) -> bool) {
        let places = 0..self.len() as u32;
        let kept: Vec<u32> = places.filter(|&i| is_kept(self.position[i as usize])).collect();
        if kept.len() < self.len() {
            let positions: Vec<Vec3> = kept.iter().map(|&i| self.position[i as usize]).collect();
            self.reorder(&kept, &positions, &mut Vec::new());
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let vectors = [&self.position, &self.velocity, &self.acceleration];
        let scalars = [&self.age, &self.density, &self.pressure, &self.scratch.scalars];
        let integers = [&self.id, &self.scratch.integers];
        vectors.map(|v| 12 * v.capacity()).iter().sum::<usize>()
            + scalars.map(|v| 4 * v.capacity()).iter().sum::<usize>()
            + integers.map(|v| 8 * v.capacity()).iter().sum::<usize>()
    }
}

/// `values` becomes `values[order[0]], values[order[1]], …`; `scratch` keeps its memory.
fn permute<T: Copy + Send + Sync>(values: &mut Vec<T>, order: &[u32], scratch: &mut Vec<T>) {
    order.par_iter().map(|&i| values[i as usize]).collect_into_vec(scratch);
    std::mem::swap(values, scratch);
}

/// The same for vectors, with scratch memory of the step.
fn permute_vectors(values: &mut Vec<Vec3>, order: &[u32], scratch: &mut Vec<f32x4>) {
    order.par_iter().map(|&i| pack(values[i as usize], 0.0)).collect_into_vec(scratch);
    values.truncate(order.len());
    values.par_iter_mut().zip(scratch).for_each(|(value, packed)| *value = vector(*packed));
}

//! The particles of a grid liquid.

use whitecap_core::glam::Vec3;

/// Particles, column by column.
#[derive(Clone, Debug, Default)]
pub struct FlipParticles {
    /// Positions in m.
    pub position: Vec<Vec3>,
    /// Velocities in m/s.
    pub velocity: Vec<Vec3>,
    /// How each component of the velocity changes around the particle, in 1/s: row a is ∇v_a. Empty unless
    /// velocities are transferred by APIC.
    pub affine: Vec<[Vec3; 3]>,
    /// Numbers that a particle keeps for ever.
    pub id: Vec<i64>,
    /// Dynamic viscosities in Pa·s. Empty: that of the settings everywhere.
    pub viscosity: Vec<f32>,
    /// Accelerations that the caller gave for this frame, in m/s². Empty: none.
    pub acceleration: Vec<Vec3>,
}

/// A particle that is to be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneParticle {
    /// Position in m.
    pub position: Vec3,
    /// Velocity in m/s.
    pub velocity: Vec3,
    /// How it changes around the particle, with APIC.
    pub affine: Option<[Vec3; 3]>,
}

impl FlipParticles {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Adds a particle; `viscosity` is its own if the others have theirs.
    pub(super) fn push(&mut self, particle: OneParticle, id: i64, viscosity: f32) {
        self.position.push(particle.position);
        self.velocity.push(particle.velocity);
        self.affine.extend(particle.affine);
        if !self.viscosity.is_empty() {
            self.viscosity.push(viscosity);
        }
        if !self.acceleration.is_empty() {
            self.acceleration.push(Vec3::ZERO);
        }
        self.id.push(id);
    }

    /// Makes room for more particles.
    pub(super) fn reserve(&mut self, more: usize, is_affine: bool) {
        self.position.reserve(more);
        self.velocity.reserve(more);
        self.affine.reserve(if is_affine { more } else { 0 });
        self.id.reserve(more);
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.position.shrink_to_fit();
        self.velocity.shrink_to_fit();
        self.affine.shrink_to_fit();
        self.id.shrink_to_fit();
        self.viscosity.shrink_to_fit();
        self.acceleration.shrink_to_fit();
    }

    /// Memory that the columns hold, in bytes.
    pub(super) fn bytes(&self) -> usize {
        fn held<T>(column: &Vec<T>) -> usize {
            column.capacity() * size_of::<T>()
        }
        held(&self.position)
            + held(&self.velocity)
            + held(&self.affine)
            + held(&self.id)
            + held(&self.viscosity)
            + held(&self.acceleration)
    }

    /// Keeps the particles for which `keep(place)` holds.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        fn sieve<T>(column: &mut Vec<T>, keep: &impl Fn(usize) -> bool) {
            let mut place = 0;
            column.retain(|_| {
                place += 1;
                keep(place - 1)
            });
        }
        sieve(&mut self.position, &keep);
        sieve(&mut self.velocity, &keep);
        sieve(&mut self.affine, &keep);
        sieve(&mut self.id, &keep);
        sieve(&mut self.viscosity, &keep);
        sieve(&mut self.acceleration, &keep);
    }
}

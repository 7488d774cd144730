//! The particles of a grid liquid as other stages see them.

use whitecap_core::{Column, Particles, attributes, reduce};

use super::error::FlipError;
use super::liquid::FlipLiquid;

impl FlipLiquid {
    /// All particles, in the order of their identities, with the columns `velocity` (m/s), `id` and `radius`
    /// (m, half the spacing).
    pub fn output(&self) -> Result<Particles, FlipError> {
        let columns = &self.particles;
        let mut order: Vec<u32> = (0..columns.len() as u32).collect();
        order.sort_unstable_by_key(|&place| columns.id[place as usize]);
        let mut particles = Particles::new(columns.position.clone());
        particles.set_attribute(attributes::VELOCITY, Column::Vec3(columns.velocity.clone()))?;
        particles.set_attribute(attributes::ID, Column::I64(columns.id.clone()))?;
        let radii = vec![0.5 * self.settings.spacing; columns.len()];
        particles.set_attribute(attributes::RADIUS, Column::F32(radii))?;
        Ok(particles.gather(&order))
    }

    /// Mass of one particle in kg.
    pub fn particle_mass(&self) -> f64 {
        f64::from(self.settings.rest_density) * f64::from(self.settings.spacing).powi(3)
    }

    /// Kinetic energy in joules.
    pub fn kinetic_energy(&self) -> f64 {
        let velocity = &self.particles.velocity;
        let squares = reduce::sum(velocity.len(), |i| f64::from(velocity[i].length_squared()));
        0.5 * self.particle_mass() * squares
    }
}

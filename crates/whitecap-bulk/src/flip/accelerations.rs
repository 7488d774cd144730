//! Accelerations that the caller gives for each particle, and guards against motion that is not finite or leads too
//! far away.

use std::borrow::Cow;

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::reduce;

use super::error::FlipError;
use super::liquid::FlipLiquid;
use super::particles::FlipParticles;

/// The farthest that a particle may be from the origin, in spacings: a quarter of a spacing is the last bit.
const FARTHEST: f32 = (1 << 22) as f32;

impl FlipLiquid {
    /// Accelerations in m/s² that act during the next frame, one for each particle in the order of their
    /// identities, which is that of [`FlipLiquid::output`]. A liquid with a narrow band takes none.
    pub fn set_accelerations(&mut self, accelerations: &[Vec3]) -> Result<(), FlipError> {
        if self.settings.narrow_band.is_some() {
            return Err(FlipError::AccelerationsInCore);
        }
        let (found, expected) = (accelerations.len(), self.particles.len());
        if found != expected {
            return Err(FlipError::AccelerationCount { found, expected });
        }
        if let Some(index) = accelerations.iter().position(|value| !value.is_finite()) {
            return Err(FlipError::NotFinite { column: "acceleration", index });
        }
        let mut column = vec![Vec3::ZERO; expected];
        for (place, &acceleration) in self.order_by_id().into_iter().zip(accelerations) {
            column[place as usize] = acceleration;
        }
        self.particles.acceleration = column;
        Ok(())
    }

    /// Places of the particles in the order of their identities.
    pub(super) fn order_by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.particles.len() as u32).collect();
        order.sort_unstable_by_key(|&place| self.particles.id[place as usize]);
        order
    }

    /// The largest acceleration given, in m/s².
    pub(super) fn largest_given(&self) -> f32 {
        let given = &self.particles.acceleration;
        reduce::max(given.len(), |place| given[place].length()).max(0.0)
    }

    /// The particles after the given accelerations have acted for a time in s.
    pub(super) fn accelerated(&self, duration: f32) -> Cow<'_, FlipParticles> {
        if self.particles.acceleration.is_empty() {
            return Cow::Borrowed(&self.particles);
        }
        let mut particles = self.particles.clone();
        let FlipParticles { velocity, acceleration, .. } = &mut particles;
        let pairs = velocity.par_iter_mut().zip(&*acceleration);
        pairs.for_each(|(velocity, &acceleration)| *velocity += duration * acceleration);
        Cow::Owned(particles)
    }

    /// Fails if a particle is nowhere, or moves at no speed that is a number.
    pub(super) fn check_motion(&self, moved: &FlipParticles) -> Result<(), FlipError> {
        for (column, values) in [("position", &moved.position), ("velocity", &moved.velocity)] {
            if let Some(place) = values.par_iter().position_first(|value| !value.is_finite()) {
                let id = moved.id[place];
                let reason = format!("particle {id} has a {column} that is not a finite number");
                return Err(FlipError::BlowUp { time: self.time, reason });
            }
        }
        self.check_places(&moved.position)
    }

    /// Fails if a particle is too far from the origin for its spacing.
    pub(super) fn check_places(&self, positions: &[Vec3]) -> Result<(), FlipError> {
        let distance =
            reduce::max(positions.len(), |place| positions[place].abs().max_element()).max(0.0);
        match distance > FARTHEST * self.settings.spacing {
            true => Err(FlipError::TooFar { distance, spacing: self.settings.spacing }),
            false => Ok(()),
        }
    }
}

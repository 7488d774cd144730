//! The columns of the particles that rays need, checked.

use glam::Vec3;
use whitecap_core::{Column, Particles};
use whitecap_scene::tags::TYPE;

use crate::liquid::LiquidError;

/// The column `type`, if there is one.
pub(crate) fn types(particles: &Particles) -> Result<Option<&[i32]>, LiquidError> {
    match particles.attribute(TYPE) {
        None => Ok(None),
        Some(Column::I32(types)) => Ok(Some(types)),
        Some(other) => Err(LiquidError::ColumnType {
            name: TYPE,
            found: other.type_name(),
            expected: "integers (0 interior, 1 surface, 2 blind)",
        }),
    }
}

/// Velocities, checked.
pub(crate) fn velocities(particles: &Particles) -> Result<Option<&[Vec3]>, LiquidError> {
    let Some(velocities) = particles.velocities() else { return Ok(None) };
    match velocities.iter().position(|velocity| !velocity.is_finite()) {
        Some(index) => Err(LiquidError::Velocity { index, value: velocities[index] }),
        None => Ok(Some(velocities)),
    }
}

/// Positions, radii and facts of the particles, and of copies of some at other positions.
pub(crate) fn with_copies(
    particles: &Particles,
    ghosts: &[(u32, Vec3)],
) -> Result<Particles, LiquidError> {
    let mut positions = particles.positions().to_vec();
    positions.extend(ghosts.iter().map(|(_, position)| *position));
    let mut all = Particles::new(positions);
    *all.facts_mut() = particles.facts().clone();
    if let Some(radii) = particles.radii() {
        let mut radii = radii.to_vec();
        radii.extend(ghosts.iter().map(|(index, _)| particles_radius(particles, *index)));
        all.set_attribute(whitecap_core::attributes::RADIUS, Column::F32(radii))
            .map_err(whitecap_surface::Error::from)?;
    }
    Ok(all)
}

fn particles_radius(particles: &Particles, index: u32) -> f32 {
    particles.radii().map_or(0.0, |radii| radii[index as usize])
}

//! The particles of a liquid as other stages see them.

mod report;
mod strays;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, attributes, reduce};

use crate::sph::error::SphError;
use crate::sph::liquid::Liquid;
use whitecap_scene::tags::{self, INTERIOR};

pub use report::{FrameReport, StepReport};
pub use strays::Strays;

/// Which particles are output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// All of them.
    #[default]
    All,
    /// Those a picture needs: at the surface and near it.
    Visible,
}

impl Liquid {
    /// All particles, in the order of their identities, with the columns `velocity` (m/s), `id`,
    /// `density` (kg/m³), `pressure` (Pa), `type` (see [`whitecap_scene::tags`]), `radius` (m, half the
    /// spacing) and `age` (s).
    pub fn particles(&self) -> Result<Particles, SphError> {
        self.selected_particles(Selection::All)
    }

    /// As [`Liquid::particles`], but only those in the selection.
    pub fn selected_particles(&self, selection: Selection) -> Result<Particles, SphError> {
        let columns = &self.columns;
        let tags = tags::tag(&columns.position, self.resolution.spacing)?;
        let mut order = self.order_by_id();
        if selection == Selection::Visible {
            order.retain(|&place| tags.types[place as usize] != INTERIOR);
        }
        let pressure = columns.pressure.iter().zip(&columns.density).map(|(p, rho)| p * rho * rho);
        let mut particles = Particles::new(columns.position.clone());
        particles.set_attribute(attributes::VELOCITY, Column::Vec3(columns.velocity.clone()))?;
        particles.set_attribute(attributes::ID, Column::I64(columns.id.clone()))?;
        particles.set_attribute("density", Column::F32(columns.density.clone()))?;
        particles.set_attribute("pressure", Column::F32(pressure.collect()))?;
        particles.set_attribute("type", Column::I32(tags.types))?;
        let radii = vec![0.5 * self.resolution.spacing; columns.len()];
        particles.set_attribute(attributes::RADIUS, Column::F32(radii))?;
        particles.set_attribute("age", Column::F32(columns.age.clone()))?;
        Ok(particles.gather(&order))
    }

    /// Positions in metres, in an internal order that changes with every step.
    pub fn positions(&self) -> &[Vec3] {
        &self.columns.position
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time in seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Mass of one particle in kg.
    pub fn particle_mass(&self) -> f32 {
        self.resolution.mass
    }

    /// Kinetic energy in joules.
    pub fn kinetic_energy(&self) -> f64 {
        let velocity = &self.columns.velocity;
        let squares = reduce::sum(velocity.len(), |i| f64::from(velocity[i].length_squared()));
        0.5 * f64::from(self.resolution.mass) * squares
    }

    /// Bytes of memory held for particles and neighbours.
    pub fn bytes(&self) -> usize {
        // The grid holds a position, a place and two sort items for each particle, and a table of
        // about one cell for every eight.
        let grid = self.len() * (12 + 4 + 24 + 8);
        grid + self.columns.bytes() + self.solver.bytes() + self.work.bytes()
    }
}

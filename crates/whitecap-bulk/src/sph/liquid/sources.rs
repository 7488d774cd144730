//! Particles that come and go: fills, caches, emitters and kill volumes; solids and accelerations
//! that the caller supplies.

use whitecap_core::budget::{self, OverBudget};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, attributes, counted};

use crate::sph::error::SphError;
use crate::sph::liquid::Liquid;
use whitecap_scene::AnimatedBody;
use whitecap_scene::emitter::Emitter;
use whitecap_scene::fill::{CLOSEST, Filling, Volume};
use whitecap_scene::kill::is_removed;

/// Memory of a particle with its neighbours: some 520 bytes in a dam break of 125 000 particles.
const BYTES_PER_PARTICLE: f64 = 550.0;

/// Asks for the memory of particles that make a liquid of `total` particles.
fn ask_for_particles(added: usize, total: usize) -> Result<(), OverBudget> {
    let what = format!("a liquid of {}", counted(total, "particle"));
    budget::ask(added as f64 * BYTES_PER_PARTICLE, &what, "use a larger `spacing`")
}

impl Liquid {
    /// Adds particles at rest density, numbered in order. Those inside a wall or a solid are left
    /// out. Returns how many were added.
    pub fn add(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<usize, SphError> {
        if positions.len() != velocities.len() {
            let (name, found, expected) =
                (attributes::VELOCITY.into(), velocities.len(), positions.len());
            return Err(whitecap_core::Error::ColumnLength { name, found, expected }.into());
        }
        for (column, values) in [("position", positions), ("velocity", velocities)] {
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                return Err(SphError::NotFinite { column, index });
            }
        }
        let before = self.len();
        // Until the first step, none of them has neighbours in memory yet.
        let all = before + positions.len();
        ask_for_particles(if self.cold { all } else { positions.len() }, all)?;
        self.columns.reserve(positions.len());
        for (&position, &velocity) in positions.iter().zip(velocities) {
            if !self.boundary.contains(position) {
                self.push(position, velocity, 0.0);
            }
        }
        self.cold = true;
        Ok(self.len() - before)
    }

    /// Adds particles from elsewhere, such as a cache, with their `velocity` if they have one. They
    /// get new identities. Those inside a wall or a solid are left out.
    pub fn add_particles(&mut self, particles: &Particles) -> Result<usize, SphError> {
        match particles.attribute(attributes::VELOCITY) {
            Some(Column::Vec3(velocities)) => self.add(particles.positions(), velocities),
            Some(other) => Err(SphError::ColumnType {
                name: attributes::VELOCITY,
                expected: "vector of 3",
                found: other.type_name(),
            }),
            None => self.add(particles.positions(), &vec![Vec3::ZERO; particles.len()]),
        }
    }

    /// Fills a volume on a lattice, except where there already is liquid, a wall or a solid. Returns
    /// notes about what was left out.
    pub fn fill(&mut self, volume: Volume<'_>, velocity: Vec3) -> Result<Vec<String>, SphError> {
        let mut filling = Filling::new(self.resolution.spacing, &self.columns.position)?;
        filling.add(volume, velocity, &|position| self.boundary.clearance(position))?;
        self.add(filling.positions(), filling.velocities())?;
        Ok(filling.notes().to_vec())
    }

    /// Adds a solid, whose pose is evaluated at every step. Liquid inside it is removed:
    /// returns how many particles were removed.
    pub fn add_solid(&mut self, solid: AnimatedBody) -> Result<usize, SphError> {
        self.boundary.particles.add_solid(solid, self.time, &self.resolution)?;
        let before = self.len();
        let boundary = &self.boundary;
        self.columns.retain(|position| !boundary.contains(position));
        Ok(before - self.len())
    }

    /// Distance to the nearest wall or solid in metres, negative inside one.
    pub fn clearance(&self, position: Vec3) -> f32 {
        self.boundary.clearance(position)
    }

    /// Adds an emitter.
    pub fn add_emitter(&mut self, emitter: Emitter) {
        self.emitters.push(emitter);
    }

    /// Accelerations in m/s² that act during the next frame, one for each particle in the order of
    /// their identities, which is that of [`Liquid::particles`].
    pub fn set_accelerations(&mut self, accelerations: &[Vec3]) -> Result<(), SphError> {
        let (found, expected) = (accelerations.len(), self.len());
        if found != expected {
            return Err(SphError::AccelerationCount { found, expected });
        }
        if let Some(index) = accelerations.iter().position(|value| !value.is_finite()) {
            return Err(SphError::NotFinite { column: "acceleration", index });
        }
        self.columns.acceleration.clear();
        self.columns.acceleration.resize(expected, Vec3::ZERO);
        for (&place, &acceleration) in self.order_by_id().iter().zip(accelerations) {
            self.columns.acceleration[place as usize] = acceleration;
        }
        Ok(())
    }

    /// Indices of the particles in the order of their identities.
    pub(in crate::sph) fn order_by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|&place| self.columns.id[place as usize]);
        order
    }

    fn push(&mut self, position: Vec3, velocity: Vec3, age: f32) {
        let rest_density = self.resolution.rest_density;
        self.columns.push(position, velocity, self.next_id, age, rest_density);
        self.next_id += 1;
    }

    /// Adds the particles that emitters have released until now. The search grid is up to date before and
    /// after. Returns whether there are more particles than before.
    pub(in crate::sph) fn emit(&mut self) -> Result<bool, SphError> {
        let before = self.len();
        let nearest = CLOSEST * self.resolution.spacing;
        for number in 0..self.emitters.len() {
            let (grid, boundary) = (&self.work.grid, &self.boundary);
            let occupied =
                |place: Vec3| grid.nearest(place, nearest).is_some() || boundary.contains(place);
            let emitted = self.emitters[number].emit(self.time, &occupied)?;
            if emitted.positions.is_empty() {
                continue;
            }
            // Each step adds little; there must be room for more to come.
            let all = self.len() + emitted.positions.len();
            ask_for_particles((all / 4).max(emitted.positions.len()), all)?;
            for i in 0..emitted.positions.len() {
                self.push(emitted.positions[i], emitted.velocities[i], emitted.ages[i]);
            }
            self.sort();
        }
        Ok(self.len() > before)
    }

    /// Removes particles in kill volumes.
    pub(in crate::sph) fn kill(&mut self) {
        let volumes = &self.settings.kill;
        if !volumes.is_empty() {
            let before = self.columns.len();
            self.columns.retain(|position| !is_removed(volumes, position));
            self.work.is_current &= self.columns.len() == before;
        }
    }
}

//! Particles: positions and named attribute columns, structure-of-arrays.

use glam::Vec3;

use crate::{Attributes, Column, Error, Facts, attributes};

/// A set of particles. Positions are in metres, y up, right-handed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    positions: Vec<Vec3>,
    attributes: Attributes,
    facts: Facts,
}

impl Particles {
    /// Particles with positions only.
    pub fn new(positions: Vec<Vec3>) -> Self {
        Self { positions, ..Self::default() }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Positions in metres.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Positions, to be changed in place. The count cannot change.
    pub fn positions_mut(&mut self) -> &mut [Vec3] {
        &mut self.positions
    }

    /// The attribute columns.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The column called `name`.
    pub fn attribute(&self, name: &str) -> Option<&Column> {
        self.attributes.get(name)
    }

    /// Adds or replaces a column, which must have one value per particle.
    pub fn set_attribute(&mut self, name: impl Into<String>, column: Column) -> Result<(), Error> {
        self.attributes.insert(name, column, self.positions.len())
    }

    /// Removes a column and returns it.
    pub fn remove_attribute(&mut self, name: &str) -> Option<Column> {
        self.attributes.remove(name)
    }

    /// What holds for all particles.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What holds for all particles, to be changed.
    pub fn facts_mut(&mut self) -> &mut Facts {
        &mut self.facts
    }

    /// The `velocity` column, if present as vectors.
    pub fn velocities(&self) -> Option<&[Vec3]> {
        match self.attribute(attributes::VELOCITY)? {
            Column::Vec3(values) => Some(values),
            _ => None,
        }
    }

    /// The `radius` column, if present as scalars.
    pub fn radii(&self) -> Option<&[f32]> {
        match self.attribute(attributes::RADIUS)? {
            Column::F32(values) => Some(values),
            _ => None,
        }
    }

    /// The `id` column widened to 64 bits, if present as integers.
    pub fn ids(&self) -> Option<Vec<i64>> {
        match self.attribute(attributes::ID)? {
            Column::I32(values) => Some(values.iter().map(|&v| i64::from(v)).collect()),
            Column::I64(values) => Some(values.clone()),
            _ => None,
        }
    }

    /// The particles named by `indices`, in that order, with all their attributes.
    pub fn gather(&self, indices: &[u32]) -> Particles {
        Particles {
            positions: indices.iter().map(|&i| self.positions[i as usize]).collect(),
            attributes: self.attributes.gather(indices),
            facts: self.facts.clone(),
        }
    }

    /// Fails with the index of the first particle whose position is not finite.
    pub fn check_finite(&self) -> Result<(), Error> {
        match self.positions.iter().position(|p| !p.is_finite()) {
            Some(index) => Err(Error::NonFinitePosition { index, value: self.positions[index] }),
            None => Ok(()),
        }
    }
}

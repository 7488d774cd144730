//! What lies round the liquid and keeps particles out.

use whitecap_core::glam::Vec3;

use super::resolution::Resolution;
use super::solid::Walls;

/// Distance that particles keep from walls, in spacings.
const MARGIN: f32 = 0.25;

/// Walls of a liquid.
#[derive(Clone, Debug)]
pub(crate) struct Boundary {
    walls: Walls,
    margin: f32,
}

impl Boundary {
    pub fn new(walls: Walls, resolution: &Resolution) -> Self {
        Self { walls, margin: MARGIN * resolution.spacing }
    }

    /// Plane walls: (unit normal towards the liquid, offset).
    pub fn planes(&self) -> &[(Vec3, f32)] {
        self.walls.planes()
    }

    /// Position and velocity of a particle after contact with the walls.
    pub fn keep_out(&self, position: Vec3, velocity: Vec3) -> (Vec3, Vec3) {
        self.walls.push_out(position, velocity, self.margin, 0.0).unwrap_or((position, velocity))
    }
}

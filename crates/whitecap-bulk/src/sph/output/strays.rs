//! Particles in forbidden places: a measure of how well walls and solids hold the liquid.

use rayon::prelude::*;

use crate::sph::liquid::Liquid;

/// How many particles are in forbidden places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strays {
    /// Particles inside a box or a mesh.
    pub inside_solids: usize,
    /// Particles behind a wall of the domain or another plane.
    pub outside_domain: usize,
}

impl Liquid {
    /// Counts the particles in forbidden places.
    pub fn strays(&self) -> Strays {
        let boundary = &self.boundary;
        let (inside_solids, outside_domain) = self
            .positions()
            .par_iter()
            .map(|&position| {
                let inside = usize::from(boundary.is_inside_solid(position));
                (inside, usize::from(boundary.is_behind_wall(position)))
            })
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        Strays { inside_solids, outside_domain }
    }
}

//! The particles of a grid liquid as other stages see them.

use whitecap_core::{Column, Particles, attributes, reduce};

use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile};

use super::error::FlipError;
use super::liquid::{FlipLiquid, dilated};
use super::surface_distance::surface_distance;
use crate::mac::cell_order::CellOrder;
use crate::mac::solids::SolidFaces;

impl FlipLiquid {
    /// All particles, in the order of their identities, with the columns `velocity` (m/s), `id` and `radius`
    /// (m, half the spacing).
    pub fn output(&self) -> Result<Particles, FlipError> {
        let columns = &self.particles;
        let mut particles = Particles::new(columns.position.clone());
        particles.set_attribute(attributes::VELOCITY, Column::Vec3(columns.velocity.clone()))?;
        particles.set_attribute(attributes::ID, Column::I64(columns.id.clone()))?;
        let radii = vec![0.5 * self.settings.spacing; columns.len()];
        particles.set_attribute(attributes::RADIUS, Column::F32(radii))?;
        Ok(particles.gather(&self.order_by_id()))
    }

    /// Mass of one particle in kg.
    pub fn particle_mass(&self) -> f64 {
        f64::from(self.settings.rest_density) * f64::from(self.settings.spacing).powi(3)
    }

    /// Volume inside the surface of the particles in m³: what a mesh around them would hold.
    pub fn volume(&self) -> f64 {
        let order = CellOrder::new(self.lattice, &self.particles.position);
        let tiles = dilated(order.tiles());
        let solids = SolidFaces::new(self.lattice, &tiles, &self.surroundings);
        let positions = &self.particles.position;
        let distances = surface_distance(self.lattice, &tiles, positions, &order, &solids);
        let cell = self.lattice.cell();
        let share = |distance: f32| f64::from((0.5 - distance / cell).clamp(0.0, 1.0));
        let of_tile = |place: usize| -> f64 {
            let (open, tile) = (&solids.volumes.tiles()[place], &distances.tiles()[place]);
            let wet = |offset: usize| share(tile.at(offset)) * f64::from(open.at(offset));
            (0..TILE_NODES).map(wet).sum()
        };
        reduce::sum(tiles.len(), of_tile) * f64::from(cell).powi(3)
    }

    /// Pressure in Pa at the middles of wet cells in the last step, as if the steps before had been as long.
    pub fn pressure(&self) -> Option<SparseGrid<f32>> {
        let scale = self.settings.rest_density / self.last_step as f32;
        self.pressure.as_ref().map(|grid| {
            grid.map_tiles(0.0, |_, around| match around.center() {
                Some(Tile::Dense(values)) => Tile::Dense(Box::new(values.map(|x| x * scale))),
                Some(Tile::Constant(value)) => Tile::Constant(value * scale),
                None => Tile::Constant(0.0),
            })
        })
    }

    /// Kinetic energy in joules.
    pub fn kinetic_energy(&self) -> f64 {
        let velocity = &self.particles.velocity;
        let squares = reduce::sum(velocity.len(), |i| f64::from(velocity[i].length_squared()));
        0.5 * self.particle_mass() * squares
    }
}

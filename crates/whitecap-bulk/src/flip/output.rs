//! The particles of a grid liquid as other stages see them.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::{Column, Particles, attributes, reduce};

use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};

use super::error::FlipError;
use super::liquid::{FlipLiquid, dilated};
use super::surface_distance::surface_distance;
use crate::mac::faces;
use crate::mac::solids::SolidFaces;

impl FlipLiquid {
    /// All particles, in the order of their identities, with the columns `velocity` (m/s), `id` and `radius`
    /// (m, half the spacing). The core of a liquid with a narrow band is filled with particles at rest places, with
    /// the velocity there; their identities are negative and belong to the place.
    pub fn output(&self) -> Result<Particles, FlipError> {
        let (columns, core) = (&self.particles, self.core_places());
        let own = columns.len();
        let id = |place: usize| if place < own { columns.id[place] } else { core[place - own].1 };
        let position =
            |place: usize| if place < own { columns.position[place] } else { core[place - own].0 };
        let velocity = |place: usize| match &self.band {
            Some(band) if place >= own => faces::sample(&band.velocity, position(place)),
            _ => columns.velocity[place],
        };
        let mut order: Vec<u32> = (0..(own + core.len()) as u32).collect();
        order.par_sort_unstable_by_key(|&place| id(place as usize));
        let order = || order.par_iter().map(|&place| place as usize);
        let mut particles = Particles::new(order().map(position).collect());
        let velocities = Column::Vec3(order().map(velocity).collect());
        particles.set_attribute(attributes::VELOCITY, velocities)?;
        particles.set_attribute(attributes::ID, Column::I64(order().map(id).collect()))?;
        let radii = vec![0.5 * self.settings.spacing; particles.len()];
        particles.set_attribute(attributes::RADIUS, Column::F32(radii))?;
        Ok(particles)
    }

    /// Memory that the liquid holds between steps, in bytes: particles, and grids with what they are sorted by.
    pub fn bytes_held(&self) -> usize {
        let pressure = self.pressure.as_ref().map_or(0, SparseGrid::bytes);
        let solids = self.solids.as_ref().map_or(0, SolidFaces::bytes);
        let band = self.band.as_ref().map_or(0, |band| band.core.bytes() + band.velocity.bytes());
        self.particles.bytes() + pressure + solids + band
    }

    /// Mass of one particle in kg.
    pub fn particle_mass(&self) -> f64 {
        f64::from(self.settings.rest_density) * f64::from(self.settings.spacing).powi(3)
    }

    /// Volume inside the surface of the particles in m³: what a mesh around them would hold.
    pub fn volume(&self) -> f64 {
        let order = self.cell_order();
        let tiles = dilated(&order.wet_tiles());
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
        0.5 * self.particle_mass() * (squares + self.squares_in_core())
    }

    /// The sum of squared velocities in the core, as if there were eight particles in each of its cells.
    fn squares_in_core(&self) -> f64 {
        let Some(band) = &self.band else { return 0.0 };
        8.0 * reduce::sum(band.core.tile_count(), |place| {
            let velocity = band.velocity.neighbourhood(band.core.coordinates()[place]);
            let inside = (0..TILE_NODES).filter(|&i| band.core.tiles()[place].at(i) > 0);
            let square = |cell: IVec3| {
                let mean = |axis: usize| {
                    let next = velocity.get(cell + IVec3::AXES[axis])[axis];
                    0.5 * (velocity.get(cell)[axis] + next)
                };
                f64::from(Vec3::new(mean(0), mean(1), mean(2)).length_squared())
            };
            inside.map(|offset| square(local_node(offset))).sum()
        })
    }
}

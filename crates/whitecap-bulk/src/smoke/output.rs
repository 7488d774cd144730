//! Smoke as other stages see it.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{Tile, local_node};
use whitecap_core::{GridClass, GridValues, SparseGrid, Volume, VolumeGrid};

use super::air::Smoke;

impl Smoke {
    /// The grids `density`, `temperature` (K above that of still air) and `velocity` (m/s), all in the middles
    /// of cells, in the tiles that hold smoke or moving air.
    pub fn output(&self) -> Volume {
        let scalar = |name: &str, class, grid: &SparseGrid<f32>| VolumeGrid {
            name: name.into(),
            class,
            values: GridValues::Scalar(grid.clone()),
        };
        let velocity = VolumeGrid {
            name: "velocity".into(),
            class: GridClass::Unknown,
            values: GridValues::Vector(self.velocity_in_cells()),
        };
        Volume {
            grids: vec![
                scalar("density", GridClass::Fog, &self.air.density),
                scalar("temperature", GridClass::Unknown, &self.air.temperature),
                velocity,
            ],
        }
    }

    /// The mean of the velocities on the two faces of each axis.
    fn velocity_in_cells(&self) -> SparseGrid<Vec3> {
        self.air.density.map_tiles(Vec3::ZERO, |tile, _| {
            let faces = self.air.velocity.neighbourhood(tile);
            Tile::Dense(Box::new(std::array::from_fn(|offset| {
                let cell = local_node(offset);
                let beyond = |axis: usize| faces.get(cell + IVec3::AXES[axis])[axis];
                0.5 * (faces.get(cell) + Vec3::new(beyond(0), beyond(1), beyond(2)))
            })))
        })
    }

    /// Kinetic energy per density of air, in m⁵/s².
    pub fn kinetic_energy(&self) -> f64 {
        let squares = self.air.velocity.map_tiles(0.0, |_, values| {
            let values = values.center().expect("tiles of the grid itself");
            Tile::Dense(Box::new(std::array::from_fn(|offset| values.at(offset).length_squared())))
        });
        0.5 * super::tiles::sum(&squares, |_| true) * self.cell_volume()
    }
}

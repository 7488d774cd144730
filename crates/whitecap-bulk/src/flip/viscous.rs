//! What viscosity does in a step of the liquid: pressure, friction, and then pressure again (Batty and Bridson
//! 2008). The pressure before keeps forces that pressure balances, such as the weight of liquid at rest, from
//! straining it; the pressure after, which the step ends with, removes the divergence that friction leaves.

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::poisson::{PoissonSolver, SolveSettings};
use whitecap_core::sparse_grid::{SparseGrid, offset_in_tile, tile_of};
use whitecap_core::{Error, Watch, sparse_grid};

use super::error::FlipError;
use super::liquid::FlipLiquid;
use super::mouths::with_mouths;
use crate::mac::cell_order::CellOrder;
use crate::mac::extrapolation::extrapolate;
use crate::mac::pressure::{Equations, PressureInput};
use crate::mac::step_around;
use crate::mac::viscosity::{Viscosity, ViscosityInput, diffuse};

/// Faces beyond the liquid that friction looks at.
const LAYERS: usize = 2;

/// What friction took.
pub(super) struct Friction {
    /// The pressure before it, to start the next step from.
    pub(super) pressure: SparseGrid<f32>,
    /// Iterations of both.
    pub(super) pressure_iterations: usize,
    pub(super) iterations: usize,
}

impl FlipLiquid {
    /// Lets viscosity act on the velocity for a time step; `None` if the liquid has none.
    pub(super) fn rub(
        &self,
        velocity: &mut SparseGrid<Vec3>,
        (equations, solver): (&Equations<'_>, &mut PoissonSolver<'_>),
        input: &PressureInput<'_>,
        order: &CellOrder,
        time_step: f32,
        watch: &dyn Watch,
    ) -> Result<Option<Friction>, FlipError> {
        let viscosities = &self.particles.viscosity;
        self.check_viscosities()?;
        if self.settings.viscosity == 0.0 && viscosities.iter().all(|&viscosity| viscosity == 0.0) {
            return Ok(None);
        }
        let accuracy =
            SolveSettings { tolerance: self.settings.tolerance, ..SolveSettings::default() };
        let guess = self.pressure.as_ref();
        let projection = equations.project(solver, velocity, input, guess, &accuracy, watch)?;
        let mut known = projection.known;
        extrapolate(velocity, &mut known, LAYERS);
        let per_cell =
            (!viscosities.is_empty()).then(|| self.cell_viscosities(input.liquid, order));
        let viscosity = match &per_cell {
            None => Viscosity::Uniform(self.settings.viscosity / self.settings.rest_density),
            Some(per_cell) => Viscosity::PerCell(per_cell),
        };
        let solids = with_mouths(self.lattice, input.solids, &self.emitters, self.time);
        let (liquid, solids) = (input.liquid, &solids);
        let input = ViscosityInput { liquid, solids, viscosity, time_step };
        let diffusion = diffuse(velocity, &input, &accuracy, watch)?;
        Ok(Some(Friction {
            pressure: projection.pressure,
            pressure_iterations: projection.iterations,
            iterations: diffusion.iterations,
        }))
    }

    /// Viscosities come from the caller.
    fn check_viscosities(&self) -> Result<(), FlipError> {
        let (found, expected) = (self.particles.viscosity.len(), self.particles.len());
        if found != 0 && found != expected {
            let name = "viscosity".into();
            return Err(Error::ColumnLength { name, found, expected }.into());
        }
        let is_wrong = |&value: &f32| !(value >= 0.0 && value.is_finite());
        match self.particles.viscosity.iter().position(is_wrong) {
            None => Ok(()),
            Some(index) => {
                let viscosity = self.particles.viscosity[index];
                Err(FlipError::Viscosity { index, viscosity })
            }
        }
    }

    /// The mean kinematic viscosity of the particles in each cell, or around it if there are none.
    fn cell_viscosities(&self, liquid: &SparseGrid<f32>, order: &CellOrder) -> SparseGrid<f32> {
        let density = self.settings.rest_density;
        let background = self.settings.viscosity / density;
        let tiles = liquid.coordinates().to_vec();
        SparseGrid::filled(liquid.lattice(), background, tiles, |tile, values| {
            let near: [Option<usize>; 27] =
                std::array::from_fn(|slot| order.tile_place(tile + step_around(slot)));
            let sum = |cell: IVec3| {
                let around: IVec3 = tile_of(cell) + 1;
                let place = near[(around.x + 3 * around.y + 9 * around.z) as usize];
                let particles = place.map_or(&[][..], |at| order.of_cell(at, offset_in_tile(cell)));
                let viscosity = |&particle: &u32| self.particles.viscosity[particle as usize];
                (particles.iter().map(viscosity).sum::<f32>(), particles.len())
            };
            for (offset, value) in values.iter_mut().enumerate() {
                let cell = sparse_grid::local_node(offset);
                let (mut total, mut count) = sum(cell);
                if count == 0 {
                    for (more, particles) in (0..27).map(|slot| sum(cell + step_around(slot))) {
                        (total, count) = (total + more, count + particles);
                    }
                }
                if count > 0 {
                    *value = total / (count as f32 * density);
                }
            }
        })
    }
}

//! Pressure: the projection that makes a velocity free of divergence.
//!
//! With x = p Δt / ρ, the equation −∇·(a ∇x) = −∇·u holds in every wet cell, where a is the open fraction of
//! each face (Batty, Bertails and Bridson 2007). On the free surface p is that of the air, or of
//! surface tension, taken where the surface cuts the line between two cells: the ghost-fluid method (Gibou,
//! Fedkiw, Cheng and Kang 2002; Enright, Nguyen, Gibou and Fedkiw 2003). Then u − ∇x is free of divergence.
//!
//! # Guarantees
//! * Liquid at rest under gravity stays at rest, to the tolerance of the solver, at any angle of the surface
//!   and of the solids.
//! * Parts of the liquid that touch no air (a full vessel) are found, and each is solved up to its own
//!   constant.
//! * The divergence of every wet cell is below the tolerance; where solids squeeze a closed part, the rest is
//!   spread over it evenly.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::poisson::{Given, NodeKind, PoissonSolver, Preconditioner, SolveSettings};
use whitecap_core::sparse_grid::{Neighbourhood, SparseGrid, TILE_NODES, Tile, local_node};
use whitecap_core::{Error, Watch};

use super::MacLattice;
use super::extrapolation::KnownFaces;
use super::faces::outflow;
use super::solids::SolidFaces;

/// How near to a wet cell the surface may be, in cells.
const NEAREST_SURFACE: f32 = 1e-4;

/// What the velocity of a liquid is projected with.
#[derive(Clone, Copy, Debug)]
pub struct PressureInput<'a> {
    /// Distance to the surface at the middles of cells in m, negative in the liquid; positive outside its
    /// tiles.
    pub liquid: &'a SparseGrid<f32>,
    /// Solids.
    pub solids: &'a SolidFaces,
    /// The divergence that cells are to have, in 1/s; zero if left out.
    pub divergence: Option<&'a SparseGrid<f32>>,
    /// p Δt / ρ at the surface near each cell on both sides of it, in m²/s; zero if left out. Between two cells it
    /// is interpolated to where the surface is: as the surface comes close to a wet cell, it has the same value
    /// seen from any side, and no difference is divided by a distance that vanishes.
    pub surface: Option<&'a SparseGrid<f32>>,
}

/// A solved pressure.
#[derive(Clone, Debug)]
pub struct Projection {
    /// p Δt / ρ in wet cells, in m²/s.
    pub pressure: SparseGrid<f32>,
    /// Faces that touch a wet cell: only these have a velocity.
    pub known: KnownFaces,
    /// Iterations of the solver.
    pub iterations: usize,
    /// Residual relative to the right-hand side.
    pub residual: f64,
}

/// Makes `velocity` free of divergence in the liquid. `guess` is a pressure to start from, such as that of the
/// step before.
pub fn project(
    velocity: &mut SparseGrid<Vec3>,
    input: &PressureInput<'_>,
    guess: Option<&SparseGrid<f32>>,
    settings: &SolveSettings,
    watch: &dyn Watch,
) -> Result<Projection, Error> {
    let equations = Equations::new(input.liquid, input.solids);
    let mut solver = equations.solver_with(settings.preconditioner);
    equations.project(&mut solver, velocity, input, guess, settings, watch)
}

/// The equations of the pressure in a liquid, which serve for several right-hand sides.
pub struct Equations<'a> {
    liquid: &'a SparseGrid<f32>,
    solids: &'a SolidFaces,
    kinds: SparseGrid<NodeKind>,
    weights: SparseGrid<Vec3>,
}

impl<'a> Equations<'a> {
    /// The equations of a liquid, given by its distance, beside solids.
    pub fn new(liquid: &'a SparseGrid<f32>, solids: &'a SolidFaces) -> Self {
        let kinds = cell_kinds(liquid, solids);
        let weights = face_weights(liquid, solids, &kinds);
        Self { liquid, solids, kinds, weights }
    }

    /// A solver for them.
    pub fn solver(&self) -> PoissonSolver<'_> {
        self.solver_with(Preconditioner::Multigrid)
    }

    /// A solver with another preconditioner, to compare with.
    pub fn solver_with(&self, preconditioner: Preconditioner) -> PoissonSolver<'_> {
        PoissonSolver::new(&self.kinds, Some(&self.weights), preconditioner)
    }

    /// Makes `velocity` free of divergence, as [`project`] does.
    pub fn project(
        &self,
        solver: &mut PoissonSolver<'_>,
        velocity: &mut SparseGrid<Vec3>,
        input: &PressureInput<'_>,
        guess: Option<&SparseGrid<f32>>,
        settings: &SolveSettings,
        watch: &dyn Watch,
    ) -> Result<Projection, Error> {
        let right_hand_side = self.right_hand_side(velocity, input);
        let right_hand_side = &right_hand_side;
        let given = Given { right_hand_side, boundary_values: None, guess };
        let solution = solver.solve(&given, settings, watch)?;
        let known = self.subtract_gradient(velocity, &solution.values, Some(input));
        Ok(Projection {
            pressure: solution.values,
            known,
            iterations: solution.iterations,
            residual: solution.residual,
        })
    }

    /// The displacement in m, least in size, whose divergence in wet cells is the given one; solids do not move.
    /// Also which faces it is known on.
    pub fn displacement(
        &self,
        solver: &mut PoissonSolver<'_>,
        divergence: &SparseGrid<f32>,
        settings: &SolveSettings,
        watch: &dyn Watch,
    ) -> Result<(SparseGrid<Vec3>, KnownFaces), Error> {
        let given = Given { right_hand_side: divergence, boundary_values: None, guess: None };
        let solution = solver.solve(&given, settings, watch)?;
        let corners = self.solids.fractions.lattice();
        let tiles = self.kinds.coordinates().to_vec();
        let mut displacement = SparseGrid::filled(corners, Vec3::ZERO, tiles, |_, _| {});
        let known = self.subtract_gradient(&mut displacement, &solution.values, None);
        Ok((displacement, known))
    }

    /// What the pressure must correct: the divergence, less what the pressure at the surface gives.
    fn right_hand_side(
        &self,
        velocity: &SparseGrid<Vec3>,
        input: &PressureInput<'_>,
    ) -> SparseGrid<f32> {
        let cell_size = self.kinds.lattice().cell;
        self.kinds.map_tiles(0.0, |tile, kinds| {
            let velocity = velocity.neighbourhood(tile);
            let fractions = input.solids.fractions.neighbourhood(tile);
            let solid = input.solids.velocity.neighbourhood(tile);
            let wanted = input.divergence.and_then(|divergence| divergence.tile(tile));
            let surface = input.surface.map(|surface| SurfaceTerm {
                kinds,
                weights: self.weights.neighbourhood(tile),
                liquid: self.liquid.neighbourhood(tile),
                surface: surface.neighbourhood(tile),
            });
            let value = |offset: usize| {
                let cell = local_node(offset);
                if kinds.get(cell) != NodeKind::Unknown {
                    return 0.0;
                }
                let wanted = wanted.map_or(0.0, |wanted| wanted.at(offset));
                let given = surface.as_ref().map_or(0.0, |surface| surface.of_cell(cell));
                wanted - outflow(&velocity, &fractions, &solid, cell) / cell_size
                    + given / (cell_size * cell_size)
            };
            Tile::Dense(Box::new(std::array::from_fn(value)))
        })
    }

    /// Subtracts ∇x on the faces of wet cells, and returns which these are; closed ones move with the solids of
    /// the input, or not at all.
    fn subtract_gradient(
        &self,
        velocity: &mut SparseGrid<Vec3>,
        pressure: &SparseGrid<f32>,
        input: Option<&PressureInput<'_>>,
    ) -> KnownFaces {
        let lattice = MacLattice { corners: velocity.lattice() };
        let coordinates = velocity.coordinates().to_vec();
        let bits: Vec<Tile<u8>> = velocity
            .tiles_mut()
            .par_iter_mut()
            .zip(coordinates)
            .map(|(values, tile)| {
                let around = Around {
                    kinds: self.kinds.neighbourhood(tile),
                    fractions: self.solids.fractions.neighbourhood(tile),
                    solid: input.map(|input| input.solids.velocity.neighbourhood(tile)),
                    liquid: self.liquid.neighbourhood(tile),
                    pressure: pressure.neighbourhood(tile),
                    surface: input
                        .and_then(|input| input.surface)
                        .map(|grid| grid.neighbourhood(tile)),
                };
                let mut dense = Box::new(std::array::from_fn(|offset| values.at(offset)));
                let mut bits = Box::new([0u8; TILE_NODES]);
                for offset in 0..TILE_NODES {
                    for axis in 0..3 {
                        let cell = local_node(offset);
                        if !around.is_wet(cell, axis) {
                            continue;
                        }
                        bits[offset] |= 1 << axis;
                        match around.fractions.get(cell)[axis] == 0.0 {
                            true => {
                                dense[offset][axis] =
                                    around.solid.map_or(0.0, |solid| solid.get(cell)[axis])
                            }
                            false => {
                                dense[offset][axis] -=
                                    around.difference(cell, axis) / lattice.cell();
                            }
                        }
                    }
                }
                *values = Tile::Dense(dense);
                Tile::Dense(bits)
            })
            .collect();
        let tiles = velocity.coordinates().iter().copied().zip(bits).collect();
        SparseGrid::from_tiles(velocity.lattice(), 0, tiles)
            .expect("the tiles of a grid are distinct")
    }
}

/// The role of each cell: wet ones are unknown, closed ones are walls, the rest is air.
fn cell_kinds(liquid: &SparseGrid<f32>, solids: &SolidFaces) -> SparseGrid<NodeKind> {
    liquid.map_tiles(NodeKind::Dirichlet, |tile, liquid| {
        let fractions = solids.fractions.neighbourhood(tile);
        let kind_of = |offset: usize| {
            let cell = local_node(offset);
            match is_closed(&fractions, cell) {
                true => NodeKind::Neumann,
                false if liquid.get(cell) < 0.0 => NodeKind::Unknown,
                false => NodeKind::Dirichlet,
            }
        };
        Tile::Dense(Box::new(std::array::from_fn(kind_of)))
    })
}

/// Whether nothing flows through any face of a cell.
fn is_closed(fractions: &Neighbourhood<'_, Vec3>, cell: IVec3) -> bool {
    (0..3).all(|axis| {
        fractions.get(cell)[axis] == 0.0 && fractions.get(cell + IVec3::AXES[axis])[axis] == 0.0
    })
}

/// Open fractions, divided by the distance to the surface in cells where the surface is in between.
fn face_weights(
    liquid: &SparseGrid<f32>,
    solids: &SolidFaces,
    kinds: &SparseGrid<NodeKind>,
) -> SparseGrid<Vec3> {
    kinds.map_tiles(Vec3::ZERO, |tile, kinds| {
        let fractions = solids.fractions.neighbourhood(tile);
        let liquid = liquid.neighbourhood(tile);
        let weight = |offset: usize| {
            let cell = local_node(offset);
            Vec3::from_array(std::array::from_fn(|axis| {
                let below = cell - IVec3::AXES[axis];
                let open = fractions.get(cell)[axis];
                open * inverse_distance([kinds.get(below), kinds.get(cell)], || {
                    [liquid.get(below), liquid.get(cell)]
                })
            }))
        };
        Tile::Dense(Box::new(std::array::from_fn(weight)))
    })
}

/// One over the distance between the two pressures beside a face, in cells: 1 between wet cells, more where
/// the surface is between them.
#[inline]
fn inverse_distance(kinds: [NodeKind; 2], distances: impl Fn() -> [f32; 2]) -> f32 {
    match kinds {
        [NodeKind::Unknown, NodeKind::Dirichlet] => {
            let [wet, dry] = distances();
            surface_share(wet, dry).recip()
        }
        [NodeKind::Dirichlet, NodeKind::Unknown] => {
            let [dry, wet] = distances();
            surface_share(wet, dry).recip()
        }
        _ => 1.0,
    }
}

/// How far from a wet cell towards a dry one the surface is.
#[inline]
fn surface_share(wet: f32, dry: f32) -> f32 {
    (wet / (wet - dry)).clamp(NEAREST_SURFACE, 1.0)
}

/// The value at the surface between a wet cell and a dry one.
#[inline]
fn at_surface(
    surface: &Neighbourhood<'_, f32>,
    liquid: &Neighbourhood<'_, f32>,
    wet: IVec3,
    dry: IVec3,
) -> f32 {
    let share = surface_share(liquid.get(wet), liquid.get(dry));
    surface.get(wet) + share * (surface.get(dry) - surface.get(wet))
}

/// What the pressure at the surface adds to the equations of wet cells.
struct SurfaceTerm<'a> {
    kinds: &'a Neighbourhood<'a, NodeKind>,
    weights: Neighbourhood<'a, Vec3>,
    liquid: Neighbourhood<'a, f32>,
    surface: Neighbourhood<'a, f32>,
}

impl SurfaceTerm<'_> {
    /// The sum over the dry cells beside a wet one, each with the weight of the face between.
    fn of_cell(&self, cell: IVec3) -> f32 {
        let mut sum = 0.0;
        for axis in 0..3 {
            let step = IVec3::AXES[axis];
            for (face, beside) in [(cell, cell - step), (cell + step, cell + step)] {
                if self.kinds.get(beside) == NodeKind::Dirichlet {
                    let value = at_surface(&self.surface, &self.liquid, cell, beside);
                    sum += self.weights.get(face)[axis] * value;
                }
            }
        }
        sum
    }
}

/// What a face needs to know of the cells beside it.
struct Around<'a> {
    kinds: Neighbourhood<'a, NodeKind>,
    fractions: Neighbourhood<'a, Vec3>,
    solid: Option<Neighbourhood<'a, Vec3>>,
    liquid: Neighbourhood<'a, f32>,
    pressure: Neighbourhood<'a, f32>,
    surface: Option<Neighbourhood<'a, f32>>,
}

impl Around<'_> {
    /// Whether the low face of a cell on an axis touches a wet cell.
    #[inline]
    fn is_wet(&self, cell: IVec3, axis: usize) -> bool {
        let below = cell - IVec3::AXES[axis];
        [cell, below].into_iter().any(|cell| self.kinds.get(cell) == NodeKind::Unknown)
    }

    /// The difference of x across the low face of a cell, as over a whole cell.
    #[inline]
    fn difference(&self, here: IVec3, axis: usize) -> f32 {
        let below = here - IVec3::AXES[axis];
        let kinds = [self.kinds.get(below), self.kinds.get(here)];
        let value = |kind: NodeKind, cell: IVec3| match (kind, &self.surface) {
            (NodeKind::Unknown, _) => self.pressure.get(cell),
            (NodeKind::Dirichlet, Some(surface)) => {
                let wet = if cell == below { here } else { below };
                at_surface(surface, &self.liquid, wet, cell)
            }
            _ => 0.0,
        };
        let closeness = inverse_distance(kinds, || [self.liquid.get(below), self.liquid.get(here)]);
        closeness * (value(kinds[1], here) - value(kinds[0], below))
    }
}

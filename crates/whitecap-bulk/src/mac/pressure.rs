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
use whitecap_core::sparse_grid::{Neighbourhood, SparseGrid, TILE_NODES, Tile};
use whitecap_core::{Error, Watch};

use super::extrapolation::{ALL_FACES, KnownFaces};
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
        let per_cell = self.kinds.lattice().cell.recip();
        self.kinds.map_tiles(0.0, |tile, kinds| {
            let kinds = kinds.center().expect("tiles of the grid itself");
            if !(0..TILE_NODES).any(|offset| kinds.at(offset) == NodeKind::Unknown) {
                return Tile::Constant(0.0);
            }
            let through = through_faces(velocity, input.solids, tile);
            let wanted = input.divergence.and_then(|divergence| divergence.tile(tile));
            let surface = input.surface.map(|surface| SurfaceTerm::new(self, surface, tile));
            let mut values = Box::new([0.0; TILE_NODES]);
            for (offset, value) in values.iter_mut().enumerate() {
                if kinds.at(offset) == NodeKind::Unknown {
                    let place = padded_place(offset);
                    let out =
                        |axis: usize| through.0[place + NEXT[axis]][axis] - through.0[place][axis];
                    let wanted = wanted.map_or(0.0, |wanted| wanted.at(offset));
                    let given = surface.as_ref().map_or(0.0, |surface| surface.of_cell(place));
                    *value = wanted - per_cell * (out(0) + out(1) + out(2))
                        + per_cell * per_cell * given;
                }
            }
            Tile::Dense(values)
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
        let per_cell = velocity.lattice().cell.recip();
        let coordinates = velocity.coordinates().to_vec();
        let bits: Vec<Tile<u8>> = velocity
            .tiles_mut()
            .par_iter_mut()
            .zip(coordinates)
            .map(|(values, tile)| {
                let kinds = self.kinds.neighbourhood(tile);
                if is_all(&kinds, NodeKind::Dirichlet) {
                    return Tile::Constant(0);
                }
                let mut dense = match std::mem::replace(values, Tile::Constant(Vec3::ZERO)) {
                    Tile::Dense(dense) => dense,
                    Tile::Constant(value) => Box::new([value; TILE_NODES]),
                };
                let fractions = self.solids.fractions.tile(tile);
                let bits =
                    if is_all(&kinds, NodeKind::Unknown) && is_one(fractions, Vec3::ONE, true) {
                        subtract_inside(
                            &mut dense,
                            &Padded::new(&pressure.neighbourhood(tile)),
                            per_cell,
                        );
                        Tile::Constant(ALL_FACES)
                    } else {
                        Around::new(self, input, pressure, tile).subtract(&mut dense, per_cell)
                    };
                *values = Tile::Dense(dense);
                bits
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
        let wetness =
            |distance: f32| if distance < 0.0 { NodeKind::Unknown } else { NodeKind::Dirichlet };
        let liquid = liquid.center().expect("tiles of the grid itself");
        if let (true, Tile::Constant(distance)) = (is_all_open(&fractions), liquid) {
            return Tile::Constant(wetness(*distance));
        }
        let fractions = Padded::new(&fractions);
        let mut kinds = Box::new([NodeKind::Neumann; TILE_NODES]);
        for (offset, kind) in kinds.iter_mut().enumerate() {
            if !is_closed(&fractions, padded_place(offset)) {
                *kind = wetness(liquid.at(offset));
            }
        }
        Tile::Dense(kinds)
    })
}

/// Edge of a tile with one layer of cells around it.
const PADDED: usize = 10;
/// Distance to the next cell on each axis there.
const NEXT: [usize; 3] = [1, PADDED, PADDED * PADDED];

/// The values of a tile with one layer of cells around it, in plain memory.
struct Padded<T>(Box<[T; PADDED * PADDED * PADDED]>);

impl<T: Copy> Padded<T> {
    fn new(around: &Neighbourhood<'_, T>) -> Self {
        let mut values = Box::new([around.get(IVec3::ZERO); PADDED * PADDED * PADDED]);
        around.copy_padded(1, values.as_mut());
        Self(values)
    }
}

/// The place of a cell of a tile in [`Padded`] memory.
#[inline]
fn padded_place(offset: usize) -> usize {
    (offset & 7) + 1 + PADDED * ((offset >> 3 & 7) + 1 + PADDED * ((offset >> 6) + 1))
}

/// Whether every face of the cells of a tile is open.
fn is_all_open(fractions: &Neighbourhood<'_, Vec3>) -> bool {
    [IVec3::ZERO, IVec3::X, IVec3::Y, IVec3::Z]
        .iter()
        .all(|&step| is_one(fractions.tile(step), Vec3::ONE, true))
}

/// Whether a tile holds one value everywhere; `missing` if there is no tile.
fn is_one<T: Copy + PartialEq>(tile: Option<&Tile<T>>, expected: T, missing: bool) -> bool {
    tile.map_or(missing, |tile| matches!(tile, Tile::Constant(value) if *value == expected))
}

/// Whether a tile and those below it on each axis are of one kind throughout.
fn is_all(kinds: &Neighbourhood<'_, NodeKind>, expected: NodeKind) -> bool {
    [IVec3::ZERO, IVec3::NEG_X, IVec3::NEG_Y, IVec3::NEG_Z]
        .iter()
        .all(|&step| is_one(kinds.tile(step), expected, expected == NodeKind::Dirichlet))
}

/// Whether nothing flows through any face of a cell.
#[inline]
fn is_closed(fractions: &Padded<Vec3>, place: usize) -> bool {
    (0..3)
        .all(|axis| fractions.0[place][axis] == 0.0 && fractions.0[place + NEXT[axis]][axis] == 0.0)
}

/// Open fractions, divided by the distance to the surface in cells where the surface is in between.
fn face_weights(
    liquid: &SparseGrid<f32>,
    solids: &SolidFaces,
    kinds: &SparseGrid<NodeKind>,
) -> SparseGrid<Vec3> {
    kinds.map_tiles(Vec3::ZERO, |tile, kinds| {
        let fractions = solids.fractions.tile(tile);
        if is_all(kinds, NodeKind::Unknown) && is_one(fractions, Vec3::ONE, true) {
            return Tile::Constant(Vec3::ONE);
        }
        let liquid = Padded::new(&liquid.neighbourhood(tile));
        let kinds = Padded::new(kinds);
        let mut weights = Box::new([Vec3::ONE; TILE_NODES]);
        for (offset, weight) in weights.iter_mut().enumerate() {
            let place = padded_place(offset);
            let open = fractions.map_or(Vec3::ONE, |fractions| fractions.at(offset));
            for axis in 0..3 {
                let below = place - NEXT[axis];
                let beside = [kinds.0[below], kinds.0[place]];
                weight[axis] =
                    open[axis] * inverse_distance(beside, || [liquid.0[below], liquid.0[place]]);
            }
        }
        let is_plain = weights.iter().all(|&weight| weight == Vec3::ONE);
        if is_plain { Tile::Constant(Vec3::ONE) } else { Tile::Dense(weights) }
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

/// The value at the surface, which is `share` of the way from a wet cell to a dry one.
#[inline]
fn at_surface(surface: [f32; 2], share: f32) -> f32 {
    let [wet, dry] = surface;
    wet + share * (dry - wet)
}

/// What the pressure at the surface adds to the equations of wet cells.
struct SurfaceTerm {
    kinds: Padded<NodeKind>,
    weights: Padded<Vec3>,
    liquid: Padded<f32>,
    surface: Padded<f32>,
}

impl SurfaceTerm {
    fn new(equations: &Equations<'_>, surface: &SparseGrid<f32>, tile: IVec3) -> Self {
        Self {
            kinds: Padded::new(&equations.kinds.neighbourhood(tile)),
            weights: Padded::new(&equations.weights.neighbourhood(tile)),
            liquid: Padded::new(&equations.liquid.neighbourhood(tile)),
            surface: Padded::new(&surface.neighbourhood(tile)),
        }
    }

    /// The sum over the dry cells beside a wet one, each with the weight of the face between.
    fn of_cell(&self, wet: usize) -> f32 {
        let mut sum = 0.0;
        for (axis, next) in NEXT.into_iter().enumerate() {
            for (face, dry) in [(wet, wet - next), (wet + next, wet + next)] {
                if self.kinds.0[dry] == NodeKind::Dirichlet {
                    let share = surface_share(self.liquid.0[wet], self.liquid.0[dry]);
                    let value = at_surface([self.surface.0[wet], self.surface.0[dry]], share);
                    sum += self.weights.0[face][axis] * value;
                }
            }
        }
        sum
    }
}

/// What flows through the faces of a tile and around it: the liquid through the open part of each, the solid
/// through the rest.
fn through_faces(velocity: &SparseGrid<Vec3>, solids: &SolidFaces, tile: IVec3) -> Padded<Vec3> {
    let mut through = Padded::new(&velocity.neighbourhood(tile));
    let fractions = solids.fractions.neighbourhood(tile);
    if !is_all_open(&fractions) {
        let fractions = Padded::new(&fractions);
        let solid = Padded::new(&solids.velocity.neighbourhood(tile));
        for (through, (open, solid)) in
            through.0.iter_mut().zip(fractions.0.iter().zip(solid.0.iter()))
        {
            *through = *open * *through + (Vec3::ONE - *open) * *solid;
        }
    }
    through
}

/// Subtracts ∇x where all cells are wet and all faces open.
fn subtract_inside(values: &mut [Vec3; TILE_NODES], pressure: &Padded<f32>, per_cell: f32) {
    for (offset, value) in values.iter_mut().enumerate() {
        let place = padded_place(offset);
        let below = NEXT.map(|next| pressure.0[place - next]);
        *value -= per_cell * (pressure.0[place] - Vec3::from_array(below));
    }
}

/// What the faces of a tile need to know of the cells beside them.
struct Around<'a> {
    kinds: Padded<NodeKind>,
    liquid: Padded<f32>,
    pressure: Padded<f32>,
    surface: Option<Padded<f32>>,
    fractions: Option<&'a Tile<Vec3>>,
    solid: Option<&'a Tile<Vec3>>,
}

impl<'a> Around<'a> {
    fn new(
        equations: &'a Equations<'_>,
        input: Option<&PressureInput<'a>>,
        pressure: &SparseGrid<f32>,
        tile: IVec3,
    ) -> Self {
        let surface = input.and_then(|input| input.surface);
        Self {
            kinds: Padded::new(&equations.kinds.neighbourhood(tile)),
            liquid: Padded::new(&equations.liquid.neighbourhood(tile)),
            pressure: Padded::new(&pressure.neighbourhood(tile)),
            surface: surface.map(|surface| Padded::new(&surface.neighbourhood(tile))),
            fractions: equations.solids.fractions.tile(tile),
            solid: input.and_then(|input| input.solids.velocity.tile(tile)),
        }
    }

    fn subtract(&self, values: &mut [Vec3; TILE_NODES], per_cell: f32) -> Tile<u8> {
        let mut bits = Box::new([0u8; TILE_NODES]);
        for (offset, (value, bits)) in values.iter_mut().zip(bits.iter_mut()).enumerate() {
            let place = padded_place(offset);
            for axis in 0..3 {
                let kinds = [self.kinds.0[place - NEXT[axis]], self.kinds.0[place]];
                if !kinds.contains(&NodeKind::Unknown) {
                    continue;
                }
                *bits |= 1 << axis;
                let is_closed = self.fractions.is_some_and(|open| open.at(offset)[axis] == 0.0);
                match is_closed {
                    true => value[axis] = self.solid.map_or(0.0, |solid| solid.at(offset)[axis]),
                    false => value[axis] -= per_cell * self.difference(place, axis),
                }
            }
        }
        Tile::Dense(bits)
    }

    /// The difference of x across the low face of a cell, as over a whole cell.
    #[inline]
    fn difference(&self, place: usize, axis: usize) -> f32 {
        let below = place - NEXT[axis];
        let kinds = [self.kinds.0[below], self.kinds.0[place]];
        let value = |place: usize, other: usize| match (self.kinds.0[place], &self.surface) {
            (NodeKind::Unknown, _) => self.pressure.0[place],
            (NodeKind::Dirichlet, Some(surface)) => {
                let share = surface_share(self.liquid.0[other], self.liquid.0[place]);
                at_surface([surface.0[other], surface.0[place]], share)
            }
            _ => 0.0,
        };
        let closeness = inverse_distance(kinds, || [self.liquid.0[below], self.liquid.0[place]]);
        closeness * (value(place, below) - value(below, place))
    }
}

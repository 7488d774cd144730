//! Viscosity: friction within a liquid, from water to honey, in one implicit step.
//!
//! Of all velocities, the new one minimises ½ ∫ |u − u*|² + Δt ∫ ν |ε|², with u* the velocity before and ε
//! the symmetric part of ∇u, over the liquid: the variational form of u = u* + Δt ∇·(ν (∇u + ∇uᵀ)) (Batty and
//! Bridson 2008). Its natural condition on a free surface is that no stress acts there, so that honey folds
//! and coils; the integrals become sums with the share of liquid around each face, cell and edge. Faces in
//! solids have the velocity of the solid (no slip). The three components of the velocity are coupled; the
//! equations are solved by conjugate gradients with a multigrid preconditioner.
//!
//! # Guarantees
//! * Liquid that moves as a rigid body, away from solids, goes on as before, at any viscosity.
//! * Without solids momentum and angular momentum stay as they are, to the tolerance of the solver.
//! * Walls are where they are, not where the next face is: velocities beside flat walls along an axis are of
//!   second order.
//! * Any time step is stable. From pure noise, a ball takes 4 to 15 iterations for ν Δt/h² from 0.1 to 10⁴,
//!   at any resolution.
//! * The same input gives the same bits for any number of threads.
//!
//! # Non-guarantees
//! * The result has a divergence where the input has one, and at the free surface: project it afterwards.
//! * A solid's velocity counts in the middle of the faces inside it, up to a cell from its surface.
//! * Where liquid is thinner than a cell the shares are rough.
//! * Threads a few cells thick bend more easily than coarse levels know: they take up to five times as many
//!   iterations.

mod hierarchy;
mod level;
mod shares;
mod tiling;
mod transfer;

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::poisson::SolveSettings;
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile};
use whitecap_core::{Error, Watch};

use self::hierarchy::Hierarchy;
use self::level::Level;
use self::tiling::{FaceTile, dot, for_each_tile, sum_over_tiles, tile_dot};
use super::solids::SolidFaces;

/// Kinematic viscosity in m²/s: dynamic viscosity over density.
#[derive(Clone, Copy, Debug)]
pub enum Viscosity<'a> {
    /// The same everywhere.
    Uniform(f32),
    /// That of each wet cell.
    PerCell(&'a SparseGrid<f32>),
}

/// What the velocity of a liquid is diffused with.
#[derive(Clone, Copy, Debug)]
pub struct ViscosityInput<'a> {
    /// Distance to the surface at the middles of cells in m, negative in the liquid; positive outside its
    /// tiles.
    pub liquid: &'a SparseGrid<f32>,
    /// Solids.
    pub solids: &'a SolidFaces,
    /// Viscosity.
    pub viscosity: Viscosity<'a>,
    /// Time step in s.
    pub time_step: f32,
}

/// What it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diffusion {
    /// Iterations of the solver.
    pub iterations: usize,
    /// What is left of the error, relative to the velocity: see [`diffuse`].
    pub residual: f64,
}

/// Lets viscosity act on `velocity` for a time step. Its tiles must hold the faces of all cells that liquid
/// is in or beside. Faces of solids beside the liquid get the velocity of the solid; those farther away stay
/// as they are.
///
/// The iteration starts from `velocity` and ends when the residual is below the tolerance in the norm of the
/// preconditioner, which is about that of the error of the velocity, with the share of liquid as mass and
/// strain as further energy, relative to that of the velocity itself. Fails with [`Error::NotConverged`] when
/// the iterations run out, the input is not finite or a viscosity is negative, and with [`Error::Cancelled`]
/// when `watch` cancels.
pub fn diffuse(
    velocity: &mut SparseGrid<Vec3>,
    input: &ViscosityInput<'_>,
    settings: &SolveSettings,
    watch: &dyn Watch,
) -> Result<Diffusion, Error> {
    let shares = shares::shares(velocity.lattice(), velocity.coordinates(), input);
    let mut hierarchy = Hierarchy::new(&shares, settings.preconditioner);
    let given = given_velocity(hierarchy.finest(), velocity, input.solids);
    let (change, diffusion) = solve(&mut hierarchy, &given, settings, watch)?;
    write_back(hierarchy.finest(), &given, &change, velocity);
    Ok(diffusion)
}

/// The velocity before on unknown faces, and that of the solid on faces that solids hold.
fn given_velocity(
    level: &Level,
    velocity: &SparseGrid<Vec3>,
    solids: &SolidFaces,
) -> Vec<FaceTile<f64>> {
    let mut given = level.tiling.vector::<f64>();
    for_each_tile(&mut given, |tile, given| {
        let coordinate = level.tiling.coordinates[tile];
        let equations = &level.equations[tile];
        let (free, solid) = (velocity.tile(coordinate), solids.velocity.tile(coordinate));
        let at =
            |tile: Option<&Tile<Vec3>>, offset| tile.map_or(Vec3::ZERO, |tile| tile.at(offset));
        for (axis, given) in given.iter_mut().enumerate() {
            for (offset, given) in given.iter_mut().enumerate() {
                if equations.is_held(axis, offset) {
                    *given = f64::from(at(solid, offset)[axis]);
                } else if equations.is_unknown(axis, offset) {
                    *given = f64::from(at(free, offset)[axis]);
                }
            }
        }
    });
    given
}

/// The change of velocity d that solves (M + S) d = −S u*, with M the masses and S the stress, by conjugate
/// gradients.
fn solve(
    hierarchy: &mut Hierarchy,
    given: &[FaceTile<f64>],
    settings: &SolveSettings,
    watch: &dyn Watch,
) -> Result<(Vec<FaceTile<f64>>, Diffusion), Error> {
    let level = hierarchy.finest();
    let [mut change, mut residual, mut direction, mut product] =
        [(); 4].map(|()| level.tiling.vector::<f64>());
    let mut norm_squared = sum_over_tiles(&mut residual, |tile, residual| {
        *residual = level.stress(given, tile);
        residual.as_flattened_mut().iter_mut().for_each(|value| *value = -*value);
        tile_dot(residual, residual)
    });
    let scale = scale_squared(level, given).sqrt();
    let mut descent = 0.0;
    let mut iterations = 0;
    loop {
        // A velocity without strain is a solution.
        if norm_squared == 0.0 {
            return Ok((change, Diffusion { iterations, residual: 0.0 }));
        }
        let corrected = precondition(hierarchy, &residual, norm_squared.sqrt());
        let previous = std::mem::replace(&mut descent, corrected.1 * dot(&residual, corrected.0));
        let relative = descent.sqrt() / scale;
        if relative <= settings.tolerance {
            return Ok((change, Diffusion { iterations, residual: relative }));
        }
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        if iterations >= settings.max_iterations || !relative.is_finite() {
            let tolerance = settings.tolerance;
            return Err(Error::NotConverged { iterations, residual: relative, tolerance });
        }

        // Make the direction conjugate to the previous one.
        let keep = if iterations == 0 { 0.0 } else { descent / previous };
        let (corrected, size) = corrected;
        for_each_tile(&mut direction, |tile, direction| {
            let corrected = corrected[tile].as_flattened();
            for (direction, &z) in direction.as_flattened_mut().iter_mut().zip(corrected) {
                *direction = size * f64::from(z) + keep * *direction;
            }
        });

        // Walk to the minimum along it.
        let curvature = hierarchy.finest().apply(&direction, &mut product);
        let step = descent / curvature;
        subtract(&mut change, -step, &direction);
        norm_squared = subtract(&mut residual, step, &product);
        iterations += 1;
    }
}

/// The sum of m u² over unknown faces, and of u² over those that solids hold.
fn scale_squared(level: &Level, given: &[FaceTile<f64>]) -> f64 {
    let partial: Vec<f64> = level
        .equations
        .par_iter()
        .zip(given)
        .map(|(equations, given)| {
            let mut sum = 0.0;
            for (axis, given) in given.iter().enumerate() {
                for (offset, value) in given.iter().enumerate() {
                    let is_held = equations.is_held(axis, offset);
                    let mass = if is_held { 1.0 } else { equations.mass[axis][offset] };
                    sum += f64::from(mass) * value * value;
                }
            }
            sum
        })
        .collect();
    partial.iter().sum()
}

/// One application of the preconditioner: the correction, to be multiplied by a factor. The residual is scaled
/// to unit size on the way to single precision, whose range it might leave otherwise.
fn precondition<'a>(
    hierarchy: &'a mut Hierarchy,
    residual: &[FaceTile<f64>],
    norm: f64,
) -> (&'a [FaceTile<f32>], f64) {
    let size = norm / ((residual.len() * 3 * TILE_NODES) as f64).sqrt();
    for_each_tile(hierarchy.input(), |tile, input| {
        let residual = residual[tile].as_flattened();
        for (input, r) in input.as_flattened_mut().iter_mut().zip(residual) {
            *input = (r / size) as f32;
        }
    });
    (hierarchy.precondition(), size)
}

/// `target` −= `factor` · `vector`; returns the squared norm of the result.
fn subtract(target: &mut [FaceTile<f64>], factor: f64, vector: &[FaceTile<f64>]) -> f64 {
    sum_over_tiles(target, |tile, target| {
        let vector = vector[tile].as_flattened();
        for (target, value) in target.as_flattened_mut().iter_mut().zip(vector) {
            *target -= factor * value;
        }
        tile_dot(target, target)
    })
}

/// Gives every unknown face its change, and every face that a solid holds the velocity of the solid.
fn write_back(
    level: &Level,
    given: &[FaceTile<f64>],
    change: &[FaceTile<f64>],
    velocity: &mut SparseGrid<Vec3>,
) {
    let coordinates = velocity.coordinates().to_vec();
    velocity.tiles_mut().par_iter_mut().zip(coordinates).for_each(|(values, coordinate)| {
        let tile = level.tiling.place(coordinate);
        let Some(equations) = level.equations.get(tile) else { return };
        let mut dense = Box::new(std::array::from_fn(|offset| values.at(offset)));
        for (offset, value) in dense.iter_mut().enumerate() {
            for axis in 0..3 {
                if equations.is_held(axis, offset) || equations.is_unknown(axis, offset) {
                    value[axis] = (given[tile][axis][offset] + change[tile][axis][offset]) as f32;
                }
            }
        }
        *values = Tile::Dense(dense);
    });
}

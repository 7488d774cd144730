//! Poisson equations on sparse grids: −∇·(w ∇x) = b on the nodes marked unknown.
//!
//! Conjugate gradients, preconditioned by one multigrid V-cycle (McAdams, Sifakis and Teran 2010;
//! Tatebe 1993), matrix-free on the tiles of a [`SparseGrid`]. Seven-point stencil; at unknown node
//! i, with h the cell, Σ over the six neighbours n of w (xᵢ − xₙ) / h² = bᵢ, where
//! * an unknown neighbour contributes its unknown value,
//! * a Dirichlet neighbour has its known value,
//! * a Neumann neighbour, and any face of weight zero, lets nothing through and drops out.
//!
//! # Guarantees
//! * The reported residual is that of the iteration in double precision. The preconditioner runs
//!   in single precision, where it costs half and accuracy does not matter; a solution kept in
//!   single precision throughout could not reach 10⁻⁶, because rounding it alone leaves a
//!   residual of some 10⁻⁴ at 128³.
//! * The number of iterations hardly grows with the resolution.
//! * The result has the same bits for any number of threads.
//! * Parts of the domain that touch no Dirichlet node are solved up to a constant: the mean of
//!   the right-hand side over the part is removed first, and the solution has zero mean there.
//!
//! # Non-guarantees
//! * Values are rounded to single precision at the end.
//! * Where walls are thinner than the cells of the coarser levels, or weights jump by orders of
//!   magnitude between neighbours, more iterations are needed.

mod components;
mod finest;
mod hierarchy;
mod level;
mod tiling;
mod transfer;

use glam::Vec3;

use crate::reduce::ordered_reduce;
use crate::sparse_grid::TILE_NODES;
use crate::{Error, SparseGrid, Watch};

use components::FloatingParts;
use finest::Finest;
use hierarchy::Hierarchy;
use tiling::{for_each_tile, sum_over_tiles, tile_dot, tile_values};

/// The role of a node in the equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum NodeKind {
    /// Outside, behind a wall that lets nothing through.
    Neumann,
    /// Outside, with a known value.
    Dirichlet,
    /// To be solved for.
    Unknown,
}

/// An equation to solve. All grids share the lattice of `kinds`.
#[derive(Clone, Copy, Debug)]
pub struct PoissonProblem<'a> {
    /// The role of each node. The background says what lies beyond the tiles; unknowns are only
    /// searched for in tiles, so an unknown background counts as [`NodeKind::Neumann`].
    pub kinds: &'a SparseGrid<NodeKind>,
    /// The right-hand side b at unknown nodes.
    pub right_hand_side: &'a SparseGrid<f32>,
    /// Known values at Dirichlet nodes; zero when `None`.
    pub boundary_values: Option<&'a SparseGrid<f32>>,
    /// Face weights; see [`PoissonSolver::new`].
    pub face_weights: Option<&'a SparseGrid<Vec3>>,
}

/// What an equation is solved for.
#[derive(Clone, Copy, Debug)]
struct Domain<'a> {
    kinds: &'a SparseGrid<NodeKind>,
    face_weights: Option<&'a SparseGrid<Vec3>>,
}

/// What an equation is solved with.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The right-hand side b at unknown nodes.
    pub right_hand_side: &'a SparseGrid<f32>,
    /// Known values at Dirichlet nodes; zero when `None`.
    pub boundary_values: Option<&'a SparseGrid<f32>>,
    /// Values to start from; zero when `None`.
    pub guess: Option<&'a SparseGrid<f32>>,
}

/// How the conjugate gradients are preconditioned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preconditioner {
    /// A multigrid V-cycle.
    #[default]
    Multigrid,
    /// The diagonal: no set-up, but iterations grow with the resolution. Good for a few hundred
    /// unknowns.
    Jacobi,
}

/// When to stop, and how to get there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveSettings {
    /// Stop when the residual is below this times the right-hand side, both as Euclidean norms.
    pub tolerance: f64,
    /// Give up after this many iterations.
    pub max_iterations: usize,
    /// The preconditioner.
    pub preconditioner: Preconditioner,
}

impl Default for SolveSettings {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_iterations: 200, preconditioner: Preconditioner::Multigrid }
    }
}

/// A solved equation.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Values at unknown nodes and known values at Dirichlet nodes, on the tiles that hold
    /// unknowns; zero elsewhere.
    pub values: SparseGrid<f32>,
    /// Iterations done.
    pub iterations: usize,
    /// Residual relative to the right-hand side.
    pub residual: f64,
}

/// Solves `problem`, starting from `guess` or from zero.
///
/// Fails with [`Error::NotConverged`] when the iterations run out or the input is not finite, and with
/// [`Error::Cancelled`] when `watch` cancels.
pub fn solve(
    problem: &PoissonProblem<'_>,
    guess: Option<&SparseGrid<f32>>,
    settings: &SolveSettings,
    watch: &dyn Watch,
) -> Result<Solution, Error> {
    let &PoissonProblem { kinds, right_hand_side, boundary_values, face_weights } = problem;
    let mut solver = PoissonSolver::new(kinds, face_weights, settings.preconditioner);
    solver.solve(&Given { right_hand_side, boundary_values, guess }, settings, watch)
}

/// A domain that is prepared for several equations.
pub struct PoissonSolver<'a> {
    finest: Finest<'a>,
    floating: Option<FloatingParts>,
    hierarchy: Hierarchy,
}

impl<'a> PoissonSolver<'a> {
    /// Prepares the domain of these kinds. Face weights w: component a at a node is the weight of the face
    /// between it and its neighbour at −1 on axis a. All 1 when `None`. Weights that are not positive and
    /// finite close the face.
    pub fn new(
        kinds: &'a SparseGrid<NodeKind>,
        face_weights: Option<&'a SparseGrid<Vec3>>,
        preconditioner: Preconditioner,
    ) -> Self {
        let finest = Finest::new(Domain { kinds, face_weights });
        let floating = FloatingParts::find(&finest);
        let hierarchy = Hierarchy::new(&finest, preconditioner);
        Self { finest, floating, hierarchy }
    }

    /// Solves one equation; fails as [`solve`] does.
    pub fn solve(
        &mut self,
        given: &Given<'_>,
        settings: &SolveSettings,
        watch: &dyn Watch,
    ) -> Result<Solution, Error> {
        let Self { finest, floating, hierarchy } = self;
        let mut right_hand_side = finest.right_hand_side(given);
        let mut x = finest.guess(given.guess);
        let given_scale = dot(&right_hand_side, &right_hand_side).sqrt();
        if let Some(floating) = &floating {
            floating.remove_means(&mut right_hand_side);
        }
        let scale = dot(&right_hand_side, &right_hand_side).sqrt();
        let done = |x: &mut Vec<f64>, iterations, residual| {
            if let Some(floating) = &floating {
                floating.remove_means(x);
            }
            let values = finest.solution(x, given.boundary_values);
            Ok(Solution { values, iterations, residual })
        };
        // If the right-hand side was nothing but means, only rounding is left: no equation to solve.
        if scale <= 1e-13 * given_scale {
            x.fill(0.0);
            return done(&mut x, 0, 0.0);
        }

        // r = b − A x, and the first direction of descent.
        let mut product = finest.tiling.vector::<f64>();
        hierarchy.finest().apply(&x, &mut product);
        let mut residual = right_hand_side;
        let mut norm_squared = subtract(&mut residual, 1.0, &product);
        let mut direction = finest.tiling.vector::<f64>();
        let mut corrected = finest.tiling.vector::<f64>();
        let mut descent = 0.0;
        let mut iterations = 0;
        loop {
            let relative = norm_squared.sqrt() / scale;
            if relative <= settings.tolerance {
                return done(&mut x, iterations, relative);
            }
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            if iterations >= settings.max_iterations || !relative.is_finite() {
                let tolerance = settings.tolerance;
                return Err(Error::NotConverged { iterations, residual: relative, tolerance });
            }
            watch.progress(progress(relative, settings.tolerance));

            // Precondition, then make the direction conjugate to the previous one.
            precondition(hierarchy, &residual, norm_squared.sqrt(), &mut corrected);
            if let Some(floating) = &floating {
                floating.remove_means(&mut corrected);
            }
            let previous = std::mem::replace(&mut descent, dot(&residual, &corrected));
            let keep = if iterations == 0 { 0.0 } else { descent / previous };
            for_each_tile(&mut direction, |tile, direction| {
                for (direction, z) in direction.iter_mut().zip(tile_values(&corrected, tile)) {
                    *direction = z + keep * *direction;
                }
            });

            // Walk to the minimum along it.
            let curvature = hierarchy.finest().apply(&direction, &mut product);
            let step = descent / curvature;
            subtract(&mut x, -step, &direction);
            norm_squared = subtract(&mut residual, step, &product);
            iterations += 1;
        }
    }
}

/// One application of the preconditioner. The residual is scaled to unit size on the way to
/// single precision, whose range it might leave otherwise.
fn precondition(hierarchy: &mut Hierarchy, residual: &[f64], norm: f64, corrected: &mut [f64]) {
    let size = norm / (residual.len() as f64).sqrt();
    for_each_tile(hierarchy.input(), |tile, input| {
        for (input, r) in input.iter_mut().zip(tile_values(residual, tile)) {
            *input = (r / size) as f32;
        }
    });
    hierarchy.precondition();
    let output = hierarchy.output();
    for_each_tile(corrected, |tile, corrected| {
        for (corrected, z) in corrected.iter_mut().zip(tile_values(output, tile)) {
            *corrected = f64::from(*z) * size;
        }
    });
}

/// `target` −= `factor` · `vector`; returns the squared norm of the result.
fn subtract(target: &mut [f64], factor: f64, vector: &[f64]) -> f64 {
    sum_over_tiles(target, |tile, target| {
        for (target, value) in target.iter_mut().zip(tile_values(vector, tile)) {
            *target -= factor * value;
        }
        tile_dot(target, target)
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let chunk = |range: std::ops::Range<usize>| {
        let tiles = range.start / TILE_NODES..range.end / TILE_NODES;
        tiles.map(|tile| tile_dot(tile_values(a, tile), tile_values(b, tile))).sum()
    };
    ordered_reduce(a.len(), 0.0, chunk, |a: f64, b| a + b)
}

/// Progress: the share of the required decimal digits already gained.
fn progress(relative: f64, tolerance: f64) -> f32 {
    (relative.min(1.0).ln() / tolerance.clamp(1e-300, 0.99).ln()).clamp(0.0, 1.0) as f32
}

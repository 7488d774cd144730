//! Divergence-free SPH (Bender & Koschier 2017): one solve for the velocity before the forces act,
//! one for the density after them. Both are the bound-constrained system of
//! [`super::PressureSystem`], with different right-hand sides.
//!
//! Differences from the paper: the iterations are accelerated; a deficit where there is pressure
//! counts as an error; and of an existing density excess at most [`LARGEST_CORRECTION`]
//! is corrected in one step, so that liquid that starts squeezed relaxes instead of exploding.
//! Compression caused by velocity is removed entirely.

use rayon::prelude::*;

use crate::sph::neighbours::CHUNK;
use crate::sph::pressure::{Iterations, Stop};
use crate::sph::pressure::{PressureProblem, PressureSolver};

/// Largest share of the rest density by which an existing excess is corrected in one step.
pub(crate) const LARGEST_CORRECTION: f32 = 0.01;
/// Mean compression per step that the divergence solve may leave, as a share of the rest density.
const MEAN_DIVERGENCE: f32 = 1e-3;
/// Below this share of the rest density a particle belongs to spray, which may compress.
const SPRAY_DENSITY: f32 = 0.8;

/// The DFSPH solver.
#[derive(Clone, Debug)]
pub(crate) struct Dfsph {
    /// Whether the divergence solve is done.
    pub divergence_free: bool,
}

impl PressureSolver for Dfsph {
    /// The divergence-free solve (Bender & Koschier 2017, Alg. 2).
    fn remove_divergence(&mut self, problem: &mut PressureProblem<'_>) -> Option<Iterations> {
        if !self.divergence_free {
            return None;
        }
        let time_step = problem.time_step;
        let rest_density = problem.resolution.rest_density;
        let density = problem.density;
        // s_i = Δt Dρ_i/Dt, with Dρ_i/Dt = Σ_j m (v_i − v_j)·∇W_ij.
        problem.system.set_excess(problem.pairs, problem.velocity, |i, rate| {
            let compression = time_step * rate;
            if density[i] < SPRAY_DENSITY * rest_density {
                compression.min(0.0)
            } else {
                compression
            }
        });
        let compression = problem.system.mean_compression() / rest_density;
        if compression <= MEAN_DIVERGENCE {
            return Some(Iterations { mean_error: compression, ..Iterations::default() });
        }
        problem.system.pressure.par_chunks_mut(CHUNK).for_each(|pressure| pressure.fill(0.0));
        let stop = Stop {
            mean_error: MEAN_DIVERGENCE,
            largest_error: f32::INFINITY,
            least_iterations: 1,
            most_iterations: problem.stop.most_iterations,
        };
        let outcome = problem.system.solve(problem.pairs, time_step, rest_density, stop);
        // v_i −= Δt Σ_j m (P_i + P_j) ∇W_ij, the last line of Alg. 2.
        problem.accelerate();
        Some(outcome)
    }

    /// The constant-density solve (Bender & Koschier 2017, Alg. 3), warm-started with the pressure of the
    /// previous step.
    fn remove_compression(&mut self, problem: &mut PressureProblem<'_>) -> Iterations {
        let time_step = problem.time_step;
        let rest_density = problem.resolution.rest_density;
        let density = problem.density;
        // s_i = ρ_i* − ρ0, with the predicted density ρ_i* = ρ_i + Δt Dρ_i/Dt.
        problem.system.set_excess(problem.pairs, problem.velocity, |i, rate| {
            (density[i] - rest_density).min(LARGEST_CORRECTION * rest_density) + time_step * rate
        });
        let outcome = problem.system.solve(problem.pairs, time_step, rest_density, problem.stop);
        problem.accelerate();
        outcome
    }

    fn bytes(&self) -> usize {
        0
    }
}

//! Predictive–corrective incompressible SPH (Solenthaler & Pajarola 2009; Morgenroth 2021, Alg. 1).
//!
//! Each iteration predicts positions with the pressure found so far, evaluates the density there,
//! and raises the pressure by k_PCI times the compression. k_PCI comes from a particle in a full
//! lattice (Eq. 2.26, whose last term as printed lacks its second factor: it is Σ ∇W·∇W). With
//! P = p/ρ0² and masses included that is 1 / (2 Δt² Σ |m ∇W|²), because Σ ∇W vanishes in a lattice.
//! A particle whose own neighbourhood would respond more strongly than the lattice, as at a free
//! surface, uses its own k instead: there the template overshoots.
//!
//! The pressure force is the symmetric form with ρ0² (Eq. 2.27 corrected): momentum is conserved.
//!
//! The density of fluid neighbours is evaluated with the kernel at the predicted positions, that
//! of the boundary to first order in the displacement. Pressure is never negative. As in
//! [`super::Dfsph`], only part of an existing excess is corrected in one step.

use rayon::prelude::*;
use whitecap_core::kernels::CubicSpline;
use wide::f32x4;

use super::dfsph::LARGEST_CORRECTION;
use crate::sph::neighbours::{CHUNK, PairChunk, Pairs};
use crate::sph::pressure::vector;
use crate::sph::pressure::{IterationSums, Iterations, Momentum};
use crate::sph::pressure::{PressureProblem, PressureSolver};
use crate::sph::resolution::Resolution;

/// Share of k_PCI that an iteration uses. The factor one half of Eq. 2.26 is meant for iterations
/// without momentum; with it the step must stay below the inverse of the largest eigenvalue.
const RELAXATION: f32 = 0.33;

/// The PCISPH solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pcisph {
    sums: Vec<IterationSums>,
}

impl Pcisph {
    /// x* = x + Δt (v + Δt a), which takes the place of a in the system. The last lane becomes −Δt,
    /// with which the motion of the boundary enters.
    fn predict(problem: &mut PressureProblem<'_>) {
        let step = problem.time_step;
        let time_step = f32x4::splat(step);
        let (packed, velocity) = (&problem.system.packed, &*problem.velocity);
        problem.system.acceleration.par_chunks_mut(CHUNK).enumerate().for_each(
            |(number, acceleration)| {
                for (local, value) in acceleration.iter_mut().enumerate() {
                    let i = number * CHUNK + local;
                    let velocity = value.mul_add(time_step, velocity[i]);
                    *value = velocity.mul_add(time_step, packed[i]);
                    value.as_mut_array()[3] = -step;
                }
            },
        );
    }

    /// P += k (ρ* − ρ0), not below zero; returns the density error before the correction, and
    /// whether momentum points the wrong way.
    fn correct(
        &mut self,
        problem: &mut PressureProblem<'_>,
        count: u32,
        carry: f32,
    ) -> (Iterations, bool) {
        let resolution = problem.resolution;
        let rest_density = resolution.rest_density;
        // k_PCI without the sums over neighbours (Morgenroth 2021, Eq. 2.26).
        let softness = RELAXATION / problem.time_step.powi(2);
        let template = 1.0 / resolution.gradient_squares;
        let spline = Spline::new(resolution);
        let (before, system) = (problem.density, &mut *problem.system);
        let packed = &system.packed;
        let inverse_diagonal = &system.inverse_diagonal;
        let predicted = &system.acceleration;
        self.sums.resize(before.len().div_ceil(CHUNK), IterationSums::default());
        self.sums
            .par_iter_mut()
            .zip(system.pressure.par_chunks_mut(CHUNK))
            .zip(system.extrapolated.par_chunks_mut(CHUNK))
            .zip(problem.pairs.chunks())
            .enumerate()
            .for_each(|(number, (((sums, pressure), extrapolated), chunk))| {
                *sums = IterationSums::default();
                let from_boundary =
                    boundary_densities(problem.pairs, packed, predicted, number, chunk);
                for (local, (pressure, ahead)) in pressure.iter_mut().zip(extrapolated).enumerate()
                {
                    let i = number * CHUNK + local;
                    let density = spline.density(predicted, i, chunk.neighbours(local))
                        + from_boundary[local];
                    let target = rest_density.max(before[i] - LARGEST_CORRECTION * rest_density);
                    let excess = density - target;
                    let stiffness = softness * template.min(inverse_diagonal[i]);
                    let from = packed[i].as_array()[3];
                    // p += k_PCI (ρ* − ρ0), never negative (Solenthaler & Pajarola 2009, Alg. 2).
                    let next = (from + stiffness * excess).max(0.0);
                    sums.add(excess, from, *pressure, next);
                    *ahead = next + carry * (next - *pressure);
                    *pressure = next;
                }
            });
        let total = self.sums.iter().fold(IterationSums::default(), IterationSums::join);
        (total.outcome(count, before.len(), rest_density), total.overshoots())
    }
}

/// Densities that walls and solids contribute to the particles of a chunk at their predicted positions.
fn boundary_densities(
    pairs: &Pairs,
    packed: &[f32x4],
    predicted: &[f32x4],
    number: usize,
    chunk: &PairChunk,
) -> [f32; CHUNK] {
    let mut densities = [0.0; CHUNK];
    let first = number * CHUNK;
    for row in chunk.solids() {
        let local = usize::from(row.local);
        let mut moved = predicted[first + local] - packed[first + local];
        moved.as_mut_array()[3] = predicted[first + local].as_array()[3];
        densities[local] = row.density + (row.gradient * moved).reduce_add();
    }
    for row in chunk.images().rows() {
        let local = usize::from(row.local);
        let there = |j: usize| (vector(packed[j]), vector(predicted[j] - packed[j]));
        let here = there(first + local);
        let change = chunk.images().divergence(row, pairs.planes(), here, there);
        densities[local] += row.density + change;
    }
    densities
}

impl PressureSolver for Pcisph {
    fn remove_compression(&mut self, problem: &mut PressureProblem<'_>) -> Iterations {
        let mut outcome = Iterations::default();
        let mut momentum = Momentum::default();
        problem.system.pack(false);
        for count in 1..=problem.stop.most_iterations {
            problem.system.accelerate(problem.pairs);
            Self::predict(problem);
            let restart;
            (outcome, restart) = self.correct(problem, count, momentum.carry());
            if problem.stop.is_reached(&outcome) {
                break;
            }
            momentum.advance(restart);
            problem.system.pack(!restart);
        }
        problem.system.accelerate_by_pressure(problem.pairs);
        problem.accelerate();
        outcome.at_limit = !problem.stop.is_reached(&outcome);
        outcome
    }

    fn bytes(&self) -> usize {
        size_of::<IterationSums>() * self.sums.capacity()
    }
}

/// The cubic spline times the particle mass, four neighbours at a time.
#[derive(Clone, Copy)]
struct Spline {
    inverse_support: f32,
    /// m W(0).
    center: f32,
}

impl Spline {
    fn new(resolution: &Resolution) -> Self {
        let center = resolution.mass * CubicSpline::CENTER / resolution.support.powi(3);
        Self { inverse_support: 1.0 / resolution.support, center }
    }

    /// Σ_j m W(x_i − x_j), the particle itself included.
    fn density(&self, positions: &[f32x4], i: usize, neighbours: &[u32]) -> f32 {
        let here = positions[i];
        let (groups, rest) = neighbours.as_chunks::<4>();
        let mut sum = f32x4::ZERO;
        for group in groups {
            sum += self.shape(group.map(|j| here - positions[j as usize]));
        }
        // Offsets beyond the last neighbour lie outside the support.
        let mut offsets = [f32x4::splat(2.0 / self.inverse_support); 4];
        for (offset, &j) in offsets.iter_mut().zip(rest) {
            *offset = here - positions[j as usize];
        }
        sum += self.shape(offsets);
        self.center * (1.0 + sum.reduce_add())
    }

    /// W / W(0) at four offsets.
    #[inline(always)]
    fn shape(&self, offsets: [f32x4; 4]) -> f32x4 {
        let [x, y, z, _] = f32x4::transpose(offsets);
        let squared = x.mul_add(x, y.mul_add(y, z * z));
        let u = squared.sqrt() * f32x4::splat(self.inverse_support);
        let outer = (f32x4::ONE - u).fast_max(f32x4::ZERO);
        let inner = (f32x4::HALF - u).fast_max(f32x4::ZERO);
        outer * outer * outer * 2.0 - inner * inner * inner * 8.0
    }
}

//! Predictive–corrective incompressible SPH (Solenthaler & Pajarola 2009; Morgenroth 2021, Alg. 1).
//!
//! Each iteration predicts positions with the pressure found so far, evaluates the density there,
//! and raises the pressure by k_PCI times the compression. k_PCI comes from a particle in a full
//! lattice (Eq. 2.26, whose last term as printed lacks its second factor: it is Σ ∇W·∇W). With
//! P = p/ρ0² and masses included that is 1 / (2 Δt² Σ |m ∇W|²), because Σ ∇W vanishes in a lattice.
//! A particle whose own neighbourhood would answer more strongly than the lattice, as at a free
//! surface, takes its own k instead: there the template overshoots.
//!
//! The pressure force is the symmetric form with ρ0² (Eq. 2.27 corrected): momentum is conserved.
//!
//! The density of fluid neighbours is evaluated with the kernel at the predicted positions, that
//! of the boundary to first order in the displacement. Pressure is never negative. As in
//! [`super::dfsph`], of an excess that is already there only a part is corrected in one step.

use rayon::prelude::*;
use whitecap_core::kernels::CubicSpline;
use wide::f32x4;

use super::dfsph::LARGEST_CORRECTION;
use super::pairs::CHUNK;
use super::pressure_solver::{PressureProblem, PressureSolver};
use super::pressure_system::{Iterations, Momentum, vector};
use super::resolution::Resolution;

/// Share of k_PCI that an iteration takes. The factor one half of Eq. 2.26 is meant for iterations
/// without momentum; with it the step must stay below the inverse of the largest eigenvalue.
const RELAXATION: f32 = 0.33;

/// The PCISPH solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pcisph {
    /// Predicted positions.
    predicted: Vec<f32x4>,
    partial: Vec<Partial>,
}

impl Pcisph {
    /// x* = x + Δt (v + Δt a). The last lane becomes −Δt, with which the motion of the boundary
    /// enters.
    fn predict(&mut self, problem: &PressureProblem<'_>) {
        let time_step = f32x4::splat(problem.time_step);
        let acceleration = &problem.system.acceleration;
        let (packed, velocity) = (&problem.system.packed, &*problem.velocity);
        self.predicted.resize(packed.len(), f32x4::ZERO);
        self.predicted.par_chunks_mut(CHUNK).enumerate().for_each(|(number, predicted)| {
            for (local, predicted) in predicted.iter_mut().enumerate() {
                let i = number * CHUNK + local;
                let velocity = acceleration[i].mul_add(time_step, velocity[i]);
                *predicted = velocity.mul_add(time_step, packed[i]);
                predicted.as_mut_array()[3] = -problem.time_step;
            }
        });
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
        let softness = RELAXATION / problem.time_step.powi(2);
        let template = 1.0 / resolution.gradient_squares;
        let spline = Spline::new(resolution);
        let (before, system) = (problem.density, &mut *problem.system);
        let (packed, boundary, boundary_density) =
            (&system.packed, &system.boundary, &system.boundary_density);
        let inverse_diagonal = &system.inverse_diagonal;
        let predicted = &self.predicted;
        let planes = problem.pairs.planes();
        self.partial.resize(before.len().div_ceil(CHUNK), Partial::default());
        self.partial
            .par_iter_mut()
            .zip(system.pressure.par_chunks_mut(CHUNK))
            .zip(system.extrapolated.par_chunks_mut(CHUNK))
            .zip(problem.pairs.chunks())
            .enumerate()
            .for_each(|(number, (((partial, pressure), extrapolated), chunk))| {
                *partial = Partial::default();
                let mut thinning = [0.0; CHUNK];
                for row in chunk.images().rows() {
                    let local = usize::from(row.local);
                    let position = vector(packed[number * CHUNK + local]);
                    let other = |j: usize| (vector(packed[j]), vector(predicted[j] - packed[j]));
                    thinning[local] += chunk.images().divergence(row, planes, position, other);
                }
                for (local, (pressure, ahead)) in pressure.iter_mut().zip(extrapolated).enumerate()
                {
                    let i = number * CHUNK + local;
                    let mut moved = predicted[i] - packed[i];
                    moved.as_mut_array()[3] = predicted[i].as_array()[3];
                    let density = spline.density(predicted, i, chunk.neighbours(local))
                        + boundary_density[i]
                        + (boundary[i] * moved).reduce_add()
                        - thinning[local];
                    let target = rest_density.max(before[i] - LARGEST_CORRECTION * rest_density);
                    let excess = density - target;
                    let stiffness = softness * template.min(inverse_diagonal[i]);
                    let from = packed[i].as_array()[3];
                    let next = (from + stiffness * excess).max(0.0);
                    let change = next - *pressure;
                    let error = if next > 0.0 { excess.abs() } else { excess.max(0.0) };
                    partial.error += f64::from(error);
                    partial.largest = partial.largest.max(excess);
                    partial.overshoot += f64::from(from - next) * f64::from(change);
                    *pressure = next;
                    *ahead = next + carry * change;
                }
            });
        let total = self.partial.iter().fold(Partial::default(), |sum, part| Partial {
            error: sum.error + part.error,
            largest: sum.largest.max(part.largest),
            overshoot: sum.overshoot + part.overshoot,
        });
        let outcome = Iterations {
            count,
            mean_error: (total.error / before.len().max(1) as f64) as f32 / rest_density,
            largest_error: total.largest / rest_density,
        };
        (outcome, total.overshoot > 0.0)
    }
}

/// Sums over one chunk.
#[derive(Clone, Copy, Debug, Default)]
struct Partial {
    error: f64,
    largest: f32,
    overshoot: f64,
}

impl PressureSolver for Pcisph {
    fn remove_compression(&mut self, problem: &mut PressureProblem<'_>) -> Iterations {
        let mut outcome = Iterations::default();
        let mut momentum = Momentum::default();
        problem.system.pack(false);
        for count in 1..=problem.stop.most_iterations {
            problem.system.accelerate(problem.pairs);
            self.predict(problem);
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
        outcome
    }

    fn bytes(&self) -> usize {
        size_of::<f32x4>() * self.predicted.capacity()
            + size_of::<Partial>() * self.partial.capacity()
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

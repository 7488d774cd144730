//! The pressure system of an incompressible step, and its solver.
//!
//! With P = p/ρ² the pressure acceleration is a = −G P, (G P)_i = Σ_j m (P_i + P_j) ∇W_ij + P_i b_i,
//! where b_i is the boundary's share of the density gradient (images in walls contribute as particles do,
//! see [`crate::sph::boundary`]), and the predicted density changes by Δt² D a with
//! (D a)_i = Σ_j m (a_i − a_j)·∇W_ij + a_i·b_i. D is the transpose of G, so the problem
//!
//! > find P ≥ 0 with s + Δt² D a(P) ≤ 0, and equality wherever P > 0
//!
//! (s: predicted density excess without pressure) is a bound-constrained least-squares problem
//! with a positive semi-definite matrix. Bender & Koschier 2017 solve it by relaxed Jacobi
//! iteration. Here the same projected Jacobi step is accelerated by Nesterov's momentum with
//! adaptive restart (O'Donoghue & Candès 2015): same cost per iteration, far fewer iterations in
//! deep liquid. Momentum needs a step of at most 1/λ, λ the largest eigenvalue of the matrix
//! scaled by its diagonal; λ is measured by power iteration every few steps and enlarged whenever
//! the error grows.
//!
//! # Guarantees
//! Sums run in a fixed order: the result has the same bits for any number of threads. No
//! allocation after the first step of a given size.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use wide::f32x4;

use crate::sph::neighbours::{CHUNK, PairChunk, Pairs};
use crate::sph::pressure::{IterationSums, Iterations, Momentum, Stop};

/// No matrix of a liquid has a smaller λ than that of two particles.
const LEAST_EIGENVALUE: f32 = 2.0;
/// An error that grew by this factor shows that the step is too long.
const DIVERGENCE_FACTOR: f32 = 8.0;

/// Arrays of the system, by sorted index.
#[derive(Clone, Debug, Default)]
pub(crate) struct PressureSystem {
    /// Position, and in the last lane the value of P at which the next gradient is taken.
    pub packed: Vec<f32x4>,
    /// P = p/ρ².
    pub pressure: Vec<f32>,
    /// P extrapolated by momentum: where the next gradient is taken.
    pub extrapolated: Vec<f32>,
    /// Pressure acceleration.
    pub acceleration: Vec<f32x4>,
    /// 1 / (|Σ m∇W + b|² + Σ |m∇W|²): the factor α_i of Bender & Koschier 2017, Eq. 11, without the
    /// density.
    pub inverse_diagonal: Vec<f32>,
    /// s_i in kg/m³.
    pub excess: Vec<f32>,
    sums: Vec<IterationSums>,
    /// Numerator and denominator of a Rayleigh quotient, by chunk.
    quotients: Vec<(f64, f64)>,
    /// Estimate of λ.
    pub largest_eigenvalue: f32,
}

impl PressureSystem {
    pub fn resize(&mut self, count: usize) {
        self.packed.resize(count, f32x4::ZERO);
        self.pressure.resize(count, 0.0);
        self.extrapolated.resize(count, 0.0);
        self.acceleration.resize(count, f32x4::ZERO);
        self.inverse_diagonal.resize(count, 0.0);
        self.excess.resize(count, 0.0);
        self.sums.resize(count.div_ceil(CHUNK), IterationSums::default());
        self.quotients.resize(count.div_ceil(CHUNK), (0.0, 0.0));
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let vectors = [&self.packed, &self.acceleration];
        let scalars = [&self.pressure, &self.extrapolated, &self.inverse_diagonal, &self.excess];
        vectors.map(|v| 16 * v.capacity()).iter().sum::<usize>()
            + scalars.map(|v| 4 * v.capacity()).iter().sum::<usize>()
    }

    /// Solves from the current `pressure`; `acceleration` then belongs to the solution.
    pub fn solve(
        &mut self,
        pairs: &Pairs,
        time_step: f32,
        rest_density: f32,
        stop: Stop,
    ) -> Iterations {
        let squared_step = time_step * time_step;
        let mut relaxation = 1.0 / self.largest_eigenvalue;
        let mut momentum = Momentum::default();
        let mut smallest_error = f32::INFINITY;
        let mut outcome = Iterations::default();
        self.pack(false);
        for count in 1..=stop.most_iterations {
            self.accelerate(pairs);
            let total = self.update(pairs, squared_step, relaxation, momentum.carry());
            outcome = total.outcome(count, self.pressure.len(), rest_density);
            if stop.is_reached(&outcome) {
                break;
            }
            let diverges = outcome.mean_error > DIVERGENCE_FACTOR * smallest_error;
            smallest_error = smallest_error.min(outcome.mean_error);
            if diverges {
                relaxation *= 0.5;
                smallest_error = outcome.mean_error;
            }
            let restart = diverges || total.overshoots();
            momentum.advance(restart);
            self.pack(!restart);
        }
        self.accelerate_by_pressure(pairs);
        outcome.at_limit = !stop.is_reached(&outcome);
        outcome
    }

    /// The acceleration that belongs to `pressure`.
    pub fn accelerate_by_pressure(&mut self, pairs: &Pairs) {
        self.pack(false);
        self.accelerate(pairs);
    }

    /// Puts P, or its extrapolation, into the last lane of the packed positions.
    pub fn pack(&mut self, extrapolated: bool) {
        let from = if extrapolated { &self.extrapolated } else { &self.pressure };
        self.packed.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).for_each(
            |(packed, pressure)| {
                for (packed, &p) in packed.iter_mut().zip(pressure) {
                    packed.as_mut_array()[3] = p;
                }
            },
        );
    }

    /// Measures λ by a few rounds of power iteration, which approach it from below.
    pub fn measure_largest_eigenvalue(&mut self, pairs: &Pairs) {
        const ROUNDS: usize = 12;
        const MARGIN: f32 = 1.05;
        self.extrapolated.par_iter_mut().enumerate().for_each(|(i, value)| {
            *value = if (i as u32).wrapping_mul(0x9E37_79B9) >> 31 == 0 { 1.0 } else { -1.0 };
        });
        let mut eigenvalue = LEAST_EIGENVALUE;
        for _ in 0..ROUNDS {
            self.pack(true);
            self.accelerate(pairs);
            eigenvalue = self.multiply(pairs).max(LEAST_EIGENVALUE);
            let inverse = 1.0 / eigenvalue;
            self.extrapolated.par_iter_mut().for_each(|value| *value *= inverse);
        }
        self.largest_eigenvalue = MARGIN * eigenvalue;
    }

    /// The packed vector times the scaled matrix into `extrapolated`; returns the Rayleigh quotient.
    fn multiply(&mut self, pairs: &Pairs) -> f32 {
        let (packed, inverse_diagonal) = (&self.packed, &self.inverse_diagonal);
        let divergence = Divergence { pairs, packed };
        let acceleration = &self.acceleration;
        self.quotients
            .par_iter_mut()
            .zip(self.extrapolated.par_chunks_mut(CHUNK))
            .zip(pairs.chunks())
            .enumerate()
            .for_each(|(number, ((quotient, product), chunk))| {
                *quotient = (0.0, 0.0);
                let rates = divergence.of(acceleration, number, chunk);
                for (local, product) in product.iter_mut().enumerate() {
                    let i = number * CHUNK + local;
                    let value = last_lane(packed[i]);
                    let image = -rates[local];
                    quotient.0 += f64::from(image) * f64::from(value);
                    quotient.1 += f64::from(value).powi(2) / f64::from(inverse_diagonal[i]);
                    *product = image * inverse_diagonal[i];
                }
            });
        let (top, bottom) =
            self.quotients.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        if bottom > 0.0 { (top / bottom) as f32 } else { 0.0 }
    }

    /// a = −G P.
    pub fn accelerate(&mut self, pairs: &Pairs) {
        let packed = &self.packed;
        let xyz = f32x4::new([-1.0, -1.0, -1.0, 0.0]);
        self.acceleration.par_chunks_mut(CHUNK).zip(pairs.chunks()).enumerate().for_each(
            |(number, (acceleration, chunk))| {
                for (local, acceleration) in acceleration.iter_mut().enumerate() {
                    let i = number * CHUNK + local;
                    let here = packed[i];
                    let p = last_lane(here);
                    let sum = chunk.sum(local, |sum, j, slope| {
                        let there = packed[j];
                        let factor = f32x4::splat(slope * (p + last_lane(there)));
                        (here - there).mul_add(factor, sum)
                    });
                    *acceleration = sum * xyz;
                }
                for row in chunk.solids() {
                    let local = usize::from(row.local);
                    let p = f32x4::splat(last_lane(packed[number * CHUNK + local]));
                    acceleration[local] += row.gradient * xyz * p;
                }
                for row in chunk.images().rows() {
                    let local = usize::from(row.local);
                    let there = |j: usize| (vector(packed[j]), last_lane(packed[j]));
                    let here = there(number * CHUNK + local);
                    let sum = chunk.images().gradient(row, pairs.planes(), here, there);
                    acceleration[local] -= pack(sum, 0.0);
                }
            },
        );
    }

    /// The acceleration that the boundary exerts on each particle of a chunk: P_i b_i and the pressure of
    /// the images.
    pub fn boundary_pushes(
        &self,
        pairs: &Pairs,
        number: usize,
        chunk: &PairChunk,
    ) -> [Vec3; CHUNK] {
        let mut pushes = [Vec3::ZERO; CHUNK];
        let first = number * CHUNK;
        for row in chunk.solids() {
            let local = usize::from(row.local);
            pushes[local] = -vector(row.gradient) * self.pressure[first + local];
        }
        for row in chunk.images().rows() {
            let local = usize::from(row.local);
            let there = |j: usize| (vector(self.packed[j]), self.pressure[j]);
            let here = there(first + local);
            pushes[local] -= chunk.images().gradient(row, pairs.planes(), here, there);
        }
        pushes
    }

    /// One projected step from the gradient at the packed P, and the extrapolation for the next.
    fn update(
        &mut self,
        pairs: &Pairs,
        squared_step: f32,
        relaxation: f32,
        carry: f32,
    ) -> IterationSums {
        let (packed, excess) = (&self.packed, &self.excess);
        let inverse_diagonal = &self.inverse_diagonal;
        let divergence = Divergence { pairs, packed };
        let acceleration = &self.acceleration;
        self.sums
            .par_iter_mut()
            .zip(self.pressure.par_chunks_mut(CHUNK))
            .zip(self.extrapolated.par_chunks_mut(CHUNK))
            .zip(pairs.chunks())
            .enumerate()
            .for_each(|(number, (((sums, pressure), extrapolated), chunk))| {
                *sums = IterationSums::default();
                let rates = divergence.of(acceleration, number, chunk);
                for (local, (p, y)) in pressure.iter_mut().zip(extrapolated).enumerate() {
                    let i = number * CHUNK + local;
                    let from = last_lane(packed[i]);
                    let error = excess[i] + squared_step * rates[local];
                    let step = relaxation * error * inverse_diagonal[i] / squared_step;
                    let next = (from + step).max(0.0);
                    sums.add(error, from, *p, next);
                    *y = next + carry * (next - *p);
                    *p = next;
                }
            });
        self.sums.iter().fold(IterationSums::default(), IterationSums::join)
    }

    /// Sets `excess` from (D v)_i, the rate of density change that a velocity causes:
    /// `excess[i] = value(i, rate)`.
    pub fn set_excess(
        &mut self,
        pairs: &Pairs,
        velocity: &[f32x4],
        value: impl Fn(usize, f32) -> f32 + Sync,
    ) {
        let divergence = Divergence { pairs, packed: &self.packed };
        self.excess.par_chunks_mut(CHUNK).zip(pairs.chunks()).enumerate().for_each(
            |(number, (excess, chunk))| {
                let rates = divergence.of(velocity, number, chunk);
                for (local, (excess, rate)) in excess.iter_mut().zip(rates).enumerate() {
                    *excess = value(number * CHUNK + local, rate);
                }
            },
        );
    }

    /// Mean of the positive part of `excess`, in kg/m³.
    pub fn mean_compression(&self) -> f32 {
        let sum: f64 = self.excess.iter().map(|&excess| f64::from(excess.max(0.0))).sum();
        (sum / self.excess.len().max(1) as f64) as f32
    }
}

#[inline(always)]
fn last_lane(value: f32x4) -> f32 {
    value.as_array()[3]
}

/// The first three lanes.
#[inline(always)]
pub(crate) fn vector(packed: f32x4) -> Vec3 {
    let [x, y, z, _] = packed.to_array();
    Vec3::new(x, y, z)
}

/// A vector with a last lane.
#[inline(always)]
pub(crate) fn pack(vector: Vec3, last: f32) -> f32x4 {
    vector.extend(last).to_array().into()
}

/// (D a)_i.
struct Divergence<'a> {
    pairs: &'a Pairs,
    packed: &'a [f32x4],
}

impl Divergence<'_> {
    /// The values of one chunk; those beyond its last particle are zero.
    #[inline(always)]
    fn of(&self, field: &[f32x4], number: usize, chunk: &PairChunk) -> [f32; CHUNK] {
        let mut result = [0.0; CHUNK];
        let first = number * CHUNK;
        for (local, result) in result[..chunk.len()].iter_mut().enumerate() {
            let i = first + local;
            let (here, mine) = (self.packed[i], field[i]);
            let sum = chunk.sum(local, |sum, j, slope| {
                let product = (here - self.packed[j]) * (mine - field[j]);
                product.mul_add(f32x4::splat(slope), sum)
            });
            *result = sum.reduce_add();
        }
        for row in chunk.solids() {
            let local = usize::from(row.local);
            result[local] += (row.gradient * field[first + local]).reduce_add();
        }
        for row in chunk.images().rows() {
            let local = usize::from(row.local);
            let there = |j: usize| (vector(self.packed[j]), vector(field[j]));
            let here = there(first + local);
            result[local] += chunk.images().divergence(row, self.pairs.planes(), here, there);
        }
        result
    }
}

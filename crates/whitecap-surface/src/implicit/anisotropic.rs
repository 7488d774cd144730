//! Density isosurface of stretched kernels: Yu & Turk 2013.
//!
//! Each particle's kernel is stretched along the principal axes of its neighbourhood, so that
//! flat sheets become flat and thin edges stay sharp; centres move towards the mean of their
//! neighbours to calm the irregular sampling.
//!
//! # Differences from the paper
//! * The paper scales covariances by a constant (k_s = 1400) that fits one unit of length. Here
//!   the stretch is normalised to keep the kernel's volume, so nothing depends on the scene's
//!   scale.
//! * The paper switches from sphere to ellipsoid at 25 neighbours. Here the stretch fades in
//!   between 6 and 25, so that a particle that gains a neighbour does not pop, and so does the
//!   shift of the centre, so that the few particles of a spray do not run into one.

use glam::{Mat3, Vec3};
use rayon::prelude::*;
use whitecap_core::eigen::{SymmetricEigen, symmetric_eigen};
use whitecap_core::kernels::CubicSpline;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::sparse_grid::TILE_NODES;
use wide::f32x8;

use super::density::{half_spline, lanes, volumes, write_density};
use super::{Candidate, Implicit, Rows};
use crate::input::Input;

/// Neighbours below which a kernel stays a sphere, and above which it is fully stretched.
const STRETCH_FADE: (f32, f32) = (6.0, 25.0);

/// The stretched-kernel density of a particle set.
#[derive(Debug)]
pub(crate) struct Anisotropic {
    grid: NeighbourGrid,
    threshold: f32,
    kernels: Vec<StretchedKernel>,
    largest_reach: f32,
}

/// One particle's kernel, by sorted place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StretchedKernel {
    /// Quadratic form M with dᵀ M d = 1 at the edge of the kernel (1/m²).
    pub form: Mat3,
    /// Factor of [`half_spline`].
    pub weight: f32,
    /// Longest half axis in metres.
    pub reach: f32,
}

impl Anisotropic {
    pub fn new(input: &Input, threshold: f32, stretch: f32, center_smoothing: f32) -> Self {
        let volumes = volumes(input);
        let shaped: Vec<(Vec3, StretchedKernel)> = (0..input.grid.len())
            .into_par_iter()
            .map(|place| shape_kernel(input, place, volumes[place], stretch, center_smoothing))
            .collect();
        let centers: Vec<Vec3> = shaped.iter().map(|(center, _)| *center).collect();
        let grid = NeighbourGrid::build(&centers, input.largest_support());
        let kernels: Vec<_> = grid.order().iter().map(|&i| shaped[i as usize].1).collect();
        let largest_reach = kernels.iter().map(|k| k.reach).fold(0.0, f32::max);
        Self { grid, threshold, kernels, largest_reach }
    }

    /// The kernel at a sorted place of this function's own grid.
    pub fn kernel(&self, place: usize) -> &StretchedKernel {
        &self.kernels[place]
    }

    /// The same kernels with centres moved by `displacement(place in the unstretched order)`, to
    /// match particles that were re-sorted: `order` gives the former place of each.
    pub fn moved(&self, displacement: impl Fn(u32) -> Vec3, order: &[u32]) -> Self {
        let mut here = vec![0u32; order.len()];
        for (place, &before) in self.grid.order().iter().enumerate() {
            here[before as usize] = place as u32;
        }
        let center = |before: u32| {
            self.grid.positions()[here[before as usize] as usize] + displacement(before)
        };
        let centers: Vec<Vec3> = order.iter().map(|&before| center(before)).collect();
        let grid = NeighbourGrid::build(&centers, self.largest_reach.max(f32::MIN_POSITIVE));
        let kernel = |&i: &u32| self.kernels[here[order[i as usize] as usize] as usize];
        let kernels = grid.order().iter().map(kernel).collect();
        Self { grid, threshold: self.threshold, kernels, largest_reach: self.largest_reach }
    }
}

/// Centre and kernel of one particle (Yu & Turk 2013, Eqs. 6 and 9–16).
fn shape_kernel(
    input: &Input,
    place: usize,
    volume: f32,
    stretch: f32,
    center_smoothing: f32,
) -> (Vec3, StretchedKernel) {
    let support = input.reach(place);
    let here = input.grid.positions()[place];
    let neighbourhood = Neighbours::of(input, here, support);
    let mean = here + neighbourhood.mean;
    let SymmetricEigen { values, vectors: axes } = symmetric_eigen(neighbourhood.covariance);
    let fade = ((neighbourhood.count - STRETCH_FADE.0) / (STRETCH_FADE.1 - STRETCH_FADE.0))
        .clamp(0.0, 1.0);
    let center = here.lerp(mean, center_smoothing * fade);
    // Ratios to the longest axis; a lone particle has no spread at all and stays a sphere.
    let longest = values.x.max(1e-12 * support * support);
    let limited = (values / longest).max(Vec3::splat(1.0 / stretch));
    let relative = Vec3::ONE.lerp(limited, fade);
    let half_axes = support * relative / (relative.x * relative.y * relative.z).cbrt();
    let inverse_squared = Mat3::from_diagonal((half_axes * half_axes).recip());
    let kernel = StretchedKernel {
        form: axes * inverse_squared * axes.transpose(),
        weight: 2.0 * volume * CubicSpline::CENTER / support.powi(3),
        reach: half_axes.max_element(),
    };
    (center, kernel)
}

/// Weighted mean offset and covariance of a neighbourhood, weights 1 − (d/support)³.
struct Neighbours {
    mean: Vec3,
    covariance: Mat3,
    count: f32,
}

impl Neighbours {
    fn of(input: &Input, here: Vec3, support: f32) -> Self {
        let (mut total, mut sum, mut count) = (0.0, Vec3::ZERO, -1.0);
        let mut outer = Mat3::ZERO;
        input.grid.for_each_within(here, support, |place, distance_squared| {
            let offset = input.grid.positions()[place] - here;
            let weight = 1.0 - (distance_squared.sqrt() / support).powi(3);
            total += weight;
            sum += weight * offset;
            outer +=
                Mat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z) * weight;
            count += 1.0;
        });
        let mean = sum / total;
        let correction = Mat3::from_cols(mean * mean.x, mean * mean.y, mean * mean.z);
        Self { mean, covariance: outer * (1.0 / total) - correction, count }
    }
}

impl Implicit for Anisotropic {
    fn background(&self) -> f32 {
        self.threshold
    }

    fn grid(&self) -> &NeighbourGrid {
        &self.grid
    }

    fn reach(&self, place: usize) -> f32 {
        self.kernels[place].reach
    }

    fn largest_reach(&self) -> f32 {
        self.largest_reach
    }

    fn fill(
        &self,
        cell: f32,
        rows: Rows,
        candidates: &[Candidate],
        values: &mut [f32; TILE_NODES],
    ) {
        let mut sums = [f32x8::ZERO; 64];
        for candidate in candidates {
            let kernel = &self.kernels[candidate.place as usize];
            add_ellipsoid(candidate.position, kernel, cell, rows, &mut sums);
        }
        write_density(self.threshold, rows, &sums, values);
    }
}

/// Along a row dᵀ M d is a parabola in x: M_xx x² + 2 b x + c.
fn add_ellipsoid(
    position: Vec3,
    kernel: &StretchedKernel,
    cell: f32,
    rows: Rows,
    sums: &mut [f32x8; 64],
) {
    let form = kernel.form * (cell * cell);
    let (xx, xy, xz) = (form.x_axis.x, form.x_axis.y, form.x_axis.z);
    let (yy, yz, zz) = (form.y_axis.y, form.y_axis.z, form.z_axis.z);
    let reach = kernel.reach / cell;
    let dx = lanes() - f32x8::splat(position.x);
    let x_part = dx * dx * f32x8::splat(xx);
    let weight = f32x8::splat(kernel.weight);
    let first = |center: f32| (center - reach).ceil().max(0.0) as i32;
    let last = |center: f32| (center + reach).floor().min(7.0) as i32;
    let (first_y, last_y) = (first(position.y), last(position.y));
    if first_y > last_y {
        return;
    }
    for z in first(position.z)..=last(position.z) {
        let dz = z as f32 - position.z;
        for row in rows.in_slice(z, first_y, last_y) {
            let dy = (row & 7) as f32 - position.y;
            let b = xy * dy + xz * dz;
            let c = yy * dy * dy + 2.0 * yz * dy * dz + zz * dz * dz;
            if c - b * b / xx >= 1.0 {
                continue;
            }
            let squared = dx.mul_add(f32x8::splat(2.0 * b), x_part + f32x8::splat(c));
            let sum = &mut sums[row];
            *sum = half_spline(squared.fast_max(f32x8::ZERO)).mul_add(weight, *sum);
        }
    }
}

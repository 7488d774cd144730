//! The SPH density isosurface: threshold − Σ V_j W(|x − x_j|), with V_j = 1 / Σ_k W_jk the volume
//! of particle j, and the cubic spline W.
//!
//! Well inside the liquid the sum is close to one, so the threshold is a fraction of the rest
//! density, whatever the particle mass.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::kernels::CubicSpline;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::padded_columns::{NOWHERE, PaddedColumns};
use whitecap_core::sparse_grid::TILE_NODES;
use wide::f32x8;

use super::{Candidate, Implicit, Rows};
use crate::input::Input;

/// Lane numbers: the x of the eight nodes of a row.
pub(super) fn lanes() -> f32x8 {
    f32x8::new([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
}

/// Half the shape of the cubic spline at squared normalised distance: (1 − u)³₊ − 4 (½ − u)³₊.
#[inline]
pub(super) fn half_spline(squared: f32x8) -> f32x8 {
    let u = squared.sqrt();
    let outer = (f32x8::ONE - u).fast_max(f32x8::ZERO);
    let inner = (f32x8::HALF - u).fast_max(f32x8::ZERO);
    let inner_cubed = inner * inner * inner;
    (outer * outer).mul_add(outer, inner_cubed * f32x8::splat(-4.0))
}

/// The density function of a particle set.
pub(crate) struct Density<'a> {
    input: &'a Input,
    threshold: f32,
    /// See [`weights`].
    weights: Vec<f32>,
}

impl<'a> Density<'a> {
    pub fn new(input: &'a Input, threshold: f32) -> Self {
        Self::with_weights(input, threshold, weights(input))
    }

    /// The density with given weights, which are those of [`weights`] unless particles moved.
    pub fn with_weights(input: &'a Input, threshold: f32, weights: Vec<f32>) -> Self {
        Self { input, threshold, weights }
    }
}

/// For each sorted place: 2 V_j · 8 / (π h_j³), the factor of [`half_spline`].
pub(super) fn weights(input: &Input) -> Vec<f32> {
    let volumes = volumes(input);
    volumes
        .par_iter()
        .enumerate()
        .map(|(place, &volume)| {
            let support = input.reach(place);
            2.0 * volume * CubicSpline::CENTER / support.powi(3)
        })
        .collect()
}

impl Implicit for Density<'_> {
    fn background(&self) -> f32 {
        self.threshold
    }

    fn grid(&self) -> &NeighbourGrid {
        &self.input.grid
    }

    fn reach(&self, place: usize) -> f32 {
        self.input.reach(place)
    }

    fn largest_reach(&self) -> f32 {
        self.input.largest_support()
    }

    /// Trilinear interpolation over a cell of edge H errs by at most ⅜ H² max |∂²/∂x²|.
    ///
    /// With s = h/2 the smoothing length and volumes that sum to at most one per volume:
    /// the density can dip between nodes (bulge outwards) only where particles sit in the region
    /// of positive ∂²W, whose integral is 1.83/s²; it can peak (bulge inwards) at most like a
    /// single particle of unit peak, −∂²W(0)/W(0) = 3/s².
    fn bulge(&self, cell: f32) -> Option<(f32, f32)> {
        let smallest = self.input.relative_radius.iter().flatten().copied().fold(1.0, f32::min);
        let smoothing_length = 0.5 * self.input.support * smallest;
        let factor = 0.375 * (cell / smoothing_length).powi(2);
        (factor < 0.15).then_some((1.83 * factor, 3.0 * factor))
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
            let weight = f32x8::splat(self.weights[candidate.place as usize]);
            let support = self.reach(candidate.place as usize) / cell;
            add_sphere(candidate.position, support, rows, |row, squared| {
                sums[row] = half_spline(squared).mul_add(weight, sums[row]);
            });
        }
        write_density(self.threshold, rows, &sums, values);
    }
}

/// Writes threshold − sum for each row.
pub(super) fn write_density(
    threshold: f32,
    rows: Rows,
    sums: &[f32x8; 64],
    values: &mut [f32; TILE_NODES],
) {
    for row in rows.iter() {
        let value = f32x8::splat(threshold) - sums[row];
        values[row * 8..row * 8 + 8].copy_from_slice(value.as_array());
    }
}

/// Calls `add(row, (distance/support)²)` for every row in `rows` that a sphere reaches.
#[inline(always)]
pub(super) fn add_sphere(
    position: Vec3,
    support: f32,
    rows: Rows,
    mut add: impl FnMut(usize, f32x8),
) {
    let scale = 1.0 / (support * support);
    let dx = lanes() - f32x8::splat(position.x);
    let x_part = dx * dx * f32x8::splat(scale);
    let first_z = (position.z - support).ceil().max(0.0) as i32;
    let last_z = (position.z + support).floor().min(7.0) as i32;
    for z in first_z..=last_z {
        let dz = z as f32 - position.z;
        let z_part = dz * dz * scale;
        let half_width = support * (1.0 - z_part).max(0.0).sqrt();
        let first_y = (position.y - half_width).ceil().max(0.0) as i32;
        let last_y = (position.y + half_width).floor().min(7.0) as i32;
        if first_y > last_y {
            continue;
        }
        for row in rows.in_slice(z, first_y, last_y) {
            let dy = (row & 7) as f32 - position.y;
            add(row, x_part + f32x8::splat(dy.mul_add(dy * scale, z_part)));
        }
    }
}

/// Candidates of one search cell, gathered once for all its particles: positions and masses.
#[derive(Default)]
struct Gathered(PaddedColumns<4>);

impl Gathered {
    fn fill(&mut self, input: &Input, min: Vec3, max: Vec3) {
        self.0.clear();
        input.grid.for_each_cell_in_box(min, max, |range| {
            self.0.extend(range.map(|place| {
                let mass = input.relative_radius(place).powi(3);
                input.grid.positions()[place].extend(mass).to_array()
            }));
        });
        self.0.pad([NOWHERE, NOWHERE, NOWHERE, 0.0]);
    }

    /// Σ_j m_j · half_spline(|x − x_j| / support).
    fn sum(&self, position: Vec3, support: f32) -> f32 {
        let [px, py, pz] = position.to_array().map(f32x8::splat);
        let scale = f32x8::splat(1.0 / (support * support));
        let mut sum = f32x8::ZERO;
        for i in (0..self.0.len()).step_by(8) {
            let [x, y, z, mass] = self.0.group(i);
            let (dx, dy, dz) = (x - px, y - py, z - pz);
            let squared = dx.mul_add(dx, dy.mul_add(dy, dz * dz)) * scale;
            sum = half_spline(squared).mul_add(mass, sum);
        }
        sum.reduce_add()
    }
}

/// Volume of every particle, by sorted place: V_i = m_i / ρ_i, with masses relative to a particle
/// of the reference radius (only ratios matter).
pub(super) fn volumes(input: &Input) -> Vec<f32> {
    let grid = &input.grid;
    let reach = input.largest_support();
    let mut volumes = vec![0.0f32; grid.len()];
    let mut rows = Vec::with_capacity(grid.cell_count());
    let mut rest = volumes.as_mut_slice();
    for cell in 0..grid.cell_count() {
        let (row, tail) = rest.split_at_mut(grid.cell_range(cell).len());
        rows.push((cell, row));
        rest = tail;
    }
    rows.into_par_iter().for_each_init(Gathered::default, |gathered, (cell, row)| {
        let range = grid.cell_range(cell);
        let here = &grid.positions()[range.clone()];
        let min = here.iter().copied().fold(Vec3::INFINITY, Vec3::min) - reach;
        let max = here.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max) + reach;
        gathered.fill(input, min, max);
        for (slot, place) in row.iter_mut().zip(range) {
            let relative = input.relative_radius(place);
            let support = input.support * relative;
            let density =
                gathered.sum(grid.positions()[place], support) * 2.0 * CubicSpline::CENTER
                    / support.powi(3);
            *slot = relative.powi(3) / density;
        }
    });
    volumes
}

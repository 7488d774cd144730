//! Averaged positions: Zhu & Bridson 2005, and the correction of Solenthaler et al. 2007.
//!
//! φ(x) = |x − x̄| − r̄ f, with x̄ = Σ w_j x_j, r̄ = Σ w_j r_j, weights from k(s) = (1 − s²)³₊
//! normalised to one (Morgenroth 2021, §4.5; Dagenais et al. 2017, §2.3.1). Zhu–Bridson has
//! f = 1. Solenthaler reduces the radius where x̄ moves faster than x, which is what causes false
//! surface between distant particles and in concave corners: with E the largest eigenvalue of
//! ∇x̄, f = 1 for E < 0.4, else γ³ − 3γ² + 3γ, γ = (3.5 − E) / 3.1.
//!
//! φ is in metres but is not a distance; [`crate::LevelSet::from_field`] makes it one.

use glam::{Mat3, Vec3};
use whitecap_core::eigen::largest_real_eigenvalue;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::sparse_grid::TILE_NODES;
use wide::f32x8;

use super::density::{add_sphere, lanes};
use super::{Candidate, Implicit, Rows};
use crate::input::Input;

/// Below this eigenvalue the radius is kept (Solenthaler et al. 2007).
const EIGENVALUE_LOW: f32 = 0.4;
/// Above this eigenvalue the radius is zero (Solenthaler et al. 2007).
const EIGENVALUE_HIGH: f32 = 3.5;

/// The averaged-position function of a particle set.
pub(crate) struct Averaged<'a> {
    input: &'a Input,
    corrected: bool,
}

impl<'a> Averaged<'a> {
    /// Zhu–Bridson, or Solenthaler when `corrected`.
    pub fn new(input: &'a Input, corrected: bool) -> Self {
        Self { input, corrected }
    }
}

impl Implicit for Averaged<'_> {
    fn background(&self) -> f32 {
        self.input.radius
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

    fn fill(
        &self,
        cell: f32,
        rows: Rows,
        candidates: &[Candidate],
        values: &mut [f32; TILE_NODES],
    ) {
        if self.corrected {
            self.fill_corrected(cell, rows, candidates, values);
        } else {
            self.fill_plain(cell, rows, candidates, values);
        }
    }
}

/// Sums of one row of eight nodes; offsets d_j = x_j − x are in cells.
#[derive(Clone, Copy)]
struct Sums {
    weight: f32x8,
    radius: f32x8,
    offset: [f32x8; 3],
}

/// The further sums of the gradient ∇x̄, with g_j the slope of the weight: ∇w_j = g_j d_j.
#[derive(Clone, Copy)]
struct GradientSums {
    slope: [f32x8; 3],
    /// Σ g d dᵀ: xx, yy, zz, xy, xz, yz.
    outer: [f32x8; 6],
}

const NO_SUMS: Sums = Sums { weight: f32x8::ZERO, radius: f32x8::ZERO, offset: [f32x8::ZERO; 3] };
const NO_GRADIENT: GradientSums = GradientSums { slope: [f32x8::ZERO; 3], outer: [f32x8::ZERO; 6] };

impl Sums {
    #[inline(always)]
    fn add(&mut self, weight: f32x8, radius: f32, offset: [f32x8; 3]) {
        self.weight += weight;
        self.radius = weight.mul_add(f32x8::splat(radius), self.radius);
        for (sum, d) in self.offset.iter_mut().zip(offset) {
            *sum = weight.mul_add(d, *sum);
        }
    }
}

impl Averaged<'_> {
    /// Calls `add(row, w, 1 − s², offset, radius, 1/support²)` for each candidate and row.
    #[inline(always)]
    fn for_each_row(
        &self,
        cell: f32,
        rows: Rows,
        candidates: &[Candidate],
        mut add: impl FnMut(usize, f32x8, [f32x8; 3], f32, f32),
    ) {
        for candidate in candidates {
            let place = candidate.place as usize;
            let support = self.reach(place) / cell;
            let radius = self.input.radius * self.input.relative_radius(place) / cell;
            let position = candidate.position;
            let dx = f32x8::splat(position.x) - lanes();
            add_sphere(position, support, rows, |row, squared| {
                let rest = (f32x8::ONE - squared).fast_max(f32x8::ZERO);
                let dy = f32x8::splat(position.y - (row & 7) as f32);
                let dz = f32x8::splat(position.z - (row >> 3) as f32);
                add(row, rest, [dx, dy, dz], radius, 1.0 / (support * support));
            });
        }
    }

    fn fill_plain(
        &self,
        cell: f32,
        rows: Rows,
        candidates: &[Candidate],
        values: &mut [f32; TILE_NODES],
    ) {
        let mut sums = [NO_SUMS; 64];
        self.for_each_row(cell, rows, candidates, |row, rest, offset, radius, _| {
            sums[row].add(rest * rest * rest, radius, offset);
        });
        for row in rows.iter() {
            for (lane, node) in nodes(&sums[row]).enumerate() {
                values[row * 8 + lane] = match node {
                    Some(node) => cell * (node.mean.length() - node.radius),
                    None => self.background(),
                };
            }
        }
    }

    fn fill_corrected(
        &self,
        cell: f32,
        rows: Rows,
        candidates: &[Candidate],
        values: &mut [f32; TILE_NODES],
    ) {
        let mut sums = [NO_SUMS; 64];
        let mut gradients = [NO_GRADIENT; 64];
        self.for_each_row(cell, rows, candidates, |row, rest, offset, radius, scale| {
            let squared = rest * rest;
            sums[row].add(squared * rest, radius, offset);
            let slope = squared * f32x8::splat(6.0 * scale);
            let [x, y, z] = offset;
            let scaled = [slope * x, slope * y, slope * z];
            let gradient = &mut gradients[row];
            for (sum, part) in gradient.slope.iter_mut().zip(scaled) {
                *sum += part;
            }
            let [gx, gy, gz] = scaled;
            let pairs = [(gx, x), (gy, y), (gz, z), (gx, y), (gx, z), (gy, z)];
            for (sum, (a, b)) in gradient.outer.iter_mut().zip(pairs) {
                *sum = a.mul_add(b, *sum);
            }
        });
        for row in rows.iter() {
            let slope = gradients[row].slope.map(|g| g.to_array());
            let outer = gradients[row].outer.map(|g| g.to_array());
            for (lane, node) in nodes(&sums[row]).enumerate() {
                let Some(node) = node else {
                    values[row * 8 + lane] = self.background();
                    continue;
                };
                let jacobian = jacobian(&node, slope.map(|g| g[lane]), outer.map(|g| g[lane]));
                let factor = radius_factor(largest_real_eigenvalue(jacobian));
                values[row * 8 + lane] = cell * (node.mean.length() - node.radius * factor);
            }
        }
    }
}

/// The averages at one point, in cells or metres.
pub(super) struct Node {
    /// x̄ − x.
    pub mean: Vec3,
    pub radius: f32,
    pub inverse_weight: f32,
}

fn nodes(sums: &Sums) -> impl Iterator<Item = Option<Node>> {
    let weight = sums.weight.to_array();
    let radius = sums.radius.to_array();
    let offset = sums.offset.map(|d| d.to_array());
    (0..8).map(move |lane| {
        (weight[lane] > 1e-12).then(|| {
            let inverse_weight = 1.0 / weight[lane];
            let mean = Vec3::new(offset[0][lane], offset[1][lane], offset[2][lane]);
            Node {
                mean: mean * inverse_weight,
                radius: radius[lane] * inverse_weight,
                inverse_weight,
            }
        })
    })
}

/// ∇x̄ = (Σ g d dᵀ − (x̄ − x) (Σ g d)ᵀ) / Σ w.
pub(super) fn jacobian(node: &Node, slope: [f32; 3], outer: [f32; 6]) -> Mat3 {
    let [xx, yy, zz, xy, xz, yz] = outer;
    let symmetric =
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let [sx, sy, sz] = slope;
    let rank_one = Mat3::from_cols(node.mean * sx, node.mean * sy, node.mean * sz);
    (symmetric - rank_one) * node.inverse_weight
}

/// f of Solenthaler et al. 2007.
pub(super) fn radius_factor(eigenvalue: f32) -> f32 {
    if eigenvalue < EIGENVALUE_LOW {
        return 1.0;
    }
    let gamma =
        ((EIGENVALUE_HIGH - eigenvalue) / (EIGENVALUE_HIGH - EIGENVALUE_LOW)).clamp(0.0, 1.0);
    gamma * (gamma * (gamma - 3.0) + 3.0)
}

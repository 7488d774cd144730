//! The Laplacian of a function on surface points (Mercier et al. 2015, Eq. 4.15), as one weight for
//! each pair of neighbours.
//!
//! Neighbours within 2 λ_f are projected onto the tangent plane. The weighted second differences of
//! the paper, 4 W_ij (h_j − h_i) / r², are a sum with weights that do not depend on h, so they are
//! computed once per frame and used in every step and band.
//!
//! # Where this differs from the paper
//! * The paper subtracts an affine fit, which removes the error that uneven points cause on a slope but not
//!   the error they cause on curvature: it does not decrease with the spacing. Here the weights are
//!   changed as little as possible, w_j (1 + a·p(x_j)), until linear and quadratic functions have
//!   their exact Laplacian. Where that would need weights far from the paper's, only the affine part
//!   is corrected; at a border, nothing is, and velocity is lost there, because one-sided weights
//!   feed waves.
//! * W leaves out the point itself, which has no second difference; otherwise waves would be a
//!   tenth too slow.
//!
//! # Guarantees
//! * The Laplacian of a constant is exactly zero.
//! * No eigenvalue is larger in magnitude than [`Stencil::bound`].

use rayon::prelude::*;
use whitecap_core::glam::Vec3;

use super::obstacle::Wall;
use crate::points::{Neighbourhood, SurfacePoints};

/// Points per task, and per block of rows.
const POINTS_PER_BLOCK: usize = 1024;
/// Pairs closer than this fraction of λ_f count as this far apart, so that one pair cannot shorten
/// the time step for all.
const LEAST_DISTANCE: f32 = 0.5;
/// The largest sum of the weights of one point, in 1/λ_f². Even points have about 4.
const LARGEST_DIAGONAL: f32 = 8.0;
/// Points farther than this behind the plane of a wall, in λ_f, are on the other side of the solid.
const BEHIND: f32 = 0.5;
/// A point whose neighbours' mean is farther away than this, in λ_f, is at a border.
const BORDER: f32 = 0.35;
/// Rate at which the velocity at a point without correction is lost, in wave speeds per λ_f. Weights
/// with and without correction side by side are not symmetric, which feeds waves; measured growth
/// is an order of magnitude below this.
const BORDER_LOSS: f32 = 0.1;
/// A correction is used if it changes no weight by a factor outside this range.
const FACTORS: std::ops::RangeInclusive<f32> = -1.0..=4.0;

/// Weights of the Laplacian, a row for each point.
#[derive(Clone, Debug, Default)]
pub struct Stencil {
    blocks: Vec<Block>,
    point_count: usize,
    bound: f32,
}

/// Rows of up to [`POINTS_PER_BLOCK`] consecutive points.
#[derive(Clone, Debug, Default)]
struct Block {
    starts: Vec<u32>,
    entries: Vec<(u32, f32)>,
    /// Loss of velocity at each point, in wave speeds per metre.
    loss: Vec<f32>,
    largest_diagonal: f32,
}

impl Stencil {
    /// The Laplacian on `points` that are `fine` (λ_f) apart. `walls` has one entry for each point,
    /// or is empty where there is no obstacle.
    ///
    /// # Panics
    /// If the neighbourhood or the walls belong to another set of points.
    pub fn build(
        points: &SurfacePoints,
        neighbourhood: &Neighbourhood,
        walls: &[Wall],
        fine: f32,
    ) -> Self {
        let mut stencil = Self::default();
        stencil.rebuild(points, neighbourhood, walls, fine);
        stencil
    }

    /// As [`Stencil::build`], reusing memory.
    pub fn rebuild(
        &mut self,
        points: &SurfacePoints,
        neighbourhood: &Neighbourhood,
        walls: &[Wall],
        fine: f32,
    ) {
        assert_eq!(points.len(), neighbourhood.len(), "one list of neighbours per point");
        assert!(walls.is_empty() || walls.len() == points.len(), "one wall per point");
        self.point_count = points.len();
        self.blocks.resize_with(points.len().div_ceil(POINTS_PER_BLOCK), Block::default);
        self.blocks.par_iter_mut().enumerate().for_each(|(index, block)| {
            let first = index * POINTS_PER_BLOCK;
            let last = (first + POINTS_PER_BLOCK).min(points.len());
            block.rebuild(points, neighbourhood, walls, fine, first..last);
        });
        let largest = self.blocks.iter().map(|block| block.largest_diagonal).fold(0.0, f32::max);
        self.bound = 2.0 * largest;
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.point_count
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.point_count == 0
    }

    /// A bound on the magnitude of the eigenvalues, in 1/m²: twice the largest sum of weights
    /// (Gershgorin).
    pub fn bound(&self) -> f32 {
        self.bound
    }

    /// The Laplacian of `values`, in their unit per square metre.
    ///
    /// # Panics
    /// If there is not one value for each point.
    pub fn laplacian(&self, values: &[f32]) -> Vec<f32> {
        assert_eq!(values.len(), self.point_count, "one value per point");
        let mut result = vec![0.0; values.len()];
        result.par_chunks_mut(POINTS_PER_BLOCK).zip(&self.blocks).enumerate().for_each(
            |(index, (rows, block))| {
                let first = index * POINTS_PER_BLOCK;
                for (row, slot) in rows.iter_mut().enumerate() {
                    *slot = block.sum(row, values, values[first + row]);
                }
            },
        );
        result
    }

    /// Calls `advance(point, Laplacian of values, loss, columns)`, with the column values of the point, for
    /// each point, in parallel. The loss of velocity is in wave speeds per metre.
    pub(super) fn advance(
        &self,
        values: &[f32],
        columns: [&mut [f32]; 3],
        advance: impl Fn(usize, f32, f32, [&mut f32; 3]) + Sync,
    ) {
        let [first_column, second_column, third_column] =
            columns.map(|column| column.par_chunks_mut(POINTS_PER_BLOCK));
        let columns = first_column.zip(second_column).zip(third_column);
        columns.zip(&self.blocks).enumerate().for_each(|(index, (((a, b), c), block))| {
            let rows = a.iter_mut().zip(b).zip(c);
            for (row, ((a, b), c)) in rows.enumerate() {
                let point = index * POINTS_PER_BLOCK + row;
                let laplacian = block.sum(row, values, values[point]);
                advance(point, laplacian, block.loss[row], [a, b, c]);
            }
        });
    }
}

impl Block {
    fn rebuild(
        &mut self,
        points: &SurfacePoints,
        neighbourhood: &Neighbourhood,
        walls: &[Wall],
        fine: f32,
        range: std::ops::Range<usize>,
    ) {
        self.starts.clear();
        self.starts.push(0);
        self.entries.clear();
        self.loss.clear();
        self.largest_diagonal = 0.0;
        let mut row = Row::default();
        let scale = 1.0 / (fine * fine);
        for point in range {
            let wall = walls.get(point).copied().unwrap_or_default();
            row.gather(points, neighbourhood.of(point), walls, wall, point, fine);
            let (diagonal, corrected) = row.find_weights();
            self.loss.push(if corrected { 0.0 } else { BORDER_LOSS / fine });
            self.largest_diagonal = self.largest_diagonal.max(diagonal * scale);
            for arm in row.arms.iter().filter(|arm| arm.neighbour as usize != point) {
                self.entries.push((arm.neighbour, arm.weight * scale));
            }
            self.starts.push(self.entries.len() as u32);
        }
    }

    #[inline]
    fn sum(&self, row: usize, values: &[f32], here: f32) -> f32 {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        let entries = &self.entries[range];
        entries.iter().map(|&(other, weight)| weight * (values[other as usize] - here)).sum()
    }
}

/// A neighbour seen from a point, in its tangent plane, in units of λ_f.
#[derive(Clone, Copy, Debug)]
struct Arm {
    neighbour: u32,
    x: f32,
    y: f32,
    weight: f32,
}

/// The plane of a wall.
#[derive(Clone, Copy)]
struct Mirror {
    foot: Vec3,
    away: Vec3,
}

impl Mirror {
    fn height(&self, place: Vec3) -> f32 {
        (place - self.foot).dot(self.away)
    }

    fn image(&self, place: Vec3) -> Vec3 {
        place - 2.0 * self.height(place) * self.away
    }
}

/// The planes in which a point sees images; none if it is within a solid.
fn mirrors(wall: Wall) -> Option<Vec<Mirror>> {
    match wall {
        Wall::Within => None,
        Wall::Open => Some(Vec::new()),
        Wall::Near { point, normal } => Some(vec![Mirror { foot: point, away: normal }]),
        Wall::Corner { points, normals } => {
            Some((0..2).map(|i| Mirror { foot: points[i], away: normals[i] }).collect())
        }
    }
}

/// Calls `visit` with each image of a position, and with the image of an image.
fn for_each_image(place: Vec3, mirrors: &[Mirror], mut visit: impl FnMut(Vec3)) {
    for mirror in mirrors {
        visit(mirror.image(place));
    }
    if let [first, second] = mirrors {
        visit(first.image(second.image(place)));
    }
}

/// One row while it is made.
#[derive(Default)]
struct Row {
    arms: Vec<Arm>,
}

impl Row {
    /// The neighbours of `point` and their mirror images in its walls, weighted as in the paper:
    /// 4 W / r².
    fn gather(
        &mut self,
        points: &SurfacePoints,
        neighbours: &[u32],
        walls: &[Wall],
        wall: Wall,
        point: usize,
        fine: f32,
    ) {
        self.arms.clear();
        let (here, normal, inverse) = (points.position[point], points.normal[point], 1.0 / fine);
        let (tangent, bitangent) = normal.any_orthonormal_pair();
        let mut total = 0.0;
        let mut add = |arms: &mut Vec<Arm>, neighbour: u32, offset: Vec3, agreement: f32| {
            let offset = offset * inverse;
            // The triangular kernel over 2 λ_f (Eq. 4.1), per density (Eq. 4.2).
            let kernel = (1.0 - 0.5 * offset.length()).max(0.0) * agreement;
            let weight = kernel * points.area[neighbour as usize];
            let (x, y) = (offset.dot(tangent), offset.dot(bitangent));
            let arm = Arm { neighbour, x, y, weight };
            if weight > 0.0 {
                total += weight;
                arms.push(Arm { weight: 4.0 * weight / arm.squared(), ..arm });
            }
        };
        let Some(mirrors) = mirrors(wall) else { return };
        for &j in neighbours {
            let place = points.position[j as usize];
            let is_behind = |mirror: &Mirror| mirror.height(place) < -BEHIND * fine;
            if walls.get(j as usize) == Some(&Wall::Within) || mirrors.iter().any(is_behind) {
                continue;
            }
            let agreement = agreement(normal, points.normal[j as usize]);
            add(&mut self.arms, j, place - here, agreement);
            for_each_image(place, &mirrors, |image| {
                add(&mut self.arms, j, image - here, agreement);
            });
        }
        for_each_image(here, &mirrors, |image| {
            add(&mut self.arms, point as u32, image - here, 1.0);
        });
        if total > 0.0 {
            self.arms.iter_mut().for_each(|arm| arm.weight /= total);
        }
    }

    /// Corrects the weights; returns their sum, and whether they could be corrected.
    fn find_weights(&mut self) -> (f32, bool) {
        let corrected =
            self.eccentricity() < BORDER && (self.correct::<5>() || self.correct::<2>());
        let diagonal: f32 = self.arms.iter().map(|arm| arm.weight.abs()).sum();
        let limited = diagonal.min(LARGEST_DIAGONAL);
        if limited < diagonal {
            let factor = limited / diagonal;
            self.arms.iter_mut().for_each(|arm| arm.weight *= factor);
        }
        (limited, corrected)
    }

    /// Distance of the weighted mean of the neighbours, Σ W x, in λ_f.
    fn eccentricity(&self) -> f32 {
        let (mut x, mut y) = (0.0, 0.0);
        for arm in &self.arms {
            let kernel = 0.25 * arm.weight * arm.squared();
            x += kernel * arm.x;
            y += kernel * arm.y;
        }
        x.hypot(y)
    }

    /// Changes the weights so that the first `N` of the functions x, y, x², xy, y² get their exact
    /// Laplacian, if that is possible within [`FACTORS`].
    fn correct<const N: usize>(&mut self) -> bool {
        const LAPLACIANS: [f32; 5] = [0.0, 0.0, 2.0, 0.0, 2.0];
        if self.arms.len() < N {
            return false;
        }
        let mut matrix = [[0.0f32; N]; N];
        let mut side = [0.0f32; N];
        side.copy_from_slice(&LAPLACIANS[..N]);
        for arm in &self.arms {
            let basis = arm.basis::<N>();
            for row in 0..N {
                let weighted = arm.weight * basis[row];
                side[row] -= weighted;
                for column in 0..=row {
                    matrix[row][column] += weighted * basis[column];
                }
            }
        }
        let Some(solution) = solve_positive(matrix, side) else { return false };
        let factor = |arm: &Arm| {
            let basis = arm.basis::<N>();
            1.0 + (0..N).map(|k| solution[k] * basis[k]).sum::<f32>()
        };
        if !self.arms.iter().all(|arm| FACTORS.contains(&factor(arm))) {
            return false;
        }
        for index in 0..self.arms.len() {
            self.arms[index].weight *= factor(&self.arms[index]);
        }
        true
    }
}

impl Arm {
    /// The square of the distance that second differences are divided by.
    #[inline]
    fn squared(&self) -> f32 {
        (self.x * self.x + self.y * self.y).max(LEAST_DISTANCE * LEAST_DISTANCE)
    }

    #[inline]
    fn basis<const N: usize>(&self) -> [f32; N] {
        let (x, y) = (self.x, self.y);
        let all = [x, y, x * x, x * y, y * y];
        std::array::from_fn(|k| all[k])
    }
}

/// How far two points face the same way: zero at a right angle, one below 60°. It makes
/// neighbours come and go smoothly as the surface turns.
#[inline]
fn agreement(normal: Vec3, other: Vec3) -> f32 {
    (2.0 * normal.dot(other)).clamp(0.0, 1.0)
}

/// Solves a symmetric positive definite system, of which the lower triangle is given, by Cholesky
/// factors; `None` if it is singular to rounding.
fn solve_positive<const N: usize>(
    mut matrix: [[f32; N]; N],
    mut side: [f32; N],
) -> Option<[f32; N]> {
    for k in 0..N {
        let before = matrix[k][k];
        let pivot = before - matrix[k][..k].iter().map(|entry| entry * entry).sum::<f32>();
        if pivot.is_nan() || pivot <= 1e-4 * before {
            return None;
        }
        let root = pivot.sqrt();
        matrix[k][k] = root;
        for row in k + 1..N {
            let done: f32 = (0..k).map(|m| matrix[row][m] * matrix[k][m]).sum();
            matrix[row][k] = (matrix[row][k] - done) / root;
        }
    }
    for k in 0..N {
        for m in 0..k {
            side[k] -= matrix[k][m] * side[m];
        }
        side[k] /= matrix[k][k];
    }
    for k in (0..N).rev() {
        for row in k + 1..N {
            side[k] -= matrix[row][k] * side[row];
        }
        side[k] /= matrix[k][k];
    }
    Some(side)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a positive definite system is solved to rounding; a singular one is refused.
    #[test]
    fn positive_systems_are_solved() {
        let matrix = [[4.0, 0.0, 0.0], [1.0, 3.0, 0.0], [-1.0, 0.5, 2.0]];
        let full = [[4.0, 1.0, -1.0], [1.0, 3.0, 0.5], [-1.0, 0.5, 2.0]];
        let expected = [1.0f32, -2.0, 3.0];
        let side = full.map(|row: [f32; 3]| (0..3).map(|k| row[k] * expected[k]).sum());
        let found = solve_positive(matrix, side).unwrap();
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{found} against {expected}");
        }
        assert!(solve_positive([[1.0, 0.0], [1.0, 1.0]], [1.0, 1.0]).is_none());
    }
}

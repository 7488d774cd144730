//! One level of the hierarchy: the seven-point operator and its smoother.
//!
//! With weights w on the faces, the operator is (Σ w) x − Σ w xₙ over the six neighbours, in units
//! of one over the squared cell. Neighbours whose value is known count in the sum of weights only.
//!
//! Vectors hold zero at every node that is not unknown, and every kernel keeps them zero.

use std::ops::{Add, Mul, Sub};

use rayon::prelude::*;

use crate::sparse_grid::TILE_NODES;

use super::tiling::{Tiling, for_each_tile, sum_over_tiles, tile_dot, tile_values};

/// `f32` in the preconditioner, `f64` in the iteration around it.
pub(super) trait Real:
    Copy
    + Default
    + Send
    + Sync
    + From<f32>
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
{
}

impl Real for f32 {}
impl Real for f64 {}

/// How a node is linked to its neighbours, by direction.
#[derive(Clone, Copy, Default)]
pub(super) struct Links {
    /// Weights towards unknown neighbours.
    pub(super) open: [f32; 6],
    /// Weights towards known values.
    pub(super) pinned: [f32; 6],
}

impl Links {
    pub(super) fn diagonal(&self) -> f32 {
        self.open.iter().sum::<f32>() + self.pinned.iter().sum::<f32>()
    }
}

/// The links of every node of one tile.
pub(super) type TileLinks = [Links; TILE_NODES];

/// An operator on the nodes of a tiling.
pub(super) struct Level {
    pub(super) tiling: Tiling,
    diagonal: Vec<f32>,
    /// Zero at nodes that are not unknown, and at unknowns without any link.
    inverse_diagonal: Vec<f32>,
    /// Weights of the low face on each axis; `None` when every open face has weight 1.
    weights: Option<[Vec<f32>; 3]>,
}

impl Level {
    pub(super) fn new(
        tiling: Tiling,
        weighted: bool,
        links: impl Fn(usize, &mut TileLinks) + Sync,
    ) -> Self {
        let mut diagonal = tiling.vector::<f32>();
        let mut weights = weighted.then(|| [(); 3].map(|()| tiling.vector::<f32>()));
        fill_from_links(&mut diagonal, weights.as_mut(), links);
        let mut inverse_diagonal = diagonal.clone();
        for_each_tile(&mut inverse_diagonal, |_, values| {
            for value in values {
                *value = if *value > 0.0 { 1.0 / *value } else { 0.0 };
            }
        });
        Self { tiling, diagonal, inverse_diagonal, weights }
    }

    /// Number of unknowns that have a link.
    pub(super) fn linked_count(&self) -> usize {
        self.inverse_diagonal.iter().filter(|&&value| value > 0.0).count()
    }

    /// How much each node follows its unknown neighbours: 1 where links to those outweigh the links
    /// to known values, less the more they are outweighed.
    pub(super) fn freedom(&self) -> Vec<f32> {
        let mut unknown = self.inverse_diagonal.clone();
        for_each_tile(&mut unknown, |_, values| {
            values.iter_mut().for_each(|value| *value = f32::from(*value > 0.0));
        });
        let mut freedom = self.tiling.vector::<f32>();
        for_each_tile(&mut freedom, |tile, freedom| {
            let diagonal = tile_values(&self.diagonal, tile);
            self.each_row(&unknown, tile, |start, open| {
                for (node, open) in (start..).zip(open) {
                    let pinned = (diagonal[node] - open).max(f32::MIN_POSITIVE);
                    freedom[node] = (open / pinned).min(1.0);
                }
            });
        });
        freedom
    }

    /// `product` = A `x`; returns x · A x.
    pub(super) fn apply<T: Real>(&self, x: &[T], product: &mut [T]) -> f64 {
        sum_over_tiles(product, |tile, product| {
            let (diagonal, own) = (tile_values(&self.diagonal, tile), tile_values(x, tile));
            self.each_row(x, tile, |start, sum| {
                for (node, sum) in (start..).zip(sum) {
                    let linked = if diagonal[node] > 0.0 { sum } else { T::default() };
                    product[node] = T::from(diagonal[node]) * own[node] - linked;
                }
            });
            tile_dot(own, product)
        })
    }

    /// The residual b − A `x` of one tile.
    pub(super) fn tile_residual(&self, b: &[f32], x: &[f32], tile: usize) -> [f32; TILE_NODES] {
        let mut residual = [0.0; TILE_NODES];
        let (b, own) = (tile_values(b, tile), tile_values(x, tile));
        let diagonal = tile_values(&self.diagonal, tile);
        self.each_row(x, tile, |start, sum| {
            for (node, sum) in (start..).zip(sum) {
                let value = b[node] + sum - diagonal[node] * own[node];
                residual[node] = if diagonal[node] > 0.0 { value } else { 0.0 };
            }
        });
        residual
    }

    /// A Jacobi step of length `step` from zero: `x` = step · D⁻¹ `b`.
    pub(super) fn first_step(&self, step: f32, b: &[f32], x: &mut [f32]) {
        for_each_tile(x, |tile, x| {
            let (b, inverse) = (tile_values(b, tile), tile_values(&self.inverse_diagonal, tile));
            for node in 0..TILE_NODES {
                x[node] = step * inverse[node] * b[node];
            }
        });
    }

    /// A Jacobi step of length `step`: `next` = `x` + step · D⁻¹ (`b` − A `x`).
    pub(super) fn step(&self, step: f32, b: &[f32], x: &[f32], next: &mut [f32]) {
        for_each_tile(next, |tile, next| {
            let (b, own) = (tile_values(b, tile), tile_values(x, tile));
            let inverse = tile_values(&self.inverse_diagonal, tile);
            self.each_row(x, tile, |start, sum| {
                for (node, sum) in (start..).zip(sum) {
                    let target = inverse[node] * (b[node] + sum);
                    next[node] = (1.0 - step) * own[node] + step * target;
                }
            });
        });
    }

    /// Calls `visit(start of row, weighted sum over the six neighbours of its eight nodes)` for the
    /// 64 rows of a tile.
    #[inline(always)]
    fn each_row<T: Real>(&self, x: &[T], tile: usize, mut visit: impl FnMut(usize, [T; 8])) {
        let x = Around::new(x, &self.tiling, tile);
        match &self.weights {
            None => {
                for row in 0..64 {
                    visit(8 * row, x.plain_sum(row));
                }
            }
            Some(weights) => {
                let weights = weights.each_ref().map(|w| Around::new(w, &self.tiling, tile));
                for row in 0..64 {
                    visit(8 * row, x.weighted_sum(&weights, row));
                }
            }
        }
    }
}

/// Computes the links of each tile once and stores what the kernels need of them.
fn fill_from_links(
    diagonal: &mut [f32],
    weights: Option<&mut [Vec<f32>; 3]>,
    links: impl Fn(usize, &mut TileLinks) + Sync,
) {
    let Some([x, y, z]) = weights else {
        return for_each_tile(diagonal, |tile, diagonal| {
            let mut tile_links = [Links::default(); TILE_NODES];
            links(tile, &mut tile_links);
            for (diagonal, links) in diagonal.iter_mut().zip(&tile_links) {
                *diagonal = links.diagonal();
            }
        });
    };
    fn tiles(vector: &mut [f32]) -> rayon::slice::ChunksMut<'_, f32> {
        let used = vector.len() - TILE_NODES;
        vector[..used].par_chunks_mut(TILE_NODES)
    }
    let along = tiles(x).zip(tiles(y)).zip(tiles(z));
    tiles(diagonal).zip(along).enumerate().for_each(|(tile, (diagonal, ((x, y), z)))| {
        let mut tile_links = [Links::default(); TILE_NODES];
        links(tile, &mut tile_links);
        for (node, links) in tile_links.iter().enumerate() {
            diagonal[node] = links.diagonal();
            (x[node], y[node], z[node]) = (links.open[0], links.open[2], links.open[4]);
        }
    });
}

/// The values of a tile and of its six neighbours.
struct Around<'a, T> {
    own: &'a [T; TILE_NODES],
    sides: [&'a [T; TILE_NODES]; 6],
}

impl<'a, T: Real> Around<'a, T> {
    #[inline(always)]
    fn new(vector: &'a [T], tiling: &Tiling, tile: usize) -> Self {
        let sides = tiling.neighbours[tile].map(|side| tile_values(vector, side as usize));
        Self { own: tile_values(vector, tile), sides }
    }

    /// The eight values of a row with one more on either side.
    #[inline(always)]
    fn line(&self, row: usize) -> [T; 10] {
        let mut line = [T::default(); 10];
        line[0] = self.sides[0][8 * row + 7];
        line[1..9].copy_from_slice(row_of(self.own, row));
        line[9] = self.sides[1][8 * row];
        line
    }

    /// The rows at y − 1, y + 1, z − 1, z + 1.
    #[inline(always)]
    fn beside(&self, row: usize) -> [&'a [T; 8]; 4] {
        let (y, z) = (row % 8, row / 8);
        let pick = |inside: bool, own_row: usize, side: usize, side_row: usize| {
            if inside { row_of(self.own, own_row) } else { row_of(self.sides[side], side_row) }
        };
        [
            pick(y > 0, row.wrapping_sub(1), 2, row + 7),
            pick(y < 7, row + 1, 3, row.wrapping_sub(7)),
            pick(z > 0, row.wrapping_sub(8), 4, row + 56),
            pick(z < 7, row + 8, 5, row.wrapping_sub(56)),
        ]
    }

    #[inline(always)]
    fn plain_sum(&self, row: usize) -> [T; 8] {
        let line = self.line(row);
        let [down, up, back, front] = self.beside(row);
        std::array::from_fn(|i| (line[i] + line[i + 2]) + (down[i] + up[i]) + (back[i] + front[i]))
    }

    /// The low face of the next node is the high face of this one.
    #[inline(always)]
    fn weighted_sum(&self, weights: &[Around<'_, f32>; 3], row: usize) -> [T; 8] {
        let line = self.line(row);
        let [down, up, back, front] = self.beside(row);
        let along = weights[0].line(row);
        let (low_y, low_z) = (row_of(weights[1].own, row), row_of(weights[2].own, row));
        let (high_y, high_z) = (weights[1].beside(row)[1], weights[2].beside(row)[3]);
        std::array::from_fn(|i| {
            T::from(along[i + 1]) * line[i]
                + T::from(along[i + 2]) * line[i + 2]
                + (T::from(low_y[i]) * down[i] + T::from(high_y[i]) * up[i])
                + (T::from(low_z[i]) * back[i] + T::from(high_z[i]) * front[i])
        })
    }
}

#[inline(always)]
fn row_of<T>(tile: &[T; TILE_NODES], row: usize) -> &[T; 8] {
    tile[8 * row..].first_chunk().expect("a tile holds whole rows")
}

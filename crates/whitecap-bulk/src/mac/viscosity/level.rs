//! The operator on one level, and its smoother.
//!
//! In units of the volume of a cell, the energy is ½ Σ m (u − u*)² over faces + ½ Σ s e² over the stretches e
//! of cells along each axis, s = 2 ν Δt/h² times the share of liquid, + ½ Σ s e² over the shears e of edges, s
//! = ν Δt/h² times the share (Batty and Bridson 2008). The differences e are over whole cells; where a
//! wall is between two faces, s is divided by how far the wall is from the one in the liquid, in cells, which
//! is the derivative of second order of Gibou, Fedkiw, Cheng and Kang (2002).
//!
//! Vectors hold zero at every face that is not unknown, and every kernel keeps them zero.

use rayon::prelude::*;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile, local_node};

use super::shares::Shares;
use super::tiling::{
    BLOCK, FaceTile, PADDED, Real, Tiling, for_each_tile, sum_over_tiles, tile_dot,
};
use crate::mac::step_around;

/// Edge of the blocks of weights: stretches from one cell below a tile, shears to one edge above it.
const EDGE: usize = 9;
const WEIGHTS: usize = EDGE * EDGE * EDGE;
/// Distances to the next node along each axis in padded tiles and in blocks of weights.
const STEPS: [usize; 3] = [1, PADDED, PADDED * PADDED];
const WEIGHT_STEPS: [usize; 3] = [1, EDGE, EDGE * EDGE];
/// Cells around a tile that its weights depend on, and the edge of that block.
const SURROUNDINGS: usize = 2;
const WIDE: usize = 8 + 2 * SURROUNDINGS;
/// A wall never counts as closer than this to a face in the liquid, in cells.
const NEAREST_WALL: f32 = 0.05;

/// The equations of the faces of one tile.
pub(super) struct TileEquations {
    /// Share of liquid of each face.
    pub(super) mass: FaceTile<f32>,
    /// One over the diagonal; zero where a face is not unknown.
    pub(super) inverse_diagonal: FaceTile<f32>,
    /// Faces that stress acts on and whose velocity is that of a solid: bit a for the low face on axis a.
    held: [u8; TILE_NODES],
    /// Weights of the stretches of cells along each axis.
    stretch: [[f32; WEIGHTS]; 3],
    /// Weights of the shears of edges along each axis.
    shear: [[f32; WEIGHTS]; 3],
}

/// An operator on the faces of a tiling.
pub(super) struct Level {
    pub(super) tiling: Tiling,
    pub(super) equations: Vec<Box<TileEquations>>,
}

impl Level {
    pub(super) fn new(shares: &SparseGrid<Shares>) -> Self {
        let tiles: Vec<(IVec3, Box<TileEquations>)> = shares
            .coordinates()
            .par_iter()
            .filter_map(|&tile| {
                if is_dry(shares, tile) {
                    return None;
                }
                let equations = TileEquations::new(shares, tile)?;
                equations.is_needed().then_some((tile, equations))
            })
            .collect();
        let (coordinates, equations) = tiles.into_iter().unzip();
        Self { tiling: Tiling::new(coordinates), equations }
    }

    /// Number of unknown faces.
    pub(super) fn unknowns(&self) -> usize {
        let count = |tile: &TileEquations| {
            tile.inverse_diagonal.as_flattened().iter().filter(|&&value| value > 0.0).count()
        };
        self.equations.iter().map(|tile| count(tile)).sum()
    }

    /// The largest part of a diagonal that is stress.
    pub(super) fn stiffness(&self) -> f32 {
        let of_tile = |tile: &TileEquations| {
            let faces = tile.inverse_diagonal.as_flattened().iter().zip(tile.mass.as_flattened());
            let unknown = faces.filter(|(inverse, _)| **inverse > 0.0);
            unknown.map(|(inverse, mass)| inverse.recip() - mass).fold(0.0, f32::max)
        };
        self.equations.par_iter().map(|tile| of_tile(tile)).reduce(|| 0.0, f32::max)
    }

    /// `product` = A `x`; returns x · A x.
    pub(super) fn apply<T: Real>(&self, x: &[FaceTile<T>], product: &mut [FaceTile<T>]) -> f64 {
        sum_over_tiles(product, |tile, product| {
            *product = self.stress(x, tile);
            let mass = self.equations[tile].mass.as_flattened();
            let own = x[tile].as_flattened();
            for (place, product) in product.as_flattened_mut().iter_mut().enumerate() {
                *product = *product + T::from(mass[place]) * own[place];
            }
            tile_dot(&x[tile], product)
        })
    }

    /// The residual b − A `x` of one tile.
    pub(super) fn residual(
        &self,
        b: &[FaceTile<f32>],
        x: &[FaceTile<f32>],
        tile: usize,
    ) -> FaceTile<f32> {
        let mut residual = self.stress(x, tile);
        let (mass, own) = (self.equations[tile].mass.as_flattened(), x[tile].as_flattened());
        let b = b[tile].as_flattened();
        for (place, residual) in residual.as_flattened_mut().iter_mut().enumerate() {
            *residual = b[place] - *residual - mass[place] * own[place];
        }
        residual
    }

    /// A Jacobi step of length `step` from zero: `x` = step · D⁻¹ `b`.
    pub(super) fn first_step(&self, step: f32, b: &[FaceTile<f32>], x: &mut [FaceTile<f32>]) {
        for_each_tile(x, |tile, x| {
            let inverse = self.equations[tile].inverse_diagonal.as_flattened();
            let b = b[tile].as_flattened();
            for (place, x) in x.as_flattened_mut().iter_mut().enumerate() {
                *x = step * inverse[place] * b[place];
            }
        });
    }

    /// A Jacobi step of length `step`: `next` = `x` + step · D⁻¹ (`b` − A `x`).
    pub(super) fn step(
        &self,
        step: f32,
        b: &[FaceTile<f32>],
        x: &[FaceTile<f32>],
        next: &mut [FaceTile<f32>],
    ) {
        for_each_tile(next, |tile, next| {
            *next = self.residual(b, x, tile);
            let inverse = self.equations[tile].inverse_diagonal.as_flattened();
            let own = x[tile].as_flattened();
            for (place, next) in next.as_flattened_mut().iter_mut().enumerate() {
                *next = own[place] + step * inverse[place] * *next;
            }
        });
    }

    /// What stress does to the unknown faces of a tile: −∇·(μ(∇x + ∇xᵀ)) Δt/ρ.
    #[inline(always)]
    pub(super) fn stress<T: Real>(&self, x: &[FaceTile<T>], tile: usize) -> FaceTile<T> {
        let mut block = [[T::default(); BLOCK]; 3];
        self.tiling.padded(x, tile, &mut block);
        let equations = &self.equations[tile];
        let mut force = [[T::default(); TILE_NODES]; 3];
        equations.add_stress::<T, 0>(&block, &mut force[0]);
        equations.add_stress::<T, 1>(&block, &mut force[1]);
        equations.add_stress::<T, 2>(&block, &mut force[2]);
        force
    }
}

impl TileEquations {
    /// `None` if there is no liquid around.
    fn new(shares: &SparseGrid<Shares>, tile: IVec3) -> Option<Box<Self>> {
        let mut around = vec![shares.background(); WIDE * WIDE * WIDE];
        shares.neighbourhood(tile).copy_padded(SURROUNDINGS, &mut around);
        if around.iter().all(|shares| *shares == Shares::nothing(shares.solid)) {
            return None;
        }
        let at = |node: IVec3| {
            let node = node + SURROUNDINGS as i32;
            &around[node.x as usize + WIDE * (node.y as usize + WIDE * node.z as usize)]
        };
        let wall =
            |axis: usize, node: IVec3| 0.5 * (at(node).solid + at(node - IVec3::AXES[axis]).solid);
        let near_walls = around.iter().any(|shares| shares.solid <= 0.0);
        let gap = |axis: usize, low: IVec3, high: IVec3| {
            if near_walls { distance_to_wall(wall(axis, low), wall(axis, high)) } else { 1.0 }
        };
        let mut equations = Box::new(Self {
            mass: [[0.0; TILE_NODES]; 3],
            inverse_diagonal: [[0.0; TILE_NODES]; 3],
            held: [0; TILE_NODES],
            stretch: [[0.0; WEIGHTS]; 3],
            shear: [[0.0; WEIGHTS]; 3],
        });
        for place in 0..WEIGHTS {
            let [x, y, z] = [place % EDGE, place / EDGE % EDGE, place / EDGE / EDGE];
            let edge = IVec3::new(x as i32, y as i32, z as i32);
            let below = edge - 1;
            for axis in 0..3 {
                let above = below + IVec3::AXES[axis];
                let weight = 2.0 * at(below).stretch[axis];
                equations.stretch[axis][place] = weight / gap(axis, below, above);
                let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
                let gaps = [(one, other), (other, one)]
                    .map(|(axis, across)| gap(axis, edge - IVec3::AXES[across], edge));
                equations.shear[axis][place] = at(edge).shear[axis] / gaps[0].min(gaps[1]);
            }
        }
        for offset in 0..TILE_NODES {
            let node = local_node(offset);
            for axis in 0..3 {
                let stress = equations.diagonal(axis, node);
                if wall(axis, node) <= 0.0 {
                    equations.held[offset] |= u8::from(stress > 0.0) << axis;
                    continue;
                }
                let mass = at(node).mass[axis];
                equations.mass[axis][offset] = mass;
                let diagonal = mass + stress;
                equations.inverse_diagonal[axis][offset] =
                    if diagonal == 0.0 { 0.0 } else { diagonal.recip() };
            }
        }
        Some(equations)
    }

    /// Whether there are faces that are unknown, or that others are held by.
    fn is_needed(&self) -> bool {
        let is_unknown = |&value: &f32| value != 0.0;
        self.inverse_diagonal.as_flattened().iter().any(is_unknown)
            || self.held.iter().any(|&held| held != 0)
    }

    /// Whether a face is unknown.
    #[inline]
    pub(super) fn is_unknown(&self, axis: usize, offset: usize) -> bool {
        self.inverse_diagonal[axis][offset] != 0.0
    }

    /// Whether stress acts on a face that has the velocity of a solid.
    #[inline]
    pub(super) fn is_held(&self, axis: usize, offset: usize) -> bool {
        self.held[offset] >> axis & 1 == 1
    }

    /// The part of the diagonal that is stress.
    fn diagonal(&self, axis: usize, node: IVec3) -> f32 {
        let edge = weight_place(node);
        let cell = edge + WEIGHT_STEPS.iter().sum::<usize>();
        let stretch = &self.stretch[axis];
        let mut sum = stretch[cell] + stretch[cell - WEIGHT_STEPS[axis]];
        for across in (0..3).filter(|&across| across != axis) {
            let shear = &self.shear[3 - axis - across];
            sum += shear[edge] + shear[edge + WEIGHT_STEPS[across]];
        }
        sum
    }

    /// Adds what stress does to the faces on an axis: the sum over the stretches and shears that a face takes
    /// part in.
    #[inline(always)]
    fn add_stress<T: Real, const AXIS: usize>(
        &self,
        x: &[[T; BLOCK]; 3],
        force: &mut [T; TILE_NODES],
    ) {
        let step = STEPS[AXIS];
        let inverse = &self.inverse_diagonal[AXIS];
        for row in 0..TILE_NODES / 8 {
            let (y, z) = (row % 8, row / 8);
            let place = 1 + PADDED * (y + 1 + PADDED * (z + 1));
            let edge = EDGE * (y + EDGE * z);
            let cell = edge + WEIGHT_STEPS.iter().sum::<usize>();
            let own = eight(&x[AXIS], place);
            let mut sum = [T::default(); 8];
            {
                let low = eight(&x[AXIS], place - step);
                let high = eight(&x[AXIS], place + step);
                let weight_low = eight(&self.stretch[AXIS], cell - WEIGHT_STEPS[AXIS]);
                let weight_high = eight(&self.stretch[AXIS], cell);
                for i in 0..8 {
                    sum[i] = T::from(weight_low[i]) * (own[i] - low[i])
                        - T::from(weight_high[i]) * (high[i] - own[i]);
                }
            }
            for across in [(AXIS + 1) % 3, (AXIS + 2) % 3] {
                let shear = &self.shear[3 - AXIS - across];
                let (other, aside) = (&x[across], STEPS[across]);
                let low = eight(&x[AXIS], place - aside);
                let high = eight(&x[AXIS], place + aside);
                let [low_before, low_after] = [place - step, place].map(|at| eight(other, at));
                let [high_before, high_after] =
                    [place + aside - step, place + aside].map(|at| eight(other, at));
                let weight_low = eight(shear, edge);
                let weight_high = eight(shear, edge + WEIGHT_STEPS[across]);
                for i in 0..8 {
                    let shear_low = (own[i] - low[i]) + (low_after[i] - low_before[i]);
                    let shear_high = (high[i] - own[i]) + (high_after[i] - high_before[i]);
                    sum[i] = sum[i] + T::from(weight_low[i]) * shear_low
                        - T::from(weight_high[i]) * shear_high;
                }
            }
            for i in 0..8 {
                let is_unknown = inverse[8 * row + i] != 0.0;
                force[8 * row + i] = if is_unknown { sum[i] } else { T::default() };
            }
        }
    }
}

/// Whether no liquid is in a tile or near it.
fn is_dry(shares: &SparseGrid<Shares>, tile: IVec3) -> bool {
    let around = shares.neighbourhood(tile);
    (0..27).all(|slot| match around.tile(step_around(slot)) {
        Some(Tile::Constant(shares)) => *shares == Shares::nothing(shares.solid),
        Some(Tile::Dense(_)) => false,
        None => true,
    })
}

/// How far from the face in the liquid the wall between two faces is, in cells; 1 if there is none.
#[inline]
fn distance_to_wall(one: f32, other: f32) -> f32 {
    let (inside, outside) = (one.min(other), one.max(other));
    if inside > 0.0 || outside <= 0.0 {
        return 1.0;
    }
    (outside / (outside - inside)).max(NEAREST_WALL)
}

#[inline]
fn weight_place(node: IVec3) -> usize {
    node.x as usize + EDGE * (node.y as usize + EDGE * node.z as usize)
}

#[inline(always)]
fn eight<T>(values: &[T], start: usize) -> &[T; 8] {
    values[start..].first_chunk().expect("blocks are larger than what is read")
}

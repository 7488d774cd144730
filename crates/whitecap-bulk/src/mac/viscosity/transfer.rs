//! Restriction and interpolation between a level and the next coarser one.
//!
//! Every second face of a level is in line with a face of the next. Along their own axis faces are
//! interpolated linearly; across it coarse faces are cell-centred, and the nearer counts for 3/4. Coarse
//! faces that are not there do not contribute; the other weights are scaled up to sum to one. Restriction is
//! the transpose, over the eight cells of a coarse cell (Aanjaneya, Han, Goldade and Batty 2019).
//!
//! A fine tile meets a block of 6³ coarse faces on each axis: its own 4³ and a layer around.

use rayon::prelude::*;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::TILE_NODES;

use super::level::Level;
use super::tiling::{FaceTile, for_each_tile};
use crate::mac::faces::corner_step;

/// Edge of the block of coarse faces that a fine tile meets.
const EDGE: usize = 6;
const BLOCK: usize = EDGE * EDGE * EDGE;

/// The links between two levels.
pub(super) struct Transfer {
    /// For each fine tile the coarse tiles that its block lies in: its parent and the seven towards its corner
    /// of the parent; bit a of the slot says whether axis a steps out of the parent.
    parents: Vec<[u32; 8]>,
    /// For each coarse tile the fine tiles whose blocks reach into it: 4³, x fastest, from one before its
    /// first child on every axis.
    children: Vec<[u32; 64]>,
    /// Scale of the interpolation at each fine face; zero where it is not unknown.
    scale: Vec<FaceTile<f32>>,
    /// Restricted values of each fine tile.
    blocks: Vec<[[f32; BLOCK]; 3]>,
    /// Which child of its parent each fine tile is.
    octants: Vec<IVec3>,
}

impl Transfer {
    pub(super) fn new(fine: &Level, coarse: &Level) -> Self {
        let octants: Vec<IVec3> = fine.tiling.coordinates.iter().map(|&tile| tile & 1).collect();
        let parents = fine.tiling.coordinates.par_iter().map(|&tile| {
            let outward = (tile & 1) * 2 - 1;
            let place = |slot| coarse.tiling.place((tile >> 1) + outward * corner_step(slot));
            std::array::from_fn(|slot| place(slot) as u32)
        });
        let children = coarse.tiling.coordinates.par_iter().map(|&tile| {
            std::array::from_fn(|slot| fine.tiling.place(tile * 2 + child_step(slot)) as u32)
        });
        let mut transfer = Self {
            parents: parents.collect(),
            children: children.collect(),
            scale: fine.tiling.vector(),
            blocks: vec![[[0.0; BLOCK]; 3]; fine.tiling.len()],
            octants,
        };
        transfer.fill_scale(fine, coarse);
        transfer
    }

    /// One over the sum of the weights that each unknown face receives from coarse faces that are there.
    fn fill_scale(&mut self, fine: &Level, coarse: &Level) {
        let mut presence = coarse.tiling.vector::<f32>();
        for_each_tile(&mut presence, |tile, presence| {
            let equations = &coarse.equations[tile];
            for (axis, presence) in presence.iter_mut().enumerate() {
                for (offset, presence) in presence.iter_mut().enumerate() {
                    let is_there =
                        equations.is_unknown(axis, offset) || equations.is_held(axis, offset);
                    *presence = if is_there { 1.0 } else { 0.0 };
                }
            }
        });
        let mut scale = fine.tiling.vector::<f32>();
        for_each_tile(&mut scale, |tile, scale| {
            *scale = self.interpolated(&presence, tile);
            let inverse = fine.equations[tile].inverse_diagonal.as_flattened();
            for (place, scale) in scale.as_flattened_mut().iter_mut().enumerate() {
                let is_used = inverse[place] != 0.0 && *scale > 0.0;
                *scale = if is_used { scale.recip() } else { 0.0 };
            }
        });
        self.scale = scale;
    }

    /// `coarse` = Pᵀ `fine(tile)` / 8, on the unknown faces of `level`.
    pub(super) fn restrict(
        &mut self,
        fine: impl Fn(usize) -> FaceTile<f32> + Sync,
        level: &Level,
        coarse: &mut [FaceTile<f32>],
    ) {
        let (scale, tiles) = (&self.scale, self.octants.len());
        self.blocks.par_iter_mut().with_min_len(2).enumerate().for_each(|(tile, blocks)| {
            let mut values = fine(tile);
            for (value, scale) in
                values.as_flattened_mut().iter_mut().zip(scale[tile].as_flattened())
            {
                *value *= 0.125 * scale;
            }
            for axis in 0..3 {
                gather_block(axis, &values[axis], &mut blocks[axis]);
            }
        });
        for_each_tile(coarse, |tile, coarse| {
            *coarse = [[0.0; TILE_NODES]; 3];
            for (slot, &child) in self.children[tile].iter().enumerate() {
                if child as usize != tiles {
                    // The child's block starts one coarse face before the child.
                    let low = child_step(slot) * 4 - 1;
                    for (block, coarse) in self.blocks[child as usize].iter().zip(&mut *coarse) {
                        add_block(block, low, coarse);
                    }
                }
            }
            let inverse = level.equations[tile].inverse_diagonal.as_flattened();
            for (value, &inverse) in coarse.as_flattened_mut().iter_mut().zip(inverse) {
                *value = if inverse != 0.0 { *value } else { 0.0 };
            }
        });
    }

    /// `fine` += P `coarse`.
    pub(super) fn prolong(&self, coarse: &[FaceTile<f32>], fine: &mut [FaceTile<f32>]) {
        for_each_tile(fine, |tile, fine| {
            let values = self.interpolated(coarse, tile);
            let scale = self.scale[tile].as_flattened();
            let faces = fine.as_flattened_mut().iter_mut().zip(values.as_flattened());
            for ((fine, value), scale) in faces.zip(scale) {
                *fine += scale * value;
            }
        });
    }

    /// Coarse values between the coarse faces around each face of a fine tile.
    fn interpolated(&self, coarse: &[FaceTile<f32>], tile: usize) -> FaceTile<f32> {
        let parents = self.parents[tile].map(|parent| &coarse[parent as usize]);
        let octant = self.octants[tile].to_array();
        let mut values = [[0.0; TILE_NODES]; 3];
        for (axis, values) in values.iter_mut().enumerate() {
            let mut block = [0.0; BLOCK];
            for (place, value) in block.iter_mut().enumerate() {
                let at = [place % EDGE, place / EDGE % EDGE, place / EDGE / EDGE];
                let (mut slot, mut node) = (0, 0);
                for along in 0..3 {
                    let local = 4 * octant[along] + at[along] as i32 - 1;
                    slot |= usize::from(!(0..8).contains(&local)) << along;
                    node |= ((local & 7) as usize) << (3 * along);
                }
                *value = parents[slot][axis][node];
            }
            spread_block(axis, &block, values);
        }
        values
    }
}

/// From the first child of a coarse tile to one of the 4³ fine tiles that reach into it.
fn child_step(slot: usize) -> IVec3 {
    let slot = slot as i32;
    IVec3::new(slot % 4, slot / 4 % 4, slot / 16) - 1
}

/// The two coarse faces of a block that a fine face is between, each with its weight.
#[inline(always)]
fn weights(is_own_axis: bool, fine: usize) -> [(usize, f32); 2] {
    let near = 1 + fine / 2;
    match (is_own_axis, fine & 1) {
        (true, 0) => [(near, 1.0), (near, 0.0)],
        (true, _) => [(near, 0.5), (near + 1, 0.5)],
        (false, 0) => [(near, 0.75), (near - 1, 0.25)],
        (false, _) => [(near, 0.75), (near + 1, 0.25)],
    }
}

/// Interpolation from a block to its tile, one axis after the other.
fn spread_block(axis: usize, block: &[f32; BLOCK], tile: &mut [f32; TILE_NODES]) {
    let mut along_z = [[0.0f32; EDGE * EDGE]; 8];
    for (z, layer) in along_z.iter_mut().enumerate() {
        for (from, weight) in weights(axis == 2, z) {
            for (place, value) in layer.iter_mut().enumerate() {
                *value += weight * block[from * EDGE * EDGE + place];
            }
        }
    }
    for (z, layer) in along_z.iter().enumerate() {
        for y in 0..8 {
            let mut row = [0.0f32; EDGE];
            for (from, weight) in weights(axis == 1, y) {
                for (x, value) in row.iter_mut().enumerate() {
                    *value += weight * layer[from * EDGE + x];
                }
            }
            for (x, value) in tile[64 * z + 8 * y..][..8].iter_mut().enumerate() {
                let [(near, first), (far, second)] = weights(axis == 0, x);
                *value = first * row[near] + second * row[far];
            }
        }
    }
}

/// The transpose of [`spread_block`].
fn gather_block(axis: usize, tile: &[f32; TILE_NODES], block: &mut [f32; BLOCK]) {
    let mut along_z = [[0.0f32; EDGE * EDGE]; 8];
    for (z, layer) in along_z.iter_mut().enumerate() {
        for y in 0..8 {
            let mut row = [0.0f32; EDGE];
            for (x, value) in tile[64 * z + 8 * y..][..8].iter().enumerate() {
                for (to, weight) in weights(axis == 0, x) {
                    row[to] += weight * value;
                }
            }
            for (to, weight) in weights(axis == 1, y) {
                for (x, value) in row.iter().enumerate() {
                    layer[to * EDGE + x] += weight * value;
                }
            }
        }
    }
    block.fill(0.0);
    for (z, layer) in along_z.iter().enumerate() {
        for (to, weight) in weights(axis == 2, z) {
            for (place, value) in layer.iter().enumerate() {
                block[to * EDGE * EDGE + place] += weight * value;
            }
        }
    }
}

/// Adds the part of a block, whose first face is at `low`, that lies in a tile.
fn add_block(block: &[f32; BLOCK], low: IVec3, tile: &mut [f32; TILE_NODES]) {
    let range = |low: i32| low.max(0)..(low + EDGE as i32).min(8);
    for z in range(low.z) {
        for y in range(low.y) {
            let row = ((z - low.z) * EDGE as i32 + y - low.y) * EDGE as i32;
            for x in range(low.x) {
                tile[(64 * z + 8 * y + x) as usize] += block[(row + x - low.x) as usize];
            }
        }
    }
}

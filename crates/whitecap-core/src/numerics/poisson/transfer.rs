//! Restriction and interpolation between a level and the next coarser one, whose nodes stand for 2³ nodes
//! each.
//!
//! Interpolation is trilinear from the centres of the coarse nodes: 3/4 from the nearer and 1/4
//! from the farther on each axis. Coarse nodes outside the domain across a wall without flux do
//! not contribute; the other weights are scaled up to sum to one. Restriction is the transpose, times one
//! half, which is what the change of cell volume and cell spacing amounts to. That the two are
//! transposes keeps the preconditioner symmetric (McAdams, Sifakis and Teran 2010).
//!
//! A node that is tied to a known value far more strongly than to its neighbours, such as one beside which a
//! free surface passes, takes part only as far as it follows its neighbours: its residual is large although its
//! error is small, and would throw the coarse level off. The smoother alone settles it. (On breaking dams with
//! a ghost-fluid surface this saves two iterations of three.)
//!
//! A fine tile meets a block of 6³ coarse nodes: its own 4³ and a layer around.

use glam::IVec3;
use rayon::prelude::*;

use crate::sparse_grid::{TILE_NODES, local_node, offset_in_tile};
use crate::{Lattice, SparseGrid};

use super::NodeKind;
use super::level::Level;
use super::tiling::{Tiling, for_each_tile, tile_values};

/// Edge of the block of coarse nodes that a fine tile meets.
const EDGE: usize = 6;
/// Nodes of that block.
const BLOCK: usize = EDGE * EDGE * EDGE;

/// The links between two levels.
pub(super) struct Transfer {
    /// For each fine tile the coarse tiles its block lies in: its parent and the seven towards its
    /// corner of the parent; bit a of the slot says whether axis a steps out of the parent.
    parents: Vec<[u32; 8]>,
    /// For each coarse tile the fine tiles whose blocks reach into it: 4³, x fastest, from one
    /// before its first child on every axis.
    children: Vec<[u32; 64]>,
    /// Scale of the interpolation at each fine node; zero where it is not unknown.
    scale: Vec<f32>,
    /// Restricted values of each fine tile.
    blocks: Vec<[f32; BLOCK]>,
    /// Which child of its parent each fine tile is.
    octants: Vec<IVec3>,
}

impl Transfer {
    pub(super) fn new(
        level: &Level,
        fine_kinds: &SparseGrid<NodeKind>,
        coarse: &Tiling,
        coarse_kinds: &SparseGrid<NodeKind>,
    ) -> Self {
        let fine = &level.tiling;
        let octants: Vec<IVec3> = fine.coordinates.iter().map(|&tile| tile & 1).collect();
        let parents = fine.coordinates.par_iter().map(|&tile| {
            let outward = (tile & 1) * 2 - 1;
            std::array::from_fn(|slot| coarse.place((tile >> 1) + outward * axis_bits(slot)))
        });
        let children = coarse.coordinates.par_iter().map(|&tile| {
            std::array::from_fn(|slot| {
                let slot = slot as i32;
                fine.place(tile * 2 + IVec3::new(slot % 4, slot / 4 % 4, slot / 16) - 1)
            })
        });
        let freedom = level.freedom();
        let mut scale = fine.vector::<f32>();
        for_each_tile(&mut scale, |tile, scale| {
            let coordinate = fine.coordinates[tile];
            fill_scale(coordinate, fine_kinds, coarse_kinds, scale);
            for (scale, freedom) in scale.iter_mut().zip(tile_values(&freedom, tile)) {
                *scale *= freedom;
            }
        });
        Self {
            parents: parents.collect(),
            children: children.collect(),
            scale,
            blocks: vec![[0.0; BLOCK]; fine.len()],
            octants,
        }
    }

    /// `coarse` = ½ Pᵀ `fine(tile)`.
    pub(super) fn restrict(
        &mut self,
        fine: impl Fn(usize) -> [f32; TILE_NODES] + Sync,
        coarse: &mut [f32],
    ) {
        let (scale, tiles) = (&self.scale, self.octants.len());
        self.blocks.par_iter_mut().with_min_len(8).enumerate().for_each(|(tile, block)| {
            let mut values = fine(tile);
            for (value, scale) in values.iter_mut().zip(tile_values(scale, tile)) {
                *value *= 0.5 * scale;
            }
            gather_block(&values, block);
        });
        for_each_tile(coarse, |tile, coarse| {
            *coarse = [0.0; TILE_NODES];
            for (slot, &child) in self.children[tile].iter().enumerate() {
                if child as usize != tiles {
                    let slot = slot as i32;
                    // The child's block starts one coarse node before the child.
                    let low = IVec3::new(slot % 4, slot / 4 % 4, slot / 16) * 4 - 5;
                    add_block(&self.blocks[child as usize], low, coarse);
                }
            }
        });
    }

    /// `fine` += P `coarse`.
    pub(super) fn prolong(&self, coarse: &[f32], fine: &mut [f32]) {
        for_each_tile(fine, |tile, fine| {
            let parents = self.parents[tile].map(|parent| tile_values(coarse, parent as usize));
            let mut block = [0.0; BLOCK];
            for z in 0..EDGE {
                for y in 0..EDGE {
                    for x in 0..EDGE {
                        let (slot, node) = self.octant_node(tile, [x, y, z]);
                        block[(z * EDGE + y) * EDGE + x] = parents[slot][node];
                    }
                }
            }
            let mut values = [0.0; TILE_NODES];
            spread_block(&block, &mut values);
            let scale = tile_values(&self.scale, tile);
            for node in 0..TILE_NODES {
                fine[node] += scale[node] * values[node];
            }
        });
    }

    /// For a node of the block of a fine tile: its parent slot and its place inside it.
    #[inline(always)]
    fn octant_node(&self, tile: usize, block_node: [usize; 3]) -> (usize, usize) {
        let octant = self.octants[tile].to_array();
        let (mut slot, mut node) = (0, 0);
        for axis in 0..3 {
            let local = 4 * octant[axis] + block_node[axis] as i32 - 1;
            slot |= usize::from(!(0..8).contains(&local)) << axis;
            node |= ((local & 7) as usize) << (3 * axis);
        }
        (slot, node)
    }
}

fn axis_bits(slot: usize) -> IVec3 {
    IVec3::new((slot & 1) as i32, (slot >> 1 & 1) as i32, (slot >> 2) as i32)
}

/// One over the sum of interpolation weights that each unknown receives from contributing coarse nodes.
fn fill_scale(
    tile: IVec3,
    fine_kinds: &SparseGrid<NodeKind>,
    coarse_kinds: &SparseGrid<NodeKind>,
    scale: &mut [f32; TILE_NODES],
) {
    let around = coarse_kinds.neighbourhood(tile >> 1);
    let block_low = (tile & 1) * 4 - 1;
    let block: [f32; BLOCK] = std::array::from_fn(|place| {
        let place = place as i32;
        let node = block_low + IVec3::new(place % 6, place / 6 % 6, place / 36);
        if around.get(node) == NodeKind::Neumann { 0.0 } else { 1.0 }
    });
    spread_block(&block, scale);
    let kinds = fine_kinds.tile(tile);
    for (node, value) in scale.iter_mut().enumerate() {
        let unknown = kinds.is_some_and(|kinds| kinds.at(node) == NodeKind::Unknown);
        *value = if unknown { 1.0 / *value } else { 0.0 };
    }
}

/// The nearer and the farther coarse node of a block that a node of the tile lies between.
#[inline(always)]
fn near_and_far(fine: usize) -> (usize, usize) {
    let near = 1 + fine / 2;
    (near, if fine & 1 == 0 { near - 1 } else { near + 1 })
}

/// Trilinear interpolation from a block to its tile, one axis after the other.
fn spread_block(block: &[f32; BLOCK], tile: &mut [f32; TILE_NODES]) {
    let mut along_z = [[0.0f32; EDGE * EDGE]; 8];
    for (z, layer) in along_z.iter_mut().enumerate() {
        let (near, far) = near_and_far(z);
        for place in 0..EDGE * EDGE {
            layer[place] =
                0.75 * block[near * EDGE * EDGE + place] + 0.25 * block[far * EDGE * EDGE + place];
        }
    }
    for z in 0..8 {
        for y in 0..8 {
            let (near, far) = near_and_far(y);
            let row: [f32; EDGE] = std::array::from_fn(|x| {
                0.75 * along_z[z][near * EDGE + x] + 0.25 * along_z[z][far * EDGE + x]
            });
            let target = &mut tile[64 * z + 8 * y..][..8];
            for (x, target) in target.iter_mut().enumerate() {
                let (near, far) = near_and_far(x);
                *target = 0.75 * row[near] + 0.25 * row[far];
            }
        }
    }
}

/// The transpose of [`spread_block`].
fn gather_block(tile: &[f32; TILE_NODES], block: &mut [f32; BLOCK]) {
    let mut along_z = [[0.0f32; EDGE * EDGE]; 8];
    for (z, layer) in along_z.iter_mut().enumerate() {
        for y in 0..8 {
            let values: &[f32; 8] = tile[64 * z + 8 * y..].first_chunk().expect("whole rows");
            let row = gather_row(values);
            let (near, far) = near_and_far(y);
            for x in 0..EDGE {
                layer[near * EDGE + x] += 0.75 * row[x];
                layer[far * EDGE + x] += 0.25 * row[x];
            }
        }
    }
    block.fill(0.0);
    for (z, layer) in along_z.iter().enumerate() {
        let (near, far) = near_and_far(z);
        for (place, value) in layer.iter().enumerate() {
            block[near * EDGE * EDGE + place] += 0.75 * value;
            block[far * EDGE * EDGE + place] += 0.25 * value;
        }
    }
}

/// Eight fine values onto six coarse ones.
#[inline(always)]
fn gather_row(fine: &[f32; 8]) -> [f32; EDGE] {
    let (near, far) = (0.75f32, 0.25f32);
    [
        far * fine[0],
        near * (fine[0] + fine[1]) + far * fine[2],
        near * (fine[2] + fine[3]) + far * (fine[1] + fine[4]),
        near * (fine[4] + fine[5]) + far * (fine[3] + fine[6]),
        near * (fine[6] + fine[7]) + far * fine[5],
        far * fine[7],
    ]
}

/// Adds the part of a block, whose first node is at `low`, that lies in a tile.
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

/// The kinds of the next coarser level: unknown where any of the 2³ nodes is, else known where
/// any is, else without flux.
pub(super) fn coarse_kinds(fine: &SparseGrid<NodeKind>) -> SparseGrid<NodeKind> {
    let tiles = fine.coordinates().iter().map(|&tile| tile >> 1).collect();
    let lattice = Lattice {
        origin: fine.lattice().origin + 0.5 * fine.lattice().cell,
        cell: 2.0 * fine.lattice().cell,
    };
    SparseGrid::filled(lattice, fine.background(), tiles, |tile, kinds| {
        let children: [_; 8] = std::array::from_fn(|slot| fine.tile(tile * 2 + axis_bits(slot)));
        for (offset, kind) in kinds.iter_mut().enumerate() {
            let low = local_node(offset) * 2;
            let slot: IVec3 = low >> 3;
            let child = children[(slot.x + 2 * slot.y + 4 * slot.z) as usize];
            let at = |corner: usize| {
                let node = offset_in_tile(low + axis_bits(corner));
                child.map_or(fine.background(), |child| child.at(node))
            };
            *kind = (1..8).map(at).fold(at(0), NodeKind::max);
        }
    })
}

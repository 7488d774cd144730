//! Writing the tree of a grid: topology, then the values of the leaves.
//!
//! A dense tile becomes a leaf and a constant tile a tile of a lower node. A constant tile with
//! the background value would vanish among the empty slots; it becomes a leaf without active
//! voxels, so that the same tiles come back.

use rayon::prelude::*;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{TILE_NODES, Tile, local_node};
use whitecap_core::{GridClass, SparseGrid};

use super::chunk::Packer;
use super::layout::{Address, LEAF_MASK_BYTES, LOWER, UPPER, transposed};
use super::mask;
use super::node_values;
use super::value::VoxelValue;

/// The bytes of a tree, and what the grid's metadata says about it.
pub(super) struct WrittenTree {
    pub(super) topology: Vec<u8>,
    pub(super) leaves: Vec<u8>,
    pub(super) active: ActiveVoxels,
}

/// How many voxels are active, and their bounding box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ActiveVoxels {
    pub(super) count: u64,
    pub(super) low: IVec3,
    pub(super) high: IVec3,
}

impl ActiveVoxels {
    /// No voxel; the box is inverted, as OpenVDB writes it.
    pub(super) const NONE: Self = Self { count: 0, low: IVec3::MAX, high: IVec3::MIN };

    fn joined(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
}

struct Writer<'a, T> {
    grid: &'a SparseGrid<T>,
    class: GridClass,
}

/// A tile of the grid and its place in the tree.
type Placed<'a, T> = (Address, IVec3, &'a Tile<T>);

pub(super) fn write<T: VoxelValue>(grid: &SparseGrid<T>, class: GridClass) -> WrittenTree {
    let writer = Writer { grid, class };
    let mut placed: Vec<Placed<'_, T>> = grid
        .coordinates()
        .iter()
        .zip(grid.tiles())
        .map(|(&coordinate, tile)| (Address::of(coordinate), coordinate, tile))
        .collect();
    placed.par_sort_by_key(|(address, ..)| *address);

    let leaves: Vec<(Vec<u8>, ActiveVoxels)> = placed
        .par_iter()
        .filter(|(_, _, tile)| writer.is_leaf(tile))
        .map_init(Packer::new, |packer, (_, coordinate, tile)| {
            writer.leaf(*coordinate, tile, packer)
        })
        .collect();
    // A leaf's mask is part of the topology too, and its bytes begin with it.
    let mut masks = leaves.iter().map(|(bytes, _)| &bytes[..LEAF_MASK_BYTES]);
    let mut topology = Vec::new();
    let constant = writer.topology(&placed, &mut masks, &mut topology);
    let active = leaves.iter().fold(constant, |sum, (_, active)| sum.joined(*active));
    let leaves = leaves.into_iter().flat_map(|(bytes, _)| bytes).collect();
    WrittenTree { topology, leaves, active }
}

impl<T: VoxelValue> Writer<'_, T> {
    fn is_leaf(&self, tile: &Tile<T>) -> bool {
        match tile {
            Tile::Constant(value) => value.identical(self.grid.background()),
            Tile::Dense(_) => true,
        }
    }

    fn is_active(&self, value: T) -> bool {
        value.is_active(self.grid.background(), self.class)
    }

    /// Mask and values of a leaf.
    fn leaf(&self, tile: IVec3, values: &Tile<T>, packer: &mut Packer) -> (Vec<u8>, ActiveVoxels) {
        let values: [T; TILE_NODES] = std::array::from_fn(|slot| values.at(transposed(slot)));
        let mut active = ActiveVoxels::NONE;
        let mut bytes = vec![0; LEAF_MASK_BYTES];
        for (slot, value) in values.iter().enumerate() {
            if self.is_active(*value) {
                mask::set_on(&mut bytes, slot);
                let voxel = tile * 8 + local_node(transposed(slot));
                active = active.joined(ActiveVoxels { count: 1, low: voxel, high: voxel });
            }
        }
        let mask = bytes.clone();
        node_values::write(&values, &mask, None, self.grid.background(), packer, &mut bytes);
        (bytes, active)
    }

    /// Root, upper and lower nodes, and the masks of the leaves; returns the active constant tiles.
    fn topology<'m>(
        &self,
        placed: &[Placed<'_, T>],
        masks: &mut impl Iterator<Item = &'m [u8]>,
        bytes: &mut Vec<u8>,
    ) -> ActiveVoxels {
        let background = self.grid.background();
        let mut packer = Packer::new();
        let mut active = ActiveVoxels::NONE;
        bytes.extend_from_slice(&1_i32.to_le_bytes());
        background.encode(bytes);
        let no_tiles = 0_u32;
        bytes.extend_from_slice(&no_tiles.to_le_bytes());
        let children = placed.chunk_by(|a, b| a.0.root == b.0.root);
        bytes.extend_from_slice(&(children.clone().count() as u32).to_le_bytes());
        let upper_values = vec![background; UPPER.slots()];
        for upper in children {
            for component in upper[0].0.root {
                bytes.extend_from_slice(&(component * 8).to_le_bytes());
            }
            let mut child_mask = vec![0; UPPER.mask_bytes()];
            let value_mask = vec![0; UPPER.mask_bytes()];
            upper.iter().for_each(|(address, ..)| mask::set_on(&mut child_mask, address.upper));
            bytes.extend_from_slice(&child_mask);
            bytes.extend_from_slice(&value_mask);
            let children = Some(&child_mask[..]);
            node_values::write(
                &upper_values,
                &value_mask,
                children,
                background,
                &mut packer,
                bytes,
            );
            for lower in upper.chunk_by(|a, b| a.0.upper == b.0.upper) {
                active = active.joined(self.lower_node(lower, masks, &mut packer, bytes));
            }
        }
        active
    }

    fn lower_node<'m>(
        &self,
        placed: &[Placed<'_, T>],
        masks: &mut impl Iterator<Item = &'m [u8]>,
        packer: &mut Packer,
        bytes: &mut Vec<u8>,
    ) -> ActiveVoxels {
        let background = self.grid.background();
        let mut active = ActiveVoxels::NONE;
        let mut child_mask = vec![0; LOWER.mask_bytes()];
        let mut value_mask = vec![0; LOWER.mask_bytes()];
        let mut values = vec![background; LOWER.slots()];
        let mut leaves = 0;
        for (address, coordinate, tile) in placed {
            if self.is_leaf(tile) {
                mask::set_on(&mut child_mask, address.lower);
                leaves += 1;
                continue;
            }
            let value = tile.at(0);
            values[address.lower] = value;
            if self.is_active(value) {
                mask::set_on(&mut value_mask, address.lower);
                let low = *coordinate * 8;
                let count = TILE_NODES as u64;
                active = active.joined(ActiveVoxels { count, low, high: low + 7 });
            }
        }
        bytes.extend_from_slice(&child_mask);
        bytes.extend_from_slice(&value_mask);
        node_values::write(&values, &value_mask, Some(&child_mask), background, packer, bytes);
        masks.take(leaves).for_each(|mask| bytes.extend_from_slice(mask));
        active
    }
}

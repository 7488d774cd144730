//! The shape of a standard VDB tree and where a tile of ours lives in it.
//!
//! A standard tree ("5_4_3") has a root, upper nodes of 32³ slots, lower nodes of 16³ slots and
//! leaves of 8³ voxels. A leaf is exactly one tile of a
//! [`SparseGrid`](whitecap_core::SparseGrid); a slot of a lower node is a tile, a slot of an upper
//! node 16³ tiles, and an entry of the root 512³ tiles. All coordinates here count tiles, not
//! voxels. In VDB z varies fastest, in our tiles x.

use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::TILE_NODES;

/// Bytes of a leaf's mask.
pub(super) const LEAF_MASK_BYTES: usize = TILE_NODES / 8;
/// Edge of a root entry, in tiles.
pub(super) const ROOT_EDGE: i32 = 512;

/// A kind of internal node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Slots along an edge, as a power of two.
    pub(super) log2_slots: u32,
    /// Edge of one slot, in tiles.
    pub(super) slot_edge: i32,
}

/// Nodes below the root: 32³ slots of 16³ tiles.
pub(super) const UPPER: Level = Level { log2_slots: 5, slot_edge: 16 };
/// Nodes above the leaves: 16³ slots of one tile.
pub(super) const LOWER: Level = Level { log2_slots: 4, slot_edge: 1 };

impl Level {
    /// Number of slots.
    pub(super) fn slots(self) -> usize {
        1 << (3 * self.log2_slots)
    }

    /// Bytes of a mask over the slots.
    pub(super) fn mask_bytes(self) -> usize {
        self.slots() / 8
    }

    /// Low corner of `slot`, in tiles, relative to the node.
    pub(super) fn corner(self, slot: usize) -> IVec3 {
        let low = (1 << self.log2_slots) - 1;
        let slot = slot as i32;
        IVec3::new(slot >> (2 * self.log2_slots), slot >> self.log2_slots & low, slot & low)
            * self.slot_edge
    }

    /// The slot that holds `tile`.
    pub(super) fn slot(self, tile: IVec3) -> usize {
        let low = (1 << self.log2_slots) - 1;
        let local = (tile / self.slot_edge) & low;
        (local.x << (2 * self.log2_slots) | local.y << self.log2_slots | local.z) as usize
    }
}

/// Where a tile lives in the tree. The order is the order of the file: root entries by x, y, z,
/// then slots ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    /// Low corner of the root entry, in tiles.
    pub(super) root: [i32; 3],
    /// Slot in the upper node.
    pub(super) upper: usize,
    /// Slot in the lower node.
    pub(super) lower: usize,
}

impl Address {
    /// The address of a tile.
    pub(super) fn of(tile: IVec3) -> Self {
        let local = tile & (ROOT_EDGE - 1);
        Self { root: (tile - local).to_array(), upper: UPPER.slot(local), lower: LOWER.slot(local) }
    }
}

/// Converts an index inside a leaf (z fastest) to an index inside a tile (x fastest), and back.
pub(super) fn transposed(offset: usize) -> usize {
    offset >> 6 | offset & 0o70 | (offset & 7) << 6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: an address leads back to the tile it was made from, for negative tiles too.
    #[test]
    fn addresses_lead_back_to_their_tiles() {
        for tile in [IVec3::ZERO, IVec3::new(-1, 5, 700), IVec3::new(511, -512, -513)] {
            let address = Address::of(tile);
            let corners = UPPER.corner(address.upper) + LOWER.corner(address.lower);
            assert_eq!(IVec3::from_array(address.root) + corners, tile);
        }
    }

    /// Contract: the change between the two voxel orders is its own inverse.
    #[test]
    fn transposing_twice_changes_nothing() {
        assert_eq!(transposed(0o123), 0o321);
        assert!((0..TILE_NODES).all(|offset| transposed(transposed(offset)) == offset));
    }
}

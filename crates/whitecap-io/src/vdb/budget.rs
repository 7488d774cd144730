//! How much memory a file may ask for beyond what its own bytes account for.
//!
//! Most of a file pays for itself: a leaf has at least 129 bytes and becomes at most 6 KiB; the
//! 4096 slots of a lower node have at least 1025 bytes of masks and become at most 4096 tiles of
//! 128 bytes each, list and index included. That is 512 bytes of memory for a byte of the file.
//!
//! Two things do not pay for themselves: a constant region larger than a tile (a few bytes stand for 128³ or
//! 4096³ voxels), and a grid that is an instance of another. These draw on a budget of
//! [`FREE_BYTES`] plus [`BYTES_PER_FILE_BYTE`] for each byte of the file. Regions that hold the
//! background are not stored and cost nothing, whatever their size.

use whitecap_core::sparse_grid::{TILE_NODES, Tile};

/// What any file may ask for: 128 MiB, about a million tiles, or 800³ voxels of constant value.
pub(super) const FREE_BYTES: u64 = 128 << 20;
/// What each byte of a file adds to that.
pub(super) const BYTES_PER_FILE_BYTE: u64 = 32;
/// Memory of a constant tile with its place in the list and in the index.
const TILE_BYTES: u64 = 128;

/// What is left of a file's allowance.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    /// The allowance of a file of `length` bytes.
    pub(super) fn for_file(length: usize) -> Self {
        Self {
            left: (length as u64).saturating_mul(BYTES_PER_FILE_BYTE).saturating_add(FREE_BYTES),
        }
    }

    /// Pays for `count` constant tiles; `false` if the allowance does not suffice.
    #[must_use]
    pub(super) fn pay_for_tiles(&mut self, count: u64) -> bool {
        self.pay(count.saturating_mul(TILE_BYTES))
    }

    /// Pays for a copy of `tiles`.
    #[must_use]
    pub(super) fn pay_for_copy<T: Copy>(&mut self, tiles: &[Tile<T>]) -> bool {
        let dense = tiles.iter().filter(|tile| tile.dense().is_some()).count();
        self.pay(tiles.len() as u64 * TILE_BYTES + (dense * TILE_NODES * size_of::<T>()) as u64)
    }

    fn pay(&mut self, bytes: u64) -> bool {
        let rest = self.left.checked_sub(bytes);
        self.left = rest.unwrap_or(self.left);
        rest.is_some()
    }
}

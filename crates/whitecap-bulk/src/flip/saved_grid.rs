//! Sparse grids as bytes, and back. Tiles that hold one value come back as tiles that hold many.

use whitecap_core::Lattice;
use whitecap_core::glam::IVec3;
use whitecap_core::saved_bytes::{self, Reader, StateError, possible};
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, Tile};

/// Adds the tiles of a grid; of none if there is no grid.
pub(super) fn put_grid<T: Copy + Send + Sync, const N: usize>(
    bytes: &mut Vec<u8>,
    grid: Option<&SparseGrid<T>>,
    to_bytes: fn(T) -> [u8; N],
) {
    let tiles = || grid.into_iter().flat_map(|grid| grid.coordinates().iter().zip(grid.tiles()));
    let coordinates: Vec<i32> = tiles().flat_map(|(tile, _)| tile.to_array()).collect();
    saved_bytes::put(bytes, &coordinates, i32::to_le_bytes);
    let of_tile = |(_, values): (_, &Tile<T>)| -> [T; TILE_NODES] {
        std::array::from_fn(|node| values.at(node))
    };
    let values: Vec<T> = tiles().flat_map(of_tile).collect();
    saved_bytes::put(bytes, &values, to_bytes);
}

/// The farthest that a tile may be from the origin on an axis: its cells have numbers that can be reckoned with.
const FARTHEST: u32 = 1 << 24;

/// The tiles of a grid named `what`, all of whose values must be `valid`.
pub(super) fn read_grid<T: Copy + Send + Sync, const N: usize>(
    reader: &mut Reader<'_>,
    what: &'static str,
    (lattice, background): (Lattice, T),
    from_bytes: fn([u8; N]) -> T,
    valid: fn(&T) -> bool,
) -> Result<SparseGrid<T>, StateError> {
    let coordinates: Vec<i32> = reader.values(i32::from_le_bytes)?;
    let values: Vec<T> = reader.values(from_bytes)?;
    let count = coordinates.len() / 3;
    possible(
        what,
        coordinates.len() == 3 * count
            && coordinates.iter().all(|&coordinate| coordinate.unsigned_abs() <= FARTHEST)
            && values.len() == count * TILE_NODES
            && values.iter().all(valid),
    )?;
    let tiles = coordinates.chunks_exact(3).map(IVec3::from_slice);
    let dense = values
        .chunks_exact(TILE_NODES)
        .map(|values| Tile::Dense(Box::new(std::array::from_fn(|node| values[node]))));
    SparseGrid::from_tiles(lattice, background, tiles.zip(dense).collect())
        .map_err(|_| StateError::Value { what })
}

//! Reading the tree of a grid: first the topology (which nodes exist, and their constant regions),
//! then the values of the leaves.

use rayon::prelude::*;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::TILE_NODES;
use whitecap_core::{Lattice, SparseGrid, Tile};

use super::budget::Budget;
use super::layout::{Address, LEAF_MASK_BYTES, LOWER, Level, ROOT_EDGE, UPPER, transposed};
use super::mask;
use super::node_values::{PackedValues, Storage};
use super::value::{Precision, VoxelValue};
use crate::Error;
use crate::encoding::byte_reader::ByteReader;

/// How a grid's type and header say its values are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoding {
    pub(super) full: Precision,
    pub(super) stored: Precision,
    pub(super) compression: u32,
}

/// Reads topology and values.
pub(super) fn read<T: VoxelValue>(
    reader: &mut ByteReader<'_>,
    encoding: Encoding,
    lattice: Lattice,
    budget: &mut Budget,
) -> Result<SparseGrid<T>, Error> {
    let buffers = reader.i32("the number of buffers of a tree")?;
    if buffers != 1 {
        return Err(reader.malformed(format!("a tree has {buffers} buffers instead of one")));
    }
    let Encoding { full, stored, compression } = encoding;
    let zero = T::from_components(|_| 0.0);
    let mut storage = Storage { background: zero, full, stored, compression };
    storage.background = storage.value(reader)?;
    let mut topology = Topology { storage, budget, leaves: Vec::new(), tiles: Vec::new() };
    topology.read_root(reader)?;

    let Topology { mut leaves, mut tiles, .. } = topology;
    // The values follow in the tree's own order, even if the root's entries did not.
    leaves.par_sort_by_key(|leaf| Address::of(*leaf));
    let packed = leaves
        .into_iter()
        .map(|leaf| {
            let active = reader.take(LEAF_MASK_BYTES, "the mask of a leaf")?;
            Ok((leaf, PackedValues::skim(reader, active, &storage)?))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let unpacked = packed
        .par_iter()
        .map(|(leaf, values)| Ok((*leaf, unpack_leaf(values)?)))
        .collect::<Vec<Result<_, Error>>>();
    for leaf in unpacked {
        tiles.push(leaf?);
    }
    SparseGrid::from_tiles(lattice, storage.background, tiles)
        .map_err(|error| reader.malformed(format!("the tree overlaps itself: {error}")))
}

/// A leaf without active voxels and with one value is how a constant background tile is stored;
/// every other leaf stays dense, even if its values happen to be equal.
fn unpack_leaf<T: VoxelValue>(packed: &PackedValues<'_, T>) -> Result<Tile<T>, Error> {
    if let Some(value) = packed.uniform() {
        return Ok(Tile::Constant(value));
    }
    let mut values = Box::new([T::from_components(|_| 0.0); TILE_NODES]);
    packed.unpack(|slot, value| values[transposed(slot)] = value)?;
    let first = values[0];
    if packed.all_inactive() && values.iter().all(|value| value.identical(first)) {
        return Ok(Tile::Constant(first));
    }
    Ok(Tile::Dense(values))
}

struct Topology<'b, T> {
    storage: Storage<T>,
    budget: &'b mut Budget,
    leaves: Vec<IVec3>,
    tiles: Vec<(IVec3, Tile<T>)>,
}

impl<T: VoxelValue> Topology<'_, T> {
    fn read_root(&mut self, reader: &mut ByteReader<'_>) -> Result<(), Error> {
        let value_bytes = self.storage.full.bytes() * T::COMPONENTS;
        let tiles = reader.count(4 * 3 + value_bytes + 1, "tiles of the root")?;
        let children = reader.u32("the number of upper nodes")?;
        for _ in 0..tiles {
            let corner = read_root_corner(reader)?;
            let value = self.storage.value(reader)?;
            reader.u8("the state of a tile of the root")?;
            self.add_region(reader, corner, ROOT_EDGE, value)?;
        }
        for _ in 0..children {
            let corner = read_root_corner(reader)?;
            self.read_internal(reader, corner, UPPER)?;
        }
        Ok(())
    }

    /// An upper or lower node whose low corner is the tile `corner`.
    fn read_internal(
        &mut self,
        reader: &mut ByteReader<'_>,
        corner: IVec3,
        level: Level,
    ) -> Result<(), Error> {
        let children = reader.take(level.mask_bytes(), "the child mask of a node")?;
        let active = reader.take(level.mask_bytes(), "the value mask of a node")?;
        let packed = PackedValues::skim(reader, active, &self.storage)?;
        let background = self.storage.background;
        let mut regions = Vec::new();
        if !packed.uniform().is_some_and(|value| value.identical(background)) {
            packed.unpack(|slot, value| {
                if !mask::is_on(children, slot) && !value.identical(background) {
                    regions.push((slot, value));
                }
            })?;
        }
        for (slot, value) in regions {
            self.add_region(reader, corner + level.corner(slot), level.slot_edge, value)?;
        }
        for slot in (0..level.slots()).filter(|&slot| mask::is_on(children, slot)) {
            let corner = corner + level.corner(slot);
            if level.slot_edge == UPPER.slot_edge {
                self.read_internal(reader, corner, LOWER)?;
            } else {
                // The mask is repeated before the leaf's values; the repeat is the one used.
                reader.take(LEAF_MASK_BYTES, "the mask of a leaf")?;
                self.leaves.push(corner);
            }
        }
        Ok(())
    }

    /// A cube of `edge`³ tiles that all hold `value`.
    fn add_region(
        &mut self,
        reader: &ByteReader<'_>,
        corner: IVec3,
        edge: i32,
        value: T,
    ) -> Result<(), Error> {
        if value.identical(self.storage.background) {
            return Ok(());
        }
        // A single tile is paid for by its bits in the masks of its node.
        if edge > 1 && !self.budget.pay_for_tiles((edge as u64).pow(3)) {
            let voxels = edge * 8;
            return Err(Error::unsupported(
                reader.path(),
                format!(
                    "the constant regions of {voxels}³ voxels up to byte {} need too much memory for a file of this size; crop the grid, or make the large region its background",
                    reader.offset()
                ),
            ));
        }
        for z in 0..edge {
            for y in 0..edge {
                for x in 0..edge {
                    self.tiles.push((corner + IVec3::new(x, y, z), Tile::Constant(value)));
                }
            }
        }
        Ok(())
    }
}

/// Low corner of an entry of the root, in tiles.
fn read_root_corner(reader: &mut ByteReader<'_>) -> Result<IVec3, Error> {
    let here = *reader;
    let voxel = reader.coordinate("the corner of a node")?;
    if voxel & (ROOT_EDGE * 8 - 1) != IVec3::ZERO {
        return Err(here.malformed(format!(
            "an upper node begins at voxel {voxel}, which is not a multiple of 4096"
        )));
    }
    Ok(voxel >> 3)
}

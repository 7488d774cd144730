//! Writing a whole file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;

use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::{GridClass, GridValues, Lattice, Volume, VolumeGrid};

use super::chunk::{ACTIVE_MASK, ZIP};
use super::metadata::{self, Value, write_text};
use super::value::VoxelValue;
use super::write_tree::{self, WrittenTree};
use super::{MAGIC, NAME_SEPARATOR, NEWEST_VERSION, UUID_LENGTH, transform};
use crate::Error;

/// The OpenVDB release whose files these resemble.
const LIBRARY_VERSION: [u32; 2] = [10, 0];
/// Tiles outside these have voxels that do not fit into 32 bits.
const TILE_COORDINATES: RangeInclusive<i32> = i32::MIN >> 3..=i32::MAX >> 3;

/// The bytes of a file. They depend on nothing but the volume.
pub(super) fn write(volume: &Volume, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = MAGIC.to_le_bytes().to_vec();
    for number in [NEWEST_VERSION, LIBRARY_VERSION[0], LIBRARY_VERSION[1]] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    let seekable = 1;
    bytes.push(seekable);
    let uuid = bytes.len()..bytes.len() + UUID_LENGTH;
    bytes.resize(uuid.end, 0);
    metadata::write(&[("creator", Value::Text("Whitecap"))], &mut bytes);
    bytes.extend_from_slice(&(volume.grids.len() as u32).to_le_bytes());
    for (grid, unique_name) in volume.grids.iter().zip(unique_names(volume)) {
        match &grid.values {
            GridValues::Scalar(values) => {
                check(grid, values.lattice(), values.coordinates(), path)?;
                let tree = write_tree::write(values, grid.class);
                write_grid::<f32>(grid, values.lattice(), &unique_name, &tree, &mut bytes);
            }
            GridValues::Vector(values) => {
                check(grid, values.lattice(), values.coordinates(), path)?;
                let tree = write_tree::write(values, grid.class);
                write_grid::<Vec3>(grid, values.lattice(), &unique_name, &tree, &mut bytes);
            }
        }
    }
    let name = unique_file_name(&bytes[uuid.end..]);
    bytes[uuid].copy_from_slice(name.as_bytes());
    Ok(bytes)
}

fn check(grid: &VolumeGrid, lattice: Lattice, tiles: &[IVec3], path: &Path) -> Result<(), Error> {
    let name = &grid.name;
    if !transform::is_writable(lattice) {
        return Err(Error::unwritable(
            path,
            format!(
                "grid `{name}` has the cell size {} and the origin {}; the size must be positive and both finite",
                lattice.cell, lattice.origin
            ),
        ));
    }
    let too_far =
        |tile: &&IVec3| !tile.to_array().iter().all(|place| TILE_COORDINATES.contains(place));
    if let Some(tile) = tiles.iter().find(too_far) {
        return Err(Error::unwritable(
            path,
            format!(
                "grid `{name}` has a tile at {tile}, but OpenVDB only has room for tiles from {} to {}",
                TILE_COORDINATES.start(),
                TILE_COORDINATES.end()
            ),
        ));
    }
    Ok(())
}

/// Descriptor, metadata, transform and tree of a grid.
fn write_grid<T: VoxelValue>(
    grid: &VolumeGrid,
    lattice: Lattice,
    unique_name: &str,
    tree: &WrittenTree,
    bytes: &mut Vec<u8>,
) {
    let kind = if T::COMPONENTS == 1 { "Tree_float_5_4_3" } else { "Tree_vec3s_5_4_3" };
    let no_instance_parent = "";
    for text in [unique_name, kind, no_instance_parent] {
        write_text(text, bytes);
    }
    let offsets = bytes.len();
    bytes.resize(offsets + 3 * 8, 0);

    let start = bytes.len();
    bytes.extend_from_slice(&(ZIP | ACTIVE_MASK).to_le_bytes());
    let mut entries = vec![
        ("file_bbox_max", Value::Voxel(tree.active.high)),
        ("file_bbox_min", Value::Voxel(tree.active.low)),
        ("file_compression", Value::Text("zip + active values")),
        ("file_voxel_count", Value::Count(tree.active.count)),
        ("is_local_space", Value::Flag(false)),
        ("is_saved_as_half_float", Value::Flag(false)),
        ("name", Value::Text(&grid.name)),
    ];
    if grid.class != GridClass::Unknown {
        entries.insert(0, ("class", Value::Text(metadata::class_word(grid.class))));
    }
    metadata::write(&entries, bytes);
    transform::write(lattice, bytes);
    bytes.extend_from_slice(&tree.topology);
    let leaves = bytes.len();
    bytes.extend_from_slice(&tree.leaves);
    let ends = [start, leaves, bytes.len()];
    for (place, offset) in ends.into_iter().enumerate() {
        let place = offsets + place * 8;
        bytes[place..place + 8].copy_from_slice(&(offset as u64).to_le_bytes());
    }
}

/// The names by which OpenVDB distinguishes grids: unnamed grids and grids of the same name get a
/// number.
fn unique_names(volume: &Volume) -> Vec<String> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for grid in &volume.grids {
        *uses.entry(&grid.name).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    let mut names = Vec::with_capacity(volume.grids.len());
    for VolumeGrid { name, .. } in &volume.grids {
        let numbered = (0..).map(|number: usize| format!("{name}{NAME_SEPARATOR}{number}"));
        let plain = (uses[name.as_str()] == 1 && !name.is_empty()).then(|| name.clone());
        let unique = plain.into_iter().chain(numbered).find(|name| !taken.contains(name));
        // Numbers do not run out, so one is always found.
        let unique = unique.unwrap_or_default();
        taken.insert(unique.clone());
        names.push(unique);
    }
    names
}

/// A name in the form of a UUID that depends on `content` only: FNV-1a, 128 bits (Fowler, Noll and
/// Vo), over words of 64 bits. Not a protection against forgery.
fn unique_file_name(content: &[u8]) -> String {
    const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = content.chunks(8).fold(OFFSET_BASIS, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u128::from(u64::from_le_bytes(word))).wrapping_mul(PRIME)
    });
    let digits = format!("{hash:032x}");
    let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    groups.join("-")
}

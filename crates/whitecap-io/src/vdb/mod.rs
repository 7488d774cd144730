//! OpenVDB files: float and vector grids, level sets, fog volumes and staggered velocities.
//!
//! A tile of a [`SparseGrid`](whitecap_core::SparseGrid) is exactly a VDB leaf, its node
//! coordinates are VDB's voxel coordinates, and its lattice is VDB's transform.
//!
//! # What is read
//! Format versions 222 to 224 (OpenVDB 2 and later) with the standard tree; float, double, vec3s
//! and vec3d values, also stored as half floats (doubles are rounded); plain, zlib- and Blosc-LZ4-packed;
//! instances; files with and without offsets. Grids of other kinds (integers, masks, points) are
//! skipped; [`read_all`] names them. A transform that is rotated, mirrored, or not uniform is
//! an error, because a lattice cannot hold it.
//!
//! # What is written
//! Version 224, zlib-packed, only active values. The active voxels are those with |value| < background in
//! a scalar level set, and those that differ from the background in every other grid. The inside of
//! a level set (constant tiles of −background) becomes inactive tiles, so that OpenVDB sees the
//! right sign there.
//!
//! # Guarantees
//! * What is written reads back the same: every bit of every value, every tile, lattice, name,
//!   class. Only a dense tile that holds nothing but one inactive value comes back as constant.
//! * Same volume, same bytes: no time stamp, and the file's unique name is a hash of its content.
//! * A damaged file gives an error or a valid volume, never a panic. Memory stays below 128 MiB
//!   plus 512 bytes for each byte of the file. A node tile of a few bytes may legitimately stand
//!   for 128³ or 4096³ voxels; it is split into tiles of 8³ as long as the file's allowance lasts
//!   (a million such tiles, and one more for each four bytes of the file), else it is an error.
//!   Regions of any size that hold the background cost nothing.
//!
//! # Non-guarantees
//! Which voxels are active is not kept by a [`Volume`]; it follows from the values when written.
//! Metadata other than name and class is dropped. Axes are left as they are.
//!
//! The format was learned from the public OpenVDB sources (Museth, "VDB: High-Resolution Sparse
//! Volumes with Dynamic Topology", 2013); the code is our own.

mod blosc;
mod budget;
mod chunk;
mod layout;
mod mask;
mod metadata;
mod node_values;
mod read_archive;
mod read_tree;
mod transform;
mod value;
mod write_archive;
mod write_tree;

use std::path::Path;

use whitecap_core::Volume;

use crate::{Error, atomic, plain};

const MAGIC: u64 = 0x5644_4220;
const OLDEST_VERSION: u32 = 222;
const NEWEST_VERSION: u32 = 224;
const UUID_LENGTH: usize = 36;
/// Separates a grid's name from the number that distinguishes it from others of that name.
const NAME_SEPARATOR: char = '\u{1e}';
/// Ends the type of a grid whose values are half floats.
const HALF_SUFFIX: &str = "_HalfFloat";

/// A grid of a kind that a [`Volume`] cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedGrid {
    /// Its name.
    pub name: String,
    /// Its type, such as `Tree_bool_5_4_3`.
    pub kind: String,
}

/// Reads the float and vector grids of a file. A file that has grids, but none of these, is an
/// error.
pub fn read(path: &Path) -> Result<Volume, Error> {
    parse(&plain::read_named(path).map_err(Error::reading(path))?, path)
}

/// As [`read`], and names the grids of other kinds; having only such grids is not an error.
pub fn read_all(path: &Path) -> Result<(Volume, Vec<SkippedGrid>), Error> {
    read_archive::read(&plain::read_named(path).map_err(Error::reading(path))?, path)
}

/// As [`read`], from bytes; `path` is for messages only.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Volume, Error> {
    let (volume, skipped) = read_archive::read(bytes, path)?;
    match skipped.first() {
        Some(SkippedGrid { name, kind }) if volume.grids.is_empty() => Err(Error::unsupported(
            path,
            format!("grid `{name}` is a {kind}; only float and vector grids can be read"),
        )),
        _ => Ok(volume),
    }
}

/// Writes a file, complete or not at all.
pub fn write(path: &Path, volume: &Volume) -> Result<(), Error> {
    atomic::write(path, &write_archive::write(volume, path)?)
}

/// The bytes that [`write()`] would write.
pub fn to_bytes(volume: &Volume) -> Result<Vec<u8>, Error> {
    write_archive::write(volume, Path::new("volume in memory"))
}

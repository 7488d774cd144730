//! Reading a whole file: header, then for each grid a descriptor, metadata, transform and tree.

use std::collections::BTreeMap;
use std::path::Path;

use whitecap_core::{GridValues, SparseGrid, Volume, VolumeGrid};

use super::budget::Budget;
use super::chunk::{ACTIVE_MASK, BLOSC, ZIP};
use super::metadata::GridMetadata;
use super::read_tree::{self, Encoding};
use super::value::{Precision, VoxelValue};
use super::{HALF_SUFFIX, MAGIC, NAME_SEPARATOR, NEWEST_VERSION, OLDEST_VERSION, SkippedGrid};
use super::{UUID_LENGTH, transform};
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::scalar::Endian;
use crate::{Error, Place};

/// Reads every grid of a kind that a [`Volume`] can hold; names the others.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<(Volume, Vec<SkippedGrid>), Error> {
    let mut reader = ByteReader::new(bytes, path, Endian::Little);
    let seekable = read_header(&mut reader)?;
    GridMetadata::read(&mut reader)?;
    let mut archive = Archive {
        volume: Volume::default(),
        places: BTreeMap::new(),
        skipped: Vec::new(),
        budget: Budget::for_file(bytes.len()),
    };
    // Each grid has at least three texts and three offsets in its descriptor.
    for _ in 0..reader.count(36, "grids")? {
        let descriptor = Descriptor::read(&mut reader)?;
        if seekable {
            let mut grid = descriptor.window(&reader)?;
            // The window lies ahead, and so does its end.
            reader.take(grid.end() - reader.offset(), "a grid")?;
            archive.read_grid(&mut grid, &descriptor, true)?;
        } else {
            archive.read_grid(&mut reader, &descriptor, false)?;
        }
    }
    Ok((archive.volume, archive.skipped))
}

/// Reads the header; `true` if descriptors hold valid offsets.
fn read_header(reader: &mut ByteReader<'_>) -> Result<bool, Error> {
    if reader.u64("the first word of a VDB file").ok() != Some(MAGIC) {
        let message = "this is not an OpenVDB file: its first bytes are not ` BDV`";
        return Err(Error::malformed(reader.path(), Place::File, message));
    }
    let version = reader.u32("the format version")?;
    if !(OLDEST_VERSION..=NEWEST_VERSION).contains(&version) {
        return Err(Error::unsupported(
            reader.path(),
            format!(
                "the file has OpenVDB format version {version}; versions {OLDEST_VERSION} to {NEWEST_VERSION} are read"
            ),
        ));
    }
    reader.take(8, "the library version")?;
    let seekable = reader.u8("the flag for offsets")? != 0;
    reader.take(UUID_LENGTH, "the unique name of the file")?;
    Ok(seekable)
}

/// What precedes a grid.
struct Descriptor {
    unique_name: String,
    kind: String,
    parent: String,
    /// Where the grid begins, where its leaves begin, and where it ends.
    offsets: [i64; 3],
}

impl Descriptor {
    fn read(reader: &mut ByteReader<'_>) -> Result<Self, Error> {
        Ok(Self {
            unique_name: reader.text("the name of a grid")?,
            kind: reader.text("the type of a grid")?,
            parent: reader.text("the instance parent of a grid")?,
            offsets: [
                reader.i64("the offset of a grid")?,
                reader.i64("the offset of a grid's leaves")?,
                reader.i64("the offset of a grid's end")?,
            ],
        })
    }

    /// The bytes of the grid. Grids must follow each other: none is read twice.
    fn window<'a>(&self, reader: &ByteReader<'a>) -> Result<ByteReader<'a>, Error> {
        let [start, _, end] = self.offsets.map(|offset| usize::try_from(offset).ok());
        let start = start.filter(|start| reader.offset() <= *start);
        start.zip(end).and_then(|(start, end)| reader.window(start, end)).ok_or_else(|| {
            reader.malformed(format!(
                "grid `{}` claims bytes {} to {}, but it must lie between this byte and the end of the file at {}; the file is damaged or cut short",
                self.plain_name(), self.offsets[0], self.offsets[2], reader.end()
            ))
        })
    }

    /// The name without the number that distinguishes grids of the same name.
    fn plain_name(&self) -> &str {
        self.unique_name.split(NAME_SEPARATOR).next().unwrap_or_default()
    }

    /// Components and precision of the values, if a [`Volume`] can hold them.
    fn encoding(&self) -> Option<(usize, Precision, Precision)> {
        let plain = self.kind.strip_suffix(HALF_SUFFIX);
        let (components, full) = match plain.unwrap_or(&self.kind) {
            "Tree_float_5_4_3" => (1, Precision::Single),
            "Tree_double_5_4_3" => (1, Precision::Double),
            "Tree_vec3s_5_4_3" => (3, Precision::Single),
            "Tree_vec3d_5_4_3" => (3, Precision::Double),
            _ => return None,
        };
        Some((components, full, if plain.is_some() { Precision::Half } else { full }))
    }
}

struct Archive {
    volume: Volume,
    /// Index in the volume of the grid with a unique name.
    places: BTreeMap<String, usize>,
    skipped: Vec<SkippedGrid>,
    budget: Budget,
}

impl Archive {
    fn read_grid(
        &mut self,
        reader: &mut ByteReader<'_>,
        descriptor: &Descriptor,
        seekable: bool,
    ) -> Result<(), Error> {
        let Some((components, full, stored)) = descriptor.encoding() else {
            return self.skip(reader, descriptor, seekable);
        };
        let compression = reader.u32("the compression of a grid")?;
        if compression & !(ZIP | ACTIVE_MASK | BLOSC) != 0 {
            return Err(reader.malformed(format!("unknown compression flags {compression:#x}")));
        }
        let metadata = GridMetadata::read(reader)?;
        let name = metadata.name.as_deref().unwrap_or(descriptor.plain_name());
        let lattice = transform::read(reader, name)?;
        let encoding = Encoding { full, stored, compression };
        let values = if !descriptor.parent.is_empty() {
            let Some(&parent) = self.places.get(&descriptor.parent) else {
                return Err(reader.malformed(format!(
                    "grid `{name}` is an instance of `{}`, which does not come before it in the file",
                    descriptor.parent
                )));
            };
            match &self.volume.grids[parent].values {
                GridValues::Scalar(grid) => {
                    GridValues::Scalar(instance(grid, lattice, &mut self.budget, reader)?)
                }
                GridValues::Vector(grid) => {
                    GridValues::Vector(instance(grid, lattice, &mut self.budget, reader)?)
                }
            }
        } else if components == 1 {
            GridValues::Scalar(read_tree::read(reader, encoding, lattice, &mut self.budget)?)
        } else {
            GridValues::Vector(read_tree::read(reader, encoding, lattice, &mut self.budget)?)
        };
        self.places.insert(descriptor.unique_name.clone(), self.volume.grids.len());
        let grid = VolumeGrid { name: name.to_string(), class: metadata.class(), values };
        self.volume.grids.push(grid);
        Ok(())
    }

    fn skip(
        &mut self,
        reader: &ByteReader<'_>,
        descriptor: &Descriptor,
        seekable: bool,
    ) -> Result<(), Error> {
        let name = descriptor.plain_name().to_string();
        let kind = descriptor.kind.clone();
        if !seekable {
            let message = format!(
                "grid `{name}` is a {kind}, which cannot be read, and the file has no offsets to skip it; write it as a seekable file"
            );
            return Err(Error::unsupported(reader.path(), message));
        }
        self.skipped.push(SkippedGrid { name, kind });
        Ok(())
    }
}

/// The tree of `parent` on another lattice.
fn instance<T: VoxelValue>(
    parent: &SparseGrid<T>,
    lattice: whitecap_core::Lattice,
    budget: &mut Budget,
    reader: &ByteReader<'_>,
) -> Result<SparseGrid<T>, Error> {
    if !budget.pay_for_copy(parent.tiles()) {
        return Err(Error::unsupported(
            reader.path(),
            "the file repeats large grids as instances more often than its size can justify; write them as separate files",
        ));
    }
    let tiles = parent.coordinates().iter().copied().zip(parent.tiles().iter().cloned()).collect();
    SparseGrid::from_tiles(lattice, parent.background(), tiles)
        .map_err(|error| reader.malformed(error.to_string()))
}

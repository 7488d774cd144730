//! Maya's particle database, `.pdb`, as Maya and partio write it: a header, and for each channel a
//! description and its numbers, plain or gzip-compressed as a whole. Read only.
//!
//! The file is a copy of structures in memory, pointers included, so there are four layouts: with
//! pointers of 32 or 64 bits, in either byte order. The magic number tells the byte order. Nothing
//! tells the size of pointers, so the layout that the whole file fits into is the right one.
//!
//! # Guarantees
//! * All four layouts are read; counts are checked against the file before anything is allocated.
//!
//! # Non-guarantees
//! Channels of texts and pointers are left out.

use std::path::Path;

use whitecap_core::Particles;

use crate::attributes::point_table::{self, PointTable};
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::inflate;
use crate::encoding::scalar::{Endian, Layout, ScalarType, Values, decode};
use crate::{Error, Place};

const MAGIC: u32 = 670;
const LONGEST_NAME: usize = 4096;

/// How wide the stored pointers are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointers {
    Narrow,
    Wide,
}

impl Pointers {
    fn bytes(self) -> usize {
        match self {
            Pointers::Narrow => 4,
            Pointers::Wide => 8,
        }
    }
}

/// Reads a PDB file, plain or gzip-compressed.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Particles, Error> {
    if inflate::is_gzip(bytes) {
        return parse_plain(&inflate::gzip(bytes, path)?, path);
    }
    parse_plain(bytes, path)
}

fn parse_plain(bytes: &[u8], path: &Path) -> Result<Particles, Error> {
    let endian = match bytes.first_chunk().copied().map(u32::from_le_bytes) {
        Some(MAGIC) => Endian::Little,
        Some(swapped) if swapped.swap_bytes() == MAGIC => Endian::Big,
        _ => {
            let message = "this is not a Maya particle database: it must begin with the number 670";
            return Err(Error::malformed(path, Place::Offset(0), message));
        }
    };
    let reader = ByteReader::new(bytes, path, endian);
    let columns = parse_channels(reader, Pointers::Wide)
        .or_else(|_| parse_channels(reader, Pointers::Narrow))?;
    PointTable::of_columns(columns, path)?.into_particles(path)
}

type Columns = Vec<(String, usize, Values)>;

fn parse_channels(mut reader: ByteReader<'_>, pointers: Pointers) -> Result<Columns, Error> {
    // Magic number, byte order, version and time.
    reader.take(16, "the header")?;
    let particles = reader.u32("the number of particles")?;
    let channels = reader.u32("the number of channels")?;
    reader.take(32 + pointers.bytes(), "the header")?;
    // A description is never shorter than this, and its name has at least the final zero.
    let count = reader.check_count(u64::from(channels), 62, "channels")?;
    point_table::check_column_count(count, reader.path())?;
    let mut columns = Vec::new();
    for _ in 0..count {
        columns.extend(parse_channel(&mut reader, particles, pointers)?);
    }
    Ok(columns)
}

/// Name, components and numbers of a channel; `None` for one that does not hold numbers.
fn parse_channel(
    reader: &mut ByteReader<'_>,
    particles: u32,
    pointers: Pointers,
) -> Result<Option<(String, usize, Values)>, Error> {
    reader.take(6, "the beginning of a channel")?;
    reader.take(pointers.bytes(), "the beginning of a channel")?;
    let kind = reader.u32("the type of a channel")?;
    // Size, first and last, two flags, and three pointers that are aligned.
    let flags = if pointers == Pointers::Wide { 8 } else { 4 };
    reader.take(12 + flags + 3 * pointers.bytes(), "the description of a channel")?;
    let name = parse_name(reader)?;
    let stored_kind = reader.u32("the type of a channel's data")?;
    let item_bytes = reader.u32("the size of a value")? as usize;
    reader.take(8 + pointers.bytes(), "the description of a channel's data")?;
    if kind != stored_kind || !(1..=5).contains(&kind) {
        let message = format!("channel `{name}` has the types {kind} and {stored_kind}");
        return Err(reader.malformed(message));
    }
    let scalar = match (kind, item_bytes) {
        (1, 24) => Some(ScalarType::F64),
        (1 | 2, _) => Some(ScalarType::F32),
        (3, _) => Some(ScalarType::I32),
        _ => None,
    };
    let size = scalar.map_or(1, ScalarType::size);
    if item_bytes == 0 || !item_bytes.is_multiple_of(size) {
        let message = format!("a value of channel `{name}` has {item_bytes} bytes");
        return Err(reader.malformed(message));
    }
    let what = format!("values of channel `{name}`");
    let count = reader.check_count(u64::from(particles), item_bytes, &what)?;
    let data = reader.take(count * item_bytes, &what)?;
    let Some(scalar) = scalar else { return Ok(None) };
    let components = item_bytes / size;
    let layout = Layout::packed(scalar, components, count);
    let values = decode(scalar, reader.endian(), data, layout)
        .map_err(|message| reader.malformed(format!("channel `{name}` {message}")))?;
    Ok(Some((name, components, values)))
}

fn parse_name(reader: &mut ByteReader<'_>) -> Result<String, Error> {
    let beginning = &reader.rest()[..reader.rest().len().min(LONGEST_NAME)];
    let length = beginning
        .iter()
        .position(|&byte| byte == 0)
        .ok_or_else(|| reader.malformed("the name of a channel does not end"))?;
    let name = reader.take(length + 1, "the name of a channel")?;
    Ok(String::from_utf8_lossy(&name[..length]).into_owned())
}

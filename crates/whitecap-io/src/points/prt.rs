//! Krakatoa's particles, `.prt`: a header, a list of channels, and one zlib stream with a record for
//! each particle. Read only.
//!
//! # Guarantees
//! * Versions 1.0 and 1.1 are read, with channels of every type: integers of 8 to 64 bits, signed or
//!   not, and reals of 16 to 64 bits. Channels may be listed in any order and leave gaps.
//! * Offsets and counts are checked against the compressed data before anything is allocated.
//! * Channels that overlap are refused, so that no byte is read twice.
//!
//! # Non-guarantees
//! The metadata of version 1.1 are left out, among them units and axes.

use std::path::Path;

use whitecap_core::Particles;

use crate::Error;
use crate::attributes::point_table::{self, PointTable};
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::inflate;
use crate::encoding::scalar::{Endian, Layout, ScalarType, decode};

const MAGIC: [u8; 8] = [192, b'P', b'R', b'T', b'\r', b'\n', 26, b'\n'];
/// Magic number, length of the header, signature, version, and number of particles.
const HEADER_BYTES: usize = 56;
/// Name, type, number of components, and offset in the record.
const CHANNEL_BYTES: usize = 44;
const NAME_BYTES: usize = 32;
const LARGEST_RECORD: usize = 1 << 20;

struct Channel {
    name: String,
    scalar: ScalarType,
    components: usize,
    offset: usize,
}

impl Channel {
    fn bytes(&self) -> usize {
        self.components * self.scalar.size()
    }

    fn end(&self) -> usize {
        self.offset + self.bytes()
    }
}

/// Reads a PRT file.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Particles, Error> {
    let mut reader = ByteReader::new(bytes, path, Endian::Little);
    if reader.take(MAGIC.len(), "the magic number")? != MAGIC {
        return Err(reader.malformed("this is not a Krakatoa .prt file: its first bytes are wrong"));
    }
    let header_bytes = reader.u32("the length of the header")? as usize;
    if header_bytes < HEADER_BYTES {
        let message = format!("the header claims to have {header_bytes} bytes; it needs 56");
        return Err(reader.malformed(message));
    }
    reader.take(NAME_BYTES, "the signature")?;
    reader.u32("the version")?;
    let count = reader.u64("the number of particles")?;
    reader.take(header_bytes - HEADER_BYTES, "the metadata")?;
    if count > i64::MAX as u64 {
        let message = "the number of particles was never filled in: the program that wrote the file did not finish";
        return Err(reader.malformed(message));
    }
    let channels = parse_channels(&mut reader)?;
    let record_bytes = channels.iter().map(Channel::end).max().unwrap_or(0);
    point_table::check_column_count(channels.iter().map(|one| one.components).sum(), path)?;
    if channels.iter().map(Channel::bytes).sum::<usize>() > record_bytes {
        let message = format!("the channels overlap in their record of {record_bytes} bytes");
        return Err(reader.malformed(message));
    }
    let expected = count.saturating_mul(record_bytes as u64);
    let records = match expected {
        // Some programs write no stream at all for no particles.
        0 => Vec::new(),
        _ => inflate::zlib_exact(reader.rest(), expected, path)?,
    };
    // The stream inflated to as many bytes, so the count fits.
    let count = if record_bytes == 0 { 0 } else { count as usize };
    let mut columns = Vec::with_capacity(channels.len());
    for Channel { name, scalar, components, offset } in channels {
        let layout = Layout { offset, stride: record_bytes, components, count };
        let values = decode(scalar, Endian::Little, &records, layout)
            .map_err(|message| reader.malformed(format!("channel `{name}` {message}")))?;
        columns.push((name, components, values));
    }
    PointTable::of_columns(columns, path)?.into_particles(path)
}

fn parse_channels(reader: &mut ByteReader) -> Result<Vec<Channel>, Error> {
    reader.u32("a reserved number")?;
    let count = reader.u32("the number of channels")?;
    let length = reader.u32("the length of a channel's description")? as usize;
    if length < CHANNEL_BYTES {
        let message = format!("a channel's description claims to have {length} bytes; it needs 44");
        return Err(reader.malformed(message));
    }
    let count = reader.check_count(u64::from(count), length, "channels")?;
    point_table::check_column_count(count, reader.path())?;
    let mut channels = Vec::with_capacity(count);
    for _ in 0..count {
        let name = reader.take(NAME_BYTES, "the name of a channel")?;
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        let kind = reader.u32("the type of a channel")?;
        let scalar = scalar_type(kind).ok_or_else(|| {
            reader.malformed(format!("channel `{name}` has the unknown type {kind}"))
        })?;
        let components = reader.u32("the number of components of a channel")? as usize;
        let offset = reader.u32("the offset of a channel")? as usize;
        reader.take(length - CHANNEL_BYTES, "the description of a channel")?;
        let channel = Channel { name, scalar, components, offset };
        // Both are below 2³², and a number has at most eight bytes.
        if components == 0 || channel.end() > LARGEST_RECORD {
            let message =
                format!("channel `{}` has {components} components at byte {offset}", channel.name);
            return Err(reader.malformed(message));
        }
        channels.push(channel);
    }
    Ok(channels)
}

fn scalar_type(kind: u32) -> Option<ScalarType> {
    Some(match kind {
        0 => ScalarType::I16,
        1 => ScalarType::I32,
        2 => ScalarType::I64,
        3 => ScalarType::F16,
        4 => ScalarType::F32,
        5 => ScalarType::F64,
        6 => ScalarType::U16,
        7 => ScalarType::U32,
        8 => ScalarType::U64,
        9 => ScalarType::I8,
        10 => ScalarType::U8,
        _ => return None,
    })
}

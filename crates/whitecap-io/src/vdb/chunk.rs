//! Runs of values in a file: plain, zlib-compressed, or in a Blosc container.
//!
//! In a compressed grid, each run is preceded by a signed size: positive for compressed
//! bytes, negative (or zero) for plain ones that compression would not have made smaller.

use std::borrow::Cow;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::blosc;
use crate::Error;
use crate::encoding::byte_reader::ByteReader;

/// Set where values are zlib-compressed.
pub(super) const ZIP: u32 = 1;
/// Set where only active values are stored; see [`super::node_values`].
pub(super) const ACTIVE_MASK: u32 = 2;
/// Set where values are in Blosc containers. Wins over [`ZIP`].
pub(super) const BLOSC: u32 = 4;

#[derive(Clone, Copy, Debug)]
enum Packing {
    Plain,
    Zip,
    Blosc,
}

/// A run of values, still packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    packing: Packing,
    reader: ByteReader<'a>,
    bytes: &'a [u8],
    plain_length: usize,
}

impl<'a> Chunk<'a> {
    /// Steps over a run that has `plain_length` bytes when unpacked. Nothing is unpacked yet.
    pub(super) fn skim(
        reader: &mut ByteReader<'a>,
        compression: u32,
        plain_length: usize,
    ) -> Result<Self, Error> {
        let what = "a run of voxel values";
        let (packing, length) = if compression & (ZIP | BLOSC) == 0 {
            (Packing::Plain, plain_length as u64)
        } else {
            let size = reader.i64("the size of a run of voxel values")?;
            let packing = match compression & BLOSC {
                _ if size <= 0 => Packing::Plain,
                0 => Packing::Zip,
                _ => Packing::Blosc,
            };
            (packing, size.unsigned_abs())
        };
        let start = *reader;
        if matches!(packing, Packing::Plain) && length != plain_length as u64 {
            return Err(start.malformed(format!(
                "a run of voxel values has {length} bytes but the node's mask asks for {plain_length}"
            )));
        }
        let bytes = reader.take(usize::try_from(length).unwrap_or(usize::MAX), what)?;
        Ok(Self { packing, reader: start, bytes, plain_length })
    }

    /// A run without values.
    pub(super) fn empty(reader: &ByteReader<'a>) -> Self {
        Self { packing: Packing::Plain, reader: *reader, bytes: &[], plain_length: 0 }
    }

    /// The unpacked bytes, exactly as many as were announced to [`Chunk::skim`].
    pub(super) fn unpack(&self) -> Result<Cow<'a, [u8]>, Error> {
        let unpacked = match self.packing {
            Packing::Plain => return Ok(Cow::Borrowed(self.bytes)),
            Packing::Zip => inflate(self.bytes, self.plain_length),
            Packing::Blosc => blosc::unpack(self.bytes, self.plain_length),
        };
        unpacked.map(Cow::Owned).map_err(|reason| {
            self.reader
                .malformed(format!("a compressed run of voxel values cannot be unpacked: {reason}"))
        })
    }
}

fn inflate(bytes: &[u8], plain_length: usize) -> Result<Vec<u8>, String> {
    let mut plain = vec![0; plain_length];
    let mut stream = Decompress::new(true);
    match stream.decompress(bytes, &mut plain, FlushDecompress::Finish) {
        Ok(Status::StreamEnd) if stream.total_out() == plain_length as u64 => Ok(plain),
        Ok(_) => Err(format!("the zlib stream does not hold {plain_length} bytes")),
        Err(error) => Err(format!("the zlib stream is damaged ({error})")),
    }
}

/// Packs runs of values with zlib. Reused between runs: its tables are larger than most runs.
pub(super) struct Packer {
    stream: Compress,
    scratch: Vec<u8>,
}

impl Packer {
    pub(super) fn new() -> Self {
        Self { stream: Compress::new(Compression::fast(), true), scratch: Vec::new() }
    }

    /// Appends `plain` to `bytes`, compressed where that is shorter.
    pub(super) fn pack(&mut self, plain: &[u8], bytes: &mut Vec<u8>) {
        self.stream.reset();
        self.scratch.resize(plain.len(), 0);
        let status = self.stream.compress(plain, &mut self.scratch, FlushCompress::Finish);
        let length = self.stream.total_out() as usize;
        // A stream that did not end ran out of room: it would not have been shorter.
        if matches!(status, Ok(Status::StreamEnd)) && length < plain.len() {
            bytes.extend_from_slice(&(length as i64).to_le_bytes());
            bytes.extend_from_slice(&self.scratch[..length]);
        } else {
            bytes.extend_from_slice(&(-(plain.len() as i64)).to_le_bytes());
            bytes.extend_from_slice(plain);
        }
    }
}

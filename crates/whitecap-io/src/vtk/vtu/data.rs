//! The numbers of an array: text, or blocks of bytes preceded by their sizes, possibly in base64,
//! possibly compressed.

use std::path::Path;

use super::document::{DataArray, Storage};
use crate::encoding::byte_reader::ByteReader;
use crate::encoding::scalar::{Endian, Layout, ScalarType, Values, decode};
use crate::encoding::tokens::Tokens;
use crate::{Error, Place, encoding::base64, encoding::inflate};

/// How the file stores its arrays.
pub(super) struct Decoder<'a> {
    pub endian: Endian,
    /// Type of the size before each block: 32 or 64 bits.
    pub header: ScalarType,
    pub compressed: bool,
    pub appended: &'a [u8],
    pub appended_is_base64: bool,
}

/// The encoded bytes of one array and whatever follows it.
#[derive(Clone, Copy)]
struct Stream<'a> {
    bytes: &'a [u8],
    is_base64: bool,
}

impl Decoder<'_> {
    pub fn decode(&self, array: &DataArray, path: &Path) -> Result<Values, Error> {
        let malformed = |message: &str| {
            Error::malformed(path, Place::File, format!("array `{}` {message}", array.name))
        };
        let stream = match &array.storage {
            Storage::Text(text) => return parse_text(text, array.scalar, path),
            Storage::Base64(text) => Stream { bytes: text, is_base64: true },
            Storage::Appended(offset) => {
                let rest = usize::try_from(*offset).ok().and_then(|at| self.appended.get(at..));
                let bytes = rest.ok_or_else(|| malformed("lies beyond the end of the file"))?;
                Stream { bytes, is_base64: self.appended_is_base64 }
            }
        };
        let data = match self.compressed {
            true => self.inflate(stream, path)?,
            false => self.plain(stream, path)?,
        };
        if data.len() % array.scalar.size() != 0 {
            return Err(malformed("has a size that is not a whole number of values"));
        }
        let layout = Layout::packed(array.scalar, 1, data.len() / array.scalar.size());
        decode(array.scalar, self.endian, &data, layout).map_err(|message| malformed(&message))
    }

    fn plain(&self, stream: Stream, path: &Path) -> Result<Vec<u8>, Error> {
        if stream.bytes.is_empty() {
            return Ok(Vec::new());
        }
        let header_bytes = self.header.size();
        let size = self.words(stream, 1, path)?[0];
        let size = stream.check_count(size, "bytes of an array", path)?;
        // One stream holds the size and the data.
        let mut data = stream.take(header_bytes + size, path)?;
        data.drain(..header_bytes);
        Ok(data)
    }

    /// Block count, block size, last block's size if it differs, and every block's compressed
    /// size; then the blocks.
    fn inflate(&self, stream: Stream, path: &Path) -> Result<Vec<u8>, Error> {
        if stream.bytes.is_empty() {
            return Ok(Vec::new());
        }
        let [block_count, block_size, last_size] = self.words(stream, 3, path)?[..] else {
            return Ok(Vec::new());
        };
        let blocks = stream.check_count(block_count, "compressed blocks", path)?;
        let header = self.words(stream, 3 + blocks, path)?;
        let header_bytes = header.len() * self.header.size();
        // In base64 the blocks are a stream of their own.
        let start =
            if stream.is_base64 { base64::encoded_length(header_bytes) } else { header_bytes };
        let body = Stream { bytes: &stream.bytes[start.min(stream.bytes.len())..], ..stream };
        let total = header[3..].iter().fold(0_u64, |sum, &size| sum.saturating_add(size));
        let total = body.check_count(total, "compressed bytes", path)?;
        let compressed = body.take(total, path)?;
        let mut rest = compressed.as_slice();
        let mut data = Vec::new();
        for (index, &size) in header[3..].iter().enumerate() {
            let (block, after) = rest.split_at(size as usize);
            rest = after;
            let is_last = index + 1 == blocks;
            let expected = if is_last && last_size != 0 { last_size } else { block_size };
            data.extend(inflate::zlib_exact(block, expected, path)?);
        }
        Ok(data)
    }

    /// The first `count` sizes of a stream.
    fn words(&self, stream: Stream, count: usize, path: &Path) -> Result<Vec<u64>, Error> {
        let room = stream.room() / self.header.size();
        if count > room {
            let message = "an array ends before its sizes do; the file is cut short";
            return Err(Error::malformed(path, Place::File, message));
        }
        let bytes = stream.take(count * self.header.size(), path)?;
        let mut reader = ByteReader::new(&bytes, path, self.endian);
        (0..count)
            .map(|_| match self.header {
                ScalarType::U64 => reader.u64("a size"),
                _ => reader.u32("a size").map(u64::from),
            })
            .collect()
    }
}

impl Stream<'_> {
    /// The largest number of bytes that can be decoded.
    fn room(&self) -> usize {
        if self.is_base64 { self.bytes.len() / 4 * 3 } else { self.bytes.len() }
    }

    fn check_count(&self, count: u64, what: &str, path: &Path) -> Result<usize, Error> {
        Error::check_count(path, Place::File, what, count, 1, self.room())
    }

    fn take(&self, count: usize, path: &Path) -> Result<Vec<u8>, Error> {
        let taken = match self.is_base64 {
            true => base64::decode(self.bytes, count),
            false => self.bytes.get(..count).map(<[u8]>::to_vec),
        };
        taken.ok_or_else(|| {
            let message = match self.is_base64 {
                true => "an array is cut short, or is not base64",
                false => "an array is cut short",
            };
            Error::malformed(path, Place::File, message)
        })
    }
}

fn parse_text(text: &[u8], scalar: ScalarType, path: &Path) -> Result<Values, Error> {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    Tokens::new(text, path).numbers(scalar, words, "a number")
}

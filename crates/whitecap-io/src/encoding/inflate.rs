//! Decompression that a hostile file cannot use to exhaust memory.
//!
//! Deflate can shrink data at most 1032-fold. Particle data never comes near that, so a stream may
//! grow to 64 MiB, or 256 times its compressed size if that is more; anything beyond is refused
//! while it is being read.

use std::io::Read;
use std::path::Path;

use flate2::read::{GzDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::GzEncoder;

use crate::{Error, Place};

const ALWAYS_ALLOWED: u64 = 64 << 20;
const LARGEST_GROWTH: u64 = 256;
/// The highest ratio that deflate can reach.
const DEFLATE_GROWTH: u64 = 1032;

/// Whether `bytes` begin like a gzip stream.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Inflates a whole gzip stream (one or more members).
pub(crate) fn gzip(bytes: &[u8], path: &Path) -> Result<Vec<u8>, Error> {
    let limit = inflated_limit(bytes.len());
    let mut inflated = Vec::new();
    MultiGzDecoder::new(bytes)
        .take(limit + 1)
        .read_to_end(&mut inflated)
        .map_err(|error| damaged(path, "gzip", &error))?;
    if inflated.len() as u64 > limit {
        return Err(Error::unsupported(
            path,
            format!(
                "the gzip stream inflates to more than {limit} bytes, {LARGEST_GROWTH} times its compressed size; refused as a decompression bomb"
            ),
        ));
    }
    Ok(inflated)
}

/// The first `count` bytes (or fewer) of a gzip stream, to find out what it holds.
pub(crate) fn gzip_beginning(bytes: &[u8], count: usize) -> Vec<u8> {
    let mut beginning = Vec::new();
    // A damaged stream is reported when it is inflated as a whole.
    let _ = GzDecoder::new(bytes).take(count as u64).read_to_end(&mut beginning);
    beginning
}

/// Inflates a zlib stream that must give exactly `expected` bytes.
pub(crate) fn zlib_exact(bytes: &[u8], expected: u64, path: &Path) -> Result<Vec<u8>, Error> {
    let largest = bytes.len() as u64 * DEFLATE_GROWTH;
    if expected > largest {
        return Err(Error::AbsurdCount {
            path: path.to_path_buf(),
            place: Place::File,
            what: "bytes in a compressed block".to_string(),
            count: expected,
            room: largest,
        });
    }
    let mut inflated = Vec::new();
    ZlibDecoder::new(bytes)
        .take(expected + 1)
        .read_to_end(&mut inflated)
        .map_err(|error| damaged(path, "zlib", &error))?;
    if inflated.len() as u64 != expected {
        let message = format!("a compressed block does not inflate to {expected} bytes as stated");
        return Err(Error::malformed(path, Place::File, message));
    }
    Ok(inflated)
}

/// `bytes` as a gzip stream of one member, at the fastest level: a cache frame is written once per
/// step, and floating-point data hardly shrinks further at slower levels.
pub(crate) fn to_gzip(bytes: &[u8], path: &Path) -> Result<Vec<u8>, Error> {
    use std::io::Write;
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).map_err(Error::writing(path))?;
    encoder.finish().map_err(Error::writing(path))
}

/// What a stream or archive of `compressed` bytes may inflate to.
pub(crate) fn inflated_limit(compressed: usize) -> u64 {
    ALWAYS_ALLOWED.max(compressed as u64 * LARGEST_GROWTH)
}

fn damaged(path: &Path, kind: &str, error: &std::io::Error) -> Error {
    Error::malformed(
        path,
        Place::File,
        format!("the {kind} stream is damaged or cut short ({error})"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a small file that inflates to hundreds of megabytes is refused; a constant array
    /// of ordinary size is not.
    #[test]
    fn a_decompression_bomb_is_refused() {
        let path = Path::new("bomb.bgeo");
        let harmless = to_gzip(&vec![0; 8 << 20], path).unwrap();
        assert_eq!(gzip(&harmless, path).unwrap().len(), 8 << 20);
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, &vec![0; 65 << 20]).unwrap();
        let bomb = encoder.finish().unwrap();
        assert!(bomb.len() < 100_000);
        let message = gzip(&bomb, path).unwrap_err().to_string();
        assert!(message.contains("decompression bomb"), "{message}");
    }
}

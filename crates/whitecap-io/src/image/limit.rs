//! How large a picture a file may decompress to.

use std::path::Path;

use crate::{Error, Place};

/// Always allowed: a black picture of any usual size compresses to nearly nothing.
const ALWAYS_ALLOWED: u64 = 128 << 20;
/// The ratio that picture compressors can reach; deflate's 1032 is the largest.
const LARGEST_GROWTH: u64 = 1100;

/// Fails if `bytes` is more than a file of `file_bytes` can decompress to.
pub(super) fn check(bytes: u64, file_bytes: usize, path: &Path) -> Result<(), Error> {
    let room = ALWAYS_ALLOWED.max((file_bytes as u64).saturating_mul(LARGEST_GROWTH));
    match bytes <= room {
        true => Ok(()),
        false => Err(Error::AbsurdCount {
            path: path.to_path_buf(),
            place: Place::File,
            what: "bytes of pixels".to_string(),
            count: bytes,
            room,
        }),
    }
}

//! Checksums of the files that frames are made from, each computed once.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use crate::running::stage_folder::checksum;

/// Checksums that are known. A file whose size or modification time differs is read again.
#[derive(Debug, Default)]
pub(crate) struct SourceChecksums {
    known: Mutex<BTreeMap<PathBuf, Known>>,
}

#[derive(Clone, Debug)]
struct Known {
    bytes: u64,
    changed: Option<SystemTime>,
    checksum: String,
}

impl SourceChecksums {
    /// The checksum of a file.
    pub fn of(&self, path: &Path) -> io::Result<String> {
        let found = std::fs::metadata(path)?;
        let (bytes, changed) = (found.len(), found.modified().ok());
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = known.get(path)
            && changed.is_some()
            && (known.bytes, known.changed) == (bytes, changed)
        {
            return Ok(known.checksum.clone());
        }
        let checksum = checksum(path)?;
        known.insert(path.to_path_buf(), Known { bytes, changed, checksum: checksum.clone() });
        Ok(checksum)
    }
}

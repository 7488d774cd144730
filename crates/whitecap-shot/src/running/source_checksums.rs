//! Checksums of the files that frames are made from, each computed once per run.
//!
//! # Non-guarantees
//! A file that is changed while the run goes on is not noticed: what was loaded from it may be older.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use whitecap_io::plain;

use crate::running::stage_folder::checksum;

/// Checksums that are known.
#[derive(Debug, Default)]
pub(crate) struct SourceChecksums {
    known: BTreeMap<PathBuf, String>,
}

impl SourceChecksums {
    /// The checksum of a file, and of those that its data lie in if it is a `.gltf`.
    pub fn of(&mut self, path: &Path) -> io::Result<String> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let mut checksum = checksum(plain::open_named(path)?)?;
        if whitecap_io::has_extension(path, &["gltf"]) {
            for file in whitecap_io::gltf::companions(path) {
                checksum.push_str(&self::checksum(plain::open_named(&file)?)?);
            }
        }
        self.known.insert(path.to_path_buf(), checksum.clone());
        Ok(checksum)
    }
}

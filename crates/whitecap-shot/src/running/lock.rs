//! One run at a time in an output folder.
//!
//! The system holds the lock on an open file, so it ends with the process however that ends: a
//! killed run leaves no stale lock. The file itself stays, and names the last process that ran.
//!
//! # Non-guarantees
//! A network file system that does not support locks refuses; the message says so.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use whitecap_io::plain;

use crate::RunError;

/// Held while a run writes into a folder.
#[derive(Debug)]
pub(crate) struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the lock of the folder, or says who holds it.
    pub fn take(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(".lock");
        let mut file = plain::open_or_create(&path).map_err(unusable(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(RunError::Locked {
                    output: folder.to_path_buf(),
                    owner: owner(&mut file),
                });
            }
            Err(TryLockError::Error(cause)) => return Err(unusable(&path)(cause)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(unusable(&path))?;
        Ok(Self { _file: file })
    }
}

fn unusable(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
    let path: PathBuf = path.to_path_buf();
    move |cause| RunError::Output { path, cause: Box::new(cause) }
}

/// The process named in the file; some systems do not let others read a locked file.
fn owner(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(32).read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => format!("process {}", text.trim()),
        _ => String::from("another process"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a second run is refused while the first one holds the lock, learns which process
    /// holds it, and may run afterwards.
    #[test]
    fn one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = RunLock::take(folder.path()).unwrap();
        let refused = RunLock::take(folder.path()).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(first);
        RunLock::take(folder.path()).unwrap();
    }

    /// Contract: the file of a run that was killed does not block the next one.
    #[test]
    fn a_leftover_file_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".lock"), "4194304\n").unwrap();
        RunLock::take(folder.path()).unwrap();
    }
}

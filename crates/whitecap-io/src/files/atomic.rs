//! Writing a file so that no reader ever sees half of it.
//!
//! # Guarantees
//! * The bytes go to a temporary file in the same folder, named `.NAME.PROCESS.COUNT.tmp`; it is
//!   synced to the disk and then renamed. A file under its final name is complete, even
//!   after a crash or a power cut.
//! * On failure the temporary file is removed and a file that was there before is untouched.
//!
//! # Non-guarantees
//! Permissions and links of a replaced file are not kept. A process that is killed leaves its
//! temporary file behind.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;

/// Writes `bytes` as the whole content of `path`.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |file| file.write_all(bytes).map_err(Error::writing(path)))
}

/// Writes `bytes` as the whole content of `path` without waiting for the disk: no reader ever sees half of
/// it, but a power cut may lose or tear it.
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    rename_filled(path, |file| file.write_all(bytes).map_err(Error::writing(path)))
}

/// Lets `fill` write the content of `path` into an empty file that is then synced and renamed.
pub fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), Error>,
) -> Result<(), Error> {
    rename_filled(path, |file| {
        fill(file)?;
        file.sync_all().map_err(Error::writing(path))
    })?;
    sync_folder(path);
    Ok(())
}

/// Fills a temporary file and gives it its name.
fn rename_filled(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), Error>,
) -> Result<(), Error> {
    let (temporary, mut file) = create_temporary(path)?;
    let written = fill(&mut file).and_then(|()| {
        // Closed before the rename: some systems refuse to rename an open file.
        drop(file);
        fs::rename(&temporary, path).map_err(Error::writing(path))
    });
    if written.is_err() {
        // The first error is the one to report; a temporary that cannot be removed is harmless.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Lets `make` write the content of `path` to a file that it is given the name of, such as by another
/// program; it is then synced and renamed.
pub fn write_by_name<E: From<Error>>(
    path: &Path,
    make: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let (temporary, file) = create_temporary(path)?;
    drop(file);
    let synced = || {
        // Opened again: the other program may have made a new file under this name.
        let file = File::options().write(true).open(&temporary).map_err(Error::writing(path))?;
        file.sync_all().map_err(Error::writing(path))?;
        drop(file);
        fs::rename(&temporary, path).map_err(Error::writing(path))
    };
    let written = make(&temporary).and_then(|()| synced().map_err(E::from));
    match written {
        Ok(()) => sync_folder(path),
        Err(_) => {
            let _ = fs::remove_file(&temporary);
        }
    }
    written
}

fn create_temporary(path: &Path) -> Result<(PathBuf, File), Error> {
    // The counter keeps threads of one process apart.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(Error::unwritable(path, "this path names a folder, not a file"));
    };
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut temporary_name = OsString::from(".");
        temporary_name.push(name);
        temporary_name.push(format!(".{}.{count}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary_name);
        match File::options().write(true).read(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            // Left behind by a killed process that had the same process id.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::writing(path)(error)),
        }
    }
}

/// Makes the rename itself durable, where the system allows a folder to be synced.
fn sync_folder(path: &Path) {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    /// Contract: a failed write leaves the old file as it was and nothing else in the folder.
    #[test]
    fn failure_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frame.ply");
        write(&path, b"old").unwrap();
        let failed = write_with(&path, |file| {
            file.write_all(b"half of the n").unwrap();
            Err(Error::unwritable(&path, "stopped"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["frame.ply"]);
    }

    /// Contract: a file under its final name is whole at every moment, with many threads writing
    /// it at once, and no temporary file remains.
    #[test]
    fn concurrent_writes_never_mix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frame.ply");
        std::thread::scope(|scope| {
            for letter in b'a'..b'i' {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..4 {
                        write(path, &[letter; 5000]).unwrap();
                        let found = fs::read(path).unwrap();
                        assert!(found.len() == 5000 && found.iter().all(|&b| b == found[0]));
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), ["frame.ply"]);
    }

    /// Contract: a missing folder is an error that names the file.
    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere").join("frame.ply");
        let message = write(&path, b"x").unwrap_err().to_string();
        assert!(message.contains("cannot write") && message.contains("nowhere"), "{message}");
    }
}

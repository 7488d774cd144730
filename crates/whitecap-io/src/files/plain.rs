//! Plain files, and nothing else: those that a program keeps for itself, and those that users name.
//!
//! A folder of results may come from elsewhere, and what lies in it may be a trick: a link that leads out of
//! the folder, a pipe that never ends, a device.
//!
//! # Guarantees
//! Nothing but a plain file is opened; a pipe is not waited for, and no device read. A link is followed only
//! to a file that the user named ([`open_named`]).
//!
//! # Non-guarantees
//! Only the last part of a path is looked at: a folder on the way may be a link. On systems other than Unix
//! the check comes before the opening, so somebody who exchanges the file in between is not noticed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a plain file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(File::options().read(true), path)
}

/// Opens a file that the user named for reading; it may be a link to a plain file.
pub fn open_named(path: &Path) -> io::Result<File> {
    let file = open_without_waiting(path)?;
    let found = file.metadata()?;
    match (found.is_file(), found.is_dir()) {
        (true, _) => Ok(file),
        (false, true) => Err(io::ErrorKind::IsADirectory.into()),
        (false, false) => Err(refused("it is not a plain file but a pipe or a device")),
    }
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The whole content of a file that the user named.
pub fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_named(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a plain file for reading and writing; creates it, empty, if there is none.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    open_with(File::options().read(true).write(true).create(true).truncate(false), path)
}

/// The whole content of a plain file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a folder unless it is there; a link to a folder is refused.
pub fn create_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(refused(format!(
            "{} is not a folder, or a link to one; remove it and run again",
            path.display()
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(path),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = options.custom_flags(flags.bits() as i32).open(path);
    let file = opened.map_err(|error| match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => not_plain(),
        _ => error,
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_plain()) }
}

#[cfg(not(unix))]
fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(not_plain()),
        _ => options.open(path),
    }
}

fn not_plain() -> io::Error {
    refused("it is not a plain file, perhaps a link; remove it and run again")
}

fn refused(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why.into())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Contract: a link is refused for reading and for writing, whether or not it leads anywhere, and what
    /// it leads to is not touched.
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("precious"), b"words").unwrap();
        symlink(at("precious"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        for name in ["link", "dangling"] {
            for refused in [open(&at(name)), open_or_create(&at(name))] {
                let message = refused.unwrap_err().to_string();
                assert!(message.contains("not a plain file"), "{message}");
            }
        }
        assert_eq!(fs::read(at("precious")).unwrap(), b"words");
        assert!(!at("nowhere").exists());
        assert_eq!(read(&at("precious")).unwrap(), b"words");
        assert_eq!(
            read_named(&at("link")).unwrap(),
            b"words",
            "links that users name are followed"
        );
    }

    /// Contract: a pipe that nobody writes to is refused at once.
    #[test]
    fn pipes_are_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert!(open(&pipe).unwrap_err().to_string().contains("not a plain file"));
        assert!(open_or_create(&pipe).is_err());
        assert!(read_named(&pipe).unwrap_err().to_string().contains("not a plain file"));
        let link = folder.path().join("link");
        symlink("/dev/zero", &link).unwrap();
        assert!(read_named(&link).unwrap_err().to_string().contains("not a plain file"));
    }

    /// Contract: a folder is created where there is none and accepted where there is one; a link to a folder
    /// is refused.
    #[test]
    fn a_link_is_not_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        create_folder(&real).unwrap();
        create_folder(&real).unwrap();
        symlink(&real, &link).unwrap();
        let refused = create_folder(&link).unwrap_err().to_string();
        assert!(refused.starts_with(&link.display().to_string()), "the link itself: {refused}");
    }
}

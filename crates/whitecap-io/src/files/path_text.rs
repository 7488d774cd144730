//! Paths as text, for settings: a path need not be UTF-8, but JSON and TOML are.
//!
//! # Guarantees
//! [`decode`] gives back the path that [`encode`] was given, byte for byte, on systems whose paths
//! are bytes: a byte that is not UTF-8 is written as `\xNN`, and a backslash before an `x` as `\x5c`.
//!
//! # Non-guarantees
//! Where paths are not bytes, such as on Windows, text stays as it is, and what is not Unicode in a
//! path is replaced.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A path as text.
pub fn encode(path: &Path) -> String {
    let Some(bytes) = name_bytes(path.as_os_str()).filter(|_| cfg!(unix)) else {
        return path.display().to_string();
    };
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(&chunk.valid().replace("\\x", "\\x5cx"));
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text
}

/// The path that a text stands for.
pub fn decode(text: &str) -> PathBuf {
    if !cfg!(unix) || !text.contains("\\x") {
        return PathBuf::from(text);
    }
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[2..]);
            }
            None => bytes.extend([b"\\x", part.as_bytes()].concat()),
        }
    }
    PathBuf::from(from_bytes(bytes))
}

/// The bytes of a name; `None` where names are not bytes and this one is not Unicode.
#[cfg(unix)]
pub(crate) fn name_bytes(name: &OsStr) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt;
    Some(name.as_bytes().to_vec())
}

/// The name that has these bytes, which must come from [`name_bytes`].
#[cfg(unix)]
pub(crate) fn from_bytes(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// The bytes of a name; `None` where names are not bytes and this one is not Unicode.
#[cfg(not(unix))]
pub(crate) fn name_bytes(name: &OsStr) -> Option<Vec<u8>> {
    name.to_str().map(|name| name.as_bytes().to_vec())
}

/// The name that has these bytes, which must come from [`name_bytes`].
#[cfg(not(unix))]
pub(crate) fn from_bytes(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Contract: any path comes back from its text, and a UTF-8 path without a backslash is its own.
    #[test]
    fn every_path_survives_as_text() {
        let names: [&[u8]; 6] =
            [b"a/b.ply", b"caf\xe9.ply", b"\xff\xfe", b"a\\x41", b"\\x5cx\\", "é".as_bytes()];
        for name in names {
            let path = PathBuf::from(from_bytes(name.to_vec()));
            assert_eq!(decode(&encode(&path)), path);
        }
        assert_eq!(encode(Path::new("sim/é.####.ply")), "sim/é.####.ply");
        assert_eq!(encode(&decode("caf\\xe9.ply")), "caf\\xe9.ply");
    }
}

//! The bytes of a glTF document: in the file itself, or in plain files in its folder.
//!
//! # Guarantees
//! * A file is read only if it is a plain file in the folder of the document or below, links followed.
//!   Nothing is fetched.
//! * A file is read once, however many buffers name it, and no further than a buffer says.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::document::{Buffer, Document};
use crate::encoding::{base64, tokens};
use crate::{Error, Place, plain};

/// The buffers of a document that have been asked for.
pub(super) struct Buffers<'a> {
    path: &'a Path,
    /// What follows the JSON in a `.glb` file.
    binary: Option<&'a [u8]>,
    embedded: BTreeMap<usize, Vec<u8>>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl<'a> Buffers<'a> {
    pub fn new(binary: Option<&'a [u8]>, path: &'a Path) -> Self {
        Self { path, binary, embedded: BTreeMap::new(), files: BTreeMap::new() }
    }

    /// How many bytes came from other files.
    pub fn outside(&self) -> usize {
        self.files.values().map(Vec::len).sum()
    }

    /// The bytes of a view, and the distance between its elements if it gives one.
    pub fn view(
        &mut self,
        document: &Document,
        view: usize,
    ) -> Result<(&[u8], Option<usize>), Error> {
        let path = self.path;
        let wrong = |message: String| Error::malformed(path, Place::File, message);
        let found = document.buffer_views.get(view);
        let found = found.ok_or_else(|| wrong(format!("there is no bufferView {view}")))?;
        let buffer = document.buffers.get(found.buffer);
        let buffer = buffer.ok_or_else(|| wrong(format!("there is no buffer {}", found.buffer)))?;
        let bytes = self.load(found.buffer, buffer)?;
        let end = found.byte_offset.checked_add(found.byte_length);
        let bytes = end.and_then(|end| bytes.get(found.byte_offset..end));
        let bytes = bytes.ok_or_else(|| {
            wrong(format!("bufferView {view} reaches past the end of its buffer"))
        })?;
        Ok((bytes, found.byte_stride))
    }

    fn load(&mut self, place: usize, buffer: &Buffer) -> Result<&[u8], Error> {
        let Some(uri) = &buffer.uri else {
            let binary = self.binary.filter(|_| place == 0);
            let bytes = binary.and_then(|bytes| bytes.get(..buffer.byte_length));
            return bytes.ok_or_else(|| {
                let message = format!("buffer {place} has no data, or fewer than it claims");
                Error::malformed(self.path, Place::File, message)
            });
        };
        if uri.starts_with("data:") {
            if !self.embedded.contains_key(&place) {
                let bytes = embedded(uri, buffer.byte_length).ok_or_else(|| {
                    let message = format!(
                        "the embedded data of buffer {place} are not {} bytes in base64",
                        buffer.byte_length
                    );
                    Error::malformed(self.path, Place::File, message)
                })?;
                self.embedded.insert(place, bytes);
            }
            return Ok(&self.embedded[&place]);
        }
        let file = neighbour(uri, self.path)?;
        let known = self.files.get(&file).is_some_and(|bytes| bytes.len() >= buffer.byte_length);
        if !known {
            let bytes = read_beginning(&file, buffer.byte_length)?;
            self.files.insert(file.clone(), bytes);
        }
        Ok(&self.files[&file][..buffer.byte_length])
    }
}

fn embedded(uri: &str, length: usize) -> Option<Vec<u8>> {
    let text = uri.split_once(";base64,")?.1;
    // Some programs leave the padding out.
    let padded: Cow<'_, str> = match text.len() % 4 {
        0 => Cow::Borrowed(text),
        rest => Cow::Owned(format!("{text}{}", "=".repeat(4 - rest))),
    };
    base64::decode(padded.as_bytes(), length)
}

/// The files besides itself that a `.gltf` file is made of; none if it cannot be read.
pub fn companions(path: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = plain::read_named(path) else { return Vec::new() };
    let Ok(document) = serde_json::from_slice::<Document>(&bytes) else { return Vec::new() };
    let names = document.buffers.iter().filter_map(|buffer| buffer.uri.as_deref());
    let files = names.filter(|uri| !uri.starts_with("data:"));
    files.filter_map(|uri| neighbour(uri, path).ok()).collect()
}

/// The file that a document names, if it is a plain file in the document's folder or below.
fn neighbour(uri: &str, path: &Path) -> Result<PathBuf, Error> {
    let refused = |why: &str| {
        let uri = tokens::shown(uri.as_bytes());
        Error::unsupported(path, format!("the data are in `{uri}`, {why}"))
    };
    let elsewhere =
        "but only files in the same folder or below are read; put the file beside this one";
    let name = percent_decoded(uri).ok_or_else(|| refused("which is not a readable name"))?;
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let is_plain = !name.is_empty() && !name.contains([':', '\\', '\0']);
    if !is_plain || !Path::new(&name).components().all(is_inside) {
        return Err(refused(elsewhere));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().map_err(Error::reading(path))?;
    let file = folder.join(name);
    let file = file.canonicalize().map_err(Error::reading(&file))?;
    match (file.starts_with(&folder), file.is_file()) {
        (true, true) => Ok(file),
        (true, false) => Err(refused("which is not a plain file")),
        (false, _) => Err(refused(elsewhere)),
    }
}

/// The first bytes of a file, which must have as many.
fn read_beginning(path: &Path, length: usize) -> Result<Vec<u8>, Error> {
    let file = plain::open_named(path).map_err(Error::reading(path))?;
    let has = file.metadata().map_err(Error::reading(path))?.len();
    if has < length as u64 {
        let message = format!("a buffer of {length} bytes is to be in this file of {has}");
        return Err(Error::malformed(path, Place::File, message));
    }
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes).map_err(Error::reading(path))?;
    match bytes.len() == length {
        true => Ok(bytes),
        false => Err(Error::malformed(path, Place::File, "the file became shorter")),
    }
}

/// A text with `%20` and the like as the bytes they stand for; `None` if that is not UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

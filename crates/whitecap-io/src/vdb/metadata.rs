//! Metadata of files and grids: named values of known or unknown type, each with its size.

use whitecap_core::GridClass;
use whitecap_core::glam::IVec3;

use crate::Error;
use crate::encoding::byte_reader::ByteReader;

/// Name, type and size of an entry take at least this.
const LEAST_ENTRY_BYTES: usize = 12;

/// The part of a grid's metadata that is used; everything else is skipped.
#[derive(Debug, Default)]
pub(super) struct GridMetadata {
    /// The grid's name, if it has one.
    pub(super) name: Option<String>,
    class: Option<String>,
}

impl GridMetadata {
    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, Error> {
        let mut metadata = Self::default();
        for _ in 0..reader.count(LEAST_ENTRY_BYTES, "metadata entries")? {
            let name = reader.text("the name of a metadata entry")?;
            let kind = reader.text("the type of a metadata entry")?;
            let size = reader.u32("the size of a metadata entry")? as usize;
            let value = reader.take(size, "a metadata entry")?;
            let text = || Some(String::from_utf8_lossy(value).into_owned());
            match (name.as_str(), kind.as_str()) {
                ("name", "string") => metadata.name = text(),
                ("class", "string") => metadata.class = text(),
                _ => {}
            }
        }
        Ok(metadata)
    }

    /// What the values mean.
    pub(super) fn class(&self) -> GridClass {
        match self.class.as_deref() {
            Some("level set") => GridClass::LevelSet,
            Some("fog volume") => GridClass::Fog,
            Some("staggered") => GridClass::Staggered,
            _ => GridClass::Unknown,
        }
    }
}

/// The name of a class in a file.
pub(super) fn class_word(class: GridClass) -> &'static str {
    match class {
        GridClass::LevelSet => "level set",
        GridClass::Fog => "fog volume",
        GridClass::Staggered => "staggered",
        GridClass::Unknown => "unknown",
    }
}

/// A value to be written.
pub(super) enum Value<'a> {
    /// Text.
    Text(&'a str),
    /// Yes or no.
    Flag(bool),
    /// A count.
    Count(u64),
    /// A voxel.
    Voxel(IVec3),
}

/// Appends a text preceded by its length.
pub(super) fn write_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// Appends metadata. OpenVDB keeps it sorted by name, and so must `entries` be.
pub(super) fn write(entries: &[(&str, Value<'_>)], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    for (name, value) in entries {
        let (kind, value) = match value {
            Value::Text(text) => ("string", text.as_bytes().to_vec()),
            Value::Flag(flag) => ("bool", vec![u8::from(*flag)]),
            Value::Count(count) => ("int64", count.to_le_bytes().to_vec()),
            Value::Voxel(voxel) => {
                ("vec3i", voxel.to_array().iter().flat_map(|c| c.to_le_bytes()).collect())
            }
        };
        write_text(name, bytes);
        write_text(kind, bytes);
        bytes.extend_from_slice(&(value.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&value);
    }
}

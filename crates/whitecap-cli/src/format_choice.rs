//! Which format a file name asks for, before any work is done.

use std::path::Path;

use whitecap_io::{FormatInfo, Kind, formats};

use crate::failure::Failure;

/// Fails unless the file's format can hold one of `kinds`; gives the first it can.
pub fn writes_one_of(path: &Path, kinds: &[Kind]) -> Result<Kind, Failure> {
    let found = FormatInfo::of(path);
    let fitting = kinds.iter().find(|kind| found.is_some_and(|info| info.writes.contains(kind)));
    fitting.copied().ok_or_else(|| {
        Failure::Usage(format!(
            "{}: {} cannot be written to this format; use one of {}",
            path.display(),
            kinds.first().map_or("this", |kind| in_words(*kind)),
            extensions_for(kinds)
        ))
    })
}

/// The extensions of the formats that can hold one of `kinds`.
pub fn extensions_for(kinds: &[Kind]) -> String {
    let fitting =
        formats().iter().filter(|info| info.writes.iter().any(|kind| kinds.contains(kind)));
    let names: Vec<String> =
        fitting.flat_map(|info| info.extensions).map(|extension| format!(".{extension}")).collect();
    names.join(", ")
}

/// A kind of data, in words.
pub fn in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Particles => "particles",
        Kind::Mesh => "a mesh",
        Kind::Volume => "a volume",
    }
}

//! Which format a file name asks for, before any work is done.

use std::path::Path;

use whitecap_io::{FormatInfo, Kind, formats};

/// The row of the format table that the extension names.
pub fn format_of(path: &Path) -> Option<&'static FormatInfo> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    formats().iter().find(|info| {
        info.extensions
            .iter()
            .any(|extension| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
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

//! Which format a file name asks for, before any work is done.

use whitecap_io::{Kind, formats};

/// The extensions of the formats that can hold one of `kinds`.
pub fn extensions_for(kinds: &[Kind]) -> String {
    let fitting =
        formats().iter().filter(|info| info.writes.iter().any(|kind| kinds.contains(kind)));
    let names: Vec<String> =
        fitting.flat_map(|info| info.extensions).map(|extension| format!(".{extension}")).collect();
    names.join(", ")
}

/// The extensions of the formats that can be read, in lines that fit a terminal.
pub fn readable_extensions() -> String {
    let readable = formats().iter().filter(|info| !info.reads.is_empty());
    let names: Vec<String> =
        readable.flat_map(|info| info.extensions).map(|name| format!(".{name}")).collect();
    names.chunks(11).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n  ")
}

/// A kind of data, in words.
pub fn in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Particles => "particles",
        Kind::Mesh => "a mesh",
        Kind::Volume => "a volume",
    }
}

//! What was read from a file, with what the user should know about it.

/// Data from a file, and sentences about what the reader had to guess or leave out.
///
/// Each sentence can follow the name of the file: it begins in lower case and has no full stop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noted<T> {
    /// What was read.
    pub data: T,
    /// What the user should know, in the order of the file.
    pub notes: Vec<String>,
}

impl<T> Noted<T> {
    /// Data without notes.
    pub fn plain(data: T) -> Self {
        Self { data, notes: Vec::new() }
    }
}

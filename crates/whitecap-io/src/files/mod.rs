//! Whole files: which format a name asks for, the frames of a sequence, and writes that leave the whole
//! file or none.
//!
//! `format` is the table of formats, and `open` uses it to read and write by file name. `sequence`,
//! `discovery`, `frame_range` and `number_ranges` deal with frame numbers, `path_text` with paths that are
//! not UTF-8; everything is written through `atomic`. `plain` opens files that could be a trick.

pub mod atomic;
pub(crate) mod discovery;
pub(crate) mod format;
pub(crate) mod frame_range;
pub(crate) mod number_ranges;
pub(crate) mod open;
pub mod path_text;
pub mod plain;
pub mod sequence;

//! Numbers as files hold them.
//!
//! For reading, `inflate` and `base64` give the bytes, `byte_reader` and `tokens` take binary data and words
//! from them in order, and `scalar` decodes ten types of numbers. For writing, `row_writer` fills binary
//! rows and `narrow` makes integers fit into 32 bits.
//!
//! # Guarantees
//! * Every count is checked against what is left of the file before anything is allocated for it, and
//!   decompression is bounded by the size of the compressed data.

pub(crate) mod base64;
pub(crate) mod byte_reader;
pub(crate) mod inflate;
pub(crate) mod narrow;
pub(crate) mod row_writer;
pub(crate) mod scalar;
pub(crate) mod tokens;

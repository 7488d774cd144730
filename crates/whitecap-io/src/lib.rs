//! File formats, frame sequences and atomic writes.

pub mod atomic;
mod error;
pub mod vdb;

pub use error::{Error, Place};

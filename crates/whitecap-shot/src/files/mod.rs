//! The files that frames come from and go to.
//!
//! `formats` says which formats hold which data, `exact` keeps every bit of a frame, `frame_files` says
//! which file belongs to which frame, and `body_files` reads animated bodies.

pub(crate) mod body_files;
pub(crate) mod exact;
pub(crate) mod formats;
pub(crate) mod frame_files;

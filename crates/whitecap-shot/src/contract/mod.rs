//! The contract between stages and everything that runs or describes them.
//!
//! A phenomenon implements the typed trait of `phenomenon`; the untyped traits of `stage`, which the
//! runner sees, follow from it. `command_info` is what its command adds. `frame_data` travels between
//! stages, and a `picture` is one kind of it. `registry` lists the kinds of stages and their schemas.

pub(crate) mod command_info;
pub(crate) mod frame_data;
pub(crate) mod phenomenon;
pub(crate) mod picture;
pub(crate) mod registry;
pub mod stage;

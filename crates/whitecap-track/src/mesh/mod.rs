//! The tracked mesh and its upkeep.
//!
//! `input_check` says whether a mesh can be tracked and `close` repairs one that is open. `half_edge` is the
//! mesh while it changes, `carried` what its vertices remember, and `quality` keeps triangles well shaped by
//! splitting and collapsing edges.

pub(crate) mod carried;
pub(crate) mod close;
pub(crate) mod half_edge;
pub(crate) mod input_check;
pub(crate) mod quality;

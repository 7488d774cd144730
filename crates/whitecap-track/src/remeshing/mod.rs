//! Giving the mesh its new topology (Dagenais et al. 2017, §2.5).
//!
//! `remesh` directs it: `cut` cuts the mesh along the faces of marked cells, `patch` fills the cells with
//! the surface of Γ, and `triangulate` fills small loops. `rebuild` is the last resort, for parts that
//! cannot be repaired in place. `jump` measures how far the surface jumped.
//!
//! # Guarantees
//! * The mesh is closed afterwards: patches fit the mesh around them by construction.

pub(crate) mod cut;
pub(crate) mod jump;
pub(crate) mod patch;
pub(crate) mod rebuild;
pub(crate) mod remesh;
pub(crate) mod triangulate;

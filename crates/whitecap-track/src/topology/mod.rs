//! Where the mesh must change, and into what (Dagenais et al. 2017, §2.4).
//!
//! `cells` is the grid that changes are made on. `crossings` tells inside from outside along its lines and
//! finds where the mesh passes through itself; `comparison` finds where φ and the mesh differ by more than
//! detail. `gamma` is Γ, the distance to the mesh, and there `matching` gives it the topology of φ.

pub(crate) mod cells;
mod comparison;
pub(crate) mod crossings;
pub(crate) mod gamma;
pub(crate) mod matching;

pub use comparison::Topology;
pub(crate) use comparison::{disagreeing_nodes, take_birth_doubts};

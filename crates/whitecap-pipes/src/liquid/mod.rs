//! The liquid on its terrain, step by step (Dagenais et al. 2018, Alg. 1).
//!
//! `pipes` is the whole; its `columns` hold the liquid, and `flow` moves it between them. `brush` is
//! sources, drains and pouring, `drops` what falls, `place` finds room for displaced volume,
//! `terrain_change` moves the ground under the liquid, `snapshot` saves and restores, and `report` counts
//! what came and went.
//!
//! # Guarantees
//! * Volume changes only by what the report tells, to rounding, whatever the terrain.

pub(crate) mod brush;
pub(crate) mod columns;
pub(crate) mod drops;
pub(crate) mod pipes;
pub(crate) mod place;
pub(crate) mod report;
pub(crate) mod snapshot;
pub(crate) mod terrain_change;

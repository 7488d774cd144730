//! From the text of a shot file to a checked shot.
//!
//! `located` parses TOML and keeps the place of every value, `stage_table` reads the table of a stage,
//! `schema_check` checks it against the schema of its settings, `terrain` finds what liquids in
//! pictures lie on, `graph` puts the stages in order, and `shot` is the whole.
//!
//! # Guarantees
//! * All mistakes are reported together, each with its line (`diagnostic`), before anything runs.

pub(crate) mod diagnostic;
pub(crate) mod graph;
pub(crate) mod located;
pub(crate) mod schema_check;
mod shot;
pub(crate) mod stage_table;
mod terrain;

pub use shot::{Records, Save, Shot, ShotError, ShotSettings, ShotStage};

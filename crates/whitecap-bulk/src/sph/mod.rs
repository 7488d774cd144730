//! Incompressible smoothed-particle hydrodynamics.

mod boundary;
mod choice_schema;
mod columns;
mod dfsph;
pub mod emitter;
mod error;
pub mod fill;
pub mod force_field;
mod images;
pub mod kill;
mod liquid;
mod pairs;
mod pcisph;
mod pressure_solver;
mod pressure_system;
mod report;
mod resolution;
pub mod sampling;
mod settings;
mod snapshot;
pub mod solid;
mod source_error;
mod step;
pub mod tags;
mod viscosity;

pub use error::{BlowUp, SphError};
pub use liquid::Liquid;
pub use pressure_system::Iterations;
pub use report::{FrameReport, StepReport};
pub use settings::{PressureMethod, SphSettings, ViscosityMethod};
pub use snapshot::SnapshotError;
pub use source_error::SourceError;

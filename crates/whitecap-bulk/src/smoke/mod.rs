//! Smoke: air that carries density and warmth, on a sparse staggered grid.
//!
//! # The step in detail
//! 1. Tiles of 8³ cells are chosen: those with smoke or a source, and a layer around them ([`SmokeSettings`]
//!    has the thresholds). There is nothing beyond them, and no size of the domain.
//! 2. Density and warmth are carried by the flow through faces, so that nothing is lost
//!    ([`crate::mac::transport`]). The velocity carries itself by MacCormack's method
//!    ([`crate::mac::advection`]).
//! 3. Density dissipates, warmth cools, and sources add more of both.
//! 4. Buoyancy, vorticity confinement and fields accelerate the air; sources hold it at their velocity.
//! 5. Pressure makes the velocity free of divergence ([`crate::mac::pressure`]). Beyond the tiles, and beyond
//!    the open sides of a domain, it is that of still air.
//!
//! # Guarantees
//! * The total density changes by what is in the [`DensityLedger`] of a frame only, to rounding. With nothing
//!   dissipating and no open side, that is what sources release and what is below the threshold.
//! * Without sources no density or temperature appears that is beyond those around it, up to the tolerance of
//!   the pressure.
//! * A frame ends exactly at its time, whatever the steps.
//! * The result has the same bits for any number of threads.
//! * When a frame is cancelled or fails, the smoke is as it was after the last good step.
//!
//! # Non-guarantees
//! * Air beyond the tiles has no inertia: its pressure is that of still air one cell beyond them. This lets a
//!   plume draw in air more easily than it would; a larger `padding` takes that farther away.
//! * Eddies narrower than some cells fade. Vorticity confinement brings back their look, not their energy.
//! * Smoke that a moving solid overtakes may be carried along inside it, until the solid has passed.
//! * Air is as light everywhere as Boussinesq assumed: differences of weight act as buoyancy only.

mod air;
mod confinement;
mod emission;
mod error;
mod forces;
mod noise;
mod output;
mod report;
mod saved_state;
mod settings;
mod source;
mod source_settings;
mod step;
mod tiles;
mod touching;

pub use air::Smoke;
pub use confinement::confinement;
pub use error::SmokeError;
pub use noise::{NoiseSettings, gradient_noise};
pub use report::{DensityLedger, SmokeFrameReport, SmokeStepReport};
pub use settings::SmokeSettings;
pub use source::Source;
pub use source_settings::{ParticleSource, SmokeSourceSettings, SourceShape, VolumeSource};

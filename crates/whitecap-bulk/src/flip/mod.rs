//! A liquid on a grid, carried by particles: PIC, FLIP and APIC.
//!
//! # The step in detail
//! 1. Particles give their velocity to the faces around them ([`to_grid`]).
//! 2. The distance to the surface follows from the particles ([`surface_distance`]), the open fraction of each
//!    face from the solids.
//! 3. Gravity and other forces act on the faces; then viscosity, if there is any (`viscous`). Surface tension
//!    (`tension`) is the pressure at the surface.
//! 4. Pressure makes the velocity free of divergence ([`crate::mac::pressure`]), and it is extended beyond
//!    the liquid.
//! 5. Particles take their velocity from the faces, move along with the flow (`from_grid`), and are kept
//!    out of walls and solids.
//!
//! With a narrow band particles are near the surface only (`narrow_band`).
//!
//! # Guarantees
//! * A frame ends exactly at its time, whatever the steps.
//! * The result has the same bits for any number of threads.
//! * When a frame is cancelled or fails, the liquid is as it was after the last good step, with what emitters
//!   have released until then; with a narrow band its core may have been found.
//! * Velocities are those halfway between positions (leapfrog), so that long steps delay nothing.
//!
//! # Non-guarantees
//! * Volume is corrected where particles crowd or thin out, but not bounded: violent motion may change it by
//!   some per cent.
//! * Particles are not reseeded, except where they leave the core of a narrow band.

mod accelerations;
mod apart;
mod core_cells;
mod core_particles;
mod error;
mod from_grid;
mod liquid;
mod mouths;
mod narrow_band;
mod output;
mod particles;
mod report;
mod saved_grid;
mod saved_state;
mod settings;
mod spreading;
mod surface_distance;
mod tension;
mod time_step;
mod to_grid;
mod viscous;
mod warnings;

pub use error::FlipError;
pub use liquid::FlipLiquid;
pub use particles::FlipParticles;
pub use report::{FlipFrameReport, FlipStepReport};
pub use settings::{FlipSettings, Transfer, TransferMethod};
pub use surface_distance::surface_distance;
pub use tension::surface_curvature;
pub use to_grid::to_grid;

//! Incompressible smoothed-particle hydrodynamics: a liquid of particles.
//!
//! A [`Liquid`] is made from [`SphSettings`], filled, given solids ([`whitecap_scene::AnimatedBody`]) and
//! emitters, and stepped frame by frame. The folders are the parts of a step, whose order
//! [`Liquid`] tells in detail:
//!
//! | part | what | paper |
//! |---|---|---|
//! | `neighbours` | pairs, kernel slopes, densities ρ_i = Σ_j m W_ij | Monaghan 2005 |
//! | `boundary` | walls as mirrors, solids as boundary particles | Akinci et al. 2012 |
//! | `pressure` | DFSPH and PCISPH, and the correction of what they do not foresee | Bender & Koschier 2017; Solenthaler & Pajarola 2009 |
//! | `viscosity` | explicit and implicit | Monaghan 2005; Weiler et al. 2018 |
//! | `tension` | cohesion between neighbours | Becker & Teschner 2007 |
//! | `liquid` | the state, the step, sources and saved states | |
//! | `output` | the particles as others see them, reports | |
//!
//! # Guarantees
//! * Without walls, solids and outer forces linear momentum is conserved to rounding: pressure, viscosity
//!   and cohesion act along the line between two particles, with equal strength on both.
//! * No particle ends a step inside a wall or a solid, as far as there is room for it outside.
//! * No particle is compressed by more than `largest-compression`, up to a bounded number of correction
//!   rounds.
//! * The same input gives the same bits for any number of threads, and when continued from a saved
//!   state.
//! * A step that fails is thrown away and tried again at half its length; when all fail, the state is that
//!   of the last good step.
//! * Nothing read from settings, particles or saved states causes a panic; what cannot be simulated is
//!   told in a sentence that names the setting or the particle.
//!
//! # Non-guarantees
//! * Energy is lost in the pressure solve, the more the longer the steps are: splashes are a little
//!   tamer than real ones.
//! * `surface-tension` is nominal: drops oscillate more slowly than the value says (see `tension`).
//! * Air is not simulated: bubbles collapse.
//! * A deforming solid moves as its frames say (see [`whitecap_scene::body`]); it is not pushed by the
//!   liquid.
//! * Results of another processor or compiler may differ in the last bits.

pub mod boundary;
mod error;
mod liquid;
mod neighbours;
mod output;
mod pressure;
mod resolution;
mod settings;
mod tension;
mod viscosity;

pub use error::{BlowUp, SphError};
pub use liquid::Liquid;
pub use output::{FrameReport, Selection, StepReport, Strays};
pub use pressure::Iterations;
pub use settings::{PressureMethod, SphSettings, ViscosityMethod};
pub use whitecap_core::saved_bytes::StateError;

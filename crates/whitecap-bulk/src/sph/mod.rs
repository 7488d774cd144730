//! Incompressible smoothed-particle hydrodynamics: a liquid of particles.
//!
//! A [`Liquid`] is made from [`SphSettings`], filled, given solids ([`whitecap_scene::AnimatedBody`]) and
//! emitters, and stepped frame by frame. The folders are the parts of a step;
//! [`Liquid`] describes their order in detail:
//!
//! | part | what | paper |
//! |---|---|---|
//! | `neighbours` | pairs, kernel slopes, densities ρ_i = Σ_j m W_ij | Monaghan 2005 |
//! | `boundary` | walls as mirrors, solids as boundary particles | Akinci et al. 2012 |
//! | `pressure` | DFSPH and PCISPH, and the correction of what they do not predict | Bender & Koschier 2017; Solenthaler & Pajarola 2009 |
//! | `viscosity` | explicit and implicit | Monaghan 2005; Weiler et al. 2018 |
//! | `tension` | cohesion between neighbours | Becker & Teschner 2007 |
//! | `liquid` | the state, the step, sources and saved states | |
//! | `output` | the particles handed to other stages, reports | |
//!
//! # Guarantees
//! * Without walls, solids and external forces, linear momentum is conserved to rounding: pressure, viscosity
//!   and cohesion act along the line between two particles, with equal strength on both.
//! * No particle ends a step inside a wall or a solid, provided there is room for it outside.
//! * No particle is compressed by more than `largest-compression`, up to a bounded number of correction
//!   rounds.
//! * The same input gives the same bits for any number of threads, and when continued from a saved
//!   state.
//! * A step that fails is discarded and tried again at half its length; when all attempts fail, the state
//!   is that of the last good step.
//! * Nothing read from settings, particles or saved states causes a panic; input that cannot be simulated is
//!   refused with a sentence that names the setting or the particle.
//!
//! # Non-guarantees
//! * Energy is lost in the pressure solve, more with longer steps: splashes are a little
//!   tamer than real ones.
//! * `surface-tension` is nominal: drops oscillate more slowly than the value says (see `tension`).
//! * Air is not simulated: bubbles collapse.
//! * A deforming solid follows its frames (see [`whitecap_scene::body`]); it is not pushed by the
//!   liquid.
//! * Results on another processor or with another compiler may differ in the last bits.

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

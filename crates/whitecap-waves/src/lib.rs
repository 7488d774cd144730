//! Surface turbulence for particle liquids (Mercier et al. 2015; Beauchemin 2016): a dense, even,
//! temporally coherent set of points on the surface of a coarse liquid ([`points`]), and waves that
//! run over them ([`dynamics`]). [`Waves`] is both, frame by frame.
//!
//! ```
//! use whitecap_core::glam::Vec3;
//! use whitecap_core::{Column, Particles, Unwatched};
//! use whitecap_waves::{Surroundings, WaveSettings, Waves};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A falling block of 8 × 8 × 8 particles, 10 cm apart.
//! let place = |i: i32| Vec3::new((i % 8) as f32, (i / 8 % 8) as f32, (i / 64) as f32) * 0.1;
//! let mut waves = Waves::new(WaveSettings::default(), 1.0 / 24.0)?;
//! for frame in 0..3 {
//!     let fall = Vec3::NEG_Y * 0.05 * frame as f32;
//!     let mut particles = Particles::new((0..512).map(|i| place(i) + fall).collect());
//!     particles.set_attribute("id", Column::I32((0..512).collect()))?;
//!     let result = waves.step(&particles, Surroundings::default(), &Unwatched)?;
//!     assert!(result.points.len() > 1000);
//! }
//! # Ok(())
//! # }
//! ```

pub mod dynamics;
mod error;
mod frame;
pub mod points;
mod settings;
mod snapshot;
mod waves;

pub use error::WaveError;
pub use frame::{
    CURVATURE, DISPLACED_POSITION, DISPLACEMENT, FOAM, SEED_AMPLITUDE, WAVE_VELOCITY, WaveFrame,
    WaveReport,
};
pub use settings::WaveSettings;
pub use waves::{Paint, Surroundings, Waves};
pub use whitecap_core::saved_bytes::StateError;

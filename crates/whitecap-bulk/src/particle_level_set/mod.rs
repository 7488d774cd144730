//! A liquid's surface as a level set that particles on both sides keep from losing volume (Enright, Fedkiw,
//! Ferziger and Mitchell 2002).

mod correction;
mod distance_block;
mod error;
mod level_set;
mod narrow_band;
mod particles;
mod reinitialise;
mod seeding;
mod settings;
mod transport;
mod volume;

pub use error::LevelSetError;
pub use level_set::ParticleLevelSet;
pub use particles::LevelSetParticle;
pub use settings::LevelSetSettings;
pub use volume::{negative_share_of_cube, volume};

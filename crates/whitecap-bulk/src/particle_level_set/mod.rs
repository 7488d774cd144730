//! A liquid's surface as a level set that particles on both sides keep from losing volume (Enright, Fedkiw,
//! Ferziger and Mitchell 2002).
//!
//! φ is the distance to the surface, negative in the liquid, at the middles of cells within a few cells of it. It
//! alone would lose what is thinner than a cell. Balls on both sides that touch the surface move with the flow more
//! accurately than φ does; where one is found on the wrong side by more than its radius, it is put back into φ.
//!
//! ```
//! use whitecap_bulk::mac::MacLattice;
//! use whitecap_bulk::particle_level_set::{LevelSetSettings, ParticleLevelSet};
//! use whitecap_core::glam::{IVec3, Vec3};
//! use whitecap_core::{Bounds, SparseGrid, Unwatched};
//!
//! // A ball of 20 cm in a stream of 1 m/s.
//! let lattice = MacLattice::at_origin(0.02);
//! let bounds = Bounds { min: Vec3::splat(-0.1), max: Vec3::splat(0.1) };
//! let mut ball = ParticleLevelSet::from_distance(
//!     lattice,
//!     LevelSetSettings::default(),
//!     bounds,
//!     |place| place.length() - 0.1,
//! )?;
//! let tiles = (-2..4).flat_map(|z| (-2..4).flat_map(move |y| (-2..4).map(move |x| IVec3::new(x, y, z))));
//! let stream = SparseGrid::filled(lattice.corners, Vec3::ZERO, tiles.collect(), |_, faces| faces.fill(Vec3::X));
//! let before = ball.volume();
//! ball.advance(&stream, 0.1, &Unwatched)?;
//! assert!(ball.phi().sample(Vec3::new(0.1, 0.0, 0.0)) < -0.07);
//! assert!((ball.volume() / before - 1.0).abs() < 0.01);
//! # Ok::<(), whitecap_bulk::particle_level_set::LevelSetError>(())
//! ```
//!
//! # The step in detail
//! 1. Particles move with the flow by a third-order step (`particles`), and so does φ, backwards (`transport`).
//! 2. Particles that have escaped correct φ (`correction`).
//! 3. φ becomes a distance again without moving the surface (`reinitialise`), and is corrected once more.
//! 4. If `spray` is set, particles that the grid cannot hold even so leave it (`spray`).
//! 5. Particles get the radius with which they touch the surface. Every few steps cells that lack particles get
//!    new ones, and needless ones go (`seeding`).
//!
//! # Guarantees
//! * The same input gives the same bits for any number of threads; a saved level set continues with the same bits.
//! * Memory follows the surface: tiles of 8³ cells near it, a few bytes for each tile deep inside.
//! * Spray keeps its volume exactly and its momentum to rounding: [`SprayLedger`].
//! * When [`ParticleLevelSet::advance`] fails or is cancelled, the level set is as after its last whole step.
//!
//! # Non-guarantees
//! * The volume inside φ drifts: by less than 1 % in Zalesak's test and 3 % in Enright's, as measured. It is
//!   a line of its own beside the ledger of spray, and nothing balances the two.
//! * There is no liquid here: velocities come from elsewhere, and must reach a few cells beyond the surface.

mod correction;
mod distance_block;
mod error;
mod level_set;
mod narrow_band;
mod particles;
mod reinitialise;
mod saved_state;
mod seeding;
mod settings;
mod spray;
mod transport;
mod volume;

pub use error::LevelSetError;
pub use level_set::{AdvanceReport, ParticleLevelSet};
pub use particles::LevelSetParticle;
pub use settings::LevelSetSettings;
pub use spray::{SprayLedger, SprayParticle, expansion};
pub use volume::{negative_share_of_cube, volume};

//! Detail-preserving mesh tracking (Dagenais, Gagnon & Paquette 2017): a detailed closed mesh is
//! carried by a coarse particle liquid, keeps its detail where the liquid keeps its shape, and takes
//! the liquid's topology where that changes. A post-process on a particle sequence plus one mesh at
//! its first frame; the motion that was simulated does not change.
//!
//! [`Tracker`] is the way in. [`close_mesh`] repairs a scan that is not closed.

mod advect;
mod carried;
mod cells;
mod close;
mod coarse_distance;
mod coarse_surface;
mod crossings;
mod cubic;
mod cut;
mod error;
mod gamma;
mod half_edge;
mod input_check;
mod matching;
mod patch;
mod project;
mod quality;
mod rebuild;
mod remesh;
mod report;
mod settings;
mod state;
mod topology;
mod tracker;
mod triangulate;

pub use close::{CloseReport, close_mesh};
pub use error::TrackError;
pub use report::{TrackReport, TrackTimes};
pub use settings::{Projection, TrackSettings};
pub use state::StateError;
pub use topology::Topology;
pub use tracker::Tracker;

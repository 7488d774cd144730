//! Descriptions of a scene that phenomena share.
//!
//! | module | what |
//! |---|---|
//! | [`setting`] | what is wrong with a setting, and the check of all ranges |
//! | [`shape`], [`time_span`] | boxes, balls, planes, mesh files; spans of time |
//! | [`body`] | closed meshes at rest, moved by keys or deforming, at any time between frames |
//! | [`closed_shape`], [`sampling`] | the inside of a mesh; even samples of a surface |
//! | [`walls`] | planes and boxes that hold particles back |
//! | [`fill`], [`emitter`], [`opening`] | where particles are at the start, and where more come from |
//! | [`expression`] | formulas in settings, evaluated over columns |
//! | [`force_field`], [`kill`] | accelerations from outside, and volumes that remove particles |
//! | [`tags`] | which particles a picture of a liquid needs |
//!
//! Nothing here depends on a phenomenon; everything is plain data with units, and queries on it.

pub mod body;
pub mod closed_shape;
pub mod emitter;
mod error;
pub mod expression;
pub mod fill;
pub mod force_field;
pub mod kill;
pub mod opening;
pub mod sampling;
mod schema;
pub mod setting;
pub mod shape;
pub mod tags;
pub mod time_span;
pub mod walls;

pub use body::{AnimatedBody, BodyFrames, BodyPose, BodySettings, MeshMotion, PoseKey};
pub use closed_shape::ClosedShape;
pub use error::SceneError;
pub use schema::{describe_choices, short_numbers};
pub use setting::{Range, SettingError, check_ranges};

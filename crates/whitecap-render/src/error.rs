//! Why a picture cannot be made.

use whitecap_core::budget::OverBudget;
use whitecap_scene::SettingError;

/// Why rendering failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The region holds no pixel.
    #[error(
        "the region {region:?} holds no pixel; it is left, top, right, bottom, each from 0 to 1"
    )]
    Region {
        /// Left, top, right, bottom.
        region: [f32; 4],
    },
    /// The camera has no direction.
    #[error("the camera at {position:?} cannot look at {target:?} with {up:?} up")]
    Camera {
        /// Where the camera is.
        position: [f32; 3],
        /// Where it looks.
        target: [f32; 3],
        /// What is up.
        up: [f32; 3],
    },
    /// An object names a material that does not exist.
    #[error("object `{object}` has material {material}, but there are {count} materials")]
    MissingMaterial {
        /// The object.
        object: String,
        /// Which material it names.
        material: usize,
        /// How many there are.
        count: usize,
    },
    /// A material has a meaningless number.
    #[error("material {material}: {what}")]
    Material {
        /// Which material.
        material: usize,
        /// What is wrong and what would be right.
        what: &'static str,
    },
    /// A light has a meaningless number.
    #[error("light {light}: {what}")]
    Light {
        /// Which light.
        light: usize,
        /// What is wrong and what would be right.
        what: &'static str,
    },
    /// The environment has a meaningless number.
    #[error("the environment: {what}")]
    Environment {
        /// What is wrong and what would be right.
        what: &'static str,
    },
    /// More memory or time is needed than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The watcher asked to stop.
    #[error("rendering was cancelled")]
    Cancelled,
}

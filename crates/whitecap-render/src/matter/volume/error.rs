//! What can be wrong with a volume.

use glam::Vec3;

/// A volume that cannot be rendered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VolumeError {
    /// The extinction is negative or not a number.
    #[error("the extinction is {value} per metre; it must be a finite number, zero or more")]
    Extinction {
        /// What was given.
        value: f32,
    },
    /// The albedo is not between 0 and 1.
    #[error("the albedo is {value}; each colour must lie between 0 and 1")]
    Albedo {
        /// What was given.
        value: Vec3,
    },
    /// The anisotropy is out of range.
    #[error(
        "the anisotropy is {value}; it must lie strictly between -1 (all backward) and 1 (all forward)"
    )]
    Anisotropy {
        /// What was given.
        value: f32,
    },
    /// The emission is negative or not a number, or there is nothing to emit.
    #[error(
        "the emission is {value}; each colour must be a finite number, zero or more, and zero if the extinction is zero"
    )]
    Emission {
        /// What was given.
        value: Vec3,
    },
    /// A constant density is negative or not a number.
    #[error("the density is {value}; it must be a finite number, zero or more")]
    Density {
        /// What was given.
        value: f32,
    },
    /// A grid has a value that is not a number.
    #[error("the density grid holds {value} at {position}; densities must be finite numbers")]
    GridValue {
        /// What was found.
        value: f32,
        /// Where, in m.
        position: Vec3,
    },
    /// A grid is not zero outside its tiles.
    #[error(
        "the density grid has {value} outside its tiles, where a density must be zero; is it a level set?"
    )]
    Background {
        /// The background value.
        value: f32,
    },
    /// A sphere is invalid.
    #[error(
        "sphere {index} has centre {center}, radius {radius} and velocity {velocity}; all must be finite, and the radius not negative"
    )]
    Sphere {
        /// Which one.
        index: usize,
        /// Its centre.
        center: Vec3,
        /// Its radius.
        radius: f32,
        /// Its velocity.
        velocity: Vec3,
    },
}

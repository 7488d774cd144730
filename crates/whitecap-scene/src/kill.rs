//! Volumes that remove particles from the simulation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;

use crate::schema::describe_choices;
use crate::setting::{SettingError, check_ranges};
use crate::shape::{BallShape, BoxShape};

/// A volume that removes the particles in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum KillVolume {
    /// Everything inside a box.
    Box(BoxShape),
    /// Everything inside a ball.
    Sphere(BallShape),
    /// Everything outside a box.
    OutsideBox(BoxShape),
}

impl KillVolume {
    /// Whether the numbers describe a volume.
    pub fn check(&self) -> Result<(), SettingError> {
        check_ranges(self)?;
        match self {
            KillVolume::Box(shape) => shape.check_or_flat().map_err(|error| error.inside("box")),
            KillVolume::OutsideBox(shape) => {
                shape.check_or_flat().map_err(|error| error.inside("outside-box"))
            }
            KillVolume::Sphere(_) => Ok(()),
        }
    }

    /// Whether some of a box may be in it.
    pub fn may_reach(&self, bounds: &Bounds) -> bool {
        match self {
            KillVolume::Box(shape) => shape.bounds().overlaps(bounds),
            KillVolume::Sphere(BallShape { center, radius }) => {
                bounds.distance_squared((*center).into()) <= radius * radius
            }
            KillVolume::OutsideBox(shape) => {
                let inside = shape.bounds();
                !(inside.contains(bounds.min) && inside.contains(bounds.max))
            }
        }
    }

    /// Whether a particle at `position` is removed. A position that is not finite never is: it is
    /// an error to be reported, not to be hidden.
    #[inline]
    pub fn removes(&self, position: Vec3) -> bool {
        let corners = |shape: &BoxShape| (Vec3::from(shape.min), Vec3::from(shape.max));
        match self {
            KillVolume::Box(shape) => {
                let (min, max) = corners(shape);
                position.cmpge(min).all() && position.cmple(max).all()
            }
            KillVolume::OutsideBox(shape) => {
                let (min, max) = corners(shape);
                position.is_finite() && (position.cmplt(min).any() || position.cmpgt(max).any())
            }
            KillVolume::Sphere(BallShape { center, radius }) => {
                position.distance_squared((*center).into()) <= radius * radius
            }
        }
    }
}

/// Whether any of the volumes removes a particle at `position`.
#[inline]
pub fn is_removed(volumes: &[KillVolume], position: Vec3) -> bool {
    volumes.iter().any(|volume| volume.removes(position))
}

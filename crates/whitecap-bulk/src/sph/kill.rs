//! Volumes in which particles are taken out of the simulation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::glam::Vec3;

use super::choice_schema::describe_choices;
use super::solid::BoxShape;
use super::source_error::{SourceError, finite, ordered_box, positive};

/// A volume that removes the particles in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum KillVolume {
    /// Everything inside a box.
    Box(BoxShape),
    /// Everything inside a ball.
    Sphere(KillSphere),
    /// Everything outside a box.
    OutsideBox(BoxShape),
}

/// A ball that removes the particles in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KillSphere {
    /// Centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Radius.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
}

impl KillVolume {
    /// Whether the numbers describe a volume.
    pub fn check(&self) -> Result<(), SourceError> {
        match self {
            KillVolume::Box(BoxShape { min, max })
            | KillVolume::OutsideBox(BoxShape { min, max }) => {
                ordered_box("a kill volume", *min, *max).map(|_| ())
            }
            KillVolume::Sphere(KillSphere { center, radius }) => {
                finite("the centre of a kill volume", (*center).into())?;
                positive("the radius of a kill volume", *radius).map(|_| ())
            }
        }
    }

    /// Whether a particle at `position` is removed. A position that is not finite never is: it is
    /// a mistake to be reported, not to be swept away.
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
            KillVolume::Sphere(KillSphere { center, radius }) => {
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

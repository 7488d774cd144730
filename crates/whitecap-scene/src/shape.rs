//! Simple shapes as settings: boxes, balls, planes and the sides of a box.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;

use crate::error::unit_vector;
use crate::setting::SettingError;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Lowest corner (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub min: [f32; 3],
    /// Highest corner (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub max: [f32; 3],
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallShape {
    /// Centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Radius.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
}

/// A plane with something on one side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// A point on the plane (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub point: [f32; 3],
    /// Direction towards the liquid, of any length.
    #[schemars(extend("unit" = "none"))]
    pub normal: [f32; 3],
}

/// A mesh in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// File of the mesh, open or closed.
    #[schemars(extend("unit" = "none"))]
    pub path: String,
}

/// A side of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Side {
    /// The side of lowest x.
    #[serde(rename = "-x")]
    LowX,
    /// The side of highest x.
    #[serde(rename = "+x")]
    HighX,
    /// The floor.
    #[serde(rename = "-y")]
    LowY,
    /// The ceiling.
    #[serde(rename = "+y")]
    HighY,
    /// The side of lowest z.
    #[serde(rename = "-z")]
    LowZ,
    /// The side of highest z.
    #[serde(rename = "+z")]
    HighZ,
}

impl BoxShape {
    /// From its corners.
    pub fn new(min: Vec3, max: Vec3) -> Self {
        Self { min: min.to_array(), max: max.to_array() }
    }

    /// Fails for a box that holds nothing.
    pub fn check(&self) -> Result<(), SettingError> {
        self.first_axis(|min, max| max > min).map_or(Ok(()), |axis| Err(empty_box(axis)))
    }

    /// As [`BoxShape::check`], for boxes that may be flat.
    pub fn check_or_flat(&self) -> Result<(), SettingError> {
        self.first_axis(|min, max| max >= min).map_or(Ok(()), |axis| Err(empty_box(axis)))
    }

    /// The axis, if there is one, along which the corners are not finite or not in order.
    fn first_axis(&self, right: impl Fn(f32, f32) -> bool) -> Option<char> {
        let wrong = |&axis: &usize| {
            let (min, max) = (self.min[axis], self.max[axis]);
            !(min.is_finite() && max.is_finite() && right(min, max))
        };
        (0..3).find(wrong).map(|axis| ['x', 'y', 'z'][axis])
    }

    /// The box to compute with.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(self.min.into(), self.max.into())
    }
}

/// The one sentence about a box whose corners leave no room along an axis.
pub fn empty_box(axis: char) -> SettingError {
    SettingError::new("", format!("this box is empty along {axis}"))
        .with_help("min is the lowest corner, max the highest")
}

impl PlaneShape {
    /// Unit normal, and the offset along it of the points on the plane.
    pub fn equation(&self) -> Result<(Vec3, f32), SettingError> {
        let normal = unit_vector(self.normal.into())
            .ok_or_else(|| no_direction("normal", "the normal of a plane"))?;
        Ok((normal, normal.dot(self.point.into())))
    }
}

/// The one sentence about a direction of length zero.
pub fn no_direction(key: &str, what: &str) -> SettingError {
    SettingError::new(key, format!("{what} has no direction: it must not be zero"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: the error for an empty box names the axis and says which corner is which; a flat box is
    /// refused only where it must have a volume. A corner that is not finite is always refused.
    #[test]
    fn empty_boxes_are_told() {
        let of = |y: f32| BoxShape { min: [0.0; 3], max: [1.0, y, 1.0] };
        assert_eq!(of(1.0).check(), Ok(()));
        let message = of(-1.0).check().unwrap_err().inside("domain").to_string();
        assert_eq!(
            message,
            "`domain`: this box is empty along y; min is the lowest corner, max the highest"
        );
        assert_eq!((of(0.0).check_or_flat(), of(0.0).check()), (Ok(()), Err(empty_box('y'))));
        assert_eq!(of(f32::NAN).check_or_flat(), Err(empty_box('y')));
        assert_eq!(of(f32::INFINITY).check_or_flat(), Err(empty_box('y')));
    }
}

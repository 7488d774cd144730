//! Settings of what is in the picture besides the liquid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::shape::{BallShape, BoxShape};
use whitecap_scene::{BodySettings, describe_choices};

use super::materials::{MaterialSettings, PaintSettings};

/// Something in the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ObjectSettings {
    /// Where and how large it is.
    #[schemars(extend("unit" = "none"))]
    pub shape: ShapeSettings,
    /// What it is made of. Left out: grey and matt.
    #[serde(default = "grey")]
    #[schemars(extend("unit" = "none"))]
    pub material: MaterialSettings,
    /// Angle at which the liquid meets it, measured through the liquid: 20 for clean glass and water, 110 for
    /// wax. Left out: the liquid ignores it.
    #[serde(default)]
    #[schemars(extend("unit" = "degrees"), range(min = 0.0, max = 180.0))]
    pub contact_angle: Option<f32>,
    /// Whether a mesh shows its flat triangles. Left out: it is shaded smoothly across its edges.
    #[serde(default)]
    #[schemars(extend("unit" = "none"))]
    pub flat: bool,
}

impl ObjectSettings {
    /// A shape that is grey and matt.
    pub fn of(shape: ShapeSettings) -> Self {
        Self { shape, material: grey(), contact_angle: None, flat: false }
    }
}

fn grey() -> MaterialSettings {
    MaterialSettings::Matt(PaintSettings::default())
}

/// A shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum ShapeSettings {
    /// A mesh from a file: at rest, moved from key to key, or a file for each frame.
    Mesh(BodySettings),
    /// An infinite floor.
    Floor(FloorSettings),
    /// A box along the axes.
    Box(BoxShape),
    /// A ball.
    Ball(BallShape),
}

/// An infinite floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FloorSettings {
    /// Its height.
    #[schemars(extend("unit" = "m"))]
    pub height: f32,
}

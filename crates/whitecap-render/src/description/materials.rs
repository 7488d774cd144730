//! Settings of materials and of media that scatter light.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::describe_choices;

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum MaterialSettings {
    /// A clear liquid, of index 1.333 by default.
    Liquid(DielectricSettings),
    /// Glass, of index 1.5 by default. Where it overlaps a liquid, there is glass.
    Glass(DielectricSettings),
    /// Equally bright from every direction: chalk, paper, dry stone.
    Matt(PaintSettings),
    /// Paint under a clear coat.
    Plastic(PaintSettings),
    /// Metal.
    Metal(PaintSettings),
    /// A film in the air, coloured by its thickness: a soap bubble.
    Bubble(FilmSettings),
}

impl Default for MaterialSettings {
    fn default() -> Self {
        MaterialSettings::Liquid(DielectricSettings::default())
    }
}

/// A transparent body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DielectricSettings {
    /// Index of refraction. Left out: 1.333 for a liquid, 1.5 for glass.
    #[schemars(extend("unit" = "none"), range(min = 1.0, max = 4.0))]
    pub index: Option<f32>,
    /// 0 smooth, 1 frosted.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1.0))]
    pub roughness: f32,
    /// Colour of white light after a path of length `depth` through it: red, green, blue. Left out: clean
    /// water for a liquid, colourless for glass.
    #[schemars(extend("unit" = "none"))]
    pub color: Option<[f32; 3]>,
    /// Length of the path after which light has the `color`.
    #[schemars(extend("unit" = "m"), range(min = 1e-6, max = 1e6))]
    pub depth: f32,
    /// Where bodies overlap, the one with the higher priority counts. Left out: 0 for a liquid, 10 for glass.
    #[schemars(extend("unit" = "none"))]
    pub priority: Option<i32>,
    /// A thin film on the surface, such as oil on water. Left out: none.
    #[schemars(extend("unit" = "none"))]
    pub film: Option<FilmSettings>,
}

impl Default for DielectricSettings {
    fn default() -> Self {
        Self { index: None, roughness: 0.0, color: None, depth: 0.1, priority: None, film: None }
    }
}

/// A thin film.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FilmSettings {
    /// Index of refraction of the film; 1.47 for oil, 1.33 for soap water.
    #[schemars(extend("unit" = "none"), range(min = 1.0, max = 4.0))]
    pub index: f32,
    /// Thickness of the film. Left out: the attribute `film_thickness` of the mesh.
    #[schemars(extend("unit" = "m"), range(min = 0.0, max = 1e-3))]
    pub thickness: Option<f32>,
    /// A picture of the thickness, projected from above or placed by texture coordinates: black is
    /// no film, white is `thickness`.
    #[schemars(extend("unit" = "none"))]
    pub texture: Option<TextureSettings>,
}

impl Default for FilmSettings {
    fn default() -> Self {
        Self { index: 1.47, thickness: None, texture: None }
    }
}

/// An opaque material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PaintSettings {
    /// Fraction of light that is reflected: red, green, blue.
    #[schemars(extend("unit" = "none"))]
    pub color: [f32; 3],
    /// 0 polished, 1 matt. It has no effect on matt materials.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1.0))]
    pub roughness: f32,
    /// A second colour in a chessboard pattern, seen from above. Left out: one colour.
    #[schemars(extend("unit" = "none"))]
    pub checker: Option<[f32; 3]>,
    /// Edge length of a square of the chessboard.
    #[schemars(extend("unit" = "m"), range(min = 1e-6, max = 1e6))]
    pub checker_size: f32,
    /// A picture in place of the colour.
    #[schemars(extend("unit" = "none"))]
    pub texture: Option<TextureSettings>,
}

impl Default for PaintSettings {
    fn default() -> Self {
        Self { color: [0.4; 3], roughness: 0.3, checker: None, checker_size: 0.1, texture: None }
    }
}

/// A picture on a surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextureSettings {
    /// The picture: PNG, OpenEXR or Radiance HDR, relative to the shot file.
    #[schemars(extend("unit" = "none"))]
    pub path: String,
    /// Edge length of the picture when it is projected from above. Left out: the texture
    /// coordinates of the surface place it.
    #[serde(default)]
    #[schemars(extend("unit" = "m"), range(min = 1e-6, max = 1e6))]
    pub size: Option<f32>,
}

/// A medium that scatters light.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MediumSettings {
    /// Fraction of light lost per metre where the density is one.
    #[schemars(extend("unit" = "1/m"), range(min = 0.0, max = 1e9))]
    pub extinction: f32,
    /// Fraction of the lost light that is scattered rather than absorbed: red, green, blue.
    #[schemars(extend("unit" = "none"))]
    pub albedo: [f32; 3],
    /// Mean cosine of the angle by which light is deflected: 0 scatters in all directions, 0.9
    /// mostly forwards.
    #[schemars(extend("unit" = "none"), range(min = -0.99, max = 0.99))]
    pub anisotropy: f32,
    /// Radius of a particle of the medium, if it is given as particles without a `radius`.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
}

impl Default for MediumSettings {
    fn default() -> Self {
        Self { extinction: 5.0, albedo: [0.995; 3], anisotropy: 0.7, radius: 0.01 }
    }
}

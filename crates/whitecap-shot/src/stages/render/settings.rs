//! Settings of the `render` stage: what is seen, from where, in which light.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_render::liquid::LiquidSettings;
use whitecap_render::meniscus::MeniscusSettings;
use whitecap_render::{Camera, RenderSettings, Tone};
use whitecap_scene::shape::{BallShape, BoxShape};
use whitecap_scene::{BodySettings, describe_choices};

/// Settings of the stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct RenderStageSettings {
    /// Where the scene is seen from.
    #[schemars(extend("unit" = "none"))]
    pub camera: Camera,
    /// How far the camera turns around its target per second, anticlockwise seen from above: a
    /// turntable.
    #[schemars(extend("unit" = "degrees/s"), range(min = -1e6, max = 1e6))]
    pub turn: f32,
    /// What the liquid is made of.
    #[schemars(extend("unit" = "none"))]
    pub material: MaterialSettings,
    /// How rays find the surface, if the input `surface` gives particles.
    #[schemars(extend("unit" = "none"))]
    pub liquid: LiquidSettings,
    /// Menisci where a liquid given as particles or as a distance field meets objects that have a
    /// `contact-angle`. Left out: none.
    #[schemars(extend("unit" = "none"))]
    pub meniscus: Option<MeniscusSettings>,
    /// What `mist` is made of.
    #[schemars(extend("unit" = "none"))]
    pub medium: MediumSettings,
    /// What else is in the picture.
    #[schemars(extend("unit" = "none"))]
    pub objects: Vec<ObjectSettings>,
    /// Suns and lamps. Left out: one sun.
    #[schemars(extend("unit" = "none"))]
    pub lights: Vec<LightSettings>,
    /// Light from all around. Left out: a clear sky.
    #[schemars(extend("unit" = "none"))]
    pub environment: EnvironmentSettings,
    /// Exposure of PNG pictures: 1 doubles all light.
    #[schemars(extend("unit" = "stops"), range(min = -30.0, max = 30.0))]
    pub exposure: f32,
    /// How light becomes brightness in PNG pictures. OpenEXR pictures hold the light itself.
    #[schemars(extend("unit" = "none"))]
    pub tone: Tone,
    /// The picture itself.
    #[serde(flatten)]
    pub picture: RenderSettings,
}

impl Default for RenderStageSettings {
    fn default() -> Self {
        Self {
            camera: Camera::default(),
            turn: 0.0,
            material: MaterialSettings::default(),
            liquid: LiquidSettings::default(),
            meniscus: None,
            medium: MediumSettings::default(),
            objects: Vec::new(),
            lights: vec![LightSettings::Sun(SunSettings::default())],
            environment: EnvironmentSettings::default(),
            exposure: 0.0,
            tone: Tone::default(),
            picture: RenderSettings::default(),
        }
    }
}

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

/// A light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum LightSettings {
    /// A bright disc, infinitely far away.
    Sun(SunSettings),
    /// A square that shines towards a point.
    Lamp(LampSettings),
}

/// A bright disc, infinitely far away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SunSettings {
    /// Direction to it, seen from the scene (x, y, z).
    #[schemars(extend("unit" = "none"))]
    pub direction: [f32; 3],
    /// Its apparent diameter; 0.53 for the real sun. A larger one makes softer shadows.
    #[schemars(extend("unit" = "degrees"), range(min = 0.01, max = 180.0))]
    pub diameter: f32,
    /// Light on a surface that faces it: red, green, blue.
    #[schemars(extend("unit" = "W/m²"))]
    pub irradiance: [f32; 3],
}

impl Default for SunSettings {
    fn default() -> Self {
        Self { direction: [-0.6, 0.8, 0.4], diameter: 3.0, irradiance: [2.2, 2.0, 1.7] }
    }
}

/// A square that shines towards a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LampSettings {
    /// Its centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub position: [f32; 3],
    /// The point that it faces (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub target: [f32; 3],
    /// Its edge length. A larger one makes softer shadows.
    #[schemars(extend("unit" = "m"), range(min = 1e-6, max = 1e6))]
    pub size: f32,
    /// How bright it is: red, green, blue.
    #[schemars(extend("unit" = "W/(m² sr)"))]
    pub radiance: [f32; 3],
}

/// Light from all around.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum EnvironmentSettings {
    /// A sky that blends from the horizon to the zenith.
    Sky(SkySettings),
    /// A picture with longitude from left to right and latitude from top to bottom.
    Image(EnvironmentImageSettings),
}

impl Default for EnvironmentSettings {
    fn default() -> Self {
        EnvironmentSettings::Sky(SkySettings::default())
    }
}

/// A sky. Equal colours make an even light; zeros make darkness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SkySettings {
    /// Colour straight up: red, green, blue.
    #[schemars(extend("unit" = "W/(m² sr)"))]
    pub zenith: [f32; 3],
    /// Around.
    #[schemars(extend("unit" = "W/(m² sr)"))]
    pub horizon: [f32; 3],
    /// Below.
    #[schemars(extend("unit" = "W/(m² sr)"))]
    pub ground: [f32; 3],
}

impl Default for SkySettings {
    fn default() -> Self {
        Self { zenith: [0.1, 0.2, 0.45], horizon: [0.5, 0.56, 0.62], ground: [0.15; 3] }
    }
}

/// A picture of the surroundings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentImageSettings {
    /// The picture: OpenEXR, Radiance HDR or PNG, relative to the shot file.
    #[schemars(extend("unit" = "none"))]
    pub path: String,
    /// Rotation about the vertical, anticlockwise seen from above.
    #[serde(default)]
    #[schemars(extend("unit" = "degrees"), range(min = -360.0, max = 360.0))]
    pub rotation: f32,
    /// Factor by which its light is multiplied.
    #[serde(default = "one")]
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1e9))]
    pub strength: f32,
}

fn one() -> f32 {
    1.0
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

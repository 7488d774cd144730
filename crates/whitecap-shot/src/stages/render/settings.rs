//! Settings of the `render` stage: what is seen, from where, in which light.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_render::description::{
    EnvironmentSettings, LightSettings, MaterialSettings, MediumSettings, ObjectSettings,
    SunSettings,
};
use whitecap_render::liquid::LiquidSettings;
use whitecap_render::meniscus::MeniscusSettings;
use whitecap_render::{Camera, RenderSettings, Tone};

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
    /// What the liquid is made of. Left out: clean water; `whitecap render` colours it by its size.
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
    /// Exposure of PNG pictures: 1 doubles all light. Left out: 0; `whitecap render` measures it in
    /// one frame for all.
    #[schemars(extend("unit" = "stops"), range(min = -30.0, max = 30.0))]
    pub exposure: Option<f32>,
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
            exposure: None,
            tone: Tone::default(),
            picture: RenderSettings::default(),
        }
    }
}

//! Settings of a picture: the single source for the shot-file keys, the command's flags, the JSON Schema
//! and the documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_scene::{Range, check_ranges};

use crate::RenderError;

/// How the samples of a pixel are distributed over it and its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PixelFilter {
    /// A bell: smooth and without ringing.
    #[default]
    Gaussian,
    /// A tent.
    Triangle,
    /// All equal.
    Box,
}

/// A layer of the picture.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Pass {
    /// The picture. It is the sum of diffuse, reflection, refraction, volume and emission.
    Beauty,
    /// How much of the pixel is covered by objects and volumes, from 0 to 1.
    Alpha,
    /// Light scattered diffusely by what the camera sees first.
    Diffuse,
    /// Light reflected by what the camera sees first.
    Reflection,
    /// Light transmitted by what the camera sees first.
    Refraction,
    /// Light scattered by a volume before anything else.
    Volume,
    /// Light that comes straight from lights, glowing surfaces and the environment.
    Emission,
    /// Distance from the camera's plane, in m; infinite where there is nothing.
    Depth,
    /// Where the surface is, in m.
    Position,
    /// Normal of the surface.
    Normal,
    /// Velocity of the surface, in m/s.
    Velocity,
    /// How the surface moves across the picture, in pixels right and up: from where it is to where it
    /// was in the previous frame, and from where it will be in the next frame to where it is.
    Motion,
    /// Index of the object in the scene, counted from 1; 0 if there is none.
    Object,
    /// Index of the material in the scene, counted from 1; 0 if there is none.
    Material,
    /// Id of the nearest particle, counted from 1 (the lower 32 bits); 0 if there is none.
    Particle,
    /// Thickness of the film on the surface, in m.
    FilmThickness,
}

/// Settings of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RenderSettings {
    /// Width of the picture.
    #[schemars(extend("unit" = "pixels"), range(min = 1, max = 65536))]
    pub width: u32,
    /// Height of the picture.
    #[schemars(extend("unit" = "pixels"), range(min = 1, max = 65536))]
    pub height: u32,
    /// Factor by which width and height are multiplied, for test pictures.
    #[schemars(extend("unit" = "none"), range(min = 0.001, max = 16.0))]
    pub scale: f32,
    /// Only this part of the picture is made: left, top, right, bottom, each from 0 to 1.
    #[schemars(extend("unit" = "none"))]
    pub region: Option<[f32; 4]>,
    /// Largest number of paths per pixel.
    #[schemars(extend("unit" = "paths"), range(min = 1, max = 1_000_000))]
    pub samples: u32,
    /// Smallest number of paths before a pixel can count as clean.
    #[schemars(extend("unit" = "paths"), range(min = 1, max = 1_000_000))]
    pub least_samples: u32,
    /// A pixel is clean when its estimated error, as a fraction of the brightness that a display
    /// shows, is below this; it then gets no more paths. 0 gives every pixel all paths.
    #[schemars(extend("unit" = "none"), range(min = 0.0, max = 1.0))]
    pub noise: f32,
    /// Paths per pixel after which the picture so far is shown.
    #[schemars(extend("unit" = "paths"), range(min = 1, max = 1_000_000))]
    pub samples_per_pass: u32,
    /// Largest number of times that a path is scattered. Liquid in a glass needs a dozen.
    #[schemars(extend("unit" = "none"), range(min = 0, max = 1000))]
    pub bounces: u32,
    /// From this many bounces on, paths that carry little light are ended at random.
    #[schemars(extend("unit" = "none"), range(min = 0, max = 1000))]
    pub roulette_after: u32,
    /// Largest radiance that one path adds after its second bounce. Removes isolated bright pixels
    /// and some light with them: caustics, and lights that are seen through several surfaces. 0 means
    /// no limit. Left out: in shots and on the command line, eight times what is shown as white.
    #[schemars(extend("unit" = "W/(m² sr)"), range(min = 0.0, max = 1e9))]
    pub clamp: Option<f32>,
    /// Light reaches what lies in or behind smooth transparent bodies in a straight line, dimmed by
    /// the interfaces and the matter on the way. The amount of light is about right, but its
    /// pattern (caustics) is lost. Without it such light comes only from paths that hit a light by
    /// chance: exact, but far noisier.
    #[schemars(extend("unit" = "none"))]
    pub fast_shadows: bool,
    /// Light from lamps and suns that mirrors and liquids cast on matt surfaces. Exact, but noisy
    /// for small lights; without it that light is missing.
    #[schemars(extend("unit" = "none"))]
    pub reflected_caustics: bool,
    /// How the samples of a pixel are distributed.
    #[schemars(extend("unit" = "none"))]
    pub filter: PixelFilter,
    /// Width of the filter.
    #[schemars(extend("unit" = "pixels"), range(min = 0.0, max = 10.0))]
    pub filter_width: f32,
    /// Whether the environment is visible in the background; it lights the scene in any case.
    #[schemars(extend("unit" = "none"))]
    pub background: bool,
    /// Time until the next frame in s, for the motion pass. Not a setting of shots: they know it.
    #[serde(skip)]
    pub frame_duration: f32,
    /// Layers to make besides beauty and alpha.
    #[schemars(extend("unit" = "none"))]
    pub passes: Vec<Pass>,
    /// A different seed gives different noise.
    #[schemars(extend("unit" = "none"))]
    pub seed: u64,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            scale: 1.0,
            region: None,
            samples: 128,
            least_samples: 32,
            noise: 0.01,
            samples_per_pass: 16,
            bounces: 16,
            roulette_after: 4,
            clamp: None,
            fast_shadows: true,
            reflected_caustics: false,
            filter: PixelFilter::Gaussian,
            filter_width: 2.0,
            background: true,
            frame_duration: 1.0 / 24.0,
            passes: Vec::new(),
            seed: 0,
        }
    }
}

/// The part of a picture that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Size of the whole picture.
    pub(crate) full: [u32; 2],
    /// Upper left corner of the part.
    pub(crate) corner: [u32; 2],
    /// Size of the part.
    pub(crate) size: [u32; 2],
}

impl RenderSettings {
    /// Fails at the first value that cannot be used.
    pub fn check(&self) -> Result<(), RenderError> {
        check_ranges(self)?;
        Range::between(0.0, 1e6).check("frame-duration", self.frame_duration.into())?;
        self.window().map(|_| ())
    }

    /// Width and height of the picture that [`crate::render`] makes.
    pub fn size(&self) -> Result<[u32; 2], RenderError> {
        self.window().map(|window| window.size)
    }

    pub(crate) fn window(&self) -> Result<Window, RenderError> {
        let scaled = |length: u32| (length as f32 * self.scale).round().max(1.0) as u32;
        let full = [scaled(self.width), scaled(self.height)];
        let region = self.region.unwrap_or([0.0, 0.0, 1.0, 1.0]);
        let pixel =
            |share: f32, axis: usize| (share.clamp(0.0, 1.0) * full[axis] as f32).round() as u32;
        let corner = [pixel(region[0], 0), pixel(region[1], 1)];
        let end = [pixel(region[2], 0), pixel(region[3], 1)];
        let sound = region.iter().all(|share| (0.0..=1.0).contains(share));
        if !sound || end[0] <= corner[0] || end[1] <= corner[1] {
            return Err(RenderError::Region { region });
        }
        Ok(Window { full, corner, size: [end[0] - corner[0], end[1] - corner[1]] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Camera;

    /// Every setting of a picture and of a camera says what it is and in which unit.
    #[test]
    fn every_setting_has_a_description_and_a_unit() {
        let schemas = [schemars::schema_for!(RenderSettings), schemars::schema_for!(Camera)];
        for schema in schemas {
            let properties = schema.get("properties").and_then(|value| value.as_object()).unwrap();
            for (name, property) in properties {
                assert!(property.get("unit").is_some(), "{name} has no unit");
                assert!(property.get("description").is_some(), "{name} has no description");
            }
        }
    }

    /// The defaults can be rendered.
    #[test]
    fn defaults_are_sound() {
        assert_eq!(RenderSettings::default().check(), Ok(()));
        assert_eq!(RenderSettings::default().size(), Ok([1280, 720]));
    }
}

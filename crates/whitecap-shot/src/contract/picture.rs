//! A finished picture as it is passed between stages and into files.

use whitecap_io::image::{CameraView, Image, LayeredImage, Pass as FilePass, srgb_to_linear};
use whitecap_render::glam::Vec3;
use whitecap_render::{Camera, Projection, RenderSettings, Rendered, Tone};

/// A picture: all its layers, and how a display shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Light and data, for OpenEXR.
    pub layers: LayeredImage,
    /// The picture as it should look, for PNG.
    pub preview: Image,
}

impl Picture {
    /// A rendered picture; `exposure` in stops and `tone` make the preview.
    pub fn new(rendered: &Rendered, exposure: f32, tone: Tone) -> Self {
        let (width, height) = (rendered.width as usize, rendered.height as usize);
        let mut layers = LayeredImage::new(width, height);
        for (name, pass) in LAYERS {
            add_layer(&mut layers, rendered, name, pass);
        }
        layers.add_plain_colors();
        let light = rendered.rgb("beauty").unwrap_or_default();
        let shown = |&light: &Vec3| {
            let [r, g, b] = tone.encode(light, exposure).to_array().map(srgb_to_linear);
            [r, g, b, 1.0]
        };
        let pixels = light.iter().map(shown).collect();
        let preview = Image::from_pixels(width, height, false, pixels)
            .unwrap_or_else(|| Image::new(width, height, [0.0, 0.0, 0.0, 1.0]));
        Self { layers, preview }
    }

    /// The same with the camera that made it.
    pub fn seen_from(mut self, camera: &Camera, settings: &RenderSettings) -> Self {
        self.layers.camera = camera.matrices(settings).ok().map(|matrices| {
            let degrees = |length: f32| 2.0 * (0.5 * length).atan().to_degrees();
            let is_whole = settings.region.is_none();
            let has_angle = camera.projection == Projection::Perspective && is_whole;
            CameraView {
                // The columns of a matrix for columns are the rows of one for rows.
                world_to_camera: matrices.world_to_camera.to_cols_array(),
                world_to_picture: matrices.world_to_picture.to_cols_array(),
                field_of_view: has_angle.then(|| matrices.size.to_array().map(degrees)),
                window_width: matrices.size.x,
            }
        });
        self
    }
}

/// Layers of a rendered picture and what files call them; beauty and alpha are one there.
const LAYERS: [(&str, FilePass); 15] = [
    ("beauty", FilePass::Combined),
    ("diffuse", FilePass::Diffuse),
    ("reflection", FilePass::Reflection),
    ("refraction", FilePass::Refraction),
    ("volume", FilePass::Volume),
    ("emission", FilePass::Emission),
    ("depth", FilePass::Depth),
    ("position", FilePass::Position),
    ("normal", FilePass::Normal),
    ("velocity", FilePass::Velocity),
    ("motion", FilePass::Vector),
    ("object", FilePass::Object),
    ("material", FilePass::Material),
    ("particle", FilePass::Particle),
    ("film-thickness", FilePass::FilmThickness),
];

fn add_layer(layers: &mut LayeredImage, rendered: &Rendered, name: &str, pass: FilePass) {
    if let Some(ids) = rendered.ids(name) {
        layers.add_numbers(pass, ids.to_vec());
        return;
    }
    let Some(layer) = rendered.layer(name) else { return };
    let mut channels: Vec<&[f32]> =
        layer.channels.iter().filter_map(|c| rendered.numbers(name, c.name)).collect();
    let count = layers.width * layers.height;
    if pass == FilePass::Combined {
        channels.extend(rendered.numbers("alpha", "A"));
    }
    if channels.len() == pass.components().len() {
        let pixels = (0..count).flat_map(|pixel| channels.iter().map(move |c| c[pixel]));
        layers.add_pass(pass, &pixels.collect::<Vec<f32>>());
    }
}

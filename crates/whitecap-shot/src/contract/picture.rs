//! A finished picture as it is passed between stages and into files.

use whitecap_io::image::{Image, LayeredImage, Pass as FilePass, srgb_to_linear};
use whitecap_render::glam::Vec3;
use whitecap_render::{Rendered, Tone};

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
    let (zeros, up);
    match pass {
        FilePass::Combined => channels.extend(rendered.numbers("alpha", "A")),
        // Blender's vector pass looks back in X, Y and ahead in Z, W, with Y and W up; only the
        // motion ahead is known.
        FilePass::Vector if channels.len() == 2 => {
            zeros = vec![0.0; count];
            up = channels[1].iter().map(|down| -down).collect::<Vec<f32>>();
            channels = vec![&zeros, &zeros, channels[0], &up];
        }
        _ => (),
    }
    if channels.len() == pass.components().len() {
        let pixels = (0..count).flat_map(|pixel| channels.iter().map(move |c| c[pixel]));
        layers.add_pass(pass, &pixels.collect::<Vec<f32>>());
    }
}

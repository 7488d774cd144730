//! Two drops that merge while the shutter is open: `cargo run --release -p whitecap-render --example
//! 5_merging_drops -- FOLDER` writes the picture of moving particles, that of a mesh with moving
//! vertices, and the mean of 64 still pictures.

#[path = "../tests/direct_and_meshed/drops.rs"]
mod drops;

use std::path::Path;

use whitecap_render::glam::Vec3;
use whitecap_render::{RenderSettings, Tone};

use drops::Drops;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let settings =
        RenderSettings { width: 480, height: 200, samples: 64, ..RenderSettings::default() };
    let few = RenderSettings { samples: 4, noise: 0.0, ..settings.clone() };
    let drops = Drops::new();
    for (name, pixels) in [
        ("direct", drops.direct(&settings)),
        ("mesh", drops.meshed(&settings)),
        ("stills", drops.mean_of_stills(64, &few)),
    ] {
        write(&Path::new(&folder).join(format!("{name}.png")), &settings, &pixels)?;
    }
    Ok(())
}

fn write(
    path: &Path,
    size: &RenderSettings,
    pixels: &[Vec3],
) -> Result<(), Box<dyn std::error::Error>> {
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, size.width, size.height);
    encoder.set_color(png::ColorType::Rgb);
    let shown = pixels.iter().flat_map(|&light| {
        (255.0 * Tone::Filmic.encode(light, 0.0)).round().to_array().map(|value| value as u8)
    });
    encoder.write_header()?.write_image_data(&shown.collect::<Vec<u8>>())?;
    Ok(())
}

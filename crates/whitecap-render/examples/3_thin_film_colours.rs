//! Charts of thin-film colours: thickness from left to right, 0 to 1000 nm with a mark every 100 nm;
//! angle from top to bottom, 0° to 85°. Every row is scaled to its own brightest colour.
//!
//! ```text
//! cargo run --release -p whitecap-render --example 3_thin_film_colours -- soap.png oil.png
//! ```

use glam::Vec3;
use whitecap_io::image::{Image, PngDepth, write_png};
use whitecap_render::thin_film::{ThinFilm, ThinFilmSettings};

const WIDTH: usize = 800;
const HEIGHT: usize = 200;
const THICKEST: f32 = 1e-6;
const STEEPEST: f32 = 85.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [soap, oil] = paths.as_slice() else {
        return Err("usage: 3_thin_film_colours SOAP.png OIL.png".into());
    };
    let in_air =
        ThinFilmSettings { film_index: 1.33, substrate_index: 1.0, ..ThinFilmSettings::default() };
    write_png(soap, &chart(&ThinFilm::new(&in_air)?), PngDepth::Eight)?;
    write_png(oil, &chart(&ThinFilm::new(&ThinFilmSettings::default())?), PngDepth::Eight)?;
    Ok(())
}

fn chart(film: &ThinFilm) -> Image {
    let mut image = Image::new(WIDTH, HEIGHT, [0.0, 0.0, 0.0, 1.0]);
    for (row, pixels) in image.pixels_mut().chunks_exact_mut(WIDTH).enumerate() {
        let angle = STEEPEST * row as f32 / (HEIGHT - 1) as f32;
        let color = |column: usize| {
            let thickness = THICKEST * (column as f32 + 0.5) / WIDTH as f32;
            film.reflectance(angle.to_radians().cos(), thickness)
        };
        let brightest = (0..WIDTH).map(|column| color(column).max_element()).fold(0.0, f32::max);
        for (column, pixel) in pixels.iter_mut().enumerate() {
            let mark = column > 0 && column % (WIDTH / 10) == 0 && row + 8 > HEIGHT;
            let Vec3 { x, y, z } = if mark { Vec3::ZERO } else { color(column) / brightest };
            *pixel = [x, y, z, 1.0];
        }
    }
    image
}

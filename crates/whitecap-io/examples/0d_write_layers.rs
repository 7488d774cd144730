//! Writes an OpenEXR file with every pass a renderer produces, filled with values that are easy to check.
//!
//! ```text
//! cargo run --example 0d_write_layers -- frame.exr
//! ```
//!
//! Component c of pass number n, in column x and row y, is n + 10 c + x / 64 + y / 4096. Passes of whole
//! numbers hold 1000 n + 64 y + x.

use whitecap_io::Error;
use whitecap_io::image::{LayeredImage, Pass, write_layers};

const WIDTH: usize = 64;
const HEIGHT: usize = 48;

fn main() -> Result<(), Error> {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: 0d_write_layers FILE.exr");
        std::process::exit(2);
    };
    let mut image = LayeredImage::new(WIDTH, HEIGHT);
    let places = || (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    for (number, pass) in Pass::ALL.into_iter().enumerate() {
        if matches!(pass, Pass::Object | Pass::Material | Pass::Particle) {
            let whole = places().map(|(x, y)| (1000 * number + 64 * y + x) as u32);
            image.add_numbers(pass, whole.collect());
            continue;
        }
        let values = places().flat_map(|(x, y)| {
            let place = x as f32 / 64.0 + y as f32 / 4096.0;
            (0..pass.components().len()).map(move |c| (number + 10 * c) as f32 + place)
        });
        image.add_pass(pass, &values.collect::<Vec<_>>());
    }
    write_layers(path, &image)
}

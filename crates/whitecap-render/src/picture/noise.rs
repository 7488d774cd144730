//! Which pixels need more samples.

use super::tile::Tile;
use crate::RenderSettings;

/// Pixels around one that is not clean also continue: their low estimates may be luck.
const NEIGHBOURHOOD: i64 = 2;

/// Marks pixels that are clean and returns the fraction that are finished.
pub(super) fn retire_clean_pixels(
    tiles: &mut [Tile],
    [width, height]: [u32; 2],
    settings: &RenderSettings,
    samples: u32,
) -> f32 {
    if settings.noise <= 0.0 || samples < settings.least_samples {
        return 0.0;
    }
    let (width, height) = (width as usize, height as usize);
    let mut noisy = vec![false; width * height];
    for tile in tiles.iter() {
        for (place, pixel) in tile.pixels.iter().enumerate() {
            let [x, y] = tile.pixel_at(place);
            noisy[y as usize * width + x as usize] = !pixel.clean && pixel.error() > settings.noise;
        }
    }
    let noisy_near = |x: u32, y: u32| {
        let rows = neighbours(y, height);
        rows.into_iter().any(|row| {
            let columns = neighbours(x, width);
            columns.into_iter().any(|column| noisy[row * width + column])
        })
    };
    let mut finished = 0usize;
    for tile in tiles.iter_mut() {
        for place in 0..tile.pixels.len() {
            let [x, y] = tile.pixel_at(place);
            let clean = tile.pixels[place].clean || !noisy_near(x, y);
            tile.pixels[place].clean = clean;
            finished += usize::from(clean);
        }
    }
    finished as f32 / (width * height) as f32
}

/// Indices around one, within a length.
fn neighbours(place: u32, length: usize) -> std::ops::Range<usize> {
    let place = i64::from(place);
    let first = (place - NEIGHBOURHOOD).max(0) as usize;
    first..((place + NEIGHBOURHOOD + 1) as usize).min(length)
}

//! Tiles: squares of pixels that one thread works on at a time.

use glam::Vec3;

use super::data::Data;
use crate::path::{Brought, LAYERS, brightness};
use crate::rendered::Statistics;
use crate::{Pass, RenderSettings};

/// Edge length of a tile in pixels.
const TILE: u32 = 16;

/// What a pixel has gathered.
#[derive(Clone, Debug, Default)]
pub(super) struct Pixel {
    layers: [Vec3; LAYERS],
    alpha: f32,
    /// Running mean and sum of squared deviations of the brightness on a display (Welford 1962).
    mean: f32,
    deviations: f32,
    pub(super) count: u32,
    /// Whether it needs no more samples.
    pub(super) clean: bool,
}

impl Pixel {
    /// Estimated error of the mean brightness on a display.
    pub(super) fn error(&self) -> f32 {
        let count = self.count as f32;
        if self.count < 2 {
            return f32::INFINITY;
        }
        (self.deviations / ((count - 1.0) * count)).sqrt()
    }
}

/// A square of pixels.
pub(super) struct Tile {
    corner: [u32; 2],
    width: u32,
    pub(super) pixels: Vec<Pixel>,
    /// As long as `pixels` if layers of data were requested, otherwise empty.
    pub(super) data: Vec<Data>,
    pub(super) statistics: Statistics,
}

/// Cuts a picture into tiles.
pub(super) fn tiles([width, height]: [u32; 2], settings: &RenderSettings) -> Vec<Tile> {
    let needs_data = settings.passes.iter().any(|pass| pass.is_data());
    let mut tiles = Vec::new();
    for top in (0..height).step_by(TILE as usize) {
        for left in (0..width).step_by(TILE as usize) {
            let size = [TILE.min(width - left), TILE.min(height - top)];
            let count = (size[0] * size[1]) as usize;
            tiles.push(Tile {
                corner: [left, top],
                width: size[0],
                pixels: vec![Pixel::default(); count],
                data: vec![Data::default(); if needs_data { count } else { 0 }],
                statistics: Statistics::default(),
            });
        }
    }
    tiles
}

impl Tile {
    /// Column and row of a pixel.
    pub(super) fn pixel_at(&self, place: usize) -> [u32; 2] {
        let place = place as u32;
        [self.corner[0] + place % self.width, self.corner[1] + place / self.width]
    }

    /// Adds the result of a path.
    pub(super) fn add(&mut self, place: usize, brought: &Brought) {
        self.statistics.paths += 1;
        self.statistics.rays += u64::from(brought.rays);
        let pixel = &mut self.pixels[place];
        pixel.count += 1;
        let sound = brought.layers.iter().all(|light| light.is_finite());
        let layers = if sound { brought.layers } else { Default::default() };
        self.statistics.lost_paths += u64::from(!sound);
        for (sum, light) in pixel.layers.iter_mut().zip(layers) {
            *sum += light;
        }
        pixel.alpha += brought.alpha;
        // Roughly what a display makes of it: brightness beyond white does not count in full.
        let bright = brightness(&layers).max(0.0);
        let shown = (bright / (bright + 1.0)).sqrt();
        let difference = shown - pixel.mean;
        pixel.mean += difference / pixel.count as f32;
        pixel.deviations += difference * (shown - pixel.mean);
    }

    /// A number of a layer.
    pub(super) fn number(&self, pass: Pass, place: usize, channel: usize) -> f32 {
        let pixel = &self.pixels[place];
        let share = 1.0 / pixel.count.max(1) as f32;
        match pass {
            Pass::Beauty => pixel.layers.iter().map(|light| light[channel]).sum::<f32>() * share,
            Pass::Alpha => pixel.alpha * share,
            Pass::Emission => pixel.layers[0][channel] * share,
            Pass::Diffuse => pixel.layers[1][channel] * share,
            Pass::Reflection => pixel.layers[2][channel] * share,
            Pass::Refraction => pixel.layers[3][channel] * share,
            Pass::Volume => pixel.layers[4][channel] * share,
            _ => self.data.get(place).map_or(0.0, |data| data.number(pass, channel)),
        }
    }

    /// An id of a layer.
    pub(super) fn id(&self, pass: Pass, place: usize) -> u32 {
        self.data.get(place).map_or(0, |data| data.id(pass))
    }
}

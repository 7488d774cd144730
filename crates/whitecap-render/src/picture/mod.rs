//! From a scene to a picture: tiles in parallel, passes one after the other.
//!
//! # Guarantees
//! * The same scene and settings give the same bits, for any number of threads: each pixel adds up its
//!   own samples in order, and whether it needs more is decided between passes.
//! * A path whose light is not finite is left out and counted.
//! * Progress never goes back, although clean pixels can make it jump ahead, and ends at 1.
//!
//! # Non-guarantees
//! Layers of data (depth, position, normal, velocity, motion, ids, film thickness) show what the middle of
//! the pixel sees at the frame's own time, through the middle of the lens: they are not blended between
//! pixels, so that they can be used in computations.

mod data;
mod filter;
mod noise;
mod onwards;
mod tile;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use whitecap_core::Watch;
use whitecap_core::budget::{self, OverBudget};

use crate::camera::PreparedCamera;
use crate::rendered::{Channel, Layer, Rendered, Statistics, Values};
use crate::scene::PreparedScene;
use crate::settings::Window;
use crate::{Pass, RenderError, RenderSettings, Scene, path};
use onwards::Onwards;
use tile::Tile;

/// Progress of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Paths per pixel so far, at most.
    pub samples: u32,
    /// Fraction of pixels that are clean or have all their paths.
    pub finished: f32,
}

/// Makes a picture.
pub fn render(
    scene: &Scene,
    settings: &RenderSettings,
    watch: &dyn Watch,
) -> Result<Rendered, RenderError> {
    render_progressively(scene, settings, watch, &mut |_, _| ())
}

/// Makes a picture and passes it to the caller after every pass, including the last.
pub fn render_progressively(
    scene: &Scene,
    settings: &RenderSettings,
    watch: &dyn Watch,
    after_pass: &mut dyn FnMut(&Rendered, Progress),
) -> Result<Rendered, RenderError> {
    settings.check()?;
    scene.check()?;
    let window = settings.window()?;
    ask_for_pixels(window.size, settings)?;
    let camera = scene.camera.prepared(window.full[0], window.full[1])?;
    let cameras_around = match &scene.cameras_around {
        Some([before, after]) => {
            [before, after].map(|c| c.prepared(window.full[0], window.full[1]))
        }
        None => [Ok(camera.clone()), Ok(camera.clone())],
    };
    let [before, after] = cameras_around;
    let prepared = PreparedScene::new(scene);
    let picture = Picture {
        scene: &prepared,
        settings,
        window,
        camera: &camera,
        cameras_around: [before?, after?],
        watch: Onwards::new(watch),
    };
    let mut tiles = tile::tiles(window.size, settings);
    let mut done = 0;
    loop {
        let next = (done + settings.samples_per_pass).min(settings.samples);
        picture.pass(&mut tiles, done..next)?;
        done = next;
        let finished = match done == settings.samples {
            true => 1.0,
            false => noise::retire_clean_pixels(&mut tiles, window.size, settings, done),
        };
        picture.watch.progress(finished.max(done as f32 / settings.samples as f32));
        let rendered = assemble(&tiles, window.size, settings);
        after_pass(&rendered, Progress { samples: done, finished });
        if finished >= 1.0 {
            return Ok(rendered);
        }
    }
}

/// Asks whether the picture fits into memory: pixels while paths are added up, the layers made from
/// them, and those layers once more as they go into a file.
fn ask_for_pixels([width, height]: [u32; 2], settings: &RenderSettings) -> Result<(), OverBudget> {
    let numbers = passes_of(settings).into_iter().map(|pass| data::channels_of(pass).1.len());
    let layers = 2 * size_of::<f32>() * numbers.sum::<usize>();
    let needs_data = settings.passes.iter().any(|pass| pass.is_data());
    let data = if needs_data { size_of::<data::Data>() } else { 0 };
    let bytes = size_of::<tile::Pixel>() + data + layers + size_of::<[f32; 4]>();
    budget::ask(
        f64::from(width) * f64::from(height) * bytes as f64,
        &format!("a picture of {width} × {height} pixels"),
        "use a smaller `width` and `height` or `scale`, or make it in parts with `region`",
    )
}

/// What tiles need to know.
struct Picture<'s> {
    scene: &'s PreparedScene<'s>,
    settings: &'s RenderSettings,
    window: Window,
    camera: &'s PreparedCamera,
    /// Of the previous and of the next frame.
    cameras_around: [PreparedCamera; 2],
    watch: Onwards<'s>,
}

impl Picture<'_> {
    /// Adds a range of samples to every pixel that needs them.
    fn pass(&self, tiles: &mut [Tile], samples: std::ops::Range<u32>) -> Result<(), RenderError> {
        let finished = AtomicU64::new(0);
        let count = tiles.len() as f32;
        tiles.par_iter_mut().try_for_each(|tile| {
            if self.watch.cancelled() {
                return Err(RenderError::Cancelled);
            }
            if samples.start == 0 {
                self.take_data(tile);
            }
            self.add_samples(tile, samples.clone());
            let tiles_done = finished.fetch_add(1, Ordering::Relaxed) + 1;
            let within = tiles_done as f32 / count * (samples.end - samples.start) as f32;
            let share = (samples.start as f32 + within) / self.settings.samples as f32;
            self.watch.progress(share);
            Ok(())
        })
    }

    fn add_samples(&self, tile: &mut Tile, samples: std::ops::Range<u32>) {
        for place in 0..tile.pixels.len() {
            if tile.pixels[place].clean {
                continue;
            }
            let [x, y] = tile.pixel_at(place);
            let [x, y] = [x + self.window.corner[0], y + self.window.corner[1]];
            for sample in samples.clone() {
                let mut sampler = crate::Sampler::new(self.settings.seed, [x, y], sample);
                let offset = filter::offset(self.settings, sampler.next_2d());
                let raster = glam::Vec2::new(x as f32 + 0.5, y as f32 + 0.5) + offset;
                let (lens, moment) = (sampler.next_2d(), sampler.next());
                let ray = self.camera.ray(raster, lens, moment);
                let brought = path::follow(self.scene, self.settings, ray, &mut sampler);
                tile.add(place, &brought);
            }
        }
    }
}

/// Puts tiles together.
fn assemble(tiles: &[Tile], size: [u32; 2], settings: &RenderSettings) -> Rendered {
    let mut statistics = Statistics::default();
    for tile in tiles {
        statistics.paths += tile.statistics.paths;
        statistics.rays += tile.statistics.rays;
        statistics.lost_paths += tile.statistics.lost_paths;
    }
    let layers = passes_of(settings).into_iter().map(|pass| layer_of(pass, tiles, size)).collect();
    Rendered { width: size[0], height: size[1], layers, statistics }
}

/// Every layer of the picture, in order.
fn passes_of(settings: &RenderSettings) -> Vec<Pass> {
    let mut passes = vec![Pass::Beauty, Pass::Alpha];
    passes.extend(&settings.passes);
    passes.sort_unstable();
    passes.dedup();
    passes
}

/// One layer, gathered from the tiles.
fn layer_of(pass: Pass, tiles: &[Tile], size: [u32; 2]) -> Layer {
    let (name, channels) = data::channels_of(pass);
    let gather = |channel: usize| {
        let count = size[0] as usize * size[1] as usize;
        let mut numbers = vec![0.0f32; if pass.holds_ids() { 0 } else { count }];
        let mut ids = vec![0u32; if pass.holds_ids() { count } else { 0 }];
        for tile in tiles {
            for place in 0..tile.pixels.len() {
                let [x, y] = tile.pixel_at(place);
                let target = y as usize * size[0] as usize + x as usize;
                if pass.holds_ids() {
                    ids[target] = tile.id(pass, place);
                } else {
                    numbers[target] = tile.number(pass, place, channel);
                }
            }
        }
        if pass.holds_ids() { Values::U32(ids) } else { Values::F32(numbers) }
    };
    let channels = channels.iter().enumerate();
    let channels = channels.map(|(place, name)| Channel { name, values: gather(place) }).collect();
    Layer { name, channels }
}

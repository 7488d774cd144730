//! Measurements of a scene before its picture is made: how thick a liquid is, and how bright the light.
//!
//! # Guarantees
//! The same scene and settings give the same numbers, for any number of threads.

use glam::Vec2;
use rayon::prelude::*;
use whitecap_core::Watch;

use crate::scattering::bsdf::luminance;
use crate::scene::{PreparedScene, passed};
use crate::{Ray, RenderError, RenderSettings, Scene, render};

/// Most pixels along the longer edge of the picture that measurements are made on.
const PIXELS: u32 = 96;
/// Paths per pixel that light is measured with.
const PATHS: u32 = 16;
/// Fraction of the picture that may be brighter than the light that is measured.
const BRIGHTER: f64 = 0.1;
/// Surfaces that one line of sight passes at most.
const MOST_SURFACES: u32 = 256;

/// The typical length of a line of sight within an object, in m, up to the next opaque surface: the
/// middle one of those that meet the object. `None` if none does.
pub fn thickness(
    scene: &Scene,
    object: usize,
    settings: &RenderSettings,
    watch: &dyn Watch,
) -> Result<Option<f32>, RenderError> {
    scene.check()?;
    let [width, height] = small(settings);
    let camera = scene.camera.prepared(width, height)?;
    let prepared = PreparedScene::new(scene);
    let pixels = (0..width * height).into_par_iter();
    let mut lengths: Vec<f32> = pixels
        .map(|pixel| Vec2::new((pixel % width) as f32 + 0.5, (pixel / width) as f32 + 0.5))
        .map(|middle| match watch.cancelled() {
            true => Err(RenderError::Cancelled),
            false => Ok(length_within(&prepared, object as u32, camera.center_ray(middle))),
        })
        .collect::<Result<_, _>>()?;
    lengths.retain(|&length| length > 0.0 && length.is_finite());
    lengths.sort_unstable_by(f32::total_cmp);
    Ok(lengths.get(lengths.len() / 2).copied())
}

/// Length of a line within an object, up to the first opaque surface.
fn length_within(scene: &PreparedScene, object: u32, mut ray: Ray) -> f32 {
    let start = ray.origin;
    let (mut length, mut entered) = (0.0, None);
    for _ in 0..MOST_SURFACES {
        let Some((met, hit)) = scene.intersect(&ray) else { break };
        let place = (ray.at(hit.distance) - start).length();
        let is_opaque = !scene.material(met).is_transparent();
        if met == object || is_opaque {
            let enters = met == object && ray.direction.dot(hit.geometric_normal) < 0.0;
            match entered {
                Some(depth) if !enters => {
                    length += place - depth;
                    entered = None;
                }
                None if enters => entered = Some(place),
                _ => {}
            }
        }
        if is_opaque && met != object {
            break;
        }
        ray = Ray { far: f32::INFINITY, ..passed(&ray, &hit) };
    }
    length
}

/// Brightness, in W/(m² sr), that all but the brightest tenth of the picture stays below.
pub fn bright_light(
    scene: &Scene,
    settings: &RenderSettings,
    watch: &dyn Watch,
) -> Result<f32, RenderError> {
    let [width, height] = small(settings);
    let probe = RenderSettings {
        width,
        height,
        scale: 1.0,
        region: None,
        samples: PATHS,
        noise: 0.0,
        samples_per_pass: PATHS,
        passes: Vec::new(),
        ..settings.clone()
    };
    let rendered = render(scene, &probe, watch)?;
    let light = rendered.rgb("beauty").unwrap_or_default();
    let mut levels: Vec<f32> = light.iter().map(|&light| luminance(light)).collect();
    levels.sort_unstable_by(f32::total_cmp);
    let place = ((1.0 - BRIGHTER) * levels.len() as f64) as usize;
    Ok(levels.get(place).copied().unwrap_or(0.0))
}

/// Size of the picture that measurements are made on.
fn small(settings: &RenderSettings) -> [u32; 2] {
    let (width, height) = (settings.width.max(1) as f32, settings.height.max(1) as f32);
    let share = (PIXELS as f32 / width.max(height)).min(1.0);
    [width, height].map(|length| (length * share).round().max(1.0) as u32)
}

//! Where in and around a pixel a sample falls.
//!
//! Samples are distributed like the filter, so that each counts the same and belongs to one pixel
//! (Ernst, Stamminger & Greiner 2006).

use glam::Vec2;

use crate::{PixelFilter, RenderSettings};

/// Offset from the middle of the pixel, in pixels.
pub(super) fn offset(settings: &RenderSettings, [u, v]: [f32; 2]) -> Vec2 {
    let half_width = 0.5 * settings.filter_width;
    let one: fn(f32) -> f32 = match settings.filter {
        PixelFilter::Box => |u| 2.0 * u - 1.0,
        PixelFilter::Triangle => triangle,
        PixelFilter::Gaussian => gaussian,
    };
    half_width * Vec2::new(one(u), one(v))
}

/// Inverse of the distribution of a tent from -1 to 1.
fn triangle(u: f32) -> f32 {
    if u < 0.5 { (2.0 * u).sqrt() - 1.0 } else { 1.0 - (2.0 - 2.0 * u).sqrt() }
}

/// Inverse of the distribution of a bell from -1 to 1, a quarter as wide as its support: the logistic curve,
/// which has a closed form, truncated at its ends.
fn gaussian(u: f32) -> f32 {
    const STEEPNESS: f32 = 6.8;
    // Value of the logistic distribution at -1.
    let end = 1.0 / (1.0 + STEEPNESS.exp());
    let share = end + u * (1.0 - 2.0 * end);
    (share / (1.0 - share)).ln() / STEEPNESS
}

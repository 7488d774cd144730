//! Free flights and transmittances through stretches of known or bounded density.

use super::majorants::Segment;
use crate::Sampler;

/// Below this transmittance, only some estimates continue.
const ROULETTE_BELOW: f32 = 0.05;

/// Optical depth until the next collision: exponentially distributed.
fn next_depth(sampler: &mut Sampler) -> f32 {
    -(1.0 - sampler.next()).ln()
}

/// Distance of the first collision where the extinction is constant inside the stretches.
pub(super) fn sample_uniform(
    stretches: impl Iterator<Item = (f32, f32)>,
    extinction: f32,
    sampler: &mut Sampler,
) -> Option<f32> {
    if extinction <= 0.0 {
        return None;
    }
    let mut left = next_depth(sampler) / extinction;
    for (start, end) in stretches {
        if left < end - start {
            return Some(start + left);
        }
        left -= end - start;
    }
    None
}

/// Distance of the first collision, by delta tracking (Woodcock et al. 1965): the medium is filled
/// up to the majorant with matter that does nothing, and collisions with that matter are ignored.
pub(super) fn sample_varying(
    segments: impl Iterator<Item = Segment>,
    extinction: f32,
    density: impl Fn(f32) -> f32,
    sampler: &mut Sampler,
) -> Option<f32> {
    let mut found = None;
    tentative_collisions(segments, extinction, sampler, |distance, majorant, sampler| {
        let real = sampler.next() * majorant < density(distance);
        if real {
            found = Some(distance);
        }
        !real
    });
    found
}

/// Transmittance by ratio tracking (Novák, Selle & Jarosz 2014): every tentative collision
/// attenuates the light by the fraction of matter that is real.
pub(super) fn transmittance(
    segments: impl Iterator<Item = Segment>,
    extinction: f32,
    density: impl Fn(f32) -> f32,
    sampler: &mut Sampler,
) -> f32 {
    let mut left = 1.0f32;
    tentative_collisions(segments, extinction, sampler, |distance, majorant, sampler| {
        left *= (1.0 - density(distance) / majorant).max(0.0);
        // Nearly dark: half of the estimates end here, and the other half count double.
        if left > 0.0 && left < ROULETTE_BELOW {
            left = if sampler.next() < 0.5 { 0.0 } else { 2.0 * left };
        }
        left > 0.0
    });
    left
}

/// Collisions with a medium of the majorants' density, in order, until `collide` returns false.
fn tentative_collisions(
    segments: impl Iterator<Item = Segment>,
    extinction: f32,
    sampler: &mut Sampler,
    mut collide: impl FnMut(f32, f32, &mut Sampler) -> bool,
) {
    if extinction <= 0.0 {
        return;
    }
    let mut depth = next_depth(sampler);
    for Segment { start, end, majorant } in segments {
        let rate = extinction * majorant;
        let mut at = start;
        while depth < rate * (end - at) {
            at += depth / rate;
            if !collide(at, majorant, sampler) {
                return;
            }
            depth = next_depth(sampler);
        }
        depth -= rate * (end - at);
    }
}

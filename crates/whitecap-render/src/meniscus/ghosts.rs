//! Ghost particles: a thin layer inside a solid that continues the liquid (Morgenroth 2021, Fig. 4.8).
//!
//! Every particle near a solid gets a copy on the other side of the wall, as far inside as the
//! particle is outside. Where the liquid has a free surface nearby, the copy is made parallel to that
//! surface and not square to the wall, so that the surface continues straight into an inclined wall,
//! too.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::Particles;

use super::Solid;
use super::contact::ContactGuide;

/// (index of the particle, place of its copy) for all particles within `layer` of a solid.
pub(super) fn ghosts(
    particles: &Particles,
    solids: &[Solid],
    guides: &[ContactGuide],
    layer: f32,
) -> Vec<(u32, Vec3)> {
    particles
        .positions()
        .par_iter()
        .enumerate()
        .flat_map_iter(|(index, &position)| {
            solids.iter().enumerate().filter_map(move |(number, solid)| {
                let distance = solid.distance(position);
                if !(distance > 0.0 && distance < layer.min(solid.band())) {
                    return None;
                }
                let across = across(solid, guides.get(number), position);
                let ghost = position - 2.0 * distance * across;
                // In a thin wall, a copy beyond the middle would belong to the other side.
                let inside = solid.distance(ghost) < -0.8 * distance;
                inside.then_some((index as u32, ghost))
            })
        })
        .collect()
}

/// A vector that leads one metre away from the wall for each metre of distance, along the free surface
/// where there is one.
fn across(solid: &Solid, guide: Option<&ContactGuide>, point: Vec3) -> Vec3 {
    let normal = solid.normal(point);
    match guide.and_then(|guide| guide.at(point)) {
        Some(contact) => normal - contact.presence / contact.tilt.tan() * contact.along,
        None => normal,
    }
}

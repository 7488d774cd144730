//! New surface where there is none: samples on the spheres of coarse particles (Mercier et al. 2015,
//! §4.3.2).
//!
//! The same step makes the points of the first frame and those of drops that appear later.

use glam::Vec3;
use rayon::prelude::*;
use wide::f32x8;

use super::poisson_disk::thinned;
use crate::points::coarse::CoarseParticles;
use crate::points::sums::lanes::{Row, Weighted, dot, offsets, splat, weighted};

/// Samples are not denser than this many per coarse length; insertion makes the finer ones.
const MOST_PER_COARSE: f32 = 4.0;
/// How many of the nearest spheres are tested first for covering a sample.
const NEAREST_FIRST: usize = 32;
/// A sphere does not cover its own samples, whatever the rounding.
const SPHERE_MARGIN: f32 = 1e-3;

/// Samples on spheres of radius `coarse` round the particles of some cells, outside all other
/// spheres and at least `fine` from each other, with the outward direction.
pub(crate) fn sphere_samples(
    particles: &CoarseParticles,
    cells: &[usize],
    coarse: f32,
    fine: f32,
) -> Vec<(Vec3, Vec3)> {
    let spacing = fine.max(coarse / MOST_PER_COARSE);
    let directions = even_directions(coarse / spacing);
    let parts: Vec<Vec<(Vec3, Vec3)>> = cells
        .par_iter()
        .map_init(Weighted::default, |lanes, &cell| {
            samples_of_cell(particles, cell, coarse, &directions, lanes)
        })
        .collect();
    let samples = parts.concat();
    let positions: Vec<Vec3> = samples.iter().map(|sample| sample.0).collect();
    let kept = thinned(&positions, fine);
    kept.into_iter().map(|sample| samples[sample as usize]).collect()
}

fn samples_of_cell(
    particles: &CoarseParticles,
    cell: usize,
    coarse: f32,
    directions: &[Vec3],
    lanes: &mut Weighted,
) -> Vec<(Vec3, Vec3)> {
    let covered = f32x8::splat((coarse * (1.0 - SPHERE_MARGIN)).powi(2));
    let mut samples = Vec::new();
    let (mut near, mut indices): (Vec<(f32, Vec3)>, Vec<u32>) = Default::default();
    for place in particles.cell_range(cell) {
        let center = particles.position(place);
        near.clear();
        particles.for_each_within(center, 2.0 * coarse, |other, squared| {
            near.push((squared, particles.position(other)));
        });
        // The nearest spheres cover most samples.
        if near.len() > NEAREST_FIRST {
            near.select_nth_unstable_by(NEAREST_FIRST, |a, b| a.0.total_cmp(&b.0));
        }
        let rows: Vec<Row> = near.iter().map(|(_, p)| weighted(p - center, 1.0)).collect();
        indices.extend(indices.len() as u32..rows.len() as u32);
        lanes.fill(&indices[..rows.len()], &rows);
        samples.extend(directions.iter().filter_map(|&direction| {
            let sample = splat(coarse * direction);
            let is_free = lanes.groups().iter().all(|group| {
                let offset = offsets(group, sample);
                dot(offset, offset).simd_lt(covered).none()
            });
            is_free.then_some((center + coarse * direction, direction))
        }));
    }
    samples
}

/// Directions on a spiral, about one spacing apart on a sphere of `radius` spacings.
fn even_directions(radius: f32) -> Vec<Vec3> {
    let golden_angle = std::f32::consts::PI * (3.0 - 5f32.sqrt());
    let count = (4.0 * std::f32::consts::PI * radius * radius).ceil().max(12.0) as usize;
    let direction = |i: usize| {
        let y = 1.0 - 2.0 * (i as f32 + 0.5) / count as f32;
        let (sine, cosine) = (golden_angle * i as f32).sin_cos();
        let across = (1.0 - y * y).max(0.0).sqrt();
        Vec3::new(across * cosine, y, across * sine)
    };
    (0..count).map(direction).collect()
}

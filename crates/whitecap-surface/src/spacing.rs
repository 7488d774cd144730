//! The particle spacing of a liquid, estimated when it is not given.
//!
//! In a liquid at rest density the nearest neighbour is closer than the spacing of the lattice
//! the liquid was filled with, by up to a fifth: particles are disordered. The number of
//! particles per volume does not change, so the spacing is taken from that. A few thousand
//! particles are sampled.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::Bounds;
use whitecap_core::kernels::{CubicSpline, Kernel};
use whitecap_core::neighbours::NeighbourGrid;

/// Number of particles sampled.
const SAMPLES: usize = 4096;
/// The largest ratio of spacing to nearest distance in a liquid.
const LARGEST_DISORDER: f32 = 1.28;

/// Edge of the cube that one particle of liquid fills; `None` if no two particles are at different positions,
/// or a position is infinite.
pub fn particle_spacing(positions: &[Vec3]) -> Option<f32> {
    let nearest = median_nearest_distance(positions)?;
    let from_density = spacing_from_density(positions, nearest);
    // A sheet or a filament has no inside to measure a density in, and seems thin.
    Some(if from_density > LARGEST_DISORDER * nearest { nearest } else { from_density })
}

/// n^(-1/3), with n the number of particles per volume well inside the liquid.
fn spacing_from_density(positions: &[Vec3], nearest: f32) -> f32 {
    let support = 3.0 * nearest;
    let kernel = CubicSpline::new(support);
    let grid = NeighbourGrid::build(positions, support);
    let mut densities: Vec<f32> = (0..positions.len())
        .into_par_iter()
        .step_by(positions.len().div_ceil(SAMPLES))
        .map(|place| {
            let mut density = 0.0;
            grid.for_each_within(grid.positions()[place], support, |_, distance_squared| {
                density += kernel.value(distance_squared);
            });
            density
        })
        .collect();
    // The upper quartile leaves out the particles at the surface.
    let quartile = densities.len() * 3 / 4;
    densities.select_nth_unstable_by(quartile, f32::total_cmp).1.cbrt().recip()
}

/// Median distance to the nearest neighbour at a different position.
fn median_nearest_distance(positions: &[Vec3]) -> Option<f32> {
    // Below this, halving the cells would reach zero.
    const SMALLEST_SIZE: f32 = 1e-25;
    let size = Bounds::of(positions).size().max_element();
    if !(size > SMALLEST_SIZE && size.is_finite()) {
        return None;
    }
    // Start from one cell around everything and halve until cells are sparsely filled; an
    // outlier only makes the start larger.
    let mut cell = size;
    let mut grid = NeighbourGrid::build(positions, cell);
    while grid.len() > 8 * grid.cell_count() && cell > size * 1e-9 {
        cell *= 0.5;
        grid.rebuild(positions, cell);
    }
    let stride = positions.len().div_ceil(SAMPLES);
    let mut spacings: Vec<f32> = (0..positions.len())
        .into_par_iter()
        .step_by(stride)
        .filter_map(|place| {
            let here = grid.positions()[place];
            (0..3).find_map(|growth| {
                let mut nearest = f32::INFINITY;
                grid.for_each_within(here, cell * (1 << growth) as f32, |_, distance_squared| {
                    if distance_squared > 0.0 {
                        nearest = nearest.min(distance_squared);
                    }
                });
                nearest.is_finite().then(|| nearest.sqrt())
            })
        })
        .collect();
    if spacings.is_empty() {
        return None;
    }
    let middle = spacings.len() / 2;
    Some(*spacings.select_nth_unstable_by(middle, f32::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use whitecap_core::scatter::Sequence;

    use super::*;

    fn lattice(jitter: f32) -> Vec<Vec3> {
        let mut random = Sequence::new(1);
        (0..20 * 20 * 20)
            .map(|i| {
                let p = Vec3::new((i % 20) as f32, (i / 20 % 20) as f32, (i / 400) as f32);
                (p + jitter * (2.0 * random.point() - 1.0)) * 0.05
            })
            .collect()
    }

    /// Contract: the spacing of a lattice is found to 2 %, even when its particles are jittered
    /// so that the nearest distance is a fifth smaller; a sheet falls back on the nearest
    /// distance.
    #[test]
    fn finds_the_spacing_of_ordered_and_disordered_liquids() {
        for jitter in [0.0, 0.15, 0.25] {
            let spacing = particle_spacing(&lattice(jitter)).unwrap();
            assert!((spacing / 0.05 - 1.0).abs() < 0.02, "jitter {jitter}: {spacing}");
        }
        let nearest = median_nearest_distance(&lattice(0.25)).unwrap();
        assert!(nearest < 0.045, "the jittered case must differ: {nearest}");
        let sheet: Vec<Vec3> =
            (0..900).map(|i| Vec3::new((i % 30) as f32, 0.0, (i / 30) as f32) * 0.05).collect();
        assert!((particle_spacing(&sheet).unwrap() / 0.05 - 1.0).abs() < 0.02);
        assert_eq!(particle_spacing(&[Vec3::ONE; 5]), None);
    }
}

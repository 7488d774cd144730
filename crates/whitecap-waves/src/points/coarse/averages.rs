//! Particle values at the points: means with the weights of the advection (Mercier et al. 2015,
//! Eq. 4.1 to 4.3).

use glam::Vec3;
use rayon::prelude::*;

use crate::points::coarse::CoarseParticles;

/// For each point the mean of the values of the particles within 2 λ_c; zero where there are none.
/// `value` returns that of a particle by its index.
pub(crate) fn averages(
    points: &[Vec3],
    particles: &CoarseParticles,
    value: impl Fn(usize) -> f32 + Sync,
    coarse: f32,
) -> Vec<f32> {
    let radius = 2.0 * coarse;
    let average = |&point: &Vec3| {
        let (mut sum, mut total) = (0.0, 0.0);
        particles.for_each_within(point, radius, |place, squared| {
            let kernel = (1.0 - squared.sqrt() / radius).max(0.0);
            let weight = kernel * particles.inverse_density(place);
            sum += weight * value(particles.order()[place] as usize);
            total += weight;
        });
        if total > 0.0 { sum / total } else { 0.0 }
    };
    points.par_iter().with_min_len(64).map(average).collect()
}

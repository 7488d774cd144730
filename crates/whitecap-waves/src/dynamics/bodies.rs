//! Which points belong to the same body of liquid, and which bodies are mere drops.
//!
//! Mercier et al. 2015 rely on a drop being seeded evenly, so that nothing propagates. That holds
//! only for a round drop of one particle; a pair of particles, or a drop that was torn off, would
//! pulse. So bodies with little surface are found and kept calm.
//!
//! # Guarantees
//! * Two points are in one body exactly if a chain of neighbours joins them.

use whitecap_core::disjoint_sets::DisjointSets;

use crate::points::Neighbourhood;

/// For each point, whether it is on a body with less than `least` of summed `area`.
pub(super) fn on_drops(neighbourhood: &Neighbourhood, areas: &[f32], least: f32) -> Vec<bool> {
    let mut bodies = DisjointSets::new(areas.len());
    for point in 0..areas.len() {
        // Lists are symmetric, so the earlier neighbours cover every link.
        for &other in neighbourhood.of(point).iter().take_while(|&&other| (other as usize) < point)
        {
            bodies.join(point as u32, other);
        }
    }
    let bodies = bodies.into_lowest();
    let mut total = vec![0.0f64; areas.len()];
    for (&body, &area) in bodies.iter().zip(areas) {
        total[body as usize] += f64::from(area);
    }
    bodies.iter().map(|&body| total[body as usize] < f64::from(least)).collect()
}

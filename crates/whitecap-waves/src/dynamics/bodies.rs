//! Which points belong to the same body of liquid, and which bodies are mere drops.
//!
//! Mercier et al. 2015 rely on a drop being seeded evenly, so that nothing propagates. That holds
//! for a round drop of one particle only; a pair of particles, or a drop that is torn off, would
//! pulse. So bodies with little surface are found and kept calm.
//!
//! # Guarantees
//! * Two points are in one body exactly if a chain of neighbours joins them.

use rayon::prelude::*;

use crate::points::Neighbourhood;

/// For each point, whether it is on a body with less than `least` of summed `area`.
pub(super) fn on_drops(neighbourhood: &Neighbourhood, areas: &[f32], least: f32) -> Vec<bool> {
    let mut parent: Vec<u32> = (0..areas.len() as u32).collect();
    for point in 0..areas.len() {
        let mut root = find(&mut parent, point as u32);
        // Lists are symmetric, so the earlier neighbours make every link.
        for &other in neighbourhood.of(point).iter().take_while(|&&other| (other as usize) < point)
        {
            let other = find(&mut parent, other);
            let (low, high) = (root.min(other), root.max(other));
            parent[high as usize] = low;
            root = low;
        }
    }
    let mut total = vec![0.0f64; areas.len()];
    for (point, &area) in areas.iter().enumerate() {
        // Parents come before their children, so roots are known.
        let up = parent[point] as usize;
        parent[point] = parent[up];
        total[parent[point] as usize] += f64::from(area);
    }
    parent.par_iter().map(|&root| total[root as usize] < f64::from(least)).collect()
}

fn find(parent: &mut [u32], mut point: u32) -> u32 {
    while parent[point as usize] != point {
        let above = parent[parent[point as usize] as usize];
        parent[point as usize] = above;
        point = above;
    }
    point
}

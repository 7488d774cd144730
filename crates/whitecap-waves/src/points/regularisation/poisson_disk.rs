//! Thins out candidates so that no two of those kept are close.

use glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;

/// Indices of candidates of which no two are closer than `radius`, ascending. Earlier candidates
/// take precedence, and every one left out has a kept one within the radius.
pub(crate) fn thinned(candidates: &[Vec3], radius: f32) -> Vec<u32> {
    let grid = NeighbourGrid::build(candidates, radius);
    let mut place_of = vec![0u32; candidates.len()];
    for (place, &candidate) in grid.order().iter().enumerate() {
        place_of[candidate as usize] = place as u32;
    }
    let mut is_kept = vec![false; candidates.len()];
    let mut kept = Vec::new();
    for (candidate, &place) in place_of.iter().enumerate() {
        let mut is_free = true;
        grid.for_each_within(candidates[candidate], radius, |other, _| is_free &= !is_kept[other]);
        if is_free {
            is_kept[place as usize] = true;
            kept.push(candidate as u32);
        }
    }
    kept
}

//! Where to split a set of boxes so that rays have little to do: the binned surface-area heuristic
//! (Wald 2007), used to build hierarchies over boxes.

use crate::Bounds;

/// Bins per axis.
const BINS: usize = 16;

/// The smallest box around the boxes numbered in `order`.
pub fn union_of(boxes: &[Bounds], order: &[u32]) -> Bounds {
    order.iter().fold(Bounds::EMPTY, |all, &i| all.union(boxes[i as usize]))
}

/// A plane between two bins of one axis.
#[derive(Clone, Copy, Debug)]
pub struct SplitPlane {
    axis: usize,
    low: f32,
    bins_per_metre: f32,
    /// First bin of the right side.
    bin: usize,
    /// Sum over both sides of half area times number of boxes.
    pub cost: f32,
}

impl SplitPlane {
    /// Moves the boxes on the left side to the front of `order` and returns how many there are.
    pub fn partition(&self, boxes: &[Bounds], order: &mut [u32]) -> usize {
        let mut middle = 0;
        for place in 0..order.len() {
            if self.bin_of(&boxes[order[place] as usize]) < self.bin {
                order.swap(middle, place);
                middle += 1;
            }
        }
        middle
    }

    fn bin_of(&self, bounds: &Bounds) -> usize {
        let offset = bounds.center()[self.axis] - self.low;
        ((offset * self.bins_per_metre) as usize).min(BINS - 1)
    }

    fn choose_bin(&mut self, boxes: &[Bounds], order: &[u32]) {
        let mut bins = [(Bounds::EMPTY, 0u32); BINS];
        for &i in order {
            let bounds = boxes[i as usize];
            let bin = &mut bins[self.bin_of(&bounds)];
            *bin = (bin.0.union(bounds), bin.1 + 1);
        }
        let mut right_costs = [f32::INFINITY; BINS];
        let mut right = (Bounds::EMPTY, 0u32);
        for bin in (1..BINS).rev() {
            right = (right.0.union(bins[bin].0), right.1 + bins[bin].1);
            if right.1 > 0 {
                right_costs[bin] = cost_of(&right);
            }
        }
        let mut left = (Bounds::EMPTY, 0u32);
        for bin in 1..BINS {
            left = (left.0.union(bins[bin - 1].0), left.1 + bins[bin - 1].1);
            let cost = cost_of(&left) + right_costs[bin];
            if left.1 > 0 && cost < self.cost {
                (self.bin, self.cost) = (bin, cost);
            }
        }
    }
}

/// The cheapest plane between bins of box centres; `None` when all centres fall in one bin.
pub fn best_plane(boxes: &[Bounds], order: &[u32]) -> Option<SplitPlane> {
    let centers = order.iter().fold(Bounds::EMPTY, |all, &i| all.with(boxes[i as usize].center()));
    let mut best: Option<SplitPlane> = None;
    for axis in 0..3 {
        let extent = centers.size()[axis];
        let bins_per_metre = BINS as f32 / extent;
        if extent <= 0.0 || !bins_per_metre.is_finite() {
            continue;
        }
        let low = centers.min[axis];
        let mut plane = SplitPlane { axis, low, bins_per_metre, bin: 0, cost: f32::INFINITY };
        plane.choose_bin(boxes, order);
        if plane.cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
            best = Some(plane);
        }
    }
    best
}

fn cost_of((bounds, count): &(Bounds, u32)) -> f32 {
    bounds.half_area() * *count as f32
}

//! Top-down construction with the binned surface-area heuristic (Wald 2007).
//!
//! Each node writes into its own part of an array that has room for one triangle per leaf, so
//! that subtrees are built in parallel and land in the same place whatever the threads do; the
//! unused places are squeezed out at the end.

use crate::Bounds;

use super::Node;

/// Bins per axis of the surface-area heuristic.
const BINS: usize = 16;
/// Most triangles in a leaf.
const LEAF_SIZE: usize = 4;
/// Cost of visiting a node, in triangle tests.
const VISIT_COST: f32 = 0.5;
/// Below this depth nodes are halved by count, which bounds the depth for any input.
const HEURISTIC_DEPTH: u32 = 56;
/// From this many triangles on, the two halves of a node are built in parallel.
const PARALLEL_SIZE: usize = 4096;

/// Builds the subtree over `order` into `nodes`, which has room for one triangle per leaf. `nodes`
/// starts at place `base` of all nodes, `order` at place `first` of all triangles.
pub(super) fn split(
    boxes: &[Bounds],
    order: &mut [u32],
    nodes: &mut [Node],
    base: usize,
    first: usize,
    depth: u32,
) {
    let count = order.len();
    let around = union_of(boxes, order);
    nodes[0] = Node { min: around.min, first: first as u32, max: around.max, count: count as u32 };
    if count == 1 {
        return;
    }
    let plane = if depth < HEURISTIC_DEPTH { best_plane(boxes, order) } else { None };
    let middle = match plane {
        Some(plane) => {
            let split_cost = VISIT_COST + plane.cost / half_area(&around).max(f32::MIN_POSITIVE);
            if count <= LEAF_SIZE && split_cost >= count as f32 {
                return;
            }
            partition(order, |&t| plane.bin_of(&boxes[t as usize]) < plane.bin)
        }
        None if count <= LEAF_SIZE => return,
        None => count / 2,
    };
    let (left_order, right_order) = order.split_at_mut(middle);
    let (here, below) = nodes.split_at_mut(1);
    let (left_nodes, right_nodes) = below.split_at_mut(2 * middle - 1);
    here[0].count = 0;
    here[0].first = (base + 2 * middle) as u32;
    let mut left = || split(boxes, left_order, left_nodes, base + 1, first, depth + 1);
    let right_base = base + 2 * middle;
    let mut right =
        || split(boxes, right_order, right_nodes, right_base, first + middle, depth + 1);
    if count >= PARALLEL_SIZE {
        rayon::join(left, right);
    } else {
        left();
        right();
    }
}

/// Removes the vacant places; the order, and with it "left child directly behind", stays.
pub(super) fn compacted(nodes: &[Node]) -> Vec<Node> {
    let mut places = Vec::with_capacity(nodes.len());
    let mut used = 0u32;
    for node in nodes {
        places.push(used);
        used += u32::from(node.count != u32::MAX);
    }
    let mut kept = Vec::with_capacity(used as usize);
    for node in nodes.iter().filter(|node| node.count != u32::MAX) {
        let first = if node.count == 0 { places[node.first as usize] } else { node.first };
        kept.push(Node { first, ..*node });
    }
    kept
}

fn union_of(boxes: &[Bounds], order: &[u32]) -> Bounds {
    order.iter().fold(Bounds::EMPTY, |all, &t| all.union(boxes[t as usize]))
}

/// Half the surface area of a box.
fn half_area(bounds: &Bounds) -> f32 {
    let size = bounds.size();
    size.x * size.y + size.y * size.z + size.z * size.x
}

/// Moves the elements that satisfy `goes_left` to the front and returns how many there are.
fn partition(order: &mut [u32], goes_left: impl Fn(&u32) -> bool) -> usize {
    let mut middle = 0;
    for place in 0..order.len() {
        if goes_left(&order[place]) {
            order.swap(middle, place);
            middle += 1;
        }
    }
    middle
}

/// A plane between two bins of one axis.
struct Plane {
    axis: usize,
    low: f32,
    bins_per_metre: f32,
    /// First bin of the right side.
    bin: usize,
    /// Sum over both sides of half area times triangle count.
    cost: f32,
}

impl Plane {
    fn bin_of(&self, bounds: &Bounds) -> usize {
        let offset = bounds.center()[self.axis] - self.low;
        ((offset * self.bins_per_metre) as usize).min(BINS - 1)
    }
}

/// The cheapest plane between bins of box centres; `None` when all centres fall in one bin.
fn best_plane(boxes: &[Bounds], order: &[u32]) -> Option<Plane> {
    let centers = order.iter().fold(Bounds::EMPTY, |all, &t| all.with(boxes[t as usize].center()));
    let mut best: Option<Plane> = None;
    for axis in 0..3 {
        let extent = centers.size()[axis];
        let bins_per_metre = BINS as f32 / extent;
        if extent <= 0.0 || !bins_per_metre.is_finite() {
            continue;
        }
        let mut plane =
            Plane { axis, low: centers.min[axis], bins_per_metre, bin: 0, cost: f32::INFINITY };
        plane.choose_bin(boxes, order);
        if plane.cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
            best = Some(plane);
        }
    }
    best
}

impl Plane {
    fn choose_bin(&mut self, boxes: &[Bounds], order: &[u32]) {
        let mut bins = [(Bounds::EMPTY, 0u32); BINS];
        for &t in order {
            let bounds = boxes[t as usize];
            let bin = &mut bins[self.bin_of(&bounds)];
            *bin = (bin.0.union(bounds), bin.1 + 1);
        }
        let mut right_costs = [0.0f32; BINS];
        let mut right = (Bounds::EMPTY, 0u32);
        for bin in (1..BINS).rev() {
            right = (right.0.union(bins[bin].0), right.1 + bins[bin].1);
            right_costs[bin] = if right.1 == 0 { f32::INFINITY } else { cost_of(&right) };
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

fn cost_of((bounds, count): &(Bounds, u32)) -> f32 {
    half_area(bounds) * *count as f32
}

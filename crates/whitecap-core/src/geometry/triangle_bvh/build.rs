//! Top-down construction with the binned surface-area heuristic (Wald 2007).
//!
//! Each node writes into its own part of an array that has room for one triangle per leaf, so
//! that subtrees are built in parallel and end up in the same place whatever the number of threads; the
//! unused places are squeezed out at the end.

use crate::Bounds;
use crate::surface_area_heuristic::{best_plane, union_of};

use super::Node;

/// Most triangles in a leaf.
const LEAF_SIZE: usize = 4;
/// Cost of visiting a node, in triangle tests.
const VISIT_COST: f32 = 0.5;
/// Below this depth nodes are halved by count, which bounds the depth for any input.
pub(super) const HEURISTIC_DEPTH: u32 = 56;
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
            let split_cost = VISIT_COST + plane.cost / around.half_area().max(f32::MIN_POSITIVE);
            if count <= LEAF_SIZE && split_cost >= count as f32 {
                return;
            }
            plane.partition(boxes, order)
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

/// Removes the vacant places; the order, and with it "left child directly after", stays.
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

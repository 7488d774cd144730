//! A hierarchy of boxes with eight children per node, tested at once.
//!
//! Built top-down with the binned surface-area heuristic (Wald 2007): a node's range is split, largest
//! part first, until it has eight parts, so no binary tree is ever stored. Rays use conservative slabs
//! (Ize 2013) and visit near boxes first.
//!
//! # Guarantees
//! * The tree depends only on the boxes, not on the number of threads.
//! * No box that the ray hits within its limit is missed.
//! * The depth is bounded for any boxes.
//!
//! # Non-guarantees
//! * Empty boxes and boxes with a corner that is not a number are left out.

mod build;
mod slab;

use whitecap_core::Bounds;
use wide::f32x8;

pub(crate) use slab::SlabRay;

/// Children of a node.
const LANES: usize = 8;
/// Marks a child that is a leaf, in the highest bit of its index.
const LEAF: u32 = 1 << 31;
/// A child that does not exist: its box is empty, so that no ray enters it.
const NO_CHILD: u32 = u32::MAX;
/// Deepest node that the heuristic makes; below it ranges are divided evenly.
const HEURISTIC_DEPTH: usize = 12;
/// Eight-fold division of 2³² boxes ends within eleven levels more.
const MOST_LEVELS: usize = HEURISTIC_DEPTH + 11 + 1;
/// Levels of most trees; their traversal needs a shorter stack.
const USUAL_LEVELS: usize = 8;

/// Largest number of waiting children during a traversal: seven of each level and one more.
const fn stack_size(levels: usize) -> usize {
    7 * levels + 1
}

/// Eight boxes, `bounds[0]` their lowest and `bounds[1]` their highest corners, one array per axis.
#[derive(Clone, Debug)]
struct Node {
    bounds: [[f32x8; 3]; 2],
    children: [u32; LANES],
}

/// The hierarchy. Leaves name ranges of [`WideBvh::order`].
#[derive(Clone, Debug)]
pub(crate) struct WideBvh {
    nodes: Vec<Node>,
    leaves: Vec<[u32; 2]>,
    order: Vec<u32>,
    bounds: Bounds,
    /// Nodes on the longest path down.
    levels: usize,
}

impl WideBvh {
    /// Builds the hierarchy over `boxes` with at most `leaf_size` boxes in a leaf.
    pub(crate) fn build(boxes: &[Bounds], leaf_size: usize) -> Self {
        build::build(boxes, leaf_size)
    }

    /// Indices of the boxes in the order of the leaves.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// First index in [`WideBvh::order`] and number of boxes of each leaf.
    pub(crate) fn leaves(&self) -> &[[u32; 2]] {
        &self.leaves
    }

    /// The box around all boxes.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.leaves[..]) + size_of_val(&self.order[..])
    }

    /// Calls `visit` with the index of each leaf whose box the ray enters, near ones first. `visit`
    /// returns the distance beyond which leaves no longer matter; negative ends the traversal.
    #[inline]
    pub(crate) fn visit_leaves(
        &self,
        ray: &SlabRay,
        far: f32,
        visit: impl FnMut(usize, f32) -> f32,
    ) {
        if self.levels <= USUAL_LEVELS {
            self.walk::<{ stack_size(USUAL_LEVELS) }>(ray, far, visit);
        } else {
            self.walk::<{ stack_size(MOST_LEVELS) }>(ray, far, visit);
        }
    }

    #[inline]
    fn walk<const STACK_SIZE: usize>(
        &self,
        ray: &SlabRay,
        far: f32,
        mut visit: impl FnMut(usize, f32) -> f32,
    ) {
        let mut limit = far;
        let mut waiting = [(0u32, 0.0f32); STACK_SIZE];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let (place, entry) = waiting[count];
            if entry > limit {
                continue;
            }
            if place & LEAF != 0 {
                limit = visit((place & !LEAF) as usize, limit);
                if limit < 0.0 {
                    return;
                }
                continue;
            }
            let node = &self.nodes[place as usize];
            let (entries, mut entered) = ray.enters(&node.bounds, limit);
            // Insertion sort: the nearest child ends on top of the stack.
            let base = count;
            while entered != 0 {
                let lane = entered.trailing_zeros() as usize;
                entered &= entered - 1;
                let child = (node.children[lane], entries[lane]);
                let mut slot = count;
                while slot > base && waiting[slot - 1].1 < child.1 {
                    waiting[slot] = waiting[slot - 1];
                    slot -= 1;
                }
                waiting[slot] = child;
                count += 1;
            }
        }
    }
}

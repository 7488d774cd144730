//! Top-down construction, eight parts at a time.

use glam::Vec3;
use whitecap_core::Bounds;
use whitecap_core::surface_area_heuristic::{best_plane, union_of};
use wide::f32x8;

use super::{HEURISTIC_DEPTH, LANES, LEAF, NO_CHILD, Node, WideBvh};

/// From this many boxes on, the parts of a node are built in parallel.
const PARALLEL_SIZE: usize = 16 * 1024;

pub(super) fn build(boxes: &[Bounds], leaf_size: usize) -> WideBvh {
    let usable = |b: &Bounds| b.min.cmple(b.max).all();
    let mut order: Vec<u32> =
        (0..boxes.len() as u32).filter(|&i| usable(&boxes[i as usize])).collect();
    let leaf_size = leaf_size.max(1);
    let mut tree = Tree::default();
    let bounds = union_of(boxes, &order);
    if !order.is_empty() {
        let whole = Part { first: 0, count: order.len(), bounds };
        Builder { boxes, leaf_size }.add_node(&mut tree, &mut order, whole, 0);
    }
    let levels = levels_below(&tree.nodes, 0);
    WideBvh { nodes: tree.nodes, leaves: tree.leaves, order, bounds, levels }
}

/// Nodes on the longest path down from a node, including itself.
fn levels_below(nodes: &[Node], place: usize) -> usize {
    let Some(node) = nodes.get(place) else { return 0 };
    let inner = node.children.iter().filter(|&&child| child & LEAF == 0);
    1 + inner.map(|&child| levels_below(nodes, child as usize)).max().unwrap_or(0)
}

/// A subtree whose indices count from its own start.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<[u32; 2]>,
}

impl Tree {
    /// Appends another tree and returns the index of its root.
    fn append(&mut self, other: Tree) -> u32 {
        let (node_base, leaf_base) = (self.nodes.len() as u32, self.leaves.len() as u32);
        for mut node in other.nodes {
            for child in node.children.iter_mut().filter(|child| **child != NO_CHILD) {
                *child += if *child & LEAF == 0 { node_base } else { leaf_base };
            }
            self.nodes.push(node);
        }
        self.leaves.extend(other.leaves);
        node_base
    }
}

/// A range of the order, counted from the start of all boxes.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    count: usize,
    bounds: Bounds,
}

struct Builder<'a> {
    boxes: &'a [Bounds],
    leaf_size: usize,
}

impl Builder<'_> {
    /// Adds the node over `order`, which is `part` of all boxes, and returns its index.
    fn add_node(&self, tree: &mut Tree, order: &mut [u32], part: Part, depth: usize) -> u32 {
        let parts = self.divide(order, part, depth);
        let place = tree.nodes.len();
        tree.nodes.push(node_over(&parts));
        let mut ranges = Vec::with_capacity(parts.len());
        let mut rest = order;
        for part in &parts {
            let (range, behind) = rest.split_at_mut(part.count);
            ranges.push((range, *part));
            rest = behind;
        }
        if part.count >= PARALLEL_SIZE {
            let build = |(range, part): (&mut [u32], Part)| {
                let mut subtree = Tree::default();
                let root = self.add_child(&mut subtree, range, part, depth);
                (subtree, root)
            };
            use rayon::prelude::*;
            let subtrees: Vec<(Tree, u32)> = ranges.into_par_iter().map(build).collect();
            for (lane, (subtree, root)) in subtrees.into_iter().enumerate() {
                let leaf_base = tree.leaves.len() as u32;
                let node_base = tree.append(subtree);
                let base = if root & LEAF == 0 { node_base } else { leaf_base };
                tree.nodes[place].children[lane] = root + base;
            }
        } else {
            for (lane, (range, part)) in ranges.into_iter().enumerate() {
                let child = self.add_child(tree, range, part, depth);
                tree.nodes[place].children[lane] = child;
            }
        }
        place as u32
    }

    fn add_child(&self, tree: &mut Tree, order: &mut [u32], part: Part, depth: usize) -> u32 {
        if part.count > self.leaf_size {
            return self.add_node(tree, order, part, depth + 1);
        }
        tree.leaves.push([part.first as u32, part.count as u32]);
        (tree.leaves.len() - 1) as u32 | LEAF
    }

    /// Splits a range into up to eight parts, in ascending order. Parts that need a node of their
    /// own come first; free lanes then split leaves that are more than half full.
    fn divide(&self, order: &mut [u32], whole: Part, depth: usize) -> Vec<Part> {
        let mut parts = vec![whole];
        for smallest in [self.leaf_size, self.leaf_size / 2] {
            while parts.len() < LANES {
                let area = |index: &usize| parts[*index].bounds.half_area();
                let candidates = (0..parts.len()).filter(|&i| parts[i].count > smallest.max(1));
                let Some(widest) = candidates.max_by(|a, b| area(a).total_cmp(&area(b))) else {
                    break;
                };
                let part = parts[widest];
                let start = part.first - whole.first;
                let range = &mut order[start..start + part.count];
                let (left, right) = self.split(range, part, depth);
                parts[widest] = left;
                parts.insert(widest + 1, right);
            }
        }
        parts
    }

    fn split(&self, order: &mut [u32], part: Part, depth: usize) -> (Part, Part) {
        let plane = if depth < HEURISTIC_DEPTH { best_plane(self.boxes, order) } else { None };
        let middle = match plane {
            Some(plane) => plane.partition(self.boxes, order),
            None => order.len() / 2,
        };
        let (left, right) = order.split_at(middle);
        let part_of = |range: &[u32], first| Part {
            first,
            count: range.len(),
            bounds: union_of(self.boxes, range),
        };
        (part_of(left, part.first), part_of(right, part.first + middle))
    }
}

fn node_over(parts: &[Part]) -> Node {
    let corner = |lane: usize, high: bool| match parts.get(lane) {
        Some(part) if high => part.bounds.max,
        Some(part) => part.bounds.min,
        None if high => Vec3::NEG_INFINITY,
        None => Vec3::INFINITY,
    };
    let side = |high: bool| {
        std::array::from_fn(|axis| f32x8::new(std::array::from_fn(|lane| corner(lane, high)[axis])))
    };
    Node { bounds: [side(false), side(true)], children: [NO_CHILD; LANES] }
}

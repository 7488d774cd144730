//! Top-down construction, eight parts at a time.

use glam::Vec3;
use whitecap_core::Bounds;
use wide::f32x8;

use super::{HEURISTIC_DEPTH, LANES, LEAF, NO_CHILD, Node, WideBvh};

/// Bins per axis of the surface-area heuristic.
const BINS: usize = 16;
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

/// Nodes on the longest way down from a node, itself included.
fn levels_below(nodes: &[Node], place: usize) -> usize {
    let Some(node) = nodes.get(place) else { return 0 };
    let inner = node.children.iter().filter(|&&child| child & LEAF == 0);
    1 + inner.map(|&child| levels_below(nodes, child as usize)).max().unwrap_or(0)
}

/// A subtree whose places count from its own start.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<[u32; 2]>,
}

impl Tree {
    /// Appends another tree and returns the place of its root.
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
    /// Adds the node over `order`, which is `part` of all boxes, and returns its place.
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

    /// Splits a range into up to eight parts, in ascending order of place. Parts that need a node of
    /// their own come first; free lanes then split leaves that are more than half full.
    fn divide(&self, order: &mut [u32], whole: Part, depth: usize) -> Vec<Part> {
        let mut parts = vec![whole];
        for smallest in [self.leaf_size, self.leaf_size / 2] {
            while parts.len() < LANES {
                let area = |index: &usize| half_area(&parts[*index].bounds);
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
            Some(plane) => partition(order, |&b| plane.bin_of(&self.boxes[b as usize]) < plane.bin),
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

fn union_of(boxes: &[Bounds], order: &[u32]) -> Bounds {
    order.iter().fold(Bounds::EMPTY, |all, &b| all.union(boxes[b as usize]))
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
    /// Sum over both sides of half area times count.
    cost: f32,
}

impl Plane {
    fn bin_of(&self, bounds: &Bounds) -> usize {
        let offset = bounds.center()[self.axis] - self.low;
        ((offset * self.bins_per_metre) as usize).min(BINS - 1)
    }

    fn choose_bin(&mut self, bins: &[(Bounds, u32); BINS]) {
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
fn best_plane(boxes: &[Bounds], order: &[u32]) -> Option<Plane> {
    let centers = order.iter().fold(Bounds::EMPTY, |all, &b| all.with(boxes[b as usize].center()));
    let mut best: Option<Plane> = None;
    for axis in 0..3 {
        let extent = centers.size()[axis];
        let bins_per_metre = BINS as f32 / extent;
        if extent <= 0.0 || !bins_per_metre.is_finite() {
            continue;
        }
        let mut plane =
            Plane { axis, low: centers.min[axis], bins_per_metre, bin: 0, cost: f32::INFINITY };
        let mut bins = [(Bounds::EMPTY, 0u32); BINS];
        for &b in order {
            let bounds = boxes[b as usize];
            let bin = &mut bins[plane.bin_of(&bounds)];
            *bin = (bin.0.union(bounds), bin.1 + 1);
        }
        plane.choose_bin(&bins);
        if plane.cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
            best = Some(plane);
        }
    }
    best
}

fn cost_of((bounds, count): &(Bounds, u32)) -> f32 {
    half_area(bounds) * *count as f32
}

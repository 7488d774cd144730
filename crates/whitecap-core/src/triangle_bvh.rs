//! A bounding-volume hierarchy over the triangles of a mesh: closest point and rays.
//!
//! A binary tree built top-down with the binned surface-area heuristic (Wald 2007), stored
//! depth-first in one flat array of 32-byte nodes. Rays use the watertight test of Woop, Benthin
//! and Wald (2013) and conservative slabs (Ize 2013), so that no ray slips through a shared edge.
//!
//! # Guarantees
//! * The tree does not depend on the number of threads that built it.
//! * Of several triangles at the same distance the one with the lowest index is reported.
//! * Empty meshes and degenerate triangles are fine. A triangle of no area can be the closest but
//!   is never hit by a ray.
//! * The depth is bounded, whatever the triangles are.
//!
//! # Non-guarantees
//! * Triangles with a corner that is not finite are left out: no query reports them.
//! * "The same distance" means the same `f32`; triangles that meet in an edge may differ in the
//!   last bit there.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::closest_point::{Feature, closest_point_on_triangle};
use crate::{Bounds, TriMesh};

/// Bins per axis of the surface-area heuristic.
const BINS: usize = 16;
/// Most triangles in a leaf.
const LEAF_SIZE: usize = 4;
/// Cost of visiting a node, in triangle tests.
const VISIT_COST: f32 = 0.5;
/// Below this depth nodes are halved by count, which bounds the depth for any input.
const HEURISTIC_DEPTH: u32 = 56;
/// Depth that cannot be exceeded: the heuristic part, then halving of at most 2³² triangles.
const STACK_SIZE: usize = 96;
/// From this many triangles on, the two halves of a node are built in parallel.
const PARALLEL_SIZE: usize = 4096;

/// The closest point of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Index of the triangle in the mesh.
    pub triangle: u32,
    /// The point.
    pub point: Vec3,
    /// Squared distance to the query point.
    pub distance_squared: f32,
    /// Weights of the point on the triangle's corners.
    pub barycentric: Vec3,
    /// What part of the triangle the point lies on.
    pub feature: Feature,
}

/// Where a ray meets a mesh: at `origin + t · direction`, which is
/// `(1 − u − v) · corner 0 + u · corner 1 + v · corner 2` of the triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Index of the triangle in the mesh.
    pub triangle: u32,
    /// Ray parameter, in lengths of the direction.
    pub t: f32,
    /// Weight of corner 1.
    pub u: f32,
    /// Weight of corner 2.
    pub v: f32,
}

/// A node: a leaf holds triangles `first .. first + count`; an inner node has `count` 0, its left
/// child directly behind it and its right child at `first`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) min: Vec3,
    pub(crate) first: u32,
    pub(crate) max: Vec3,
    pub(crate) count: u32,
}

impl Node {
    /// Marks the places that the build left empty.
    const VACANT: Node = Node { min: Vec3::ZERO, first: 0, max: Vec3::ZERO, count: u32::MAX };

    fn distance_squared(&self, point: Vec3) -> f32 {
        Bounds::new(self.min, self.max).distance_squared(point)
    }
}

/// The hierarchy, with its own copy of the triangles in leaf order.
#[derive(Clone, Debug)]
pub struct TriangleBvh {
    nodes: Vec<Node>,
    corners: Vec<[Vec3; 3]>,
    triangles: Vec<u32>,
}

impl TriangleBvh {
    /// Builds the hierarchy over the triangles of `mesh`.
    pub fn build(mesh: &TriMesh) -> Self {
        let mut order: Vec<u32> = (0..mesh.triangles().len() as u32)
            .into_par_iter()
            .filter(|&t| mesh.corners(t as usize).iter().all(|corner| corner.is_finite()))
            .collect();
        if order.is_empty() {
            return Self { nodes: Vec::new(), corners: Vec::new(), triangles: Vec::new() };
        }
        let boxes: Vec<Bounds> = (0..mesh.triangles().len())
            .into_par_iter()
            .map(|t| mesh.corners(t).iter().fold(Bounds::EMPTY, |bounds, &c| bounds.with(c)))
            .collect();
        let mut nodes = vec![Node::VACANT; 2 * order.len() - 1];
        split(&boxes, &mut order, &mut nodes, 0, 0, 0);
        let corners = order.par_iter().map(|&t| mesh.corners(t as usize)).collect();
        Self { nodes: compacted(&nodes), corners, triangles: order }
    }

    /// The box around the triangles; empty when there is none.
    pub fn bounds(&self) -> Bounds {
        self.nodes.first().map_or(Bounds::EMPTY, |root| Bounds::new(root.min, root.max))
    }

    /// Number of triangles in the hierarchy.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there is no triangle.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Corners of the triangles in leaf order.
    pub(crate) fn corners(&self) -> &[[Vec3; 3]] {
        &self.corners
    }

    /// The point of the mesh closest to `point`, if one lies within `max_distance` (which may be
    /// infinite).
    pub fn closest_point(&self, point: Vec3, max_distance: f32) -> Option<ClosestPoint> {
        let mut limit =
            if max_distance >= 0.0 { max_distance * max_distance } else { return None };
        let mut best: Option<ClosestPoint> = None;
        let mut waiting = Stack::new();
        if let Some(root) = self.nodes.first() {
            waiting.push(0, root.distance_squared(point));
        }
        while let Some((place, distance)) = waiting.pop() {
            if distance > limit {
                continue;
            }
            let node = &self.nodes[place as usize];
            if node.count == 0 {
                let (left, right) = (place + 1, node.first);
                let to_left = self.nodes[left as usize].distance_squared(point);
                let to_right = self.nodes[right as usize].distance_squared(point);
                waiting.push_nearer_last((left, to_left), (right, to_right), limit);
                continue;
            }
            for slot in node.first..node.first + node.count {
                let triangle = self.triangles[slot as usize];
                let found = closest_point_on_triangle(point, self.corners[slot as usize]);
                let distance_squared = found.distance_squared;
                let earlier = best.is_none_or(|best| {
                    distance_squared < best.distance_squared || triangle < best.triangle
                });
                if distance_squared <= limit && earlier {
                    limit = distance_squared;
                    best = Some(ClosestPoint {
                        triangle,
                        point: found.point,
                        distance_squared,
                        barycentric: found.barycentric,
                        feature: found.feature,
                    });
                }
            }
        }
        best
    }

    /// The first triangle, seen from either side, that the ray meets with `t` from `t_min` to
    /// `t_max`. The direction need not have unit length; a zero direction meets nothing.
    pub fn closest_hit(
        &self,
        origin: Vec3,
        direction: Vec3,
        t_min: f32,
        t_max: f32,
    ) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        self.visit_hits(&Ray::new(origin, direction)?, t_min, t_max, |hit| {
            if best.is_none_or(|b| hit.t < b.t || (hit.t == b.t && hit.triangle < b.triangle)) {
                best = Some(hit);
            }
            best.map_or(t_max, |best| best.t)
        });
        best
    }

    /// Whether the ray meets a triangle with `t` from `t_min` to `t_max`.
    pub fn any_hit(&self, origin: Vec3, direction: Vec3, t_min: f32, t_max: f32) -> bool {
        let mut met = false;
        if let Some(ray) = Ray::new(origin, direction) {
            self.visit_hits(&ray, t_min, t_max, |_| {
                met = true;
                f32::NEG_INFINITY
            });
        }
        met
    }

    /// Calls `accept` for hits, near boxes first; it returns the `t` beyond which hits no longer
    /// matter.
    fn visit_hits(&self, ray: &Ray, t_min: f32, t_max: f32, mut accept: impl FnMut(Hit) -> f32) {
        // A hit's `t` and a box's `t` round differently; the slack keeps equal hits in play. The
        // cap keeps boxes that are missed, at infinity, out of rays without end.
        let with_slack = |t: f32| (t + 1e-5 * t.abs()).min(f32::MAX);
        let mut limit = t_max;
        let mut waiting = Stack::new();
        if let Some(root) = self.nodes.first() {
            waiting.push(0, ray.enters(root, t_min, limit));
        }
        while let Some((place, entry)) = waiting.pop() {
            if entry > with_slack(limit) {
                continue;
            }
            let node = &self.nodes[place as usize];
            if node.count == 0 {
                let (left, right) = (place + 1, node.first);
                let reach = with_slack(limit);
                let into_left = ray.enters(&self.nodes[left as usize], t_min, reach);
                let into_right = ray.enters(&self.nodes[right as usize], t_min, reach);
                waiting.push_nearer_last((left, into_left), (right, into_right), reach);
                continue;
            }
            for slot in node.first as usize..(node.first + node.count) as usize {
                if let Some((t, u, v)) = ray.meets(&self.corners[slot])
                    && t >= t_min
                    && t <= limit
                {
                    limit = accept(Hit { triangle: self.triangles[slot], t, u, v });
                }
            }
        }
    }
}

/// Nodes still to be visited, with their distance.
struct Stack {
    entries: [(u32, f32); STACK_SIZE],
    len: usize,
}

impl Stack {
    fn new() -> Self {
        Self { entries: [(0, 0.0); STACK_SIZE], len: 0 }
    }

    fn push(&mut self, node: u32, distance: f32) {
        self.entries[self.len] = (node, distance);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<(u32, f32)> {
        self.len = self.len.checked_sub(1)?;
        Some(self.entries[self.len])
    }

    /// Pushes two nodes unless they are beyond `limit`, so that the nearer is popped first.
    fn push_nearer_last(&mut self, left: (u32, f32), right: (u32, f32), limit: f32) {
        let (near, far) = if left.1 <= right.1 { (left, right) } else { (right, left) };
        for (node, distance) in [far, near] {
            if distance <= limit {
                self.push(node, distance);
            }
        }
    }
}

/// A ray prepared for the watertight test: its largest direction component becomes z, and a shear
/// turns it into the z axis (Woop et al. 2013, §2).
struct Ray {
    origin: Vec3,
    inverse_direction: Vec3,
    axes: [usize; 3],
    shear: Vec3,
}

impl Ray {
    /// `None` for a direction that is zero or not finite.
    fn new(origin: Vec3, direction: Vec3) -> Option<Self> {
        if !direction.is_finite() || !origin.is_finite() || direction == Vec3::ZERO {
            return None;
        }
        let kz = direction.abs().max_position();
        let (mut kx, mut ky) = ((kz + 1) % 3, (kz + 2) % 3);
        if direction[kz] < 0.0 {
            std::mem::swap(&mut kx, &mut ky);
        }
        let shear = Vec3::new(direction[kx], direction[ky], 1.0) / direction[kz];
        // A zero component becomes tiny: zero times infinity would be NaN in the slab test.
        let inverse = |d: f32| 1.0 / if d.abs() < 1e-30 { 1e-30_f32.copysign(d) } else { d };
        Some(Self { origin, inverse_direction: direction.map(inverse), axes: [kx, ky, kz], shear })
    }

    /// Ray parameter at which the ray enters the box, or infinity when it misses it between
    /// `t_min` and `t_max`.
    fn enters(&self, node: &Node, t_min: f32, t_max: f32) -> f32 {
        // Three roundings separate the computed exit from the true one (Ize 2013).
        const CONSERVATIVE: f32 = 1.0 + 4.0 * f32::EPSILON;
        let t0 = (node.min - self.origin) * self.inverse_direction;
        let t1 = (node.max - self.origin) * self.inverse_direction;
        let entry = t0.min(t1).max_element().max(t_min);
        let exit = t0.max(t1).min_element();
        let exit = if exit > 0.0 { exit * CONSERVATIVE } else { exit / CONSERVATIVE };
        if entry <= exit.min(t_max) { entry } else { f32::INFINITY }
    }

    /// Ray parameter and weights of corners 1 and 2 where the ray meets the triangle's plane
    /// inside the triangle, its border included.
    fn meets(&self, corners: &[Vec3; 3]) -> Option<(f32, f32, f32)> {
        let [kx, ky, kz] = self.axes;
        let relative = corners.map(|corner| corner - self.origin);
        let x = relative.map(|r| r[kx] - self.shear.x * r[kz]);
        let y = relative.map(|r| r[ky] - self.shear.y * r[kz]);
        let edge = |i: usize, j: usize| x[i] * y[j] - y[i] * x[j];
        let mut weights = Vec3::new(edge(2, 1), edge(0, 2), edge(1, 0));
        if weights.cmpeq(Vec3::ZERO).any() {
            // On an edge as far as single precision can tell: double precision decides.
            let edge = |i: usize, j: usize| {
                f64::from(x[i]) * f64::from(y[j]) - f64::from(y[i]) * f64::from(x[j])
            };
            weights = DVec3::new(edge(2, 1), edge(0, 2), edge(1, 0)).as_vec3();
        }
        if weights.min_element() < 0.0 && weights.max_element() > 0.0 {
            return None;
        }
        let determinant = weights.element_sum();
        if determinant == 0.0 {
            return None;
        }
        let depth = Vec3::new(relative[0][kz], relative[1][kz], relative[2][kz]) * self.shear.z;
        let t = weights.dot(depth) / determinant;
        t.is_finite().then(|| (t, weights.y / determinant, weights.z / determinant))
    }
}

/// Builds the subtree over `order` into `nodes`, which has room for one triangle per leaf. `nodes`
/// starts at place `base` of all nodes, `order` at place `first` of all triangles.
fn split(
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
fn compacted(nodes: &[Node]) -> Vec<Node> {
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

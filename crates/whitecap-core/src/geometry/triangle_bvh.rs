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

mod build;
mod ray;

use glam::Vec3;
use rayon::prelude::*;

use crate::closest_point::{Feature, closest_point_on_triangle};
use crate::morton::{self, MortonSort};
use crate::{Bounds, TriMesh};

use build::{HEURISTIC_DEPTH, compacted, split};
use ray::Ray;

/// The build bounds the depth: a part split by the heuristic, then halving of at most 2³² triangles.
const STACK_SIZE: usize = 96;

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
/// child directly after it and its right child at `first`.
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

/// Steps of the space-filling curve along the longest side.
const CURVE_STEPS: f32 = 1000.0;

fn finite_triangles(mesh: &TriMesh) -> Vec<u32> {
    (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .filter(|&t| mesh.corners(t as usize).iter().all(|corner| corner.is_finite()))
        .collect()
}

impl TriangleBvh {
    /// Builds the hierarchy over the triangles of `mesh`.
    pub fn build(mesh: &TriMesh) -> Self {
        Self::over(mesh, finite_triangles(mesh), 0)
    }

    /// Builds a hierarchy in a quarter of the time, in which searches take somewhat longer: for a
    /// hierarchy that is queried only a few times. Triangles are halved along a space-filling curve.
    pub fn build_quickly(mesh: &TriMesh) -> Self {
        let order = finite_triangles(mesh);
        let center = |t: u32| {
            let [a, b, c] = mesh.corners(t as usize);
            (a + b + c) / 3.0
        };
        let around = order.iter().fold(Bounds::EMPTY, |all, &t| all.with(center(t)));
        let scale = CURVE_STEPS / around.size().max_element().max(f32::MIN_POSITIVE);
        let mut sort = MortonSort::default();
        sort.sort(order.len(), |i| {
            morton::encode(((center(order[i]) - around.min) * scale).as_ivec3())
        });
        let sorted = sort.sorted().map(|(_, place)| order[place as usize]).collect();
        Self::over(mesh, sorted, HEURISTIC_DEPTH)
    }

    fn over(mesh: &TriMesh, mut order: Vec<u32>, depth: u32) -> Self {
        if order.is_empty() {
            return Self { nodes: Vec::new(), corners: Vec::new(), triangles: Vec::new() };
        }
        let boxes: Vec<Bounds> = (0..mesh.triangles().len())
            .into_par_iter()
            .map(|t| mesh.corners(t).iter().fold(Bounds::EMPTY, |bounds, &c| bounds.with(c)))
            .collect();
        let mut nodes = vec![Node::VACANT; 2 * order.len() - 1];
        split(&boxes, &mut order, &mut nodes, 0, 0, depth);
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

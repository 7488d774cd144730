//! The tracked mesh while it is being changed: triangles that know their neighbours.
//!
//! Half-edge `3 t + s` runs from corner `s` of triangle `t` to the next corner; its twin runs the
//! other way in the neighbouring triangle. Removed triangles stay as holes in the lists until
//! [`HalfEdgeMesh::compact`].
//!
//! # Guarantees
//! * Between operations every half-edge of a living triangle has a twin: the mesh is closed.
//! * [`HalfEdgeMesh::compact`] keeps the order of living triangles and vertices, and its result depends
//!   on the triangles alone, not on their history.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::TriMesh;

use crate::mesh::carried::Carried;

/// No half-edge, vertex or triangle.
pub(crate) const NONE: u32 = u32::MAX;
const DEAD: [u32; 3] = [NONE; 3];

/// A closed triangle mesh with the columns of its vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct HalfEdgeMesh {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// The twin of each half-edge.
    twins: Vec<u32>,
    /// A half-edge that leaves each vertex; none if the vertex is in no triangle.
    leaving: Vec<u32>,
    pub carried: Carried,
}

/// The triangles do not form a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotClosed;

impl HalfEdgeMesh {
    /// The mesh of these triangles, if each of their sides has exactly one neighbour and the
    /// triangles round each vertex form one fan.
    pub fn new(
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        carried: Carried,
    ) -> Result<Self, NotClosed> {
        let twins = vec![NONE; 3 * triangles.len()];
        let leaving = vec![NONE; positions.len()];
        let mut mesh = Self { positions, triangles, twins, leaving, carried };
        let all: Vec<u32> = (0..mesh.twins.len() as u32).collect();
        mesh.pair(all)?;
        mesh.choose_leaving();
        if mesh.fans_are_single() { Ok(mesh) } else { Err(NotClosed) }
    }

    #[inline]
    pub fn from(&self, half_edge: u32) -> u32 {
        self.triangles[half_edge as usize / 3][half_edge as usize % 3]
    }

    #[inline]
    pub fn to(&self, half_edge: u32) -> u32 {
        self.from(following(half_edge))
    }

    /// The corner opposite to a half-edge.
    #[inline]
    pub fn across(&self, half_edge: u32) -> u32 {
        self.from(previous(half_edge))
    }

    #[inline]
    pub fn twin(&self, half_edge: u32) -> u32 {
        self.twins[half_edge as usize]
    }

    #[inline]
    pub fn is_dead(&self, triangle: usize) -> bool {
        self.triangles[triangle] == DEAD
    }

    /// Half-edges that leave a vertex, one per triangle round it, clockwise.
    pub fn fan(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.leaving[vertex as usize];
        let mut next = first;
        std::iter::from_fn(move || {
            if next == NONE {
                return None;
            }
            let here = next;
            let after = self.twins[here as usize];
            next = if after == NONE { NONE } else { following(after) };
            if next == first {
                next = NONE;
            }
            Some(here)
        })
    }

    /// The number of triangles round a vertex.
    pub fn valence(&self, vertex: u32) -> usize {
        self.fan(vertex).count()
    }

    /// Whether an edge joins two vertices.
    pub fn joined(&self, a: u32, b: u32) -> bool {
        self.fan(a).any(|h| self.to(h) == b)
    }

    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.positions[v as usize])
    }

    /// Twice the area vector of a triangle.
    pub fn area_vector(&self, triangle: usize) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a)
    }

    /// The half-edges that represent their edge, in order: of two twins the lower one.
    pub fn edges(&self) -> impl ParallelIterator<Item = u32> + '_ {
        (0..self.twins.len() as u32)
            .into_par_iter()
            .filter(|&h| !self.is_dead(h as usize / 3) && h < self.twins[h as usize])
    }

    pub fn link(&mut self, a: u32, b: u32) {
        self.twins[a as usize] = b;
        self.twins[b as usize] = a;
    }

    pub fn set_leaving(&mut self, vertex: u32, half_edge: u32) {
        self.leaving[vertex as usize] = half_edge;
    }

    pub fn kill(&mut self, triangle: usize) {
        self.triangles[triangle] = DEAD;
    }

    pub fn push_triangle(&mut self, corners: [u32; 3]) -> u32 {
        self.triangles.push(corners);
        self.twins.extend([NONE; 3]);
        self.triangles.len() as u32 - 1
    }

    /// Adds a vertex whose columns are a weighted mean of others.
    pub fn push_vertex(&mut self, position: Vec3, mix: &[(u32, f32)]) -> u32 {
        self.positions.push(position);
        self.leaving.push(NONE);
        self.carried.push_mix(mix);
        self.positions.len() as u32 - 1
    }

    /// Removes triangles and puts others in their place; the new ones and the neighbours of the
    /// old ones find their twins. Fails, leaving the mesh unusable, if the result is not closed.
    pub fn replace(&mut self, removed: &[u32], added: &[[u32; 3]]) -> Result<(), NotClosed> {
        let mut touched: Vec<u32> =
            removed.iter().flat_map(|&t| self.triangles[t as usize]).collect();
        touched.extend(added.iter().flatten());
        let mut loose: Vec<u32> = Vec::new();
        for &triangle in removed {
            for side in 0..3 {
                loose.push(self.twins[3 * triangle as usize + side]);
            }
        }
        for &triangle in removed {
            self.kill(triangle as usize);
        }
        loose.retain(|&h| h != NONE && !self.is_dead(h as usize / 3));
        for &corners in added {
            let triangle = self.push_triangle(corners);
            loose.extend(3 * triangle..3 * triangle + 3);
        }
        let kept_at_rim: Vec<u32> = loose.clone();
        self.pair(loose)?;
        touched.sort_unstable();
        touched.dedup();
        for &vertex in &touched {
            self.leaving[vertex as usize] = NONE;
        }
        for &half_edge in &kept_at_rim {
            for corner in [half_edge, following(half_edge)] {
                let vertex = self.from(corner);
                let known = self.leaving[vertex as usize];
                if known == NONE || corner < known {
                    self.leaving[vertex as usize] = corner;
                }
            }
        }
        Ok(())
    }

    /// Pairs half-edges that run between the same vertices in opposite directions.
    fn pair(&mut self, half_edges: Vec<u32>) -> Result<(), NotClosed> {
        let mut keyed: Vec<(u64, bool, u32)> = half_edges
            .into_iter()
            .map(|h| {
                let (a, b) = (u64::from(self.from(h)), u64::from(self.to(h)));
                (a.min(b) << 32 | a.max(b), a < b, h)
            })
            .collect();
        keyed.par_sort_unstable();
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            match group {
                [(_, false, a), (_, true, b)] => {
                    self.twins[*a as usize] = *b;
                    self.twins[*b as usize] = *a;
                }
                _ => return Err(NotClosed),
            }
        }
        Ok(())
    }

    fn choose_leaving(&mut self) {
        self.leaving.clear();
        self.leaving.resize(self.positions.len(), NONE);
        for half_edge in (0..self.twins.len() as u32).rev() {
            if !self.is_dead(half_edge as usize / 3) {
                let vertex = self.from(half_edge) as usize;
                self.leaving[vertex] = half_edge;
            }
        }
    }

    /// Whether the triangles round every vertex form one fan.
    fn fans_are_single(&self) -> bool {
        let mut corners = vec![0u32; self.positions.len()];
        for &vertex in self.triangles.iter().flatten().filter(|&&v| v != NONE) {
            corners[vertex as usize] += 1;
        }
        (0..self.positions.len()).into_par_iter().all(|v| {
            self.fan(v as u32).take(corners[v] as usize + 1).count() == corners[v] as usize
        })
    }

    /// Vertices where several fans meet get a copy for each further fan. Returns how many copies
    /// were made.
    pub fn part_fans(&mut self) -> usize {
        let mut seen = vec![false; self.twins.len()];
        let mut copies = 0;
        for vertex in 0..self.positions.len() as u32 {
            for half_edge in self.fan(vertex) {
                seen[half_edge as usize] = true;
            }
        }
        for half_edge in 0..self.twins.len() as u32 {
            if seen[half_edge as usize] || self.is_dead(half_edge as usize / 3) {
                continue;
            }
            let vertex = self.from(half_edge);
            let copy = self.push_vertex(self.positions[vertex as usize], &[(vertex, 1.0)]);
            self.leaving[copy as usize] = half_edge;
            let ring: Vec<u32> = self.fan(copy).collect();
            for h in ring {
                seen[h as usize] = true;
                self.triangles[h as usize / 3][h as usize % 3] = copy;
            }
            copies += 1;
        }
        copies
    }

    /// Removes dead triangles and unused vertices. Returns, for every old vertex, its new index or
    /// none.
    pub fn compact(&mut self) -> Vec<u32> {
        let mut new_number = vec![NONE; self.positions.len()];
        let mut kept: Vec<u32> = Vec::with_capacity(self.positions.len());
        let mut used = vec![false; self.positions.len()];
        for &vertex in self.triangles.iter().flatten().filter(|&&v| v != NONE) {
            used[vertex as usize] = true;
        }
        for (vertex, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            new_number[vertex] = kept.len() as u32;
            kept.push(vertex as u32);
        }
        let mut new_triangle = vec![NONE; self.triangles.len()];
        let mut next = 0;
        for (triangle, slot) in new_triangle.iter_mut().enumerate() {
            if self.triangles[triangle] != DEAD {
                *slot = next;
                next += 1;
            }
        }
        let moved = |half_edge: u32| 3 * new_triangle[half_edge as usize / 3] + half_edge % 3;
        let (mut triangles, mut twins) = (Vec::new(), Vec::new());
        triangles.reserve(next as usize);
        twins.reserve(3 * next as usize);
        for (t, corners) in self.triangles.iter().enumerate().filter(|(_, c)| **c != DEAD) {
            triangles.push(corners.map(|v| new_number[v as usize]));
            twins.extend((0..3).map(|side| moved(self.twins[3 * t + side])));
        }
        self.triangles = triangles;
        self.twins = twins;
        self.positions = kept.iter().map(|&v| self.positions[v as usize]).collect();
        self.carried.gather(&kept);
        self.choose_leaving();
        new_number
    }

    /// Whether every triangle has three different corners, every half-edge the correct twin, and
    /// every vertex one fan. True by construction, but checked after each change of topology.
    pub fn is_sound(&self) -> bool {
        let twins_agree = (0..self.twins.len() as u32).into_par_iter().all(|h| {
            if self.is_dead(h as usize / 3) {
                return true;
            }
            let twin = self.twins[h as usize];
            twin != NONE
                && !self.is_dead(twin as usize / 3)
                && self.twins[twin as usize] == h
                && self.from(h) == self.to(twin)
                && self.to(h) == self.from(twin)
                && self.from(h) != self.to(h)
        });
        twins_agree && self.fans_are_single() && self.positions.par_iter().all(|p| p.is_finite())
    }

    /// Whether no two edges join the same two vertices.
    pub fn edges_are_single(&self) -> bool {
        let mut keys: Vec<u64> = self
            .edges()
            .map(|h| {
                let (a, b) = (u64::from(self.from(h)), u64::from(self.to(h)));
                a.min(b) << 32 | a.max(b)
            })
            .collect();
        keys.par_sort_unstable();
        keys.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Area-weighted unit normals; zero for unused vertices.
    pub fn normals(&self) -> Vec<Vec3> {
        (0..self.positions.len() as u32).into_par_iter().map(|vertex| self.normal(vertex)).collect()
    }

    /// Normal of a vertex, weighted by area.
    pub fn normal(&self, vertex: u32) -> Vec3 {
        let sum: Vec3 = self.fan(vertex).map(|h| self.area_vector(h as usize / 3)).sum();
        sum.normalize_or_zero()
    }

    /// The living triangles as a plain mesh, without columns.
    pub fn plain(&self) -> TriMesh {
        let living = self.triangles.iter().copied().filter(|t| *t != DEAD).collect();
        TriMesh::new(self.positions.clone(), living).unwrap_or_default()
    }
}

/// The half-edge after this one in its triangle.
#[inline]
pub(crate) fn following(half_edge: u32) -> u32 {
    if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
}

/// The half-edge before this one in its triangle.
#[inline]
pub(crate) fn previous(half_edge: u32) -> u32 {
    if half_edge.is_multiple_of(3) { half_edge + 2 } else { half_edge - 1 }
}

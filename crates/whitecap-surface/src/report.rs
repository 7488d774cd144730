//! Measurements of a mesh: counts, topology, volume.

use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;
use whitecap_core::{TriMesh, reduce};

/// The report on a mesh. Volume and area are in m³ and m².
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshReport {
    /// Vertices used by at least one triangle.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
    /// Connected components.
    pub components: usize,
    /// Vertices − edges + triangles: 2 per closed sphere-like component, 0 per torus.
    pub euler_characteristic: i64,
    /// Edges with a triangle on one side only.
    pub open_edges: usize,
    /// Edges with more than two triangles, or with two that disagree on orientation.
    pub non_manifold_edges: usize,
    /// Vertices where several sheets touch in a single point.
    pub non_manifold_vertices: usize,
    /// Enclosed volume; meaningful for closed meshes. Negative if the mesh is inside out.
    pub volume: f64,
    /// Surface area.
    pub area: f64,
}

impl MeshReport {
    /// Whether the mesh is closed, 2-manifold and consistently oriented.
    pub fn is_closed_manifold(&self) -> bool {
        self.open_edges == 0 && self.non_manifold_edges == 0 && self.non_manifold_vertices == 0
    }
}

/// Measures a mesh.
pub fn report(mesh: &TriMesh) -> MeshReport {
    let triangles = mesh.triangles();
    let edges = EdgeCounts::of(triangles);
    let mut used = vec![false; mesh.positions().len()];
    for &vertex in triangles.iter().flatten() {
        used[vertex as usize] = true;
    }
    let vertices = used.iter().filter(|&&u| u).count();
    let lowest = mesh.components();
    let components = (0..lowest.len()).filter(|&v| used[v] && lowest[v] as usize == v).count();
    MeshReport {
        vertices,
        triangles: triangles.len(),
        components,
        euler_characteristic: vertices as i64 - edges.total as i64 + triangles.len() as i64,
        open_edges: edges.open,
        non_manifold_edges: edges.non_manifold,
        non_manifold_vertices: non_manifold_vertices(mesh),
        volume: volume(mesh),
        area: area(mesh),
    }
}

/// Enclosed volume by the divergence theorem, in double precision.
pub fn volume(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    let origin = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() }.as_dvec3();
    reduce::sum(mesh.triangles().len(), |t| {
        let [a, b, c] = mesh.corners(t).map(|p| p.as_dvec3() - origin);
        a.dot(b.cross(c)) / 6.0
    })
}

/// Surface area.
pub fn area(mesh: &TriMesh) -> f64 {
    reduce::sum(mesh.triangles().len(), |t| {
        let [a, b, c] = mesh.corners(t).map(|p| p.as_dvec3());
        0.5 * (b - a).cross(c - a).length()
    })
}

struct EdgeCounts {
    total: usize,
    open: usize,
    non_manifold: usize,
}

impl EdgeCounts {
    fn of(triangles: &[[u32; 3]]) -> Self {
        // Lower vertex, higher vertex, and whether the triangle runs from low to high.
        let mut sides: Vec<(u64, bool)> = triangles
            .par_iter()
            .flat_map_iter(|t| {
                (0..3).map(|s| {
                    let (a, b) = (u64::from(t[s]), u64::from(t[(s + 1) % 3]));
                    (a.min(b) << 32 | a.max(b), a < b)
                })
            })
            .collect();
        sides.par_sort_unstable();
        let mut counts = Self { total: 0, open: 0, non_manifold: 0 };
        for edge in sides.chunk_by(|a, b| a.0 == b.0) {
            counts.total += 1;
            match edge {
                [_] => counts.open += 1,
                [first, second] if first.1 != second.1 => {}
                _ => counts.non_manifold += 1,
            }
        }
        counts
    }
}

/// Vertices whose triangles do not form one fan.
fn non_manifold_vertices(mesh: &TriMesh) -> usize {
    let adjacency = mesh.adjacency();
    (0..mesh.positions().len())
        .into_par_iter()
        .filter(|&vertex| {
            let around = adjacency.triangles(vertex);
            if around.is_empty() {
                return false;
            }
            // Walk from triangle to triangle across shared edges; a second fan stays unvisited.
            let others: Vec<[u32; 2]> = around
                .iter()
                .map(|&t| {
                    let triangle = mesh.triangles()[t as usize];
                    let at = triangle.iter().position(|&v| v as usize == vertex).unwrap_or(0);
                    [triangle[(at + 1) % 3], triangle[(at + 2) % 3]]
                })
                .collect();
            let mut reached = vec![false; others.len()];
            let mut stack = vec![0];
            reached[0] = true;
            while let Some(current) = stack.pop() {
                for (i, pair) in others.iter().enumerate() {
                    if !reached[i] && pair.iter().any(|v| others[current].contains(v)) {
                        reached[i] = true;
                        stack.push(i);
                    }
                }
            }
            reached.contains(&false)
        })
        .count()
}

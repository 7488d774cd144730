//! Counts parts and handles, and finds where two surfaces differ in them (early detection; the
//! paper's §2.8 mentions it as future work).

use glam::IVec3;
use rayon::prelude::*;
use whitecap_core::sparse_grid::{local_node, tile_of};
use whitecap_core::{SparseGrid, TriMesh};

use crate::mesh::half_edge::{HalfEdgeMesh, NONE};
use crate::topology::crossings::Crossings;
use crate::topology::gamma::NearbyMesh;

/// Connected parts and Euler characteristic (2 per ball, 0 per torus) of a closed surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Connected parts.
    pub components: usize,
    /// Vertices − edges + triangles.
    pub euler_characteristic: i64,
}

impl Topology {
    /// Of a closed mesh.
    pub(crate) fn of_mesh(mesh: &TriMesh) -> Self {
        count(mesh.positions().len(), mesh.triangles())
    }

    /// Of the tracked mesh.
    pub(crate) fn of(mesh: &HalfEdgeMesh) -> Self {
        count(mesh.positions.len(), &mesh.triangles)
    }

    /// By how much the counts differ.
    pub(crate) fn minus(self, other: Self) -> [i64; 2] {
        [
            self.components as i64 - other.components as i64,
            self.euler_characteristic - other.euler_characteristic,
        ]
    }
}

fn count(vertex_count: usize, triangles: &[[u32; 3]]) -> Topology {
    let mut sets = whitecap_core::disjoint_sets::DisjointSets::new(vertex_count);
    let mut used = vec![false; vertex_count];
    let mut living = 0i64;
    for &[a, b, c] in triangles.iter().filter(|t| t[0] != NONE) {
        sets.join(a, b);
        sets.join(a, c);
        for v in [a, b, c] {
            used[v as usize] = true;
        }
        living += 1;
    }
    let lowest = sets.into_lowest();
    let components = (0..vertex_count).filter(|&v| used[v] && lowest[v] as usize == v).count();
    let vertices = used.iter().filter(|&&used| used).count() as i64;
    // A closed triangle mesh has three edges for every two triangles.
    Topology { components, euler_characteristic: vertices - living / 2 }
}

/// A node that is inside φ but outside the mesh, or the reverse.
struct Dispute {
    node: IVec3,
    /// The vertices of the mesh nearest to it, with weights; empty if there is no mesh within reach.
    mix: Vec<(u32, f32)>,
    /// By how much: Γ − φ should be −δ of the nearest vertices.
    by: f32,
}

/// How far from a node the mesh is searched for, in cells.
const FARTHEST: f32 = 8.0;

fn disputes(
    mesh: &HalfEdgeMesh,
    crossings: &Crossings,
    distance: &SparseGrid<f32>,
) -> Vec<Dispute> {
    let lattice = distance.lattice();
    let mut nodes: Vec<IVec3> = distance
        .coordinates()
        .par_iter()
        .zip(distance.tiles())
        .flat_map_iter(|(&tile, values)| {
            (0..512).filter_map(move |offset| {
                let node = tile * 8 + local_node(offset);
                ((values.at(offset) < 0.0) != crossings.is_inside(node)).then_some(node)
            })
        })
        .collect();
    crate::topology::cells::sort_unique(&mut nodes);
    let mut tiles: Vec<IVec3> = nodes.iter().map(|&node| tile_of(node)).collect();
    crate::topology::cells::sort_unique(&mut tiles);
    let nearby = NearbyMesh::build(mesh, lattice, &tiles, FARTHEST * lattice.cell);
    nodes
        .into_par_iter()
        .map(|node| {
            let position = lattice.position(node);
            let Some(found) = nearby.closest(position, FARTHEST * lattice.cell) else {
                return Dispute { node, mix: Vec::new(), by: f32::INFINITY };
            };
            let away = found.distance_squared.sqrt();
            let gamma = if crossings.is_inside(node) { -away } else { away };
            let mix = nearby.mix_of(&found);
            let delta: f32 = mix.iter().map(|&(v, w)| w * mesh.carried.delta[v as usize]).sum();
            // Where vertices only follow the particles, φ does not count.
            let by =
                if delta.is_finite() { (gamma - distance.get(node) + delta).abs() } else { 0.0 };
            Dispute { node, mix, by }
        })
        .collect()
}

/// Nodes on different sides of φ and the mesh by more than detail explains, and by more than
/// `tolerance` metres beyond what they did at birth.
pub(crate) fn disagreeing_nodes(
    mesh: &HalfEdgeMesh,
    crossings: &Crossings,
    distance: &SparseGrid<f32>,
    tolerance: f32,
) -> Vec<IVec3> {
    let doubt = |dispute: &Dispute| {
        dispute.mix.iter().map(|&(v, _)| mesh.carried.doubt[v as usize]).fold(0.0, f32::max)
    };
    disputes(mesh, crossings, distance)
        .into_iter()
        .filter(|dispute| dispute.by > tolerance + doubt(dispute))
        .map(|dispute| dispute.node)
        .collect()
}

/// Records by how much the mesh and φ differ in the first frame, where that is not a change of topology.
pub(crate) fn take_birth_doubts(
    mesh: &mut HalfEdgeMesh,
    crossings: &Crossings,
    distance: &SparseGrid<f32>,
) {
    let mut doubt = vec![0.0f32; mesh.positions.len()];
    for dispute in disputes(mesh, crossings, distance) {
        for (vertex, _) in dispute.mix {
            doubt[vertex as usize] = doubt[vertex as usize].max(dispute.by);
        }
    }
    // Later, nodes lie elsewhere relative to the mesh, so neighbouring vertices share the tolerance.
    for _ in 0..4 {
        doubt = (0..doubt.len() as u32)
            .into_par_iter()
            .map(|vertex| {
                let around = mesh.fan(vertex).map(|h| doubt[mesh.to(h) as usize]);
                around.fold(doubt[vertex as usize], f32::max)
            })
            .collect();
    }
    mesh.carried.doubt = doubt;
}

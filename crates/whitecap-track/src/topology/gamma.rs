//! Γ, the signed distance to the tracked mesh (Dagenais et al. 2017, §2.4), only where it is needed.
//!
//! The sign comes from the winding number along grid lines, so small self-intersections do no
//! harm; the distance is exact up to two cells and two cells beyond.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node, offset_in_tile, tile_of, tile_order};
use whitecap_core::triangle_bvh::{ClosestPoint, TriangleBvh};
use whitecap_core::{Bounds, CoordinateIndex, Lattice, SparseGrid, TriMesh};

use crate::mesh::half_edge::HalfEdgeMesh;
use crate::topology::crossings::Crossings;

/// Distances are exact up to this many cells.
pub(crate) const FARTHEST: f32 = 2.0;

/// Triangles within this many cells of the tiles of Γ are included: Γ is also evaluated next to its tiles.
const REACH: f32 = 4.0;

/// The part of a mesh near some tiles, ready for searches.
pub(crate) struct NearbyMesh {
    bvh: TriangleBvh,
    /// For each triangle of the hierarchy, its corners in the mesh.
    corners: Vec<[u32; 3]>,
}

impl NearbyMesh {
    /// The triangles within `reach` metres of the given tiles, and a few more.
    pub fn build(mesh: &HalfEdgeMesh, lattice: Lattice, tiles: &[IVec3], reach: f32) -> Self {
        let index = CoordinateIndex::build(tiles);
        let corners: Vec<[u32; 3]> = mesh
            .triangles
            .par_iter()
            .enumerate()
            .filter(|(t, _)| !mesh.is_dead(*t))
            .filter(|(t, _)| {
                let bounds = Bounds::of_corners(mesh.corners(*t)).grown(reach);
                let (low, high) = (lattice.locate(bounds.min).0, lattice.locate(bounds.max).0);
                crate::topology::cells::cells_between(tile_of(low), tile_of(high))
                    .any(|tile| index.get(tile).is_some())
            })
            .map(|(_, &corners)| corners)
            .collect();
        let positions: Vec<Vec3> =
            corners.par_iter().flat_map_iter(|t| t.map(|v| mesh.positions[v as usize])).collect();
        let triangles = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let plain = TriMesh::new(positions, triangles).unwrap_or_default();
        Self { bvh: TriangleBvh::build_quickly(&plain), corners }
    }

    pub fn closest(&self, point: Vec3, farthest: f32) -> Option<ClosestPoint> {
        self.bvh.closest_point(point, farthest)
    }

    /// The vertices around the closest point of the mesh, with their weights; empty if there is no
    /// mesh nearby.
    pub fn mix_at(&self, point: Vec3) -> Vec<(u32, f32)> {
        self.closest(point, f32::INFINITY).map_or(Vec::new(), |found| self.mix_of(&found))
    }

    /// The vertices around a given closest point, with their weights.
    pub fn mix_of(&self, found: &ClosestPoint) -> Vec<(u32, f32)> {
        let corners = self.corners[found.triangle as usize];
        corners.into_iter().zip(found.barycentric.to_array()).collect()
    }
}

/// Γ on some tiles.
pub(crate) struct Gamma<'a> {
    pub grid: SparseGrid<f32>,
    pub nearby: NearbyMesh,
    crossings: &'a Crossings,
}

impl<'a> Gamma<'a> {
    /// Distances on the nodes of `tiles`, to a mesh whose grid lines cross it at `crossings`.
    pub fn build(
        mesh: &HalfEdgeMesh,
        crossings: &'a Crossings,
        lattice: Lattice,
        mut tiles: Vec<IVec3>,
    ) -> Self {
        tiles.sort_unstable_by_key(|t| tile_order(*t));
        tiles.dedup();
        let nearby = NearbyMesh::build(mesh, lattice, &tiles, REACH * lattice.cell);
        let background = FARTHEST * lattice.cell;
        let grid = SparseGrid::filled(lattice, background, tiles, |tile, values| {
            fill(&nearby, crossings, lattice, tile, values);
        });
        Self { grid, nearby, crossings }
    }

    /// Γ at a node, even beyond the tiles.
    pub fn at(&self, node: IVec3) -> f32 {
        if self.grid.tile(tile_of(node)).is_some() {
            return self.grid.get(node);
        }
        let lattice = self.grid.lattice();
        let most = FARTHEST * lattice.cell;
        let found = self.nearby.closest(lattice.position(node), most);
        let distance = found.map_or(most, |found| found.distance_squared.sqrt());
        if self.crossings.is_inside(node) { -distance } else { distance }
    }
}

fn fill(
    nearby: &NearbyMesh,
    crossings: &Crossings,
    lattice: Lattice,
    tile: IVec3,
    values: &mut [f32; TILE_NODES],
) {
    let most = FARTHEST * lattice.cell;
    let middle = lattice.position(tile * 8) + 3.5 * lattice.cell;
    let whole = nearby.closest(middle, most + 6.1 * lattice.cell);
    let mut last = whole.map_or(f32::INFINITY, |found| found.distance_squared.sqrt());
    let mut last_position = middle;
    let mut last_inside = None;
    for step in 0..TILE_NODES {
        let local = snake_node(step);
        let node = tile * 8 + local;
        let position = lattice.position(node);
        // The answer for one node bounds the search for the next.
        let away = 1.001 * position.distance(last_position);
        // No surface lies between two nodes that are nearer to each other than to it.
        let inside = match last_inside {
            Some(inside) if away < last => inside,
            _ => crossings.is_inside(node),
        };
        let distance = if last - away > most {
            last_inside.get_or_insert(inside);
            most
        } else {
            let bound = (1.001 * (last + away)).min(most);
            let found = nearby.closest(position, bound);
            let distance = found.map_or(most, |found| found.distance_squared.sqrt());
            (last, last_position, last_inside) = (distance, position, Some(inside));
            distance
        };
        values[offset_in_tile(local)] = if inside { -distance } else { distance };
    }
}

/// The nodes of a tile in an order in which consecutive ones are neighbours.
fn snake_node(step: usize) -> IVec3 {
    let node = local_node(step);
    let y = if node.z % 2 == 0 { node.y } else { 7 - node.y };
    let x = if (node.y + node.z * 8) % 2 == 0 { node.x } else { 7 - node.x };
    IVec3::new(x, y, node.z)
}

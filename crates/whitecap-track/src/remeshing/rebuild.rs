//! The last resort: whole parts of the mesh are rebuilt from the coarse surface.
//!
//! Parts of the mesh and parts of φ that lie near each other belong together; a group is removed
//! and inserted as a whole, so the result is as closed as its parts.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::TriMesh;
use whitecap_core::disjoint_sets::DisjointSets;
use whitecap_core::triangle_bvh::TriangleBvh;

use crate::mesh::carried::Carried;
use crate::mesh::half_edge::HalfEdgeMesh;
use crate::mesh::quality::measure_birth;
use crate::projection::coarse_surface::CoarseSurface;
use crate::remeshing::remesh::take_birth_distances;
use crate::topology::cells::{CellSet, cell_span};

/// Rebuilds every part of the mesh that reaches into `marked`, with the parts of φ near it. Also returns
/// the number of parts removed.
pub(crate) fn rebuild_parts(
    mesh: &HalfEdgeMesh,
    coarse: &CoarseSurface,
    marked: &CellSet,
) -> (HalfEdgeMesh, usize) {
    let plain = mesh.plain();
    let (ours, theirs) = (plain.components(), coarse.mesh.components());
    let count = ours.len() as u32;
    let mut groups = DisjointSets::new(ours.len() + theirs.len());
    let cell = coarse.distance.lattice().cell;
    let bvh = TriangleBvh::build(&coarse.mesh);
    let near: Vec<Option<u32>> = plain
        .positions()
        .par_iter()
        .map(|&p| bvh.closest_point(p, coarse.band + 2.0 * cell).map(|found| found.triangle))
        .collect();
    for (vertex, found) in near.iter().enumerate() {
        groups.join(vertex as u32, ours[vertex]);
        if let Some(triangle) = found {
            let corner = coarse.mesh.triangles()[*triangle as usize][0];
            groups.join(vertex as u32, count + theirs[corner as usize]);
        }
    }
    for (vertex, &lowest) in theirs.iter().enumerate() {
        groups.join(count + vertex as u32, count + lowest);
    }
    let groups = groups.into_lowest();
    let mut replaced = vec![false; groups.len()];
    let lattice = coarse.distance.lattice();
    let places = crate::topology::cells::places(plain.positions(), lattice, 0.0);
    for &triangle in plain.triangles() {
        let (low, high) = cell_span(&places, triangle);
        if marked.meets(low, high) {
            replaced[groups[triangle[0] as usize] as usize] = true;
        }
    }
    let kept = |vertex: u32| !replaced[groups[vertex as usize] as usize];
    let mut parts: Vec<u32> = (0..count).filter(|&v| !kept(v)).map(|v| ours[v as usize]).collect();
    parts.sort_unstable();
    parts.dedup();
    let mut triangles: Vec<[u32; 3]> =
        plain.triangles().iter().copied().filter(|t| kept(t[0])).collect();
    let new = coarse.mesh.triangles().iter().map(|t| t.map(|v| v + count));
    triangles.extend(new.filter(|t| !kept(t[0])));
    let result = joined(mesh, &plain, coarse, triangles);
    (result, parts.len())
}

/// The whole mesh rebuilt from φ.
pub(crate) fn rebuild_all(mesh: &HalfEdgeMesh, coarse: &CoarseSurface) -> HalfEdgeMesh {
    let plain = mesh.plain();
    let count = plain.positions().len() as u32;
    let triangles = coarse.mesh.triangles().iter().map(|t| t.map(|v| v + count)).collect();
    joined(mesh, &plain, coarse, triangles)
}

/// Triangles over the vertices of the mesh followed by those of φ.
fn joined(
    mesh: &HalfEdgeMesh,
    plain: &TriMesh,
    coarse: &CoarseSurface,
    triangles: Vec<[u32; 3]>,
) -> HalfEdgeMesh {
    let old = plain.positions().len();
    let bvh = TriangleBvh::build(plain);
    let mixes: Vec<Vec<(u32, f32)>> = coarse
        .mesh
        .positions()
        .par_iter()
        .map(|&p| {
            bvh.closest_point(p, f32::INFINITY).map_or(Vec::new(), |found| {
                let corners = plain.triangles()[found.triangle as usize];
                corners.into_iter().zip(found.barycentric.to_array()).collect()
            })
        })
        .collect();
    let mut carried: Carried = mesh.carried.clone();
    for mix in &mixes {
        carried.push_mix(mix);
    }
    let positions: Vec<Vec3> =
        plain.positions().iter().chain(coarse.mesh.positions()).copied().collect();
    // Both meshes are closed and whole parts are taken, so this cannot fail; if it did, an empty
    // mesh would still be closed.
    let Ok(mut result) = HalfEdgeMesh::new(positions, triangles, carried) else {
        return HalfEdgeMesh::default();
    };
    measure_birth(&mut result, old);
    take_birth_distances(&mut result, old, coarse);
    result.compact();
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::{Attributes, Particles, Unwatched};

    fn balls() -> (CoarseSurface, HalfEdgeMesh) {
        let centers = [Vec3::X * -1.0, Vec3::X];
        let mut places = Vec::new();
        for cell in
            crate::topology::cells::cells_between(glam::IVec3::splat(-5), glam::IVec3::splat(5))
        {
            let p = cell.as_vec3() * 0.1;
            if p.length() < 0.5 {
                places.extend(centers.map(|c| c + p));
            }
        }
        let build = |band| {
            CoarseSurface::build(&Particles::new(places.clone()), 0.1, 2.0, (band, 0.0), &Unwatched)
        };
        let coarse = build(0.2).unwrap();
        let carried = Carried::new(coarse.mesh.positions().len(), &Attributes::new());
        let (positions, triangles) =
            (coarse.mesh.positions().to_vec(), coarse.mesh.triangles().to_vec());
        let mut mesh = HalfEdgeMesh::new(positions, triangles, carried).unwrap();
        mesh.positions.iter_mut().for_each(|p| p.y *= 1.05);
        (coarse, mesh)
    }

    /// Contract: the part that reaches into a marked cell is replaced by φ, the other one keeps every
    /// vertex; the whole is closed.
    #[test]
    fn only_the_marked_part_is_rebuilt() {
        let (coarse, mesh) = balls();
        let lattice = coarse.distance.lattice();
        let right = mesh.positions.iter().find(|p| p.x > 0.0).unwrap();
        let marked = CellSet::new(vec![lattice.locate(*right).0]);
        let (result, parts) = rebuild_parts(&mesh, &coarse, &marked);
        assert_eq!(parts, 1);
        assert!(whitecap_surface::report(&result.plain()).is_closed_manifold());
        let left = |positions: &[Vec3]| -> Vec<Vec3> {
            positions.iter().copied().filter(|p| p.x < 0.0).collect()
        };
        assert_eq!(left(&result.positions), left(&mesh.positions));
        let on_coarse = |p: &Vec3| coarse.mesh.positions().contains(p);
        assert!(result.positions.iter().filter(|p| p.x > 0.0).all(on_coarse));
    }

    /// Contract: rebuilding everything gives φ; without particles, nothing.
    #[test]
    fn everything_can_be_rebuilt() {
        let (coarse, mesh) = balls();
        let result = rebuild_all(&mesh, &coarse);
        assert_eq!(result.plain().positions(), coarse.mesh.positions());
        let empty =
            CoarseSurface::build(&Particles::new(Vec::new()), 0.1, 2.0, (0.2, 0.0), &Unwatched)
                .unwrap();
        assert!(rebuild_all(&mesh, &empty).triangles.is_empty());
    }
}

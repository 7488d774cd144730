//! Closing a mesh that is open, non-manifold or passes through itself, as scans do.
//!
//! The inside is where the generalised winding number exceeds one half (Jacobson, Kavan &
//! Sorkine-Hornung 2013), which small holes and overlaps hardly change. The border of the inside is
//! triangulated again, and its vertices return to the scan where that is within half a cell.
//!
//! # Guarantees
//! The result is closed, 2-manifold and does not pass through itself.
//!
//! # Non-guarantees
//! Triangles are new. Detail finer than half a cell is lost where it is not a height field over the rest.

use rayon::prelude::*;
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::{TriMesh, reduce};
use whitecap_surface::{LevelSet, LevelSetError, MeshReport, report, self_intersections};

use crate::error::TrackError;
use crate::mesh::carried::Carried;
use whitecap_scene::Range;

/// What closing a mesh changed.
#[derive(Clone, Debug, PartialEq)]
pub struct CloseReport {
    /// The original mesh.
    pub before: MeshReport,
    /// The closed mesh.
    pub after: MeshReport,
    /// Pairs of triangles that intersected in the original mesh.
    pub crossing_pairs: usize,
    /// Cells used, in metres.
    pub cell: f32,
    /// Vertices that lie on the original mesh.
    pub on_original: usize,
    /// Vertices that close a hole or an overlap: farther than half a cell from the original mesh.
    pub filled: usize,
    /// Largest distance of a vertex from the original mesh, in metres.
    pub largest_distance: f32,
}

/// Makes a closed mesh from any mesh, with cells of `cell` metres; attributes are kept.
pub fn close_mesh(mesh: &TriMesh, cell: f32) -> Result<(TriMesh, CloseReport), TrackError> {
    Range::between(1e-9, 1e9).check("cell", cell.into())?;
    if mesh.triangles().is_empty() {
        return Err(TrackError::EmptyMesh);
    }
    if let Some(vertex) = mesh.positions().iter().position(|p| !p.is_finite()) {
        return Err(TrackError::NonFiniteVertex { vertex, position: mesh.positions()[vertex] });
    }
    let level = LevelSet::from_mesh(mesh, cell, 3.0 * cell).map_err(|error| match error {
        LevelSetError::OverBudget(mut refused) => {
            refused.remedy = format!("use a larger `close-cell` than {cell} m");
            TrackError::OverBudget(refused)
        }
        _ => TrackError::EmptyMesh,
    })?;
    let rough = level.mesh();
    let bvh = TriangleBvh::build(mesh);
    let found: Vec<_> =
        rough.positions().par_iter().map(|&p| bvh.closest_point(p, f32::INFINITY)).collect();
    let near = |i: usize| found[i].filter(|f| f.distance_squared <= 0.25 * cell * cell);
    // All the way back to the scan if nothing intersects, otherwise as far as nothing does.
    let mut closed = rough.clone();
    for share in [1.0, 0.75, 0.5, 0.25, 0.0] {
        let place = |i: usize| {
            let p = rough.positions()[i];
            near(i).map_or(p, |f| p + (f.point - p) * share)
        };
        for (i, position) in closed.positions_mut().iter_mut().enumerate() {
            *position = place(i);
        }
        if self_intersections(&closed) == 0 {
            break;
        }
    }
    let mixes: Vec<Vec<(u32, f32)>> = found
        .iter()
        .map(|found| {
            found.map_or(Vec::new(), |f| {
                let corners = mesh.triangles()[f.triangle as usize];
                corners.into_iter().zip(f.barycentric.to_array()).collect()
            })
        })
        .collect();
    let carried = Carried::new(mesh.positions().len(), mesh.attributes()).remixed(&mixes);
    for (name, column) in carried.attributes {
        closed.set_attribute(name, column)?;
    }
    let distances: Vec<f32> = closed
        .positions()
        .par_iter()
        .map(|&p| bvh.closest_point(p, f32::INFINITY).map_or(0.0, |f| f.distance_squared.sqrt()))
        .collect();
    let changes = CloseReport {
        before: report(mesh),
        after: report(&closed),
        crossing_pairs: self_intersections(mesh),
        cell,
        on_original: distances.iter().filter(|&&d| d < 1e-3 * cell).count(),
        filled: distances.iter().filter(|&&d| d > 0.5 * cell).count(),
        largest_distance: reduce::max(distances.len(), |i| distances[i]).max(0.0),
    };
    Ok((closed, changes))
}

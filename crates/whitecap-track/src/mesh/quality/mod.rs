//! Keeping triangles well shaped (Dagenais et al. 2017, §2.6; Brochu & Bridson 2009): long edges are
//! split, short ones and folds are collapsed, and edges of new triangles are flipped.
//!
//! Lengths and folds are measured relative to their values at birth, so a mesh that only
//! moves rigidly is never changed, however irregular its triangles are. Vertices of the first mesh
//! keep their place where a younger vertex can be removed instead; ridges and corners keep theirs.

mod butterfly;
mod operations;

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::TriMesh;
use whitecap_core::budget::{self, OverBudget};
use whitecap_surface::area;

use crate::mesh::half_edge::HalfEdgeMesh;
pub(crate) use operations::shape;
use operations::{collapse, flip, split};

/// An edge this many times as long as the longest original edge at its ends is split.
const STRETCH: f32 = 1.5;
/// An edge shorter than this fraction of the shortest original edge at its ends is collapsed.
const SHRINK: f32 = 0.5;
/// Cosine between two normals below which an edge counts as a ridge.
const RIDGE: f32 = 0.5;
/// Cosine between two normals below which an edge is a fold...
const FOLD: f32 = -0.8;
/// ...if it was less sharp by at least this much at birth.
const SHARPENED: f32 = 0.2;
/// Memory of a triangle with its share of vertices and what these carry.
const BYTES_PER_TRIANGLE: f64 = 120.0;
/// Rounds of operations per call.
const ROUNDS: usize = 4;

/// What the quality pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QualityCounts {
    pub splits: usize,
    pub collapses: usize,
    pub flips: usize,
}

/// Records the edges of the vertices starting at `from` as the reference for later.
pub(crate) fn measure_birth(mesh: &mut HalfEdgeMesh, from: usize) {
    let measures: Vec<[f32; 3]> = (from as u32..mesh.positions.len() as u32)
        .into_par_iter()
        .map(|vertex| {
            let here = mesh.positions[vertex as usize];
            let mut measure = [f32::INFINITY, 0.0f32, 1.0];
            for h in mesh.fan(vertex) {
                let length = here.distance(mesh.positions[mesh.to(h) as usize]);
                measure[0] = measure[0].min(length);
                measure[1] = measure[1].max(length);
                measure[2] = measure[2].min(bend(mesh, h));
            }
            measure
        })
        .collect();
    for (offset, [shortest, longest, sharpest]) in measures.into_iter().enumerate() {
        mesh.carried.shortest[from + offset] = SHRINK * shortest;
        mesh.carried.longest[from + offset] = STRETCH * longest;
        mesh.carried.sharpest[from + offset] = sharpest;
    }
}

/// Asks whether the triangles that [`refine`] makes can be kept.
pub(crate) fn ask_for_refined(mesh: &TriMesh, longest: f32) -> Result<(), OverBudget> {
    // Halving the longest edges leaves triangles of about a quarter of the square of that edge.
    let triangles = area(mesh) / (0.25 * f64::from(longest).powi(2));
    budget::ask(
        triangles * BYTES_PER_TRIANGLE,
        &format!("the mesh with edges of at most {longest} m"),
        "use a larger `spacing` or `longest-edge`",
    )
}

/// Splits edges longer than `longest` in their middle, which changes no shape. The new vertices
/// count as part of the first mesh.
pub(crate) fn refine(mesh: &mut HalfEdgeMesh, longest: f32) -> usize {
    let mut splits = 0;
    loop {
        let long: Vec<u32> = mesh.edges().filter(|&h| length(mesh, h) > longest).collect();
        if long.is_empty() {
            return splits;
        }
        for h in by_length(mesh, long) {
            if length(mesh, h) > longest {
                let mix = butterfly::middle(mesh, h);
                let position = mixed_position(mesh, &mix);
                let vertex = split(mesh, h, position, &mix);
                mesh.carried.born[vertex as usize] = 0;
                splits += 1;
            }
        }
    }
}

/// Improves triangles that were stretched, squeezed or newly made.
pub(crate) fn improve(mesh: &mut HalfEdgeMesh) -> QualityCounts {
    let mut counts = QualityCounts::default();
    for _ in 0..ROUNDS {
        let before = counts;
        split_long(mesh, &mut counts);
        collapse_short(mesh, &mut counts);
        flip_bad(mesh, &mut counts);
        if counts == before {
            break;
        }
    }
    counts
}

fn length(mesh: &HalfEdgeMesh, half_edge: u32) -> f32 {
    let [a, b] = [mesh.from(half_edge), mesh.to(half_edge)];
    mesh.positions[a as usize].distance(mesh.positions[b as usize])
}

/// Cosine between the normals of the two triangles at an edge.
fn bend(mesh: &HalfEdgeMesh, half_edge: u32) -> f32 {
    let normal = |h: u32| mesh.area_vector(h as usize / 3).normalize_or_zero();
    normal(half_edge).dot(normal(mesh.twin(half_edge)))
}

fn mixed_position(mesh: &HalfEdgeMesh, mix: &[(u32, f32)]) -> Vec3 {
    mix.iter().map(|&(v, weight)| mesh.positions[v as usize] * weight).sum()
}

/// The edges, longest first.
fn by_length(mesh: &HalfEdgeMesh, mut edges: Vec<u32>) -> Vec<u32> {
    edges.par_sort_by(|&a, &b| length(mesh, b).total_cmp(&length(mesh, a)).then(a.cmp(&b)));
    edges
}

fn is_long(mesh: &HalfEdgeMesh, half_edge: u32) -> bool {
    let carried = &mesh.carried;
    let limit = [mesh.from(half_edge), mesh.to(half_edge)].map(|v| carried.longest[v as usize]);
    length(mesh, half_edge) > limit[0].max(limit[1])
}

fn split_long(mesh: &mut HalfEdgeMesh, counts: &mut QualityCounts) {
    let long: Vec<u32> = mesh.edges().filter(|&h| is_long(mesh, h)).collect();
    for h in by_length(mesh, long) {
        if !is_long(mesh, h) {
            continue;
        }
        let sharp = bend(mesh, h) < RIDGE;
        let mix = if sharp { butterfly::middle(mesh, h) } else { butterfly::butterfly(mesh, h) };
        let position = mixed_position(mesh, &mix);
        let ends = butterfly::middle(mesh, h);
        let vertex = split(mesh, h, position, &mix);
        // Extrapolated references would drift; those of the ends are good.
        let carried = &mut mesh.carried;
        for list in [&mut carried.shortest, &mut carried.longest, &mut carried.sharpest] {
            list[vertex as usize] = ends.iter().map(|&(v, w)| w * list[v as usize]).sum();
        }
        counts.splits += 1;
    }
}

/// The length below which an edge is too short: that of its younger end, or the stricter of two.
fn shortest(mesh: &HalfEdgeMesh, half_edge: u32) -> f32 {
    let (a, b) = (mesh.from(half_edge) as usize, mesh.to(half_edge) as usize);
    let carried = &mesh.carried;
    match (carried.born[a] != 0, carried.born[b] != 0) {
        (true, false) => carried.shortest[a],
        (false, true) => carried.shortest[b],
        _ => carried.shortest[a].min(carried.shortest[b]),
    }
}

fn is_short_or_folded(mesh: &HalfEdgeMesh, half_edge: u32) -> bool {
    if length(mesh, half_edge) < shortest(mesh, half_edge) {
        return true;
    }
    let bend = bend(mesh, half_edge);
    let sharpest =
        [mesh.from(half_edge), mesh.to(half_edge)].map(|v| mesh.carried.sharpest[v as usize]);
    bend < FOLD && bend < sharpest[0].min(sharpest[1]) - SHARPENED
}

fn collapse_short(mesh: &mut HalfEdgeMesh, counts: &mut QualityCounts) {
    let mut short: Vec<u32> = mesh.edges().filter(|&h| is_short_or_folded(mesh, h)).collect();
    short.par_sort_by(|&a, &b| length(mesh, a).total_cmp(&length(mesh, b)).then(a.cmp(&b)));
    for h in short {
        if mesh.is_dead(h as usize / 3) || !is_short_or_folded(mesh, h) {
            continue;
        }
        let (kept, position) = kept_end(mesh, h);
        // If that does not work and both ends are young, the other one may stay.
        let other = mesh.twin(kept);
        let young = mesh.carried.born[mesh.from(kept) as usize] != 0;
        let there = mesh.positions[mesh.from(other) as usize];
        if collapse(mesh, kept, position) || (young && collapse(mesh, other, there)) {
            counts.collapses += 1;
        }
    }
}

/// Which end of an edge stays (as a half-edge that leaves it), and where.
fn kept_end(mesh: &HalfEdgeMesh, half_edge: u32) -> (u32, Vec3) {
    let ends = [half_edge, mesh.twin(half_edge)];
    let rank = ends.map(|h| {
        let vertex = mesh.from(h);
        let old = mesh.carried.born[vertex as usize] == 0;
        (old, feature_rank(mesh, vertex))
    });
    match rank[0].cmp(&rank[1]) {
        std::cmp::Ordering::Greater => (ends[0], mesh.positions[mesh.from(ends[0]) as usize]),
        std::cmp::Ordering::Less => (ends[1], mesh.positions[mesh.from(ends[1]) as usize]),
        std::cmp::Ordering::Equal if rank[0].1 > 0 => {
            (ends[0], mesh.positions[mesh.from(ends[0]) as usize])
        }
        std::cmp::Ordering::Equal if rank[0].0 => {
            (ends[0], mixed_position(mesh, &butterfly::butterfly(mesh, half_edge)))
        }
        std::cmp::Ordering::Equal => {
            (ends[0], mixed_position(mesh, &butterfly::middle(mesh, half_edge)))
        }
    }
}

/// 0 on a smooth part, 1 on a ridge, 2 at a corner.
fn feature_rank(mesh: &HalfEdgeMesh, vertex: u32) -> usize {
    match mesh.fan(vertex).filter(|&h| bend(mesh, h) < RIDGE).count() {
        0 => 0,
        2 => 1,
        _ => 2,
    }
}

/// Whether an edge may be flipped: one of its triangles is new or was stretched.
fn may_flip(mesh: &HalfEdgeMesh, half_edge: u32) -> bool {
    let twin = mesh.twin(half_edge);
    let round =
        [mesh.from(half_edge), mesh.to(half_edge), mesh.across(half_edge), mesh.across(twin)];
    let carried = &mesh.carried;
    if round.iter().any(|&v| carried.born[v as usize] != 0) {
        return true;
    }
    let limit = carried.longest[round[0] as usize].max(carried.longest[round[1] as usize]);
    length(mesh, half_edge) > 0.8 * limit
}

fn flip_bad(mesh: &mut HalfEdgeMesh, counts: &mut QualityCounts) {
    let worst = |mesh: &HalfEdgeMesh, h: u32| {
        let [a, b] = [h, mesh.twin(h)].map(|h| shape(mesh.corners(h as usize / 3)));
        a.min(b)
    };
    let bad: Vec<u32> =
        mesh.edges().filter(|&h| may_flip(mesh, h) && worst(mesh, h) < 0.6).collect();
    for h in bad {
        if !mesh.is_dead(h as usize / 3) && worst(mesh, h) < 0.6 && flip(mesh, h, 0.9) {
            counts.flips += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::carried::Carried;
    use whitecap_core::Attributes;

    /// A tetrahedron whose edges were split until it has several hundred triangles.
    fn bumpy() -> HalfEdgeMesh {
        let corners =
            [Vec3::ONE, Vec3::new(-1., -1., 1.), Vec3::new(-1., 1., -1.), Vec3::new(1., -1., -1.)];
        let triangles = vec![[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]];
        let carried = Carried::new(4, &Attributes::new());
        let mut mesh = HalfEdgeMesh::new(corners.to_vec(), triangles, carried).unwrap();
        refine(&mut mesh, 0.3);
        measure_birth(&mut mesh, 0);
        mesh
    }

    /// Contract: an undeformed mesh is left alone to the bit, wherever it is moved.
    #[test]
    fn a_mesh_at_rest_is_left_alone() {
        let mut mesh = bumpy();
        let turn = glam::Quat::from_rotation_z(0.7);
        mesh.positions.iter_mut().for_each(|p| *p = turn * *p + Vec3::X);
        let before = mesh.clone();
        assert_eq!(improve(&mut mesh), QualityCounts::default());
        assert_eq!((mesh.positions, mesh.triangles), (before.positions, before.triangles));
    }

    /// Contract: stretching splits, squeezing collapses, and either way the mesh stays closed with
    /// single fans and single edges, its edges in the range they should be in.
    #[test]
    fn stretched_and_squeezed_meshes_stay_closed() {
        for scale in [Vec3::new(4.0, 1.0, 0.5), Vec3::splat(0.3), Vec3::new(6.0, 0.2, 1.0)] {
            let mut mesh = bumpy();
            mesh.positions.iter_mut().for_each(|p| *p *= scale);
            let counts = improve(&mut mesh);
            assert!(counts.splits + counts.collapses > 0);
            assert!(mesh.is_sound() && mesh.edges_are_single(), "{scale}");
            mesh.compact();
            assert!(mesh.is_sound() && mesh.edges_are_single(), "{scale} compacted");
            let long = mesh.edges().filter(|&h| is_long(&mesh, h)).count();
            assert!(50 * long < mesh.edges().count(), "{scale}: {long} long edges are left");
            let report = whitecap_surface::report(&mesh.plain());
            assert!(report.is_closed_manifold());
            assert_eq!(report.euler_characteristic, 2);
        }
    }

    /// Contract: splits of a round mesh by the butterfly scheme lie nearer to the ball than the
    /// middles of its edges.
    #[test]
    fn butterfly_follows_curvature() {
        let mut mesh = bumpy();
        mesh.positions.iter_mut().for_each(|p| *p = p.normalize());
        let away = |mesh: &HalfEdgeMesh, mix: &[(u32, f32)]| {
            (1.0 - mixed_position(mesh, mix).length()).abs()
        };
        let edges: Vec<u32> = mesh.edges().collect();
        let total = |mix: &dyn Fn(u32) -> Vec<(u32, f32)>| -> f32 {
            edges.iter().map(|&h| away(&mesh, &mix(h))).sum()
        };
        let straight = total(&|h| butterfly::middle(&mesh, h));
        let curved = total(&|h| butterfly::butterfly(&mesh, h));
        assert!(curved < 0.7 * straight, "{curved} against {straight}");
        let sum: f32 = butterfly::butterfly(&mesh, edges[5]).iter().map(|&(_, w)| w).sum();
        assert!((sum - 1.0).abs() < 1e-5);
    }
}

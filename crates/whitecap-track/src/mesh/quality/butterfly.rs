//! Where a new vertex in the middle of an edge goes: the modified butterfly scheme (Zorin,
//! Schröder & Sweldens 1996), which interpolates smooth surfaces.

use crate::mesh::half_edge::{HalfEdgeMesh, following, previous};

/// Weights of the vertices round a half-edge for the vertex in its middle; they add up to one.
pub(crate) fn butterfly(mesh: &HalfEdgeMesh, half_edge: u32) -> Vec<(u32, f32)> {
    let twin = mesh.twin(half_edge);
    let (regular_from, regular_to) =
        (mesh.valence(mesh.from(half_edge)) == 6, mesh.valence(mesh.to(half_edge)) == 6);
    match (regular_from, regular_to) {
        (true, true) => regular(mesh, half_edge),
        (false, true) => extraordinary(mesh, half_edge),
        (true, false) => extraordinary(mesh, twin),
        (false, false) => {
            let mut mix = extraordinary(mesh, half_edge);
            mix.extend(extraordinary(mesh, twin));
            mix.iter_mut().for_each(|(_, weight)| *weight *= 0.5);
            gathered(mix)
        }
    }
}

/// The middle of the edge.
pub(crate) fn middle(mesh: &HalfEdgeMesh, half_edge: u32) -> Vec<(u32, f32)> {
    vec![(mesh.from(half_edge), 0.5), (mesh.to(half_edge), 0.5)]
}

/// The eight-point stencil.
fn regular(mesh: &HalfEdgeMesh, half_edge: u32) -> Vec<(u32, f32)> {
    let twin = mesh.twin(half_edge);
    let mut mix = vec![
        (mesh.from(half_edge), 0.5),
        (mesh.to(half_edge), 0.5),
        (mesh.across(half_edge), 0.125),
        (mesh.across(twin), 0.125),
    ];
    for side in [following(half_edge), previous(half_edge), following(twin), previous(twin)] {
        mix.push((mesh.across(mesh.twin(side)), -0.0625));
    }
    gathered(mix)
}

/// The stencil of the vertex that the half-edge leaves.
fn extraordinary(mesh: &HalfEdgeMesh, half_edge: u32) -> Vec<(u32, f32)> {
    let center = mesh.from(half_edge);
    // The ring, beginning with the other end of the edge.
    let mut ring: Vec<u32> = mesh.fan(center).map(|h| mesh.to(h)).collect();
    let other = mesh.to(half_edge);
    let start = ring.iter().position(|&v| v == other).unwrap_or(0);
    ring.rotate_left(start);
    let count = ring.len();
    let weight = |j: usize| match (count, j) {
        (3, 0) => 5.0 / 12.0,
        (3, _) => -1.0 / 12.0,
        (4, 0) => 0.375,
        (4, 2) => -0.125,
        (4, _) => 0.0,
        _ => {
            let angle = std::f32::consts::TAU * j as f32 / count as f32;
            (0.25 + angle.cos() + 0.5 * (2.0 * angle).cos()) / count as f32
        }
    };
    let mut mix = vec![(center, 0.75)];
    mix.extend(ring.into_iter().enumerate().map(|(j, v)| (v, weight(j))));
    gathered(mix)
}

/// One entry per vertex.
fn gathered(mut mix: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    mix.sort_unstable_by_key(|&(vertex, _)| vertex);
    mix.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
    mix
}

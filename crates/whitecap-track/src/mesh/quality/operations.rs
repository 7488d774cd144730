//! Splitting, collapsing and flipping edges of a closed mesh.
//!
//! # Guarantees
//! Each operation leaves a closed 2-manifold without duplicate edges, or does nothing and says so.

use glam::Vec3;

use crate::mesh::half_edge::{HalfEdgeMesh, following, previous};

/// Cosine below which a triangle counts as flipped over by an operation.
const LARGEST_TURN: f32 = 0.2;
/// Shape below which a triangle counts as a sliver; 1 is equilateral.
const SLIVER: f32 = 0.02;

/// 1 for an equilateral triangle, 0 for one without area.
pub(crate) fn shape(corners: [Vec3; 3]) -> f32 {
    let [a, b, c] = corners;
    let sides = (b - a).length_squared() + (c - b).length_squared() + (a - c).length_squared();
    if sides > 0.0 { 3.464_101_6 * (b - a).cross(c - a).length() / sides } else { 0.0 }
}

/// Splits an edge with a new vertex that carries `mix`. Returns its index.
pub(crate) fn split(
    mesh: &mut HalfEdgeMesh,
    half_edge: u32,
    position: Vec3,
    mix: &[(u32, f32)],
) -> u32 {
    let twin = mesh.twin(half_edge);
    let (b, c) = (mesh.to(half_edge), mesh.across(half_edge));
    let (a, d) = (mesh.from(half_edge), mesh.across(twin));
    let beyond_first = mesh.twin(following(half_edge));
    let beyond_second = mesh.twin(previous(twin));
    let middle = mesh.push_vertex(position, mix);
    // (a, b, c) becomes (a, m, c) and (m, b, c); (b, a, d) becomes (m, a, d) and (b, m, d).
    mesh.triangles[half_edge as usize / 3][following(half_edge) as usize % 3] = middle;
    mesh.triangles[twin as usize / 3][twin as usize % 3] = middle;
    let first = 3 * mesh.push_triangle([middle, b, c]);
    let second = 3 * mesh.push_triangle([b, middle, d]);
    mesh.link(half_edge, twin);
    mesh.link(first, second);
    mesh.link(first + 1, beyond_first);
    mesh.link(first + 2, following(half_edge));
    mesh.link(second + 1, previous(twin));
    mesh.link(second + 2, beyond_second);
    mesh.set_leaving(middle, first);
    mesh.set_leaving(b, second);
    mesh.set_leaving(c, first + 2);
    mesh.set_leaving(d, second + 2);
    mesh.set_leaving(a, half_edge);
    middle
}

/// Collapses an edge: its end merges into its beginning, which moves to `position`. Returns
/// whether that was possible.
pub(crate) fn collapse(mesh: &mut HalfEdgeMesh, half_edge: u32, position: Vec3) -> bool {
    let twin = mesh.twin(half_edge);
    let (a, b) = (mesh.from(half_edge), mesh.to(half_edge));
    let (c, d) = (mesh.across(half_edge), mesh.across(twin));
    if !may_collapse(mesh, [a, b, c, d], position) {
        return false;
    }
    let ring: Vec<u32> = mesh.fan(b).collect();
    let (first, second) = (half_edge / 3, twin / 3);
    for h in ring {
        mesh.triangles[h as usize / 3][h as usize % 3] = a;
    }
    let outer = [
        (mesh.twin(following(half_edge)), mesh.twin(previous(half_edge))),
        (mesh.twin(following(twin)), mesh.twin(previous(twin))),
    ];
    for (one, other) in outer {
        mesh.link(one, other);
    }
    mesh.kill(first as usize);
    mesh.kill(second as usize);
    mesh.positions[a as usize] = position;
    // `outer[0].0` runs from c to a now; its twin leaves a.
    mesh.set_leaving(c, outer[0].0);
    mesh.set_leaving(a, outer[0].1);
    mesh.set_leaving(d, outer[1].0);
    mesh.set_leaving(b, crate::mesh::half_edge::NONE);
    true
}

fn may_collapse(mesh: &HalfEdgeMesh, [a, b, c, d]: [u32; 4], position: Vec3) -> bool {
    // The rings of both ends may share the two corners across, nothing else.
    let ring: Vec<u32> = mesh.fan(a).map(|h| mesh.to(h)).collect();
    let shared = mesh.fan(b).filter(|&h| ring.contains(&mesh.to(h))).count();
    if shared != 2 || c == d || mesh.valence(c) <= 3 || mesh.valence(d) <= 3 {
        return false;
    }
    [a, b].into_iter().all(|end| {
        mesh.fan(end).all(|h| {
            let triangle = h as usize / 3;
            let corners = mesh.triangles[triangle];
            if corners.contains(&a) && corners.contains(&b) {
                return true;
            }
            let before = mesh.corners(triangle);
            let mut after = before;
            after[h as usize % 3] = position;
            stays_sound(before, after)
        })
    })
}

/// Whether a triangle is neither flipped over nor turned into a sliver.
fn stays_sound(before: [Vec3; 3], after: [Vec3; 3]) -> bool {
    let normal = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a);
    let (old, new) = (shape(before), shape(after));
    if new < SLIVER && new < old {
        return false;
    }
    let (first, second) = (normal(before), normal(after));
    old < SLIVER || first.dot(second) > LARGEST_TURN * first.length() * second.length()
}

/// Flips an edge to join the corners opposite to it, if that makes better triangles and hardly
/// changes the surface. Returns whether it did.
pub(crate) fn flip(mesh: &mut HalfEdgeMesh, half_edge: u32, largest_bend: f32) -> bool {
    let twin = mesh.twin(half_edge);
    let (a, b) = (mesh.from(half_edge), mesh.to(half_edge));
    let (c, d) = (mesh.across(half_edge), mesh.across(twin));
    if c == d || mesh.valence(a) <= 3 || mesh.valence(b) <= 3 || mesh.joined(c, d) {
        return false;
    }
    let [pa, pb, pc, pd] = [a, b, c, d].map(|v| mesh.positions[v as usize]);
    let normal = |[p, q, r]: [Vec3; 3]| (q - p).cross(r - p);
    let (before, after) = ([[pa, pb, pc], [pb, pa, pd]], [[pc, pd, pb], [pd, pc, pa]]);
    let worst = |pair: [[Vec3; 3]; 2]| shape(pair[0]).min(shape(pair[1]));
    if worst(after) < worst(before) * 1.1 + 1e-3 {
        return false;
    }
    // Slivers have no reliable normal: the sum over both triangles is that of the surface.
    let surface = (normal(before[0]) + normal(before[1])).normalize_or_zero();
    let turned = after.iter().any(|&t| normal(t).normalize_or_zero().dot(surface) < largest_bend);
    let bent = before
        .iter()
        .any(|&t| shape(t) > SLIVER && normal(t).normalize_or_zero().dot(surface) < largest_bend);
    if turned || bent {
        return false;
    }
    let [bc, ca] = [following(half_edge), previous(half_edge)].map(|h| mesh.twin(h));
    let [ad, db] = [following(twin), previous(twin)].map(|h| mesh.twin(h));
    let (first, second) = (half_edge / 3, twin / 3);
    mesh.triangles[first as usize] = [c, d, b];
    mesh.triangles[second as usize] = [d, c, a];
    mesh.link(3 * first, 3 * second);
    mesh.link(3 * first + 1, db);
    mesh.link(3 * first + 2, bc);
    mesh.link(3 * second + 1, ca);
    mesh.link(3 * second + 2, ad);
    mesh.set_leaving(c, 3 * first);
    mesh.set_leaving(d, 3 * first + 1);
    mesh.set_leaving(b, 3 * first + 2);
    mesh.set_leaving(a, 3 * second + 2);
    true
}

//! Mesh smoothing that keeps the volume.
//!
//! Laplacian rounds, weighted so that isolated drops and thin sheets, which have few particles
//! around them, keep their shape (after Löschner et al. 2023); then every component gets its
//! volume back by a small offset along the normals.
//!
//! # Guarantees
//! The mesh keeps its triangles; the volume of each closed component is kept to 1e-4. A component
//! of so few triangles that smoothing collapses it keeps its shape. No vertex moves farther than its component
//! is large.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::{Adjacency, TriMesh};

use crate::input::Input;

/// Fraction of the way to the mean of the neighbours in one round.
const STEP: f32 = 0.9;
/// Number of neighbours up to which a vertex keeps its place: a drop of one or two particles.
const LONE_NEIGHBOURS: f32 = 5.0;
/// Number of neighbours at which a vertex is smoothed fully: about the count under a flat surface.
const FULL_NEIGHBOURS: f32 = 13.0;

/// A component that misses its volume by more than this fraction has collapsed.
const COLLAPSED: f64 = 0.01;

/// Smooths `mesh` for `rounds`; `weights` (0 to 1 per vertex) say how much each vertex may move.
pub fn smooth(mesh: &mut TriMesh, rounds: u32, weights: Option<&[f32]>) {
    if mesh.triangles().is_empty() || rounds == 0 {
        return;
    }
    let adjacency = mesh.adjacency();
    let components = mesh.components();
    let before = component_volumes(mesh, &components);
    let original = mesh.positions().to_vec();
    let mut current = original.clone();
    let mut next = original.clone();
    for _ in 0..rounds {
        next.par_iter_mut().enumerate().for_each(|(vertex, position)| {
            let weight = weights.map_or(1.0, |w| w[vertex]);
            *position = towards_mean(vertex, &current, &adjacency, STEP * weight);
        });
        std::mem::swap(&mut current, &mut next);
    }
    mesh.positions_mut().copy_from_slice(&current);
    for _ in 0..3 {
        restore_volumes(mesh, &components, &before);
    }
    undo_collapsed(mesh, &components, &before, &original);
}

/// Components of a few triangles can collapse to a point or a thread, from which no offset along normals
/// can restore their volume, or only by throwing vertices far away: they keep the shape they had.
fn undo_collapsed(mesh: &mut TriMesh, components: &[u32], wanted: &[f64], original: &[Vec3]) {
    let volumes = component_volumes(mesh, components);
    let mut bounds = vec![(Vec3::INFINITY, Vec3::NEG_INFINITY); components.len()];
    for (&component, &position) in components.iter().zip(original) {
        let (low, high) = &mut bounds[component as usize];
        (*low, *high) = (low.min(position), high.max(position));
    }
    let mut is_whole: Vec<bool> = volumes
        .iter()
        .zip(wanted)
        .map(|(volume, wanted)| (volume - wanted).abs() <= COLLAPSED * wanted.abs())
        .collect();
    for (vertex, &position) in mesh.positions().iter().enumerate() {
        let component = components[vertex] as usize;
        let (low, high) = bounds[component];
        let farthest = (high - low).max_element();
        is_whole[component] &= (position - original[vertex]).abs().max_element() <= farthest;
    }
    mesh.positions_mut().par_iter_mut().enumerate().for_each(|(vertex, position)| {
        if !(is_whole[components[vertex] as usize] && position.is_finite()) {
            *position = original[vertex];
        }
    });
}

/// How much each vertex may be smoothed, from the number of particles around it.
pub(crate) fn feature_weights(mesh: &TriMesh, input: &Input) -> Vec<f32> {
    let support = input.support;
    mesh.positions()
        .par_iter()
        .map(|&vertex| {
            let mut count = 0.0;
            input.grid.for_each_within(vertex, support, |_, distance_squared| {
                count += 1.0 - distance_squared.sqrt() / support;
            });
            // The kernel-weighted count under a flat surface is about a quarter of the plain one.
            let t = ((4.0 * count - LONE_NEIGHBOURS) / (FULL_NEIGHBOURS - LONE_NEIGHBOURS))
                .clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        })
        .collect()
}

fn towards_mean(vertex: usize, positions: &[Vec3], adjacency: &Adjacency, step: f32) -> Vec3 {
    let ring = adjacency.neighbours(vertex);
    let here = positions[vertex];
    if ring.is_empty() {
        return here;
    }
    let sum: Vec3 = ring.iter().map(|&v| positions[v as usize]).sum();
    here.lerp(sum / ring.len() as f32, step)
}

/// Volume of each component, in the slot of its lowest vertex.
fn component_volumes(mesh: &TriMesh, components: &[u32]) -> Vec<f64> {
    let mut volumes = vec![0.0; components.len()];
    for (index, triangle) in mesh.triangles().iter().enumerate() {
        let component = components[triangle[0] as usize] as usize;
        // Relative to a vertex of the component: no cancellation far from the origin.
        let origin = mesh.positions()[component].as_dvec3();
        let [a, b, c]: [DVec3; 3] = mesh.corners(index).map(|p| p.as_dvec3() - origin);
        volumes[component] += a.dot(b.cross(c)) / 6.0;
    }
    volumes
}

fn restore_volumes(mesh: &mut TriMesh, components: &[u32], wanted: &[f64]) {
    let volumes = component_volumes(mesh, components);
    let mut areas = vec![0.0f64; components.len()];
    for (index, triangle) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(index);
        let area = 0.5 * f64::from((b - a).cross(c - a).length());
        areas[components[triangle[0] as usize] as usize] += area;
    }
    let normals = mesh.vertex_normals();
    mesh.positions_mut().par_iter_mut().enumerate().for_each(|(vertex, position)| {
        let component = components[vertex] as usize;
        if areas[component] > 0.0 {
            let offset = (wanted[component] - volumes[component]) / areas[component];
            *position += normals[vertex] * offset as f32;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a component of a few triangles, which smoothing pulls into a point, keeps its
    /// shape; it is not thrown across the scene by the attempt to restore its volume.
    #[test]
    fn tiny_components_keep_their_shape() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        for scale in [1.0, 1e-3, 1e-6] {
            let positions: Vec<Vec3> = corners.iter().map(|&p| p * scale).collect();
            let mut mesh = TriMesh::new(positions.clone(), faces.clone()).unwrap();
            smooth(&mut mesh, 20, None);
            assert!(crate::volume(&mesh) > 0.0);
            for (after, before) in mesh.positions().iter().zip(&positions) {
                assert!(after.distance(*before) < scale, "{after} was {before}");
            }
        }
    }

    /// Contract: no vertex moves farther than its component is large. A flat sliver that smoothing makes a thread
    /// was once thrown 300 km away, where rounding gave it the volume that was wanted.
    #[test]
    fn slivers_stay_where_they_are() {
        for thickness in [1e-3f32, 1e-5, 1e-7] {
            for points in 3..9 {
                let corner = |number: usize| {
                    let angle = number as f32 / points as f32 * std::f32::consts::TAU;
                    Vec3::new(2.0 + angle.cos(), 1.0 + 0.1 * angle.sin(), 3.0)
                };
                let mut positions: Vec<Vec3> = (0..points).map(corner).collect();
                positions
                    .extend([1.0, -1.0].map(|side| Vec3::new(2.0, 1.0, 3.0 + side * thickness)));
                let (top, bottom) = (points as u32, points as u32 + 1);
                let faces = (0..points as u32).flat_map(|one| {
                    let next = (one + 1) % points as u32;
                    [[one, next, top], [next, one, bottom]]
                });
                let mut mesh = TriMesh::new(positions.clone(), faces.collect()).unwrap();
                smooth(&mut mesh, 20, None);
                for (after, before) in mesh.positions().iter().zip(&positions) {
                    assert!(after.distance(*before) < 4.0, "{points}, {thickness}: {after}");
                }
            }
        }
    }
}

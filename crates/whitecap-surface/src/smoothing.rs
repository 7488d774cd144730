//! Mesh smoothing that keeps the volume.
//!
//! Laplacian rounds, weighted so that isolated drops and thin sheets, which have few particles
//! around them, keep their shape (after Löschner et al. 2023); then every component gets its
//! volume back by a small offset along the normals.
//!
//! # Guarantees
//! The mesh keeps its triangles; the volume of each closed component is kept to 1e-4. A component
//! of so few triangles that smoothing collapses it keeps its shape.

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

/// Components of a few triangles can collapse to a point, from which no offset along normals
/// can restore their volume: they keep the shape they had.
fn undo_collapsed(mesh: &mut TriMesh, components: &[u32], wanted: &[f64], original: &[Vec3]) {
    let volumes = component_volumes(mesh, components);
    mesh.positions_mut().par_iter_mut().enumerate().for_each(|(vertex, position)| {
        let component = components[vertex] as usize;
        let miss = (volumes[component] - wanted[component]).abs();
        let restored = miss <= COLLAPSED * wanted[component].abs();
        if !(restored && position.is_finite()) {
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
}

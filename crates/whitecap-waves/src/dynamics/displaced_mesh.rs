//! A mesh of the coarse liquid, moved by the waves.
//!
//! Each vertex moves along its normal by the kernel average of the displacements of the surface
//! points around it. The mesh need not run through the points: it may lie anywhere within the band
//! in which they do. So the points are searched for along the normal, alternately outward and inward, and
//! weighted by their distance from that line.
//!
//! # Guarantees
//! * A vertex without points on its own side within 2 λ_c along its normal does not move.
//! * No vertex moves farther than the farthest point around it.
//! * Drops do not swell: a component of the mesh with less area than a small ball does not move, even
//!   where the points, which lie farther out, join it to other liquid.
//!
//! # Non-guarantees
//! * Waves that fold over, or a mesh coarser than the waves, can make triangles intersect.

use std::f32::consts::PI;

use rayon::prelude::*;
use whitecap_core::attributes::{NORMAL, VELOCITY};
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{Column, Error, TriMesh};

use super::output::WaveOutput;
use super::smooth_step;
use crate::points::{Lengths, SurfacePoints};

/// Name of the vertex attribute with the displacement along the normal, in metres.
pub const HEIGHT: &str = "height";
/// Name of the vertex attribute with the foam tag.
const FOAM: &str = "foam";

/// Radii, in λ_c, of the balls at whose surface area a component of the mesh begins to move, and moves in
/// full.
const DROP_RADII: [f32; 2] = [0.75, 1.5];

/// Radius of the average along the surface, in λ_f.
const REACH: f32 = 2.0;

/// `mesh` moved by the waves on `points`, whose scales are `lengths` and which lie at most about `reach`
/// from it along its normals. The mesh gets the attributes `height`, `foam`, `normal` and, if the
/// velocity of the liquid at the points is given, `velocity`: that of the liquid and of the wave
/// together.
///
/// # Panics
/// If a column does not have one value for each point.
pub fn displaced_mesh(
    mut mesh: TriMesh,
    points: &SurfacePoints,
    output: &WaveOutput,
    velocity: &[Vec3],
    lengths: Lengths,
    reach: f32,
) -> Result<TriMesh, Error> {
    let Lengths { coarse, fine } = lengths;
    let columns = Columns { points, output, velocity };
    let grid = NeighbourGrid::build(&points.position, REACH * fine);
    let normals = mesh.vertex_normals();
    let shares = shares(&mesh, coarse);
    let averages: Vec<Average> = mesh
        .positions()
        .par_iter()
        .zip(&normals)
        .zip(&shares)
        .with_min_len(256)
        .map(|((&vertex, &normal), &share)| {
            columns.average(&grid, vertex, normal, reach, fine).calmed(share)
        })
        .collect();
    for ((position, normal), average) in
        mesh.positions_mut().iter_mut().zip(&normals).zip(&averages)
    {
        *position += average.height * *normal;
    }
    let moved_normals = mesh.vertex_normals();
    mesh.set_attribute(NORMAL, Column::Vec3(moved_normals))?;
    mesh.set_attribute(HEIGHT, Column::F32(averages.iter().map(|a| a.height).collect()))?;
    mesh.set_attribute(FOAM, Column::F32(averages.iter().map(|a| a.foam).collect()))?;
    if velocity.len() == points.len() {
        let velocities = averages.iter().zip(&normals);
        let velocities =
            velocities.map(|(average, &normal)| average.velocity + average.rate * normal).collect();
        mesh.set_attribute(VELOCITY, Column::Vec3(velocities))?;
    }
    Ok(mesh)
}

/// For each vertex, the share of its displacement that it keeps: none on drops.
fn shares(mesh: &TriMesh, coarse: f32) -> Vec<f32> {
    let components = mesh.components();
    let mut areas = vec![0.0f64; components.len()];
    for (index, triangle) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(index);
        let area = 0.5 * (b - a).cross(c - a).length();
        areas[components[triangle[0] as usize] as usize] += f64::from(area);
    }
    let [low, high] = DROP_RADII.map(|radius| 4.0 * PI * (radius * coarse).powi(2));
    components.iter().map(|&c| smooth_step(areas[c as usize] as f32, low, high)).collect()
}

struct Columns<'a> {
    points: &'a SurfacePoints,
    output: &'a WaveOutput,
    velocity: &'a [Vec3],
}

/// What a vertex takes from the points around it.
#[derive(Clone, Copy, Debug, Default)]
struct Average {
    height: f32,
    rate: f32,
    foam: f32,
    velocity: Vec3,
}

impl Average {
    /// Scaled to the share of the wave that is left.
    fn calmed(self, share: f32) -> Self {
        Self { height: share * self.height, rate: share * self.rate, ..self }
    }
}

impl Columns<'_> {
    fn average(
        &self,
        grid: &NeighbourGrid,
        vertex: Vec3,
        normal: Vec3,
        reach: f32,
        fine: f32,
    ) -> Average {
        let support = REACH * fine;
        let Some(level) = self.level(grid, vertex, normal, support, reach) else {
            return Average::default();
        };
        let mut sum = Average::default();
        let mut total = 0.0;
        // A little farther than the support, for surface that is oblique to the normal.
        grid.for_each_within(vertex + level * normal, 1.25 * support, |place, _| {
            let point = grid.order()[place] as usize;
            let offset = grid.positions()[place] - vertex;
            let agreement = self.points.normal[point].dot(normal);
            let along = offset.reject_from_normalized(normal).length();
            let weight = (1.0 - along / support).max(0.0) * self.points.area[point];
            if agreement <= 0.0 || weight <= 0.0 {
                return;
            }
            let weight = weight * agreement;
            total += weight;
            sum.height += weight * self.output.height[point];
            sum.rate += weight * self.output.wave_velocity[point];
            sum.foam += weight * self.output.foam[point];
            sum.velocity += weight * self.velocity.get(point).copied().unwrap_or_default();
        });
        if total <= 0.0 {
            return Average::default();
        }
        Average {
            height: sum.height / total,
            rate: sum.rate / total,
            foam: sum.foam / total,
            velocity: sum.velocity / total,
        }
    }

    /// How far along the normal, outward or inward, the points on the vertex's side lie: the offset
    /// of the nearest of them, at most about `most`.
    fn level(
        &self,
        grid: &NeighbourGrid,
        vertex: Vec3,
        normal: Vec3,
        stride: f32,
        most: f32,
    ) -> Option<f32> {
        if normal == Vec3::ZERO {
            return None;
        }
        let count = (most / stride).floor() as usize;
        for index in 0..=count {
            let mut nearest = (f32::INFINITY, 0.0);
            let sides: &[f32] = if index == 0 { &[1.0] } else { &[1.0, -1.0] };
            for &side in sides {
                let probe = vertex + side * index as f32 * stride * normal;
                grid.for_each_within(probe, stride, |place, _| {
                    let offset = grid.positions()[place] - vertex;
                    let distance = offset.length_squared();
                    let point = grid.order()[place] as usize;
                    if distance < nearest.0 && self.points.normal[point].dot(normal) > 0.0 {
                        nearest = (distance, offset.dot(normal));
                    }
                });
            }
            if nearest.0.is_finite() {
                return Some(nearest.1);
            }
        }
        None
    }
}

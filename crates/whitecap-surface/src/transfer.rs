//! Attributes from particles to vertices, and normals from the field.

use glam::{IVec3, Vec2, Vec3, Vec4};
use rayon::prelude::*;
use whitecap_core::kernels::{Kernel, ZhuBridson};
use whitecap_core::{Column, Particles, SparseGrid, TriMesh, attributes};

use crate::Error;
use crate::input::Input;

/// The particle columns named in the settings; `normal` is made from the field instead, unless
/// the particles have one.
pub(crate) fn wanted_columns<'a>(
    particles: &'a Particles,
    names: &[String],
) -> Result<Vec<(String, &'a Column)>, Error> {
    let mut wanted = Vec::new();
    for name in names.iter().filter(|name| *name != attributes::NORMAL) {
        match particles.attribute(name) {
            Some(column) => wanted.push((name.clone(), column)),
            None => {
                let available: Vec<&str> = particles.attributes().iter().map(|(n, _)| n).collect();
                let available =
                    if available.is_empty() { "none".to_owned() } else { available.join(", ") };
                return Err(Error::UnknownAttribute { name: name.clone(), available });
            }
        }
    }
    Ok(wanted)
}

/// Weighted mean of a column around each vertex; integers come from the nearest particle.
pub(crate) fn to_vertices(input: &Input, column: &Column, vertices: &[Vec3]) -> Column {
    match column {
        Column::F32(values) => Column::F32(average(input, values, vertices)),
        Column::Vec2(values) => Column::Vec2(average::<Vec2>(input, values, vertices)),
        Column::Vec3(values) => Column::Vec3(average::<Vec3>(input, values, vertices)),
        Column::Vec4(values) => Column::Vec4(average::<Vec4>(input, values, vertices)),
        Column::I32(values) => Column::I32(nearest(input, values, vertices)),
        Column::I64(values) => Column::I64(nearest(input, values, vertices)),
    }
}

fn average<T>(input: &Input, values: &[T], vertices: &[Vec3]) -> Vec<T>
where
    T: Copy + Default + Send + Sync + std::ops::AddAssign + std::ops::Mul<f32, Output = T>,
{
    let reach = input.largest_support();
    let kernel = ZhuBridson::new(reach);
    vertices
        .par_iter()
        .map(|&vertex| {
            let (mut sum, mut total) = (T::default(), 0.0);
            input.grid.for_each_within(vertex, reach, |place, distance_squared| {
                let weight = kernel.value(distance_squared);
                sum += values[input.source[place] as usize] * weight;
                total += weight;
            });
            if total > 0.0 { sum * (1.0 / total) } else { T::default() }
        })
        .collect()
}

fn nearest<T: Copy + Default + Send + Sync>(
    input: &Input,
    values: &[T],
    vertices: &[Vec3],
) -> Vec<T> {
    let reach = input.largest_support();
    vertices
        .par_iter()
        .map(|&vertex| {
            let found = input.grid.nearest(vertex, reach);
            found.map_or(T::default(), |(place, _)| values[input.source[place] as usize])
        })
        .collect()
}

/// Unit normals from the gradient of the field, by central differences at the nodes around each
/// vertex; one-sided where a node was not evaluated.
pub(crate) fn normals_from_field(field: &SparseGrid<f32>, mesh: &TriMesh) -> Vec<Vec3> {
    let lattice = field.lattice();
    let fallback = mesh.vertex_normals();
    mesh.positions()
        .par_iter()
        .zip(fallback)
        .map(|(&position, fallback)| {
            let (base, t) = lattice.locate(position);
            let mut gradient = Vec3::ZERO;
            for corner in 0..8 {
                let step = IVec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
                let near = Vec3::ONE - (t - step.as_vec3()).abs();
                let weight = near.x * near.y * near.z;
                if weight > 0.0 {
                    gradient += weight * node_gradient(field, base + step);
                }
            }
            gradient.try_normalize().unwrap_or(fallback)
        })
        .collect()
}

fn node_gradient(field: &SparseGrid<f32>, node: IVec3) -> Vec3 {
    let evaluated = |node: IVec3| Some(field.get(node)).filter(|value| value.is_finite());
    let Some(here) = evaluated(node) else { return Vec3::ZERO };
    let along = |axis: IVec3| match (evaluated(node - axis), evaluated(node + axis)) {
        (Some(before), Some(after)) => 0.5 * (after - before),
        (None, Some(after)) => after - here,
        (Some(before), None) => here - before,
        (None, None) => 0.0,
    };
    Vec3::new(along(IVec3::X), along(IVec3::Y), along(IVec3::Z))
}

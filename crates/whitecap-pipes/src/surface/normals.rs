//! Normals of the surface, from the heights of linked columns.

use glam::Vec3;
use rayon::prelude::*;

use crate::liquid::columns::Columns;
use crate::surface::ground::row_start;
use crate::surface::links::Side;
use crate::surface::rows::over_rows;
use crate::surface::scan::places;
use crate::surface::{Surface, VertexKind};

/// Normals at the shore are averaged in parallel from twice this many on.
const SHORTEST: usize = 256;

/// The upward normal of a surface with the given slopes along x and z.
pub(super) fn from_slopes(along_x: f32, along_z: f32) -> Vec3 {
    Vec3::new(-along_x, 1.0, -along_z).normalize()
}

/// Slope between the vertices on both sides of a column, each given as a height and a distance.
pub(super) fn slope(ahead: (f32, f32), behind: (f32, f32)) -> f32 {
    let distance = ahead.1 + behind.1;
    if distance > 0.0 { (ahead.0 - behind.0) / distance } else { 0.0 }
}

/// Normals of all columns with a free surface; up for the others.
pub(super) fn of_free_columns(surface: &mut Surface, columns: &Columns) {
    let (links, kinds, positions) = (&surface.links, &surface.kinds, &surface.positions);
    let (cell, start) = (columns.grid().cell(), row_start(columns));
    let beside = |column: usize, direction: usize| {
        let own = positions[column].y;
        match links.sides[column].at(direction) {
            Side::Edge => (own, 0.0),
            Side::Link => (positions[links.beside(column, direction) as usize].y, cell),
            Side::Wall => (own, cell),
            Side::Lip => (columns.floor()[column], 0.5 * cell),
        }
    };
    let slices = &mut surface.normals[..columns.len()];
    over_rows(0..columns.grid().length(), &start, slices, &|rows, normals| {
        let base = start(rows.start);
        for (place, normal) in normals.iter_mut().enumerate() {
            let column = base + place;
            *normal = if links.sides[column].are_linked() {
                let height = |direction| positions[links.beside(column, direction) as usize].y;
                let along_x = slope((height(0), cell), (height(2), cell));
                from_slopes(along_x, slope((height(1), cell), (height(3), cell)))
            } else if kinds[column] == VertexKind::Free {
                let along_x = slope(beside(column, 0), beside(column, 2));
                from_slopes(along_x, slope(beside(column, 1), beside(column, 3)))
            } else {
                Vec3::Y
            };
        }
    });
}

/// Normals at the shore: the average of those of the linked columns with a free surface (§4.3).
pub(super) fn of_shores(surface: &mut Surface, columns: &Columns) {
    let mut shores = std::mem::take(&mut surface.shores);
    let is_border = |kind| matches!(kind, VertexKind::Shore | VertexKind::Ceiling);
    shores.clear();
    shores.extend(places(&surface.kinds, is_border).map(|column| (column as u32, Vec3::Y)));
    let shared = &*surface;
    shores.par_iter_mut().with_min_len(SHORTEST).for_each(|(column, normal)| {
        let around = shared.around(columns, *column as usize);
        let sum: Vec3 = (0..8)
            .filter_map(|direction| around.linked(direction))
            .filter(|&other| shared.kinds[other] == VertexKind::Free)
            .map(|other| shared.normals[other])
            .sum();
        *normal = sum.try_normalize().unwrap_or(Vec3::Y);
    });
    for &(column, normal) in &shores {
        surface.normals[column as usize] = normal;
    }
    surface.shores = shores;
}

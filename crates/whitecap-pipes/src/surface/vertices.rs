//! Vertices of the surface: one for each column, and extra ones where the surface ends at a wall under
//! an overhang or at the edge of an overhang (Dagenais et al. 2018, §4.2 and 4.3).

use glam::{Vec2, Vec3};

use crate::columns::Columns;
use crate::opacity::opacity;
use crate::surface::ground::{Level, Levels, STEPS, row_start};
use crate::surface::links::{Links, NONE, Side};
use crate::surface::minimum::MinimumHeights;
use crate::surface::rows::over_rows;
use crate::surface::{Surface, SurfaceSettings, VertexKind};

/// Height, kind and opacity of the vertex of a column.
pub(super) fn column_vertex(
    columns: &Columns,
    levels: &Levels,
    minimum: &MinimumHeights,
    opaque_depth: f32,
    column: usize,
    linked: impl Iterator<Item = usize>,
) -> (f32, VertexKind, f32) {
    let shade = || opacity(columns.depth()[column] as f32, opaque_depth);
    match levels.state[column] {
        Level::Free => (levels.raised[column], VertexKind::Free, shade()),
        Level::Flooded => {
            let kind = if linked.count() > 0 { VertexKind::Ceiling } else { VertexKind::Unused };
            (levels.height[column], kind, shade())
        }
        Level::Dry => {
            let floor = columns.floor()[column];
            let (sum, count) = linked
                .filter(|&other| levels.is_free(other))
                .fold((0.0, 0u32), |(sum, count), other| (sum + levels.raised[other], count + 1));
            if count == 0 {
                return (floor, VertexKind::Unused, 0.0);
            }
            // The paper leaves a front on flat ground hovering at the average height; it comes down to
            // the ground here. Where the ground is higher than the average, the surface ends inside it.
            let ground = floor + minimum.above_floor(column);
            ((sum / count as f32).min(ground), VertexKind::Shore, 0.0)
        }
    }
}

/// Places the vertices of all columns.
pub(super) fn place_columns(
    surface: &mut Surface,
    columns: &Columns,
    minimum: &MinimumHeights,
    settings: &SurfaceSettings,
) {
    let grid = columns.grid();
    let (levels, links) = (&surface.levels, &surface.links);
    let slices = (&mut surface.positions[..], &mut surface.kinds[..], &mut surface.opacity[..]);
    let start = row_start(columns);
    over_rows(0..grid.length(), &start, slices, &|rows, (positions, kinds, opacity)| {
        let base = start(rows.start);
        for z in rows {
            for x in 0..grid.width() {
                let center = grid.center(x, z);
                for column in columns.of_cell(x, z) {
                    let linked = links.of[column].iter().filter(|&&other| other != NONE);
                    let linked = linked.map(|&other| other as usize);
                    let depth = settings.opaque_depth;
                    let (y, kind, shade) =
                        column_vertex(columns, levels, minimum, depth, column, linked);
                    positions[column - base] = Vec3::new(center.x, y, center.y);
                    kinds[column - base] = kind;
                    opacity[column - base] = shade;
                }
            }
        }
    });
}

/// Adds the vertices at walls and lips. A wall's vertex lies at the centre of the neighbouring cell, at
/// the height of the column, inside the wall. A lip's vertex lies on the ground at the edge of the cell.
pub(super) fn add_extra(surface: &mut Surface, columns: &Columns) {
    surface.extra_start.resize(columns.len(), 0);
    for column in 0..columns.len() {
        surface.extra_start[column] = surface.positions.len() as u32;
        let sides = surface.links.sides[column];
        for (direction, side) in sides.into_iter().enumerate() {
            let position = surface.positions[column];
            match side {
                Side::Wall => {
                    let at = position + step(columns, direction, 1.0);
                    let shade = surface.opacity[column];
                    surface.add_vertex(at, VertexKind::Wall, shade, column);
                }
                Side::Lip => {
                    let at = position + step(columns, direction, 0.5);
                    let at = Vec3 { y: columns.floor()[column], ..at };
                    surface.add_vertex(at, VertexKind::Lip, 0.0, column);
                }
                Side::Edge | Side::Link => {}
            }
        }
    }
}

/// A horizontal step of `cells` cells in a direction.
pub(super) fn step(columns: &Columns, direction: usize, cells: f32) -> Vec3 {
    let (x, z) = STEPS[direction];
    let step = Vec2::new(x as f32, z as f32) * (cells * columns.grid().cell());
    Vec3::new(step.x, 0.0, step.y)
}

/// The extra vertex at a side of a column.
pub(super) fn extra_at(extra_start: &[u32], links: &Links, column: usize, direction: usize) -> u32 {
    let before = &links.sides[column][..direction];
    let count = before.iter().filter(|side| matches!(side, Side::Wall | Side::Lip)).count();
    extra_start[column] + count as u32
}

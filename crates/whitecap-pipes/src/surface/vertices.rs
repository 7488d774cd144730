//! Vertices of the surface: one for each column, and extra ones where the surface ends at a wall under
//! an overhang or at the edge of an overhang (Dagenais et al. 2018, §4.2 and 4.3).

use glam::{Vec2, Vec3};

use crate::liquid::columns::Columns;
use crate::opacity::opacity;
use crate::surface::ground::{Level, Levels, STEPS, cell_of, row_start};
use crate::surface::links::{Links, NONE, Side, Sides};
use crate::surface::rows::over_rows;
use crate::surface::scan::places;
use crate::surface::{Surface, SurfaceSettings, VertexKind};

/// Height, kind and opacity of the vertex of a column without a free surface that is linked with
/// the columns `linked`.
pub(super) fn border_vertex(
    columns: &Columns,
    levels: &Levels,
    settings: &SurfaceSettings,
    column: usize,
    linked: impl Iterator<Item = usize>,
) -> (f32, VertexKind, f32) {
    let (sum, count) =
        linked.fold((0.0, 0u32), |(sum, count), other| (sum + levels.raised[other], count + 1));
    let shade = opacity(columns.depth()[column] as f32, settings.opaque_depth);
    if count == 0 {
        (levels.raised[column], VertexKind::Unused, shade)
    } else if levels.state[column] == Level::Flooded {
        (levels.raised[column], VertexKind::Ceiling, shade)
    } else {
        // Where the ground is higher than the average, the surface ends inside it. The paper leaves a
        // front on flat ground hovering at the average height; here it goes into the ground.
        let thickness = settings.least_thickness * columns.grid().cell();
        let height = (sum / count as f32).min(columns.floor()[column] - thickness);
        (height, VertexKind::Shore, 0.0)
    }
}

/// Places the vertices of all columns.
pub(super) fn place_columns(surface: &mut Surface, columns: &Columns, settings: &SurfaceSettings) {
    let grid = columns.grid();
    let (levels, links) = (&surface.levels, &surface.links);
    let slices = (&mut surface.positions[..], &mut surface.kinds[..], &mut surface.opacity[..]);
    let start = row_start(columns);
    over_rows(0..grid.length(), &start, slices, &|rows, (positions, kinds, shades)| {
        let base = start(rows.start);
        for (x, z) in rows.flat_map(|z| (0..grid.width()).map(move |x| (x, z))) {
            let center = grid.center(x, z);
            for column in columns.of_cell(x, z) {
                let (y, kind, shade) = if levels.is_free(column) {
                    let shade = opacity(columns.depth()[column] as f32, settings.opaque_depth);
                    (levels.raised[column], VertexKind::Free, shade)
                } else if links.has_any(column) {
                    let linked = (0..8)
                        .map(|direction| links.at(columns, levels, (x, z), column, direction))
                        .filter(|&other| other != NONE)
                        .map(|other| other as usize);
                    border_vertex(columns, levels, settings, column, linked)
                } else {
                    (levels.raised[column], VertexKind::Unused, 0.0)
                };
                positions[column - base] = Vec3::new(center.x, y, center.y);
                kinds[column - base] = kind;
                shades[column - base] = shade;
            }
        }
    });
}

/// Places the vertices of border columns that are linked along a diagonal only: at corners of the shore.
pub(super) fn place_corners(surface: &mut Surface, columns: &Columns, settings: &SurfaceSettings) {
    let (levels, links) = (&surface.levels, &surface.links);
    for column in links.with_corners() {
        let cell = cell_of(columns, column);
        for direction in links.corners(column) {
            let far = links.at(columns, levels, cell, column, direction);
            if far == NONE || surface.kinds[far as usize] != VertexKind::Unused {
                continue;
            }
            let far = far as usize;
            let cell = cell_of(columns, far);
            let linked = (0..8)
                .map(|direction| links.at(columns, levels, cell, far, direction))
                .filter(|&other| other != NONE)
                .map(|other| other as usize);
            let (y, kind, shade) = border_vertex(columns, levels, settings, far, linked);
            surface.positions[far].y = y;
            surface.kinds[far] = kind;
            surface.opacity[far] = shade;
        }
    }
}

/// Adds the vertices at walls and lips. A wall's vertex lies at the centre of the neighbouring cell, at
/// the height of the column, inside the wall. A lip's vertex lies on the ground at the edge of the cell.
pub(super) fn add_extra(surface: &mut Surface, columns: &Columns) {
    surface.extra_start.resize(columns.len(), 0);
    let all_sides = std::mem::take(&mut surface.links.sides);
    for column in places(&all_sides, Sides::has_extra) {
        let sides = all_sides[column];
        surface.extra_start[column] = surface.positions.len() as u32;
        let (position, normal) = (surface.positions[column], surface.normals[column]);
        for direction in 0..4 {
            match sides.at(direction) {
                Side::Wall => {
                    let at = position + step(columns, direction, 1.0);
                    let shade = surface.opacity[column];
                    surface.add_vertex(at, normal, VertexKind::Wall, shade, column);
                }
                Side::Lip => {
                    let outward = step(columns, direction, 0.5);
                    let floor = columns.floor()[column];
                    let at = Vec3 { y: floor, ..position + outward };
                    let slope = (position.y - floor) / outward.length_squared();
                    let normal = (Vec3::Y + outward * slope).normalize();
                    surface.add_vertex(at, normal, VertexKind::Lip, 0.0, column);
                }
                Side::Edge | Side::Link => {}
            }
        }
    }
    surface.links.sides = all_sides;
}

/// A horizontal step of `cells` cells in a direction.
pub(super) fn step(columns: &Columns, direction: usize, cells: f32) -> Vec3 {
    let (x, z) = STEPS[direction];
    let step = Vec2::new(x as f32, z as f32) * (cells * columns.grid().cell());
    Vec3::new(step.x, 0.0, step.y)
}

/// The extra vertex at a side of a column.
pub(super) fn extra_at(extra_start: &[u32], links: &Links, column: usize, direction: usize) -> u32 {
    extra_start[column] + links.sides[column].extra_before(direction)
}

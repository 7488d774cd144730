//! The surface over terrain of one layer under the open sky, where every neighbour is linked and neither
//! walls nor lips exist. Gives the same bits as the general way, several times as fast.

use glam::Vec3;

use crate::columns::Columns;
use crate::surface::ground::{Level, Levels, neighbour_cell};
use crate::surface::minimum::MinimumHeights;
use crate::surface::normals::{from_slopes, slope};
use crate::surface::quartets::diagonal_is_first;
use crate::surface::rows::over_rows;
use crate::surface::vertices::column_vertex;
use crate::surface::{Surface, SurfaceSettings, VertexKind};

/// Whether every cell has one column under the open sky. Only the highest column of a cell can be open
/// above, so counting is enough.
pub(super) fn is_heightfield(columns: &Columns) -> bool {
    let is_open = |ceilings: &[f32]| {
        ceilings.iter().fold(true, |open, &ceiling| open & (ceiling == f32::INFINITY))
    };
    columns.len() == columns.grid().cells() && columns.ceiling().chunks(1024).all(is_open)
}

/// Places the vertices of all columns.
pub(super) fn place_columns(
    surface: &mut Surface,
    columns: &Columns,
    minimum: &MinimumHeights,
    settings: &SurfaceSettings,
) {
    let grid = columns.grid();
    let (width, levels) = (grid.width(), &surface.levels);
    let slices = (&mut surface.positions[..], &mut surface.kinds[..], &mut surface.opacity[..]);
    let start = |row: usize| row * width;
    over_rows(0..grid.length(), &start, slices, &|rows, (positions, kinds, opacity)| {
        let mut place = 0;
        for z in rows {
            for x in 0..width {
                let (column, center) = (z * width + x, grid.center(x, z));
                let near = levels.state[column] == Level::Free || is_near(columns, levels, x, z);
                let (y, kind, shade) = if near {
                    let linked = (0..8)
                        .filter_map(|direction| neighbour_cell(columns, (x, z), direction))
                        .filter(|&other| levels.is_free(other));
                    let depth = settings.opaque_depth;
                    column_vertex(columns, levels, minimum, depth, column, linked)
                } else {
                    (levels.raised[column], VertexKind::Unused, 0.0)
                };
                positions[place] = Vec3::new(center.x, y, center.y);
                kinds[place] = kind;
                opacity[place] = shade;
                place += 1;
            }
        }
    });
}

/// Whether a cell or one of its neighbours has a free surface.
fn is_near(columns: &Columns, levels: &Levels, x: usize, z: usize) -> bool {
    let grid = columns.grid();
    let (low, high) = (x.saturating_sub(1), (x + 2).min(grid.width()));
    (z.saturating_sub(1)..(z + 2).min(grid.length())).any(|z| {
        let row = &levels.state[grid.index(low, z)..grid.index(high - 1, z) + 1];
        row.contains(&Level::Free)
    })
}

/// Normals of all columns with a free surface; up for the others.
pub(super) fn normals_of_free_columns(surface: &mut Surface, columns: &Columns) {
    let grid = columns.grid();
    let (width, length, cell) = (grid.width(), grid.length(), grid.cell());
    let (positions, kinds) = (&surface.positions, &surface.kinds);
    let start = |row: usize| row * width;
    let beside = |inside: bool, column: usize, other: usize| {
        if inside { (positions[other].y, cell) } else { (positions[column].y, 0.0) }
    };
    let slices = &mut surface.normals[..width * length];
    over_rows(0..length, &start, slices, &|rows, normals| {
        let mut place = 0;
        for z in rows {
            for x in 0..width {
                let column = z * width + x;
                normals[place] = if kinds[column] == VertexKind::Free {
                    let ahead = beside(x + 1 < width, column, column + 1);
                    let behind = beside(x > 0, column, column.wrapping_sub(1));
                    let along_x = slope(ahead, behind);
                    let ahead = beside(z + 1 < length, column, column + width);
                    let behind = beside(z > 0, column, column.wrapping_sub(width));
                    from_slopes(along_x, slope(ahead, behind))
                } else {
                    Vec3::Y
                };
                place += 1;
            }
        }
    });
}

/// Two triangles for each quartet of which at least one column has a free surface.
pub(super) fn triangulate(surface: &mut Surface, columns: &Columns) {
    let (width, rows) = (columns.grid().width(), columns.grid().length() - 1);
    count_triangles(surface, width, rows);
    let total = surface.triangle_starts[rows] as usize;
    surface.triangles.resize(total, [0; 3]);
    let (starts, kinds, positions) = (&surface.triangle_starts, &surface.kinds, &surface.positions);
    let start = |row: usize| starts[row] as usize;
    over_rows(0..rows, &start, &mut surface.triangles[..], &|rows, triangles| {
        let mut place = triangles.chunks_exact_mut(2);
        for z in rows {
            for x in 0..width - 1 {
                let low = z * width + x;
                let ring = [low, low + 1, low + width + 1, low + width];
                let free = ring.map(|column| kinds[column] == VertexKind::Free);
                if free == [false; 4] {
                    continue;
                }
                let Some(pair) = place.next() else { return };
                let [a, b, c, d] = ring.map(|column| column as u32);
                let heights = ring.map(|column| positions[column].y);
                let split = if diagonal_is_first(heights, free) {
                    [[a, c, b], [a, d, c]]
                } else {
                    [[b, d, c], [b, a, d]]
                };
                pair.copy_from_slice(&split);
            }
        }
    });
}

fn count_triangles(surface: &mut Surface, width: usize, rows: usize) {
    surface.triangle_starts.clear();
    surface.triangle_starts.push(0);
    let mut total = 0;
    for z in 0..rows {
        let (row, next) = surface.levels.state[z * width..(z + 2) * width].split_at(width);
        let free = |state: &[Level], x: usize| state[x] == Level::Free;
        let quartets: u32 = (0..width - 1)
            .map(|x| u32::from(free(row, x) | free(row, x + 1) | free(next, x) | free(next, x + 1)))
            .sum();
        total += 2 * quartets;
        surface.triangle_starts.push(total);
    }
}

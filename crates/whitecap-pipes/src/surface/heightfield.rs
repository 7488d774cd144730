//! The surface over terrain of one layer under the open sky, where every neighbour is linked and neither
//! walls nor lips exist. Gives the same bits as the general method, several times as fast.

use std::ops::Range;

use glam::Vec3;

use crate::flow::chunks::Cut;
use crate::liquid::columns::Columns;
use crate::opacity::opacity;
use crate::surface::ground::{Level, neighbour_cell};
use crate::surface::normals::{from_slopes, slope};
use crate::surface::quartets::diagonal_is_first;
use crate::surface::rows::over_rows;
use crate::surface::vertices::border_vertex;
use crate::surface::{Surface, SurfaceSettings, VertexKind};

/// Cells of a row that are placed together; most groups are all wet or all dry.
const STRETCH: usize = 32;

/// Whether every cell has one column under the open sky. Only the highest column of a cell can be open
/// above, so counting is enough.
pub(super) fn is_heightfield(columns: &Columns) -> bool {
    let is_open = |ceilings: &[f32]| {
        ceilings.iter().fold(true, |open, &ceiling| open & (ceiling == f32::INFINITY))
    };
    columns.len() == columns.grid().cells() && columns.ceiling().chunks(1024).all(is_open)
}

/// Places the vertices of all columns.
pub(super) fn place_columns(surface: &mut Surface, columns: &Columns, settings: &SurfaceSettings) {
    let grid = columns.grid();
    let (width, levels) = (grid.width(), &surface.levels);
    let slices = (&mut surface.positions[..], &mut surface.kinds[..], &mut surface.opacity[..]);
    let start = |row: usize| row * width;
    over_rows(0..grid.length(), &start, slices, &|rows, (positions, kinds, shades)| {
        let rows = rows.zip(positions.chunks_exact_mut(width));
        let rows = rows.zip(kinds.chunks_exact_mut(width)).zip(shades.chunks_exact_mut(width));
        for (((z, positions), kinds), shades) in rows {
            let state = row(&levels.state, width, z);
            let (raised, depth) = (row(&levels.raised, width, z), row(columns.depth(), width, z));
            let before = row(&levels.state, width, z.saturating_sub(1));
            let after = row(&levels.state, width, (z + 1).min(grid.length() - 1));
            let is_near = |x: usize| {
                let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
                let near = |row: &[Level]| {
                    (row[left] == Level::Free)
                        | (row[x] == Level::Free)
                        | (row[right] == Level::Free)
                };
                near(before) | near(state) | near(after)
            };
            let is_dry = |cells: &Range<usize>| {
                let around = cells.start.saturating_sub(1)..(cells.end + 1).min(width);
                [before, state, after].iter().all(|row| {
                    row[around.clone()]
                        .iter()
                        .fold(true, |dry, &state| dry & (state != Level::Free))
                })
            };
            for first in (0..width).step_by(STRETCH) {
                let cells = first..(first + STRETCH).min(width);
                if is_dry(&cells) {
                    for x in cells.clone() {
                        let center = grid.center(x, z);
                        positions[x] = Vec3::new(center.x, raised[x], center.y);
                    }
                    kinds[cells.clone()].fill(VertexKind::Unused);
                    shades[cells].fill(0.0);
                    continue;
                }
                for x in cells {
                    let center = grid.center(x, z);
                    let (y, kind, shade) = if state[x] == Level::Free {
                        let shade = opacity(depth[x] as f32, settings.opaque_depth);
                        (raised[x], VertexKind::Free, shade)
                    } else if is_near(x) {
                        let linked = (0..8)
                            .filter_map(|direction| neighbour_cell(columns, (x, z), direction))
                            .filter(|&other| levels.is_free(other));
                        border_vertex(columns, levels, settings, z * width + x, linked)
                    } else {
                        (raised[x], VertexKind::Unused, 0.0)
                    };
                    positions[x] = Vec3::new(center.x, y, center.y);
                    kinds[x] = kind;
                    shades[x] = shade;
                }
            }
        }
    });
}

/// One row of values.
fn row<T>(values: &[T], width: usize, z: usize) -> &[T] {
    &values[z * width..][..width]
}

/// Normals of all columns with a free surface; up for the others.
pub(super) fn normals_of_free_columns(surface: &mut Surface, columns: &Columns) {
    let grid = columns.grid();
    let (width, length, cell) = (grid.width(), grid.length(), grid.cell());
    let (positions, kinds) = (&surface.positions, &surface.kinds);
    let start = |row: usize| row * width;
    let slices = &mut surface.normals[..width * length];
    over_rows(0..length, &start, slices, &|rows, normals| {
        for (z, normals) in rows.zip(normals.chunks_exact_mut(width)) {
            let (own, kinds) = (row(positions, width, z), row(kinds, width, z));
            let (before, after) = (z.saturating_sub(1), (z + 1).min(length - 1));
            let (row_before, row_after) =
                (row(positions, width, before), row(positions, width, after));
            // At the edges of the grid a side is the column itself, at distance zero.
            let reach = |cells: usize| if cells > 0 { cell } else { 0.0 };
            let (reach_before, reach_after) = (reach(z - before), reach(after - z));
            for x in 0..width {
                normals[x] = if kinds[x] == VertexKind::Free {
                    let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
                    let ahead = (own[right].y, reach(right - x));
                    let along_x = slope(ahead, (own[left].y, reach(x - left)));
                    let ahead = (row_after[x].y, reach_after);
                    from_slopes(along_x, slope(ahead, (row_before[x].y, reach_before)))
                } else {
                    Vec3::Y
                };
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
        let mut pairs = triangles.chunks_exact_mut(2);
        for z in rows {
            let (near, far) = (row(kinds, width, z), row(kinds, width, z + 1));
            let (low, high) = (row(positions, width, z), row(positions, width, z + 1));
            for x in 0..width - 1 {
                let kinds = [near[x], near[x + 1], far[x + 1], far[x]];
                let free = kinds.map(|kind| kind == VertexKind::Free);
                if free == [false; 4] {
                    continue;
                }
                let Some(pair) = pairs.next() else { return };
                let heights = [low[x].y, low[x + 1].y, high[x + 1].y, high[x].y];
                let a = (z * width + x) as u32;
                let (b, c, d) = (a + 1, a + 1 + width as u32, a + width as u32);
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
    let state = &surface.levels.state;
    surface.triangle_starts.resize(rows + 1, 0);
    let (first, counts) = surface.triangle_starts.split_at_mut(1);
    // The work is split by columns, though there is one count for each row.
    over_rows(0..rows, &|row: usize| row * width, Rows { counts, width }, &|rows, part| {
        for (z, count) in rows.zip(part.counts) {
            let (row, next) = state[z * width..(z + 2) * width].split_at(width);
            let free = |state: &[Level], x: usize| state[x] == Level::Free;
            let quartets: u32 = (0..width - 1)
                .map(|x| {
                    u32::from(free(row, x) | free(row, x + 1) | free(next, x) | free(next, x + 1))
                })
                .sum();
            *count = 2 * quartets;
        }
    });
    first[0] = 0;
    let mut total = 0;
    for count in counts {
        total += *count;
        *count = total;
    }
}

/// One count for each row of `width` columns, cut where columns are cut.
struct Rows<'a> {
    counts: &'a mut [u32],
    width: usize,
}

impl Cut for Rows<'_> {
    fn cut(self, columns: usize) -> (Self, Self) {
        let (low, high) = self.counts.split_at_mut(columns / self.width);
        (Rows { counts: low, ..self }, Rows { counts: high, ..self })
    }
}

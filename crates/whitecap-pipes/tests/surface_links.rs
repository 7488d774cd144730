//! Links between columns.

mod surface_scenes;

use surface_scenes::*;
use whitecap_pipes::{Columns, Space, Terrain, VertexKind};

/// A tower of forty floors, each tilted, with liquid on every third.
fn tower() -> Columns {
    let terrain = Terrain::from_cells(grid(6, 5), |x, z, spaces| {
        for floor in 0..40 {
            let floor = (3.0 * floor as f32 + 0.9 * x as f32 + 0.4 * z as f32) * CELL;
            spaces.push(Space { floor, ceiling: floor + 2.0 * CELL });
        }
    });
    let mut columns = Columns::new(&terrain.unwrap());
    columns.fill(|column| if column % 3 == 0 { 1e-4 } else { 0.0 });
    columns
}

/// Contract: on 100 random terrains and a tower of forty floors a link is mutual, obeys min < h < max both
/// ways, joins at least one wet column, does not span a cliff of more than four cells down which liquid
/// falls, and every pair that obeys this is linked.
#[test]
fn links_are_symmetric_and_complete() {
    let steps: [(isize, isize); 8] =
        [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];
    let mut links = 0;
    for (seed, columns) in (0..100).map(random_layers).chain([tower()]).enumerate() {
        let surface = surface_of(&columns);
        let level = |column: usize| columns.height(column) as f32;
        let within = |column: usize, level: f32| {
            columns.lowest()[column] < level && level < columns.ceiling()[column]
        };
        let is_free =
            |column: usize| columns.is_wet(column) && level(column) < columns.ceiling()[column];
        let falls = |upper: usize, lower: usize| {
            is_free(upper) && columns.floor()[upper] - 4.0 * CELL > level(lower)
        };
        for column in 0..columns.len() {
            let (x, z) = columns.position_of(column);
            for (direction, step) in steps.into_iter().enumerate() {
                let linked = surface.linked(&columns, column, direction);
                let (x, z) = (x.wrapping_add_signed(step.0), z.wrapping_add_signed(step.1));
                if x >= columns.grid().width() || z >= columns.grid().length() {
                    assert_eq!(linked, None);
                    continue;
                }
                let expected = columns.of_cell(x, z).find(|&other| {
                    within(other, level(column))
                        && within(column, level(other))
                        && (is_free(column) || is_free(other))
                        && !falls(column, other)
                        && !falls(other, column)
                });
                assert_eq!(linked, expected, "column {column} of terrain {seed}");
                if let Some(other) = linked {
                    assert_eq!(surface.linked(&columns, other, direction ^ 2), Some(column));
                    links += 1;
                }
            }
        }
    }
    assert!(links > 50_000, "{links}");
}

/// Contract: liquid on the edge of a cliff of ten cells, over a pool and over dry ground, ends on the ground at
/// the edge: no triangle is higher than the film, and the surface has no open seam. A pool in front of the
/// cliff goes into its wall. A ledge of three cells is spanned.
#[test]
fn cliffs_are_not_spanned() {
    for (height, pool, is_spanned) in [(10.0, 1e-3, false), (10.0, 0.0, false), (3.0, 1e-3, true)] {
        let mut columns = heightfield(20, 12, |x, _| if x < 8.0 { height } else { 0.0 });
        columns.fill(|column| if column % 20 < 8 { 2e-4 } else { pool });
        let surface = surface_of(&columns);
        check_surface(&columns, &surface);
        let extent = |triangle: &[u32; 3]| {
            let heights = triangle.map(|vertex| surface.positions()[vertex as usize].y);
            heights.iter().fold(f32::MIN, |a, &b| a.max(b))
                - heights.iter().fold(f32::MAX, |a, &b| a.min(b))
        };
        let highest = surface.triangles().iter().map(extent).fold(0.0, f32::max);
        assert_eq!(highest > CELL, is_spanned, "cliff of {height}, pool of {pool}: {highest}");
        let cliff = surface.positions().iter().zip(surface.kinds());
        let has = |kind: VertexKind, x: f32| {
            cliff.clone().any(|(at, &own)| own == kind && ((at.x / CELL) - x).abs() < 0.01)
        };
        let origin = columns.grid().origin().x / CELL;
        assert_eq!(has(VertexKind::Lip, origin + 8.0), !is_spanned);
        assert_eq!(has(VertexKind::Wall, origin + 7.5), !is_spanned && pool > 0.0);
    }
}

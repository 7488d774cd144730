//! Links between columns.

mod surface_scenes;

use surface_scenes::*;
use whitecap_pipes::{Columns, Space, Terrain};

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
/// ways, joins at least one wet column, and every pair that obeys this is linked.
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

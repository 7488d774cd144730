//! The terrain under the columns as triangles, to be drawn with the liquid.
//!
//! Terrain of one layer is smooth: a vertex at the centre of each column. Terrain of several layers is
//! made of blocks, one for each solid of each cell, so that overhangs, caves and walls are closed.

use glam::Vec3;
use whitecap_core::TriMesh;

use crate::columns::Columns;
use crate::surface::ground::{neighbour_cell, of_cell};
use crate::surface::heightfield::is_heightfield;
use crate::surface::quartets::diagonal_is_first;

/// The terrain under the columns. Solids without a bottom or a top end one cell beyond the lowest and the
/// highest point of the others.
pub fn terrain_mesh(columns: &Columns) -> TriMesh {
    let mut mesh = Builder { positions: Vec::new(), triangles: Vec::new() };
    if is_heightfield(columns) {
        mesh.smooth(columns);
    } else {
        mesh.blocks(columns);
    }
    TriMesh::new(mesh.positions, mesh.triangles).expect("vertices are added before their triangles")
}

struct Builder {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Builder {
    fn smooth(&mut self, columns: &Columns) {
        let grid = columns.grid();
        let floor = columns.floor();
        for z in 0..grid.length() {
            for x in 0..grid.width() {
                let center = grid.center(x, z);
                self.positions.push(Vec3::new(center.x, floor[grid.index(x, z)], center.y));
            }
        }
        for z in 0..grid.length() - 1 {
            for x in 0..grid.width() - 1 {
                let ring =
                    [(x, z), (x + 1, z), (x + 1, z + 1), (x, z + 1)].map(|(x, z)| grid.index(x, z));
                let [a, b, c, d] = ring.map(|cell| cell as u32);
                let first = diagonal_is_first(ring.map(|cell| floor[cell]), [false; 4]);
                self.triangles.extend(if first {
                    [[a, c, b], [a, d, c]]
                } else {
                    [[b, d, c], [b, a, d]]
                });
            }
        }
    }

    fn blocks(&mut self, columns: &Columns) {
        let grid = columns.grid();
        let span = span(columns);
        for z in 0..grid.length() {
            for x in 0..grid.width() {
                for column in columns.of_cell(x, z) {
                    self.level(columns, (x, z), columns.floor()[column], true);
                    if columns.ceiling()[column].is_finite() {
                        self.level(columns, (x, z), columns.ceiling()[column], false);
                    }
                }
                for direction in 0..4 {
                    self.walls(columns, (x, z), direction, span);
                }
            }
        }
    }

    /// A horizontal square: ground facing up, or a ceiling facing down.
    fn level(&mut self, columns: &Columns, cell: (usize, usize), y: f32, up: bool) {
        let corners = [0, 1, 2, 3].map(|corner| cell_corner(columns, cell, corner, y));
        self.square(if up { [0, 3, 2, 1] } else { [0, 1, 2, 3] }.map(|k| corners[k]));
    }

    /// Walls at one side of a cell: wherever it is open and its neighbour is solid. At the border of the
    /// grid nothing is solid, and the sides of the cell's own solids are drawn instead.
    fn walls(
        &mut self,
        columns: &Columns,
        cell: (usize, usize),
        direction: usize,
        span: (f32, f32),
    ) {
        let own = columns.grid().index(cell.0, cell.1);
        match neighbour_cell(columns, cell, direction) {
            Some(beside) => {
                for column in of_cell(columns, own) {
                    let open = (columns.floor()[column], columns.ceiling()[column]);
                    for solid in solids(columns, beside, span) {
                        let (low, high) = (open.0.max(solid.0), open.1.min(solid.1));
                        self.wall(columns, cell, direction, (low, high), false);
                    }
                }
            }
            None => {
                for solid in solids(columns, own, span) {
                    self.wall(columns, cell, direction, solid, true);
                }
            }
        }
    }

    fn wall(
        &mut self,
        columns: &Columns,
        cell: (usize, usize),
        direction: usize,
        (low, high): (f32, f32),
        outward: bool,
    ) {
        if !(low < high && high.is_finite()) {
            return;
        }
        // Corner k + 1 begins the side in direction k.
        let (from, to) = ((direction + 1) % 4, (direction + 2) % 4);
        let corners = [(from, low), (to, low), (to, high), (from, high)]
            .map(|(corner, y)| cell_corner(columns, cell, corner, y));
        self.square(if outward { [0, 3, 2, 1] } else { [0, 1, 2, 3] }.map(|k| corners[k]));
    }

    fn square(&mut self, corners: [Vec3; 4]) {
        let first = self.positions.len() as u32;
        self.positions.extend(corners);
        self.triangles.push([first, first + 1, first + 2]);
        self.triangles.push([first, first + 2, first + 3]);
    }
}

/// Heights between which all solids are drawn.
fn span(columns: &Columns) -> (f32, f32) {
    let ceilings = columns.ceiling().iter().filter(|ceiling| ceiling.is_finite());
    let heights = columns.floor().iter().chain(ceilings);
    let (low, high) = heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &height| {
        (low.min(height), high.max(height))
    });
    let cell = columns.grid().cell();
    if low <= high { (low - cell, high + cell) } else { (0.0, cell) }
}

/// The solids of a cell from bottom to top: below each column, and above the highest if it has a ceiling.
fn solids(
    columns: &Columns,
    cell: usize,
    (bottom, top): (f32, f32),
) -> impl Iterator<Item = (f32, f32)> {
    let range = of_cell(columns, cell);
    let highest = range.clone().last().map_or(bottom, |column| columns.ceiling()[column]);
    range
        .map(move |column| (columns.lowest()[column].max(bottom), columns.floor()[column]))
        .chain(std::iter::once((highest, top)))
}

/// A corner of a cell: 0 at its low x and z, then on to +x, +z.
fn cell_corner(columns: &Columns, (x, z): (usize, usize), corner: usize, y: f32) -> Vec3 {
    let grid = columns.grid();
    let (far_x, far_z) = [(0, 0), (1, 0), (1, 1), (0, 1)][corner];
    let place = glam::Vec2::new((x + far_x) as f32, (z + far_z) as f32);
    let place = grid.origin() + place * grid.cell();
    Vec3::new(place.x, y, place.y)
}

//! Where the surface of a thin film must be lifted over the terrain.
//!
//! Dagenais et al. 2018, §4.4 lift columns until no vertex of the terrain sticks out. Beside a wall that
//! would lift the columns at its foot up to its top, so vertices between columns of very different ground
//! are left out.

use whitecap_core::TriMesh;
use whitecap_core::glam::{Vec2, Vec3, Vec3Swizzles};
use whitecap_pipes::{Columns, MinimumHeights};

/// Most difference of the ground of four columns around a vertex, in cells.
const STEEPEST: f32 = 2.0;

/// The least heights over a terrain mesh, without its steep parts.
pub(super) fn minimum_heights(
    columns: &Columns,
    terrain: &TriMesh,
    least_thickness: f32,
) -> MinimumHeights {
    let normals = terrain.vertex_normals();
    let vertices = terrain.positions().iter().zip(normals);
    let gentle = vertices
        .filter(|(vertex, normal)| normal.y >= 0.0 && is_gentle(columns, **vertex))
        .map(|(vertex, _)| *vertex)
        .collect();
    // Vertices alone: those that face down are left out already.
    TriMesh::new(gentle, Vec::new()).map_or_else(
        |_| MinimumHeights::none(),
        |gentle| MinimumHeights::over(columns, &gentle, least_thickness),
    )
}

/// Whether the ground of the four columns around a vertex is nearly of one height.
fn is_gentle(columns: &Columns, vertex: Vec3) -> bool {
    let grid = columns.grid();
    let (mut low, mut high) = (vertex.y, vertex.y);
    for corner in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        let Some((x, z)) = grid.locate(vertex.xz() + grid.cell() * Vec2::from(corner)) else {
            return false;
        };
        let floors = columns.of_cell(x, z).map(|column| columns.floor()[column]);
        let nearest = floors.min_by(|a, b| (a - vertex.y).abs().total_cmp(&(b - vertex.y).abs()));
        let Some(floor) = nearest else { return false };
        (low, high) = (low.min(floor), high.max(floor));
    }
    high - low <= STEEPEST * grid.cell()
}

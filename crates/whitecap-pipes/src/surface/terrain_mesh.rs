//! The terrain under the columns as triangles, to be drawn with the liquid.
//!
//! The ground is spanned like the surface of a liquid without depth: a vertex at the centre of each
//! column, joined from layer to layer by the same links. Ceilings are the same upside down. Where
//! the ground ends at the edge of an overhang, the side of the slab extends down to its underside;
//! where it ends at a wall under an overhang, the wall extends up to the ceiling.
//!
//! # Non-guarantees
//! The mesh is open at the border of the grid and where a wall meets the edge of an overhang; its sides share
//! positions with the ground and the ceilings, not vertices. A terrain that was made from a mesh is better
//! drawn as that mesh.

use glam::{Vec3, Vec3Swizzles};
use whitecap_core::{TriMesh, open_edges};

use crate::liquid::columns::Columns;
use crate::surface::heightfield::is_heightfield;
use crate::surface::quartets::diagonal_is_first;
use crate::surface::{Surface, VertexKind};
use crate::terrain::{Space, Terrain};

/// Height of the sky in the upside-down terrain.
const FAR_BELOW: f32 = -1e6;

/// The terrain under the columns.
pub fn terrain_mesh(columns: &Columns) -> TriMesh {
    let mut mesh = Builder { positions: Vec::new(), triangles: Vec::new() };
    if is_heightfield(columns) {
        mesh.heightfield(columns);
    } else {
        let ground = Surface::of_floors(columns, |_| true);
        mesh.sheet(&ground, 1.0);
        mesh.sides(columns, &ground);
        if let Some(mirrored) = upside_down(columns) {
            let is_ceiling = |column: usize| mirrored.floor()[column] > FAR_BELOW;
            mesh.sheet(&Surface::of_floors(&mirrored, is_ceiling), -1.0);
        }
    }
    TriMesh::new(mesh.positions, mesh.triangles).expect("vertices are added before their triangles")
}

/// The spaces of all cells upside down. The open sky stays, as a space without a ground that counts.
fn upside_down(columns: &Columns) -> Option<Columns> {
    let terrain = Terrain::from_cells(*columns.grid(), |x, z, spaces| {
        spaces.extend(columns.of_cell(x, z).rev().map(|column| Space {
            floor: (-columns.ceiling()[column]).max(FAR_BELOW),
            ceiling: -columns.floor()[column],
        }));
    });
    terrain.ok().map(|terrain| Columns::new(&terrain))
}

struct Builder {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Builder {
    fn heightfield(&mut self, columns: &Columns) {
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

    /// Adds ground, or ceilings when `up` is −1.
    fn sheet(&mut self, sheet: &Surface, up: f32) {
        let (first, sheet) = (self.positions.len() as u32, sheet.to_mesh());
        self.positions.extend(sheet.positions().iter().map(|&at| Vec3 { y: up * at.y, ..at }));
        for triangle in sheet.triangles() {
            let [a, b, c] = triangle.map(|vertex| first + vertex);
            self.triangles.push(if up > 0.0 { [a, b, c] } else { [a, c, b] });
        }
    }

    /// Adds the sides of slabs below the open edges of the ground, and walls above them.
    fn sides(&mut self, columns: &Columns, ground: &Surface) {
        for (from, to) in open_edges(ground.triangles()) {
            let ends = [from, to].map(|vertex| {
                let column = ground.vertex_columns()[vertex as usize] as usize;
                match ground.kinds()[vertex as usize] {
                    VertexKind::Lip => Some((false, columns.lowest()[column])),
                    VertexKind::Wall => {
                        let top = top_of_wall(columns, ground.positions()[vertex as usize]);
                        Some((true, columns.ceiling()[column].min(top)))
                    }
                    _ => None,
                }
            });
            if let [Some((up, from_end)), Some((also_up, to_end))] = ends
                && up == also_up
                && from_end.is_finite()
                && to_end.is_finite()
            {
                let [from, to] = [from, to].map(|vertex| ground.positions()[vertex as usize]);
                let (from_end, to_end) = (Vec3 { y: from_end, ..from }, Vec3 { y: to_end, ..to });
                self.square([from, from_end, to_end, to]);
            }
        }
    }

    fn square(&mut self, corners: [Vec3; 4]) {
        let first = self.positions.len() as u32;
        self.positions.extend(corners);
        self.triangles.push([first, first + 1, first + 2]);
        self.triangles.push([first, first + 2, first + 3]);
    }
}

/// Where the solid at a position ends above it; one cell above the position if it does not end.
fn top_of_wall(columns: &Columns, position: Vec3) -> f32 {
    let cell = columns.grid().locate(position.xz());
    let floors = cell.into_iter().flat_map(|(x, z)| &columns.floor()[columns.of_cell(x, z)]);
    floors.copied().find(|&floor| floor >= position.y).unwrap_or(position.y + columns.grid().cell())
}

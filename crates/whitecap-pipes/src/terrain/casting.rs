//! Terrain from a mesh or a distance field, by a vertical line through the centre of every cell
//! (Dagenais et al. 2018, §3.1).
//!
//! # Guarantees
//! A line enters a closed mesh as often as it leaves it: where it passes through an edge or a
//! vertex, exactly one of the triangles there counts. Parts that overlap, and meshes turned inside
//! out, are solid. An open sheet that faces up is solid all the way down.
//!
//! # Non-guarantees
//! What lies between cell centres is missed. Spaces lower than a thousandth of a cell are closed.

use glam::{DVec2, DVec3, Vec3};
use whitecap_core::TriMesh;
use whitecap_surface::LevelSet;

use crate::error::PipeError;
use crate::terrain::grid::Grid;
use crate::terrain::{Space, Terrain};

/// Spaces lower than this fraction of a cell are closed.
const LEAST_SPACE: f32 = 1e-3;

/// Where a vertical line meets a surface.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    cell: u32,
    height: f32,
    /// Change of the number of solids around the line on its way up.
    change: i32,
}

impl Terrain {
    /// The spaces around a mesh. With `ground`, everything below that height is solid; without it,
    /// cells that the mesh does not cover are solid.
    pub fn from_mesh(grid: Grid, mesh: &TriMesh, ground: Option<f32>) -> Result<Self, PipeError> {
        if let Some(vertex) = mesh.positions().iter().position(|vertex| !vertex.is_finite()) {
            return Err(PipeError::MeshVertex { vertex });
        }
        let mut crossings = Vec::new();
        for triangle in 0..mesh.triangles().len() {
            add_crossings(&grid, mesh.corners(triangle), &mut crossings);
        }
        Self::from_crossings(grid, crossings, ground)
    }

    /// The spaces outside a level set; see [`Terrain::from_mesh`].
    pub fn from_level_set(
        grid: Grid,
        solid: &LevelSet,
        ground: Option<f32>,
    ) -> Result<Self, PipeError> {
        let field = solid.grid();
        let lattice = field.lattice();
        let tiles = field.coordinates().iter().map(|tile| tile.y);
        let low = tiles.clone().min().unwrap_or(0) * 8 - 1;
        let high = tiles.max().unwrap_or(0) * 8 + 9;
        let mut crossings = Vec::new();
        for z in 0..grid.length() {
            for x in 0..grid.width() {
                let center = grid.center(x, z);
                let cell = grid.index(x, z) as u32;
                let at = |node: i32| {
                    let height = lattice.position(glam::IVec3::new(0, node, 0)).y;
                    (height, solid.distance(Vec3::new(center.x, height, center.y)))
                };
                let mut last = at(low);
                for node in low + 1..=high {
                    let next = at(node);
                    if (last.1 < 0.0) != (next.1 < 0.0) {
                        let share = last.1 / (last.1 - next.1);
                        let height = last.0 + share * (next.0 - last.0);
                        let change = if next.1 < 0.0 { 1 } else { -1 };
                        crossings.push(Crossing { cell, height, change });
                    }
                    last = next;
                }
            }
        }
        Self::from_crossings(grid, crossings, ground)
    }

    fn from_crossings(
        grid: Grid,
        mut crossings: Vec<Crossing>,
        ground: Option<f32>,
    ) -> Result<Self, PipeError> {
        crossings.sort_unstable_by(|a, b| {
            (a.cell.cmp(&b.cell)).then(a.height.total_cmp(&b.height)).then(b.change.cmp(&a.change))
        });
        let mut rest = crossings.as_slice();
        Self::from_cells(grid, |x, z, spaces| {
            let cell = grid.index(x, z) as u32;
            let count = rest.iter().take_while(|crossing| crossing.cell == cell).count();
            let (mine, others) = rest.split_at(count);
            rest = others;
            add_spaces(mine, ground, LEAST_SPACE * grid.cell(), spaces);
        })
    }
}

/// Lists the spaces along one line, from its crossings from bottom to top.
fn add_spaces(crossings: &[Crossing], ground: Option<f32>, least: f32, spaces: &mut Vec<Space>) {
    // A sheet that faces up is solid below: then the line starts inside.
    let total: i32 = crossings.iter().map(|crossing| crossing.change).sum();
    let mut around = (-total).max(0);
    // Floor of the space the line is in; none in a solid, or below everything.
    let mut floor = if around == 0 { ground } else { None };
    let ground = ground.unwrap_or(f32::NEG_INFINITY);
    for crossing in crossings {
        let was_free = around == 0;
        around += crossing.change;
        match (was_free, around == 0) {
            (true, false) => {
                let ceiling = crossing.height;
                if let Some(floor) = floor.filter(|&floor| ceiling > ground && ceiling > floor) {
                    push_space(spaces, Space { floor, ceiling }, least);
                }
            }
            (false, true) => floor = Some(crossing.height.max(ground)),
            _ => {}
        }
    }
    if let Some(floor) = floor.filter(|_| around == 0) {
        push_space(spaces, Space::open(floor), least);
    }
}

/// Adds a space if it is high enough. Solids of zero height between two spaces vanish.
fn push_space(spaces: &mut Vec<Space>, space: Space, least: f32) {
    if space.ceiling - space.floor > least {
        spaces.push(space);
    }
}

/// Adds the places where vertical lines through cell centres meet a triangle.
fn add_crossings(grid: &Grid, corners: [Vec3; 3], crossings: &mut Vec<Crossing>) {
    let corners = corners.map(Vec3::as_dvec3);
    let flat = corners.map(|corner| DVec2::new(corner.x, corner.z));
    let origin = grid.origin().as_dvec2();
    let cell = f64::from(grid.cell());
    let range = |axis: usize, count: usize| {
        let places = flat.map(|corner| (corner[axis] - origin[axis]) / cell - 0.5);
        let low = places.into_iter().fold(f64::INFINITY, f64::min).floor();
        let high = places.into_iter().fold(f64::NEG_INFINITY, f64::max).ceil();
        low.max(0.0) as usize..(high + 1.0).clamp(0.0, count as f64) as usize
    };
    for z in range(1, grid.length()) {
        for x in range(0, grid.width()) {
            let center = origin + DVec2::new(x as f64 + 0.5, z as f64 + 0.5) * cell;
            if let Some((height, change)) = crossing(corners, flat, center) {
                let cell = grid.index(x, z) as u32;
                crossings.push(Crossing { cell, height: height as f32, change });
            }
        }
    }
}

/// Where the vertical line through `center` meets a triangle, and how the number of solids changes.
fn crossing(corners: [DVec3; 3], flat: [DVec2; 3], center: DVec2) -> Option<(f64, i32)> {
    let sides = [
        side(flat[1], flat[2], center),
        side(flat[2], flat[0], center),
        side(flat[0], flat[1], center),
    ];
    let is_left = sides.map(|(_, is_left)| is_left);
    if is_left != [true; 3] && is_left != [false; 3] {
        return None;
    }
    let areas = sides.map(|(area, _)| area);
    let sum: f64 = areas.iter().sum();
    let weighted: f64 = areas.iter().zip(&corners).map(|(area, corner)| area * corner.y).sum();
    let (low, high) = corners
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c.y), high.max(c.y)));
    // Seen from above, with z pointing down the page, counter-clockwise in (x, z) faces down.
    let change = if is_left[0] { 1 } else { -1 };
    (sum != 0.0).then(|| ((weighted / sum).clamp(low, high), change))
}

/// Twice the area between an edge and a point, and on which side the point lies. Both triangles at an
/// edge get the same number with opposite signs, and a point on the edge belongs to one of them.
fn side(a: DVec2, b: DVec2, point: DVec2) -> (f64, bool) {
    let is_ordered = (a.x, a.y) <= (b.x, b.y);
    let (low, high) = if is_ordered { (a, b) } else { (b, a) };
    let area = (high - low).perp_dot(point - low);
    // A point on the edge counts as to the left of the edge in its order.
    let is_left = (area >= 0.0) == is_ordered;
    (if is_ordered { area } else { -area }, is_left)
}

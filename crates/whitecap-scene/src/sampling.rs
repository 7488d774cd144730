//! Uniform samples of surfaces: where boundary particles sit and liquid comes out.
//!
//! [`sample_surface`] covers a triangle mesh with points that are random but evenly spread (blue
//! noise): a Poisson-disk sampling by throwing candidates into cells of the triangles, from
//! coarse to fine, dropping cells as soon as they are covered (in the spirit of Ebeida,
//! Mitchell, Patney, Davidson and Owens 2012). [`sample_box`] covers a box with a regular grid.
//!
//! # Guarantees
//! * No two samples of a mesh are closer than [`CLOSEST`] spacings, measured straight through
//!   space: the two sides of a thin sheet share their samples.
//! * Every point of the mesh, edges and corners included, is within one spacing of a sample.
//! * A sample knows its triangle and its place in it, so it follows a mesh that deforms.
//! * The samples depend on the mesh and the spacing alone.
//!
//! # Non-guarantees
//! * Samples are not projected or relaxed; their distances to the nearest neighbour vary between
//!   0.8 and about 1.3 spacings, about 1.1 samples per spacing².

use rayon::prelude::*;
use whitecap_core::TriMesh;
use whitecap_core::closest_point::closest_point_on_triangle;
use whitecap_core::glam::{IVec3, Vec2, Vec3};
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::scatter;

use crate::error::{SceneError, ordered_box, positive, usable_mesh};

/// Smallest distance between two samples of a mesh, in spacings.
pub const CLOSEST: f32 = 0.8;
/// Edge of the first cells, in spacings.
const COARSEST_CELL: f32 = 0.56;
/// Edge below which a cell is not split. Its diagonal and [`CLOSEST`] add up to one spacing.
const FINEST_CELL: f32 = 0.1401;
/// The largest number of cells or lattice points.
const MOST: f64 = (1u64 << 27) as f64;

/// A point of a mesh, tied to its triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSample {
    /// Index of the triangle.
    pub triangle: u32,
    /// Weights of the triangle's three corners, which sum to one.
    pub barycentric: Vec3,
}

impl SurfaceSample {
    /// The value at the sample of something known at the vertices, such as positions.
    #[inline]
    pub fn interpolate(&self, triangles: &[[u32; 3]], values: &[Vec3]) -> Vec3 {
        let [a, b, c] = triangles[self.triangle as usize].map(|vertex| values[vertex as usize]);
        a * self.barycentric.x + b * self.barycentric.y + c * self.barycentric.z
    }

    /// Where the sample lies on a mesh.
    #[inline]
    pub fn position(&self, mesh: &TriMesh) -> Vec3 {
        self.interpolate(mesh.triangles(), mesh.positions())
    }
}

/// Covers a mesh, open or closed, with samples at a spacing in metres, in order of triangles.
pub fn sample_surface(mesh: &TriMesh, spacing: f32) -> Result<Vec<SurfaceSample>, SceneError> {
    positive("the spacing", spacing)?;
    usable_mesh(mesh.positions(), mesh.triangles())?;
    let radius = CLOSEST * spacing;
    let finest = FINEST_CELL * spacing;
    let mut cells = first_cells(mesh, spacing)?;
    let mut chosen: Vec<Candidate> = Vec::new();
    let mut covered = NeighbourGrid::build(&[], radius);
    while !cells.is_empty() {
        // Each cell throws one candidate; those far enough from all samples compete.
        let candidates: Vec<Candidate> = cells
            .par_iter()
            .filter_map(|cell| cell.candidate(mesh))
            .filter(|candidate| covered.nearest(candidate.position, radius).is_none())
            .collect();
        chosen.extend(compatible(&candidates, radius).into_iter().map(|i| candidates[i]));
        let positions: Vec<Vec3> = chosen.iter().map(|sample| sample.position).collect();
        covered.rebuild(&positions, radius);
        // Areas still uncovered are tried again with smaller cells.
        cells = cells
            .par_iter()
            .flat_map_iter(|cell| cell.split(finest))
            .filter(|cell| cell.touches_bare_surface(mesh, &covered, radius))
            .collect();
    }
    chosen.sort_by_key(|candidate| candidate.sample.triangle);
    Ok(chosen.into_iter().map(|candidate| candidate.sample).collect())
}

/// Samples the surface of a box with a regular grid whose step is the spacing, stretched or
/// squeezed so that corners and edges are hit. An edge shorter than half a spacing gets its two
/// ends.
pub fn sample_box(min: Vec3, max: Vec3, spacing: f32) -> Result<Vec<Vec3>, SceneError> {
    positive("the spacing", spacing)?;
    let (min, max) = ordered_box("the box", min, max)?;
    let steps = ((max - min) / spacing).round().max(Vec3::ONE).as_dvec3();
    let count = 2.0 * (steps.x * steps.y + steps.y * steps.z + steps.z * steps.x) + 2.0;
    if count > MOST || steps.max_element() > MOST {
        return Err(SceneError::TooMany { what: "the box", count, spacing, most: MOST });
    }
    let last = steps.as_ivec3();
    let (low, size) = (min.as_dvec3(), max.as_dvec3() - min.as_dvec3());
    let at = |node: IVec3| (low + size * (node.as_dvec3() / steps)).as_vec3();
    let mut points = Vec::with_capacity(count as usize);
    for z in 0..=last.z {
        for y in 0..=last.y {
            let on_face = z == 0 || z == last.z || y == 0 || y == last.y;
            let step = if on_face { 1 } else { last.x };
            points.extend((0..=last.x).step_by(step as usize).map(|x| at(IVec3::new(x, y, z))));
        }
    }
    Ok(points)
}

/// A candidate for a sample.
#[derive(Clone, Copy)]
struct Candidate {
    sample: SurfaceSample,
    position: Vec3,
    priority: u64,
}

/// A rectangle in the plane of a triangle, in the coordinates of its [`Frame`].
#[derive(Clone, Copy)]
struct Cell {
    triangle: u32,
    low: Vec2,
    size: Vec2,
    key: u64,
}

impl Cell {
    /// A random point of the cell, moved to the nearest point of the triangle: at most one
    /// diagonal away from every point of the triangle in this cell, because moving to the nearest
    /// point of a convex shape brings points closer to all of that shape. `None` if the cell
    /// misses the triangle.
    fn candidate(&self, mesh: &TriMesh) -> Option<Candidate> {
        let corners = mesh.corners(self.triangle as usize);
        let inside = self.low + self.size * scatter::pair(self.key);
        let thrown = Frame::of(corners).at(inside);
        let found = closest_point_on_triangle(thrown, corners);
        let sample = SurfaceSample { triangle: self.triangle, barycentric: found.barycentric };
        // Rounding may move a point of a cell without width.
        let reach = 1.01 * self.size.length() + 1e-6 * thrown.abs().max_element();
        let priority = scatter::mix(self.key ^ 0x5851_f42d_4c95_7f2d);
        (found.distance_squared <= reach * reach).then_some(Candidate {
            sample,
            position: found.point,
            priority,
        })
    }

    /// The cell halved along each axis on which it is longer than `finest`; nothing if there is none.
    fn split(&self, finest: f32) -> impl Iterator<Item = Cell> + use<> {
        let parts = |length: f32| if length > finest { 2u64 } else { 1 };
        let (across, up) = (parts(self.size.x), parts(self.size.y));
        let count = if across * up == 1 { 0 } else { across * up };
        let size = self.size / Vec2::new(across as f32, up as f32);
        let whole = *self;
        (0..count).map(move |part| Cell {
            triangle: whole.triangle,
            low: whole.low + size * Vec2::new((part % across) as f32, (part / across) as f32),
            size,
            key: scatter::mix(whole.key.wrapping_add(part + 1)),
        })
    }

    /// Whether the cell may hold a point of the triangle that no sample covers.
    fn touches_bare_surface(&self, mesh: &TriMesh, samples: &NeighbourGrid, radius: f32) -> bool {
        let corners = mesh.corners(self.triangle as usize);
        let middle = Frame::of(corners).at(self.low + 0.5 * self.size);
        let half_diagonal = 0.5 * self.size.length();
        let missed = closest_point_on_triangle(middle, corners).distance_squared
            > (1.01 * half_diagonal).powi(2) + 1e-12 * middle.length_squared();
        !missed && samples.nearest(middle, (radius - half_diagonal).max(0.0)).is_none()
    }
}

/// Coordinates in the plane of a triangle: along its longest edge and across.
struct Frame {
    origin: Vec3,
    along: Vec3,
    across: Vec3,
    size: Vec2,
}

impl Frame {
    fn of([a, b, c]: [Vec3; 3]) -> Self {
        let edges = [(a, b, c), (b, c, a), (c, a, b)];
        let (start, end, apex) = edges.into_iter().fold(edges[0], |longest, edge| {
            let length = |e: (Vec3, Vec3, Vec3)| e.0.distance_squared(e.1);
            if length(edge) > length(longest) { edge } else { longest }
        });
        let along = (end - start).normalize_or_zero();
        let to_apex = apex - start;
        let upward = to_apex - along * to_apex.dot(along);
        Self {
            origin: start,
            along,
            across: upward.normalize_or_zero(),
            size: Vec2::new(start.distance(end), upward.length()),
        }
    }

    fn at(&self, local: Vec2) -> Vec3 {
        self.origin + self.along * local.x + self.across * local.y
    }
}

/// The rectangles round the triangles, cut into cells.
fn first_cells(mesh: &TriMesh, spacing: f32) -> Result<Vec<Cell>, SceneError> {
    let longest = COARSEST_CELL * spacing;
    let parts = |triangle: usize| {
        let size = Frame::of(mesh.corners(triangle)).size;
        (size, (size / longest).ceil().max(Vec2::ONE))
    };
    let triangles = mesh.triangles().len();
    let count = whitecap_core::reduce::sum(triangles, |t| {
        let parts = parts(t).1.as_dvec2();
        parts.x * parts.y
    });
    if count > MOST {
        return Err(SceneError::TooMany { what: "the mesh", count, spacing, most: MOST });
    }
    let cells = (0..triangles).into_par_iter().flat_map_iter(|triangle| {
        let (size, parts) = parts(triangle);
        let cell = size / parts;
        let (across, up) = (parts.x as u32, parts.y as u32);
        (0..across * up).map(move |part| Cell {
            triangle: triangle as u32,
            low: cell * Vec2::new((part % across) as f32, (part / across) as f32),
            size: cell,
            key: scatter::mix(scatter::mix(triangle as u64).wrapping_add(u64::from(part))),
        })
    });
    Ok(cells.collect())
}

/// Picks candidates, highest priority first, so that no two are within `radius` and every other
/// one is within `radius` of a picked one. Returns their indices, ascending.
fn compatible(candidates: &[Candidate], radius: f32) -> Vec<usize> {
    let positions: Vec<Vec3> = candidates.iter().map(|candidate| candidate.position).collect();
    let grid = NeighbourGrid::build(&positions, radius);
    let mut queue: Vec<usize> = (0..candidates.len()).collect();
    queue.par_sort_unstable_by_key(|&place| {
        let index = grid.order()[place];
        (candidates[index as usize].priority, index)
    });
    let mut removed = vec![false; candidates.len()];
    let mut picked = Vec::new();
    for place in queue {
        if !removed[place] {
            picked.push(grid.order()[place] as usize);
            grid.for_each_within(grid.positions()[place], radius, |near, _| removed[near] = true);
        }
    }
    picked.sort_unstable();
    picked
}

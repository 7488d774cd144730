//! A closed triangle mesh with an inside: exact signed distance, containment, paths out.
//!
//! The distance comes from the nearest triangle, its sign from the winding number, so meshes whose
//! parts overlap or touch are as good as one piece.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::triangle_bvh::TriangleBvh;
use whitecap_core::winding_number::{DEFAULT_ACCURACY, WindingNumber};
use whitecap_core::{Bounds, TriMesh};

use crate::error::{SceneError, usable_mesh};
use crate::sampling::SurfaceSample;

/// A closed, consistently oriented mesh.
#[derive(Clone, Debug)]
pub struct ClosedShape {
    mesh: TriMesh,
    winding: WindingNumber,
}

/// The point of the surface nearest to a query.
pub(crate) struct Nearest {
    /// Negative inside.
    pub distance: f32,
    pub point: Vec3,
    /// Away from the solid.
    pub normal: Vec3,
    pub sample: SurfaceSample,
}

impl ClosedShape {
    /// Checks a mesh and prepares it. Vertices at exactly the same place count as one, so a mesh
    /// cut along its texture seams is closed. A mesh that is inside out is flipped.
    pub fn new(mesh: TriMesh) -> Result<Self, SceneError> {
        Ok(Self::prepared(closed_mesh(mesh)?))
    }

    /// Prepares a mesh that has been checked.
    pub(crate) fn prepared(mesh: TriMesh) -> Self {
        let winding = WindingNumber::from_bvh(TriangleBvh::build(&mesh), DEFAULT_ACCURACY);
        Self { mesh, winding }
    }

    /// The mesh, with its triangles facing outward.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The smallest box around the mesh.
    pub fn bounds(&self) -> Bounds {
        self.winding.bvh().bounds()
    }

    /// Whether a point is inside.
    pub fn contains(&self, point: Vec3) -> bool {
        self.bounds().contains(point) && self.winding.is_inside(point)
    }

    /// Distance to the surface in metres, negative inside.
    pub fn signed_distance(&self, point: Vec3) -> f32 {
        self.nearest(point, f32::INFINITY).map_or(f32::INFINITY, |nearest| nearest.distance)
    }

    pub(crate) fn nearest(&self, point: Vec3, reach: f32) -> Option<Nearest> {
        if !point.is_finite() {
            return None;
        }
        let found = self.winding.bvh().closest_point(point, reach)?;
        let inside = self.contains(point);
        let distance = found.distance_squared.sqrt();
        // So close that the difference is mostly rounding: the triangle decides which way is outward.
        let resolved = 64.0 * f32::EPSILON * point.abs().max(found.point.abs()).max_element();
        let normal = if distance > resolved {
            let away = (point - found.point) / distance;
            if inside { -away } else { away }
        } else {
            self.face_normal(found.triangle)
        };
        let sample = SurfaceSample { triangle: found.triangle, barycentric: found.barycentric };
        let distance = if inside { -distance } else { distance };
        Some(Nearest { distance, point: found.point, normal, sample })
    }

    /// Unit normal of a triangle; upward for one without area.
    pub fn face_normal(&self, triangle: u32) -> Vec3 {
        let [a, b, c] = self.mesh.corners(triangle as usize).map(|corner| corner.as_dvec3());
        (b - a).cross(c - a).normalize_or(whitecap_core::glam::DVec3::Y).as_vec3()
    }

    /// The first triangle that the segment from one point to another meets, and how far along (0 to 1)
    /// it does.
    pub(crate) fn first_crossing(&self, from: Vec3, to: Vec3) -> Option<(u32, f32)> {
        let hit = self.winding.bvh().closest_hit(from, to - from, 0.0, 1.0)?;
        Some((hit.triangle, hit.t))
    }

    /// Thickness of the shape below a sample; infinite if the ray finds no end.
    pub fn thickness(&self, sample: &SurfaceSample) -> f32 {
        let from = sample.position(self.mesh());
        let inward = -self.face_normal(sample.triangle);
        // Skips the triangle that the sample lies on, and its neighbours at an edge.
        let least = 1e-4 * self.bounds().size().max_element();
        self.ray_length(from, inward, least)
    }

    /// How far a ray that starts `least` from a point goes until it meets a triangle; infinite if it
    /// meets none.
    fn ray_length(&self, from: Vec3, direction: Vec3, least: f32) -> f32 {
        let hit = self.winding.bvh().closest_hit(from, direction, least, f32::INFINITY);
        hit.map_or(f32::INFINITY, |hit| hit.t)
    }

    /// The shortest of several straight paths out for a point inside: where it ends, `clearance`
    /// beyond the surface.
    ///
    /// Needed where parts of the mesh overlap and the nearest surface lies inside another part.
    pub(crate) fn way_out(&self, point: Vec3, clearance: f32) -> Option<Vec3> {
        const MOST_CROSSINGS: usize = 64;
        let directions = (0..27).filter(|&i| i != 13).map(|i| {
            Vec3::new((i % 3) as f32 - 1.0, (i / 3 % 3) as f32 - 1.0, (i / 9) as f32 - 1.0)
                .normalize()
        });
        let mut best: Option<(f32, Vec3)> = None;
        for direction in directions {
            let mut travelled = 0.0;
            for _ in 0..MOST_CROSSINGS {
                let bvh = self.winding.bvh();
                let Some(hit) = bvh.closest_hit(point, direction, travelled, f32::INFINITY) else {
                    break;
                };
                travelled = hit.t + clearance;
                let reached = point + direction * travelled;
                if best.is_some_and(|(least, _)| least <= travelled) {
                    break;
                }
                if !self.contains(reached) {
                    best = Some((travelled, reached));
                    break;
                }
            }
        }
        best.map(|(_, reached)| reached)
    }
}

/// The mesh if it is closed and has an outside, facing outward.
pub(crate) fn closed_mesh(mesh: TriMesh) -> Result<TriMesh, SceneError> {
    usable_mesh(mesh.positions(), mesh.triangles())?;
    let (open_edges, edges) = unmatched_edges(&mesh);
    if open_edges > 0 {
        return Err(SceneError::NotClosed { open_edges });
    }
    if edges > 0 {
        return Err(SceneError::Orientation { edges });
    }
    let volume = whitecap_surface::volume(&mesh);
    let extent = mesh.bounds().size().as_dvec3();
    let flat = 1e-12 * extent.max_element().powi(3);
    if volume.abs() <= flat {
        return Err(SceneError::NoVolume);
    }
    Ok(if volume < 0.0 { mesh.flipped() } else { mesh })
}

/// (edges with an odd number of triangles, other edges that triangles do not traverse equally often in
/// both directions). Vertices at the same place count as one.
fn unmatched_edges(mesh: &TriMesh) -> (usize, usize) {
    let welded = welded_vertices(mesh.positions());
    let mut sides: Vec<([u32; 2], bool)> = mesh
        .triangles()
        .par_iter()
        .flat_map_iter(|triangle| {
            let [a, b, c] = triangle.map(|vertex| welded[vertex as usize]);
            [(a, b), (b, c), (c, a)]
        })
        // An edge of zero length, of a triangle without area, has no sides.
        .filter(|(from, to)| from != to)
        .map(|(from, to)| ([from.min(to), from.max(to)], from < to))
        .collect();
    sides.par_sort_unstable();
    let (mut open, mut turned) = (0, 0);
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let ascending = edge.iter().filter(|side| side.1).count();
        if edge.len() % 2 == 1 {
            open += 1;
        } else if 2 * ascending != edge.len() {
            turned += 1;
        }
    }
    (open, turned)
}

/// For each vertex, the first vertex at exactly the same place.
fn welded_vertices(positions: &[Vec3]) -> Vec<u32> {
    // Adding zero turns −0 into 0, which is the same place.
    let place = |vertex: u32| (positions[vertex as usize] + 0.0).to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.par_sort_unstable_by_key(|&vertex| (place(vertex), vertex));
    let mut welded = vec![0; positions.len()];
    for group in order.chunk_by(|&a, &b| place(a) == place(b)) {
        for &vertex in group {
            welded[vertex as usize] = group[0];
        }
    }
    welded
}

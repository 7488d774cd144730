//! Triangle meshes that rays hit.
//!
//! # Guarantees
//! * No ray slips through an edge that two triangles share.
//! * A mesh that moves is hit where its vertices are at the ray's moment: position plus time times
//!   velocity. Boxes cover the shutter that the mesh was built for.
//! * Triangles of zero area are never hit.
//!
//! # Non-guarantees
//! * A ray whose moment lies outside the mesh's shutter may miss it.
//! * `contains` counts signed crossings along three rays and takes the majority: exact for closed
//!   meshes, including overlapping parts; near a hole it is an estimate.
//!
//! # Vertex attributes that matter
//! `normal` (smooth shading; computed from the triangles if absent), `uv`, `velocity` (motion blur and the
//! velocity pass), `film_thickness` in m, and `opacity` from 0 to 1.

mod triangles;

use std::sync::Arc;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use whitecap_core::attributes::{NORMAL, VELOCITY};
use whitecap_core::{Bounds, Column, TriMesh};

use crate::rays::wide_bvh::{SlabRay, WideBvh};
use crate::{Hit, Ray, Shape};
use triangles::{Crossing, LANES, Packet, PacketMotion, ShearedRay};

/// Name of the column that holds the thickness of a film on the surface, in m.
pub const FILM_THICKNESS: &str = "film_thickness";
/// Name of the column that holds the fraction of rays that an opaque material stops.
pub const OPACITY: &str = "opacity";
/// Name of the texture-coordinate column.
pub const UV: &str = "uv";

/// Why a mesh cannot be rendered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A position is NaN or infinite.
    #[error("vertex {vertex} of the mesh has a position that is not a finite number: {value}")]
    Position {
        /// Which vertex.
        vertex: usize,
        /// Its position.
        value: Vec3,
    },
    /// An attribute is NaN or infinite.
    #[error("vertex {vertex} of the mesh has a value of `{name}` that is not a finite number")]
    Attribute {
        /// Which vertex.
        vertex: usize,
        /// Which attribute.
        name: &'static str,
    },
    /// An attribute does not have the type that rendering needs.
    #[error("the mesh attribute `{name}` is a {found}; rendering needs a {expected}")]
    AttributeType {
        /// Which attribute.
        name: &'static str,
        /// The type it has.
        found: &'static str,
        /// The type it must have.
        expected: &'static str,
    },
}

/// How a mesh is shaded and when it is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshOptions {
    /// Whether normals are blended between vertices; otherwise each triangle looks flat.
    pub smooth: bool,
    /// The interval of ray times, in seconds relative to the frame's own time.
    pub shutter: [f32; 2],
}

impl Default for MeshOptions {
    /// Smooth and not moving.
    fn default() -> Self {
        Self { smooth: true, shutter: [0.0, 0.0] }
    }
}

/// A triangle mesh ready to be hit.
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    mesh: Arc<TriMesh>,
    bvh: WideBvh,
    packets: Vec<Packet>,
    /// As long as `packets` when the mesh moves, otherwise empty.
    motions: Vec<PacketMotion>,
    /// One per vertex when the mesh is smooth, otherwise empty.
    normals: Vec<Vec3>,
    is_opaque: bool,
}

impl TriangleMesh {
    /// Prepares a mesh.
    pub fn new(mesh: impl Into<Arc<TriMesh>>, options: MeshOptions) -> Result<Self, MeshError> {
        let mesh = mesh.into();
        check(&mesh)?;
        let moves = options.shutter != [0.0, 0.0] && velocities(&mesh).is_some();
        let boxes = shutter_boxes(&mesh, if moves { options.shutter } else { [0.0, 0.0] });
        let bvh = WideBvh::build(&boxes, LANES);
        let indices_of = |leaf: &[u32; 2]| {
            let first = leaf[0] as usize;
            &bvh.order()[first..first + leaf[1] as usize]
        };
        let packet = |leaf: &[u32; 2]| {
            let indices = indices_of(leaf);
            let corners: Vec<_> = indices.iter().map(|&t| mesh.corners(t as usize)).collect();
            Packet::new(&corners, indices)
        };
        let packets = bvh.leaves().par_iter().map(packet).collect();
        let motions = match velocities(&mesh).filter(|_| moves) {
            Some(velocities) => {
                let motion = |leaf: &[u32; 2]| {
                    let of_corners = |&t: &u32| {
                        mesh.triangles()[t as usize].map(|vertex| velocities[vertex as usize])
                    };
                    PacketMotion::new(&indices_of(leaf).iter().map(of_corners).collect::<Vec<_>>())
                };
                bvh.leaves().par_iter().map(motion).collect()
            }
            None => Vec::new(),
        };
        let normals = if options.smooth { smooth_normals(&mesh) } else { Vec::new() };
        let is_opaque = scalars(&mesh, OPACITY).is_none_or(|all| all.iter().all(|&o| o >= 1.0));
        Ok(Self { mesh, bvh, packets, motions, normals, is_opaque })
    }

    /// The mesh it was made from.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Corners of a triangle at a moment.
    pub(crate) fn corners(&self, triangle: usize, time: f32) -> [Vec3; 3] {
        let corners = self.mesh.corners(triangle);
        match velocities(&self.mesh).filter(|_| !self.motions.is_empty()) {
            Some(velocities) => {
                let vertices = self.mesh.triangles()[triangle];
                std::array::from_fn(|i| corners[i] + time * velocities[vertices[i] as usize])
            }
            None => corners,
        }
    }

    /// Calls `found` for crossings in packets near to far; it returns the distance beyond which
    /// crossings no longer matter, negative to stop.
    #[inline]
    fn visit_crossings(&self, ray: &Ray, mut found: impl FnMut(Crossing) -> f32) {
        if !(ray.origin.is_finite() && ray.direction.is_finite() && ray.direction != Vec3::ZERO) {
            return;
        }
        let slab_ray = SlabRay::new(ray.origin, ray.direction);
        let sheared = ShearedRay::new(ray.origin, ray.direction);
        // Boxes that are missed lie at infinity, so an infinite ray must end before.
        self.bvh.visit_leaves(&slab_ray, ray.far.min(f32::MAX), |leaf, mut limit| {
            let packet = &self.packets[leaf];
            let moved;
            let packet = match self.motions.get(leaf) {
                Some(motion) => {
                    moved = packet.moved(motion, ray.time);
                    &moved
                }
                None => packet,
            };
            if let Some(crossings) = sheared.meets(packet, limit) {
                crossings.each(packet, |crossing| {
                    if crossing.distance <= limit {
                        limit = found(crossing);
                    }
                });
            }
            limit
        });
    }

    fn hit(&self, ray: &Ray, crossing: &Crossing) -> Hit {
        let triangle = crossing.triangle as usize;
        let vertices = self.mesh.triangles()[triangle].map(|vertex| vertex as usize);
        let weights = [1.0 - crossing.u - crossing.v, crossing.u, crossing.v];
        let corners = self.corners(triangle, ray.time);
        let geometric_normal = normal_of(&corners);
        let blend = |values: &[Vec3]| -> Vec3 {
            (0..3).map(|corner| weights[corner] * values[vertices[corner]]).sum()
        };
        let shading_normal = if self.normals.is_empty() {
            geometric_normal
        } else {
            let normal = blend(&self.normals).normalize_or(geometric_normal);
            if normal.dot(geometric_normal) < 0.0 { -normal } else { normal }
        };
        let uv = match self.mesh.attribute(UV) {
            Some(Column::Vec2(uv)) => {
                (0..3).map(|corner| weights[corner] * uv[vertices[corner]]).sum()
            }
            _ => Vec2::new(crossing.u, crossing.v),
        };
        let blend_scalars = |values: &[f32]| -> f32 {
            (0..3).map(|corner| weights[corner] * values[vertices[corner]]).sum()
        };
        let opacity = match self.is_opaque {
            true => 1.0,
            false => scalars(&self.mesh, OPACITY).map_or(1.0, blend_scalars).clamp(0.0, 1.0),
        };
        // The crossing is found from corners relative to the origin; their size sets its rounding.
        let reach = corners.map(|corner| (corner - ray.origin).abs().max_element());
        let point = ray.at(crossing.distance).abs().max_element();
        let scale = point + reach[0].max(reach[1]).max(reach[2]);
        Hit {
            distance: crossing.distance,
            geometric_normal,
            shading_normal,
            uv,
            velocity: velocities(&self.mesh).map_or(Vec3::ZERO, blend),
            element: crossing.triangle,
            particle: None,
            film_thickness: scalars(&self.mesh, FILM_THICKNESS).map_or(0.0, blend_scalars),
            opacity,
            uncertainty: 8.0 * f32::EPSILON * scale,
        }
    }

    /// How many times the surface winds around a point, counted along one ray.
    fn signed_crossings(&self, ray: &Ray) -> i32 {
        let mut count = 0;
        self.visit_crossings(ray, |crossing| {
            let corners = self.corners(crossing.triangle as usize, ray.time);
            let outward = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            count += if outward.dot(ray.direction) > 0.0 { 1 } else { -1 };
            f32::MAX
        });
        count
    }
}

impl Shape for TriangleMesh {
    fn bounds(&self) -> Bounds {
        self.bvh.bounds()
    }

    fn intersect(&self, ray: &Ray) -> Option<Hit> {
        let mut nearest: Option<Crossing> = None;
        self.visit_crossings(ray, |crossing| {
            // Among triangles at equal distance the lowest index counts.
            let earlier = nearest
                .is_none_or(|n| crossing.distance < n.distance || crossing.triangle < n.triangle);
            if earlier {
                nearest = Some(crossing);
            }
            crossing.distance
        });
        nearest.map(|crossing| self.hit(ray, &crossing))
    }

    fn blocks(&self, ray: &Ray) -> bool {
        let mut blocked = false;
        self.visit_crossings(ray, |_| {
            blocked = true;
            -1.0
        });
        blocked
    }

    fn contains(&self, point: Vec3, time: f32) -> bool {
        // Spread out and along no likely edge, so that at most one hits an open surface.
        const DIRECTIONS: [Vec3; 3] = [
            Vec3::new(0.3271, 0.9141, 0.2393),
            Vec3::new(-0.8713, -0.3889, 0.2992),
            Vec3::new(0.4427, -0.4013, -0.8018),
        ];
        if !self.bounds().contains(point) {
            return false;
        }
        let inside = |&direction: &Vec3| {
            let direction = direction.normalize();
            let ray = Ray { origin: point, direction, time, far: f32::INFINITY };
            self.signed_crossings(&ray) > 0
        };
        DIRECTIONS.iter().filter(|direction| inside(direction)).count() >= 2
    }

    fn is_opaque(&self) -> bool {
        self.is_opaque
    }

    fn bytes(&self) -> usize {
        let columns = self.mesh.attributes().iter();
        let attributes: usize =
            columns.map(|(_, column)| 4 * column.len() * column.components()).sum();
        self.bvh.bytes()
            + size_of_val(&self.packets[..])
            + size_of_val(&self.motions[..])
            + size_of_val(&self.normals[..])
            + size_of_val(self.mesh.positions())
            + size_of_val(self.mesh.triangles())
            + attributes
    }
}

fn scalars<'a>(mesh: &'a TriMesh, name: &str) -> Option<&'a [f32]> {
    match mesh.attribute(name) {
        Some(Column::F32(values)) => Some(values),
        _ => None,
    }
}

fn velocities(mesh: &TriMesh) -> Option<&[Vec3]> {
    match mesh.attribute(VELOCITY) {
        Some(Column::Vec3(velocities)) => Some(velocities),
        _ => None,
    }
}

/// The unit normal of a triangle. A sliver's products underflow in single precision, not in double.
fn normal_of(corners: &[Vec3; 3]) -> Vec3 {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    (b - a).cross(c - a).normalize_or(glam::DVec3::Y).as_vec3()
}

fn smooth_normals(mesh: &TriMesh) -> Vec<Vec3> {
    match mesh.attribute(NORMAL) {
        Some(Column::Vec3(normals)) => normals.clone(),
        _ => mesh.vertex_normals(),
    }
}

fn shutter_boxes(mesh: &TriMesh, shutter: [f32; 2]) -> Vec<Bounds> {
    let velocities = velocities(mesh).filter(|_| shutter != [0.0, 0.0]);
    let around = |triangle: usize| {
        let corners = mesh.corners(triangle);
        let Some(velocities) = velocities else { return Bounds::of_corners(corners) };
        let vertices = mesh.triangles()[triangle];
        let at = |time: f32| {
            let corner = |i: usize| corners[i] + time * velocities[vertices[i] as usize];
            Bounds::of_corners([corner(0), corner(1), corner(2)])
        };
        let covered = at(shutter[0]).union(at(shutter[1]));
        // Corners moved to an intermediate time may round to just outside.
        let size = covered.min.abs().max(covered.max.abs()).max_element();
        covered.grown(2.0 * f32::EPSILON * size)
    };
    (0..mesh.triangles().len()).into_par_iter().map(around).collect()
}

fn check(mesh: &TriMesh) -> Result<(), MeshError> {
    if let Some(vertex) = mesh.positions().iter().position(|position| !position.is_finite()) {
        return Err(MeshError::Position { vertex, value: mesh.positions()[vertex] });
    }
    let vector = Column::Vec3(Vec::new()).type_name();
    let pair = Column::Vec2(Vec::new()).type_name();
    let scalar = Column::F32(Vec::new()).type_name();
    let needed = [(NORMAL, vector), (VELOCITY, vector), (UV, pair)];
    let needed = needed.into_iter().chain([(FILM_THICKNESS, scalar), (OPACITY, scalar)]);
    for (name, expected) in needed {
        let Some(column) = mesh.attribute(name) else { continue };
        let found = column.type_name();
        if found != expected {
            return Err(MeshError::AttributeType { name, found, expected });
        }
        if let Some(vertex) = column.first_non_finite() {
            return Err(MeshError::Attribute { vertex, name });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

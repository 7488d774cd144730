//! Openings that liquid leaves through: discs, rectangles and surfaces of meshes.
//!
//! # Guarantees
//! * The points of a disc or a rectangle lie on a square lattice, one spacing apart and centred; those
//!   of a mesh are at least one spacing apart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

use crate::error::{SceneError, unit_vector};
use crate::sampling::{CLOSEST, SurfaceSample, sample_surface};
use crate::schema::describe_choices;
use crate::setting::SettingError;
use crate::shape::{MeshFile, no_direction};

/// The largest number of points of one layer.
const MOST: f64 = (1u64 << 24) as f64;

/// The opening of an emitter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = describe_choices)]
pub enum Opening {
    /// A round opening.
    Disc(Disc),
    /// A rectangular opening.
    Rectangle(Rectangle),
    /// The surface of a mesh, along its normals.
    Mesh(MeshFile),
}

/// A round opening.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Direction in which liquid leaves, of any length.
    #[schemars(extend("unit" = "none"))]
    pub normal: [f32; 3],
    /// Radius.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub radius: f32,
}

/// A rectangular opening.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rectangle {
    /// Centre (x, y, z).
    #[schemars(extend("unit" = "m"))]
    pub center: [f32; 3],
    /// Direction in which liquid leaves, of any length.
    #[schemars(extend("unit" = "none"))]
    pub normal: [f32; 3],
    /// Direction of the width; only its component perpendicular to the normal matters.
    #[schemars(extend("unit" = "none"))]
    pub along: [f32; 3],
    /// Edge length along `along`.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub width: f32,
    /// Edge length across `along`.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub height: f32,
}

impl Opening {
    /// Points and the directions in which liquid leaves them; a mesh opening needs its mesh.
    pub(crate) fn points(
        &self,
        mesh: Option<&TriMesh>,
        spacing: f32,
    ) -> Result<Vec<(Vec3, Vec3)>, SceneError> {
        match self {
            Opening::Disc(disc) => disc.points(spacing),
            Opening::Rectangle(rectangle) => rectangle.points(spacing),
            Opening::Mesh(_) => mesh_points(mesh.ok_or(SceneError::EmptyMesh)?, spacing),
        }
    }
}

/// The unit vector of a setting.
fn direction(key: &str, what: &str, value: [f32; 3]) -> Result<Vec3, SettingError> {
    unit_vector(value.into()).ok_or_else(|| no_direction(key, what))
}

impl Disc {
    fn points(&self, spacing: f32) -> Result<Vec<(Vec3, Vec3)>, SceneError> {
        let normal = direction("from.disc.normal", "the normal of a disc", self.normal)?;
        let (center, radius) = (Vec3::from(self.center), self.radius);
        let (along, across) = normal.any_orthonormal_pair();
        let each_way = radius / spacing;
        check_count(4.0 * f64::from(each_way).powi(2), spacing)?;
        let last = each_way.floor() as i32;
        let nodes = (-last..=last).flat_map(|v| (-last..=last).map(move |u| (u as f32, v as f32)));
        let inside = nodes.filter(|(u, v)| u * u + v * v <= each_way * each_way);
        Ok(inside.map(|(u, v)| (center + (along * u + across * v) * spacing, normal)).collect())
    }
}

impl Rectangle {
    fn points(&self, spacing: f32) -> Result<Vec<(Vec3, Vec3)>, SceneError> {
        let Self { width, height, .. } = *self;
        let center = Vec3::from(self.center);
        let normal = direction("from.rectangle.normal", "the normal of a rectangle", self.normal)?;
        let key = "from.rectangle.along";
        let along = direction(key, "the width of a rectangle", self.along)?;
        let across = along.reject_from_normalized(normal);
        let along = direction(key, "the width across the normal", across.to_array())?;
        let across = normal.cross(along);
        // A little slack, so that decimal fractions do not lose a row to rounding.
        let count = |length: f32| (length / spacing + 1e-3).floor();
        let (columns, rows) = (count(width), count(height));
        check_count(f64::from(columns.max(1.0)) * f64::from(rows.max(1.0)), spacing)?;
        let from_center = |index: i32, count: f32| (index as f32 - 0.5 * (count - 1.0)) * spacing;
        let nodes = (0..rows as i32).flat_map(|v| (0..columns as i32).map(move |u| (u, v)));
        let place =
            |(u, v)| center + along * from_center(u, columns) + across * from_center(v, rows);
        Ok(nodes.map(|node| (place(node), normal)).collect())
    }
}

/// Fails if an emitter would make an absurd number of points.
pub(crate) fn check_count(count: f64, spacing: f32) -> Result<(), SceneError> {
    if count <= MOST {
        Ok(())
    } else {
        Err(SceneError::TooMany { what: "an emitter", count, spacing, most: MOST })
    }
}

/// Samples of a mesh at least one spacing apart, with the normals of their triangles.
fn mesh_points(mesh: &TriMesh, spacing: f32) -> Result<Vec<(Vec3, Vec3)>, SceneError> {
    let samples = sample_surface(mesh, spacing / CLOSEST)?;
    let point = |sample: &SurfaceSample| {
        let [a, b, c] = mesh.corners(sample.triangle as usize);
        let normal = (b - a).cross(c - a).as_dvec3().normalize_or_zero().as_vec3();
        (normal != Vec3::ZERO).then(|| (sample.position(mesh), normal))
    };
    Ok(samples.iter().filter_map(point).collect())
}

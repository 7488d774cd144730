//! Choosing points on lights.

use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use glam::Vec3;

use super::{Light, LightKind};
use crate::sampling::frame::{Frame, uniform_disc};
use crate::scattering::bsdf::luminance;
use crate::shapes::{Disc, Rectangle, Sphere};
use crate::{Ray, Shape, TriangleMesh};

/// A point on a light, seen from a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LightPoint {
    pub(crate) direction: Vec3,
    /// Infinite for suns and environments.
    pub(crate) distance: f32,
    pub(crate) radiance: Vec3,
    /// Density per steradian with which this direction was chosen.
    pub(crate) pdf: f32,
}

/// A light prepared for choosing points on it.
pub(crate) struct PreparedLight {
    pub(crate) visible: bool,
    radiance: Vec3,
    shape: LightShape,
}

enum LightShape {
    Sun { frame: Frame, direction: Vec3, cosine: f32 },
    Rectangle { shape: Rectangle, two_sided: bool },
    Disc { shape: Disc, two_sided: bool },
    Sphere(Sphere),
    Mesh { shape: Arc<TriangleMesh>, areas: Vec<f32>, middle: Vec3 },
}

impl PreparedLight {
    pub(crate) fn new(light: &Light) -> Self {
        let (radiance, shape) = match &light.kind {
            LightKind::Sun { direction, diameter, irradiance } => {
                let direction = direction.normalize_or(Vec3::Y);
                let half_angle = 0.5 * diameter.to_radians();
                // Projected on a plane that faces it, the disc covers π sin².
                let covered = PI * half_angle.sin().powi(2);
                let frame = Frame::new(direction);
                let shape = LightShape::Sun { frame, direction, cosine: half_angle.cos() };
                (*irradiance / covered.max(f32::MIN_POSITIVE), shape)
            }
            LightKind::Rectangle { shape, radiance, two_sided } => {
                (*radiance, LightShape::Rectangle { shape: *shape, two_sided: *two_sided })
            }
            LightKind::Disc { shape, radiance, two_sided } => {
                (*radiance, LightShape::Disc { shape: *shape, two_sided: *two_sided })
            }
            LightKind::Sphere { shape, radiance } => (*radiance, LightShape::Sphere(*shape)),
            LightKind::Mesh { shape, radiance } => (*radiance, mesh_shape(shape)),
        };
        Self { visible: light.visible, radiance, shape }
    }

    fn area(&self) -> f32 {
        match &self.shape {
            LightShape::Sun { .. } => f32::INFINITY,
            LightShape::Rectangle { shape, .. } => shape.area(),
            LightShape::Disc { shape, .. } => PI * shape.radius * shape.radius,
            LightShape::Sphere(sphere) => PI * sphere.radius * sphere.radius,
            LightShape::Mesh { areas, .. } => areas.last().copied().unwrap_or(0.0),
        }
    }

    /// An estimate of the irradiance at a position, as brightness: how often to choose this light
    /// there.
    pub(crate) fn importance(&self, place: Vec3) -> f32 {
        let bright = luminance(self.radiance);
        let middle = match &self.shape {
            LightShape::Sun { cosine, .. } => return bright * TAU * (1.0 - cosine),
            LightShape::Rectangle { shape, .. } => {
                shape.corner + 0.5 * (shape.edge_u + shape.edge_v)
            }
            LightShape::Disc { shape, .. } => shape.center,
            LightShape::Sphere(sphere) => sphere.center,
            LightShape::Mesh { middle, .. } => *middle,
        };
        let area = self.area();
        bright * area / (place.distance_squared(middle) + area / PI)
    }

    /// A point on the light; `None` if the chosen point sends no light here.
    pub(crate) fn sample(&self, place: Vec3, time: f32, point: [f32; 2]) -> Option<LightPoint> {
        let [u, v] = point;
        match &self.shape {
            LightShape::Sun { frame, cosine, .. } => {
                let local = cone_direction(point, 1.0 - cosine);
                let pdf = 1.0 / (TAU * (1.0 - cosine));
                Some(LightPoint {
                    direction: frame.world(local),
                    distance: f32::INFINITY,
                    radiance: self.radiance,
                    pdf,
                })
            }
            LightShape::Rectangle { shape, two_sided } => {
                let on_light = shape.corner + u * shape.edge_u + v * shape.edge_v;
                self.flat_point(place, on_light, shape.normal(), *two_sided, shape.area())
            }
            LightShape::Disc { shape, two_sided } => {
                let (x, y) = shape.normal.any_orthonormal_pair();
                let [a, b] = uniform_disc(point).map(|c| shape.radius * c);
                let on_light = shape.center + a * x + b * y;
                self.flat_point(place, on_light, shape.normal, *two_sided, self.area())
            }
            LightShape::Sphere(sphere) => self.sphere_point(place, sphere, point),
            LightShape::Mesh { shape, areas, .. } => {
                let total = areas.last().copied().filter(|&area| area > 0.0)?;
                let triangle = areas.partition_point(|&sum| sum <= u * total).min(areas.len() - 1);
                let before = if triangle == 0 { 0.0 } else { areas[triangle - 1] };
                let share = areas[triangle] - before;
                // The remainder of the first number, rescaled over the triangle.
                let u = ((u * total - before) / share).clamp(0.0, 1.0);
                let [a, b, c] = shape.corners(triangle, time);
                let root = u.sqrt();
                let on_light = a + root * (1.0 - v) * (b - a) + root * v * (c - a);
                let across = (b - a).cross(c - a);
                let area = 0.5 * across.length();
                let normal = across.normalize_or_zero();
                self.flat_point(place, on_light, normal, false, total * area / share)
            }
        }
    }

    fn flat_point(
        &self,
        place: Vec3,
        on_light: Vec3,
        normal: Vec3,
        two_sided: bool,
        area: f32,
    ) -> Option<LightPoint> {
        let offset = on_light - place;
        let distance = offset.length();
        let direction = offset / distance;
        let pdf = flat_pdf(direction, distance, normal, two_sided, area)?;
        Some(LightPoint { direction, distance, radiance: self.radiance, pdf })
    }

    fn sphere_point(&self, place: Vec3, sphere: &Sphere, point: [f32; 2]) -> Option<LightPoint> {
        let offset = sphere.center - place;
        let spread = cone_spread(offset.length_squared(), sphere.radius)?;
        let local = cone_direction(point, spread);
        let direction = Frame::new(offset.normalize()).world(local);
        let ray = Ray { origin: place, direction, time: 0.0, far: f32::INFINITY };
        // At the very rim, rounding may make the ray miss the ball.
        let distance = sphere.crossings(&ray).map_or(offset.dot(direction), |crossing| crossing[0]);
        let pdf = 1.0 / (TAU * spread);
        Some(LightPoint { direction, distance, radiance: self.radiance, pdf })
    }

    /// The light that a ray hits by chance, if it shines that way. The density is that of choosing
    /// the same direction from a position `behind` metres behind the ray's origin.
    pub(crate) fn meet(&self, ray: &Ray, behind: f32) -> Option<LightPoint> {
        let at = |distance: f32, pdf: f32| LightPoint {
            direction: ray.direction,
            distance,
            radiance: self.radiance,
            pdf,
        };
        let flat = |hit: crate::Hit, two_sided: bool, area: f32| {
            let normal = hit.geometric_normal;
            let pdf = flat_pdf(ray.direction, behind + hit.distance, normal, two_sided, area)?;
            Some(at(hit.distance, pdf))
        };
        match &self.shape {
            LightShape::Sun { direction, cosine, .. } => {
                let pdf = 1.0 / (TAU * (1.0 - cosine));
                let inside = ray.far == f32::INFINITY && ray.direction.dot(*direction) >= *cosine;
                inside.then(|| at(f32::INFINITY, pdf))
            }
            LightShape::Rectangle { shape, two_sided } => {
                flat(shape.intersect(ray)?, *two_sided, shape.area())
            }
            LightShape::Disc { shape, two_sided } => {
                flat(shape.intersect(ray)?, *two_sided, self.area())
            }
            LightShape::Sphere(sphere) => {
                let hit = sphere.intersect(ray)?;
                let offset = sphere.center - ray.at(-behind);
                let spread = cone_spread(offset.length_squared(), sphere.radius)?;
                Some(at(hit.distance, 1.0 / (TAU * spread)))
            }
            LightShape::Mesh { shape, areas, .. } => {
                let hit = shape.intersect(ray)?;
                let triangle = hit.element as usize;
                let before = if triangle == 0 { 0.0 } else { areas[triangle - 1] };
                let share = areas[triangle] - before;
                let [a, b, c] = shape.corners(triangle, ray.time);
                let area = 0.5 * (b - a).cross(c - a).length();
                flat(hit, false, areas.last()? * area / share)
            }
        }
    }
}

fn mesh_shape(shape: &Arc<TriangleMesh>) -> LightShape {
    let mesh = shape.mesh();
    let mut areas = Vec::with_capacity(mesh.triangles().len());
    let mut sum = 0.0f64;
    for triangle in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(triangle);
        sum += f64::from(0.5 * (b - a).cross(c - a).length());
        areas.push(sum as f32);
    }
    LightShape::Mesh { shape: shape.clone(), areas, middle: shape.bounds().center() }
}

/// Density per steradian of a point chosen evenly over an area; `None` seen from behind.
fn flat_pdf(
    direction: Vec3,
    distance: f32,
    normal: Vec3,
    two_sided: bool,
    area: f32,
) -> Option<f32> {
    let cosine = -direction.dot(normal);
    let cosine = if two_sided { cosine.abs() } else { cosine };
    let pdf = distance * distance / (cosine * area);
    (cosine > 1e-6 && pdf.is_finite() && pdf > 0.0).then_some(pdf)
}

/// One minus the cosine of the half angle under which a ball is seen; `None` from inside.
fn cone_spread(distance_squared: f32, radius: f32) -> Option<f32> {
    let sine_squared = radius * radius / distance_squared;
    if sine_squared >= 1.0 {
        return None;
    }
    // 1 − √(1 − s) without cancellation.
    Some(sine_squared / (1.0 + (1.0 - sine_squared).sqrt()))
}

/// A uniform direction within a cone around z; `spread` is one minus the cosine of its half angle.
fn cone_direction([u, v]: [f32; 2], spread: f32) -> Vec3 {
    let fall = u * spread;
    let ring = (fall * (2.0 - fall)).max(0.0).sqrt();
    let angle = TAU * v;
    Vec3::new(ring * angle.cos(), ring * angle.sin(), 1.0 - fall)
}

//! A body at one time.

use std::sync::Arc;

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::{Bounds, Column, KeyframedTransform, Transform, TriMesh, attributes};

use crate::closed_shape::ClosedShape;
use crate::error::SceneError;
use crate::sampling::SurfaceSample;

/// A body at one time. Cheap to make for a rigid body.
#[derive(Clone, Debug)]
pub struct BodyPose {
    pub(super) shape: Arc<ClosedShape>,
    pub(super) placement: Transform,
    pub(super) to_local: Transform,
    material: Material,
}

/// How the material moves.
#[derive(Clone, Debug)]
pub(super) enum Material {
    Rigid { path: Arc<KeyframedTransform>, time: f64 },
    Deforming { velocities: Vec<Vec3> },
}

/// The place on a body's surface nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestSurface {
    /// Distance in metres; negative inside the body.
    pub distance: f32,
    /// The nearest point of the surface.
    pub point: Vec3,
    /// Unit vector away from the body, along which the distance grows.
    pub normal: Vec3,
    /// Velocity of the body there, in m/s.
    pub velocity: Vec3,
    /// Where on the mesh it is.
    pub sample: SurfaceSample,
}

impl BodyPose {
    pub(super) fn new(
        shape: Arc<ClosedShape>,
        placement: Transform,
        material: Material,
        time: f64,
    ) -> Result<Self, SceneError> {
        let scale = placement.scale;
        let to_local = placement.inverse().ok_or(SceneError::Scale { time, scale })?;
        Ok(Self { shape, placement, to_local, material })
    }

    /// The mesh at this time, with the column `velocity` in m/s.
    pub fn mesh(&self) -> TriMesh {
        let mut mesh = self.placement.mesh(self.shape.mesh().clone());
        let velocities = match &self.material {
            Material::Rigid { path, time } => {
                mesh.positions().iter().map(|&point| path.velocity(*time, point)).collect()
            }
            Material::Deforming { velocities } => velocities.clone(),
        };
        mesh.set_attribute(attributes::VELOCITY, Column::Vec3(velocities))
            .expect("there is a velocity for each vertex");
        mesh
    }

    /// The shape before it is placed.
    pub fn shape(&self) -> &ClosedShape {
        &self.shape
    }

    /// Where the shape is placed.
    pub fn placement(&self) -> &Transform {
        &self.placement
    }

    /// Positions of samples.
    pub fn positions(&self, samples: &[SurfaceSample]) -> Vec<Vec3> {
        let place =
            |sample: &SurfaceSample| self.placement.point(sample.position(self.shape.mesh()));
        samples.par_iter().map(place).collect()
    }

    /// Velocities of samples, in m/s.
    pub fn velocities(&self, samples: &[SurfaceSample]) -> Vec<Vec3> {
        let velocity = |sample: &SurfaceSample| {
            self.velocity_of(sample, self.placement.point(sample.position(self.shape.mesh())))
        };
        samples.par_iter().map(velocity).collect()
    }

    /// The smallest box around the body, grown by rounding.
    pub fn bounds(&self) -> Bounds {
        let local = self.shape.bounds();
        let radius = (0.5 * local.size()).length() * self.placement.scale;
        let center = self.placement.point(local.center());
        let round = Bounds::new(center - radius, center + radius);
        if self.placement == Transform::IDENTITY { local } else { round }.grown(self.rounding())
    }

    /// The farthest that a point of the body has moved since an earlier pose, in metres.
    pub fn largest_move(&self, earlier: &BodyPose) -> f32 {
        let places = |pose: &BodyPose| pose.mesh().positions().to_vec();
        let pairs = places(self).into_iter().zip(places(earlier));
        pairs.map(|(after, before)| after.distance_squared(before)).fold(0.0, f32::max).sqrt()
    }

    /// Whether a point is inside the body.
    pub fn contains(&self, point: Vec3) -> bool {
        self.shape.contains(self.to_local.point(point))
    }

    /// Distance to the surface in metres, negative inside.
    pub fn signed_distance(&self, point: Vec3) -> f32 {
        self.nearest(point, f32::INFINITY).map_or(f32::INFINITY, |found| found.distance)
    }

    /// The nearest point of the surface, if one lies within `reach` metres.
    pub fn nearest(&self, point: Vec3, reach: f32) -> Option<NearestSurface> {
        let scale = self.placement.scale;
        let local = self.to_local.point(point);
        let found = self.shape.nearest(local, reach / scale)?;
        let on_surface = self.placement.point(found.point);
        Some(NearestSurface {
            distance: found.distance * scale,
            point: on_surface,
            normal: self.placement.normal(found.normal),
            velocity: self.velocity_of(&found.sample, on_surface),
            sample: found.sample,
        })
    }

    /// Velocity in m/s of the material at or below a sample that lies at `point`.
    pub fn velocity_of(&self, sample: &SurfaceSample, point: Vec3) -> Vec3 {
        match &self.material {
            Material::Rigid { path, time } => path.velocity(*time, point),
            Material::Deforming { velocities } => {
                sample.interpolate(self.shape.mesh().triangles(), velocities)
            }
        }
    }

    /// A length below which positions near the body cannot be distinguished.
    pub(super) fn rounding(&self) -> f32 {
        let local = self.shape.bounds();
        let extent = local.min.abs().max(local.max.abs()).max_element() * self.placement.scale;
        16.0 * f32::EPSILON * (extent + self.placement.translation.abs().max_element())
    }
}

//! Solids that a liquid flows round: closed triangle meshes at rest, in rigid motion, or
//! deforming, and [`Walls`] of planes and boxes.
//!
//! A [`Solid`] knows its motion; [`Solid::at`] gives a [`SolidPose`], the solid at one time, which
//! answers everything else: where its samples are and how fast they move, how far a point is from
//! its surface, and where a particle that got too close belongs.
//!
//! # Guarantees
//! * A mesh that is not closed, not consistently oriented or not finite is refused with a
//!   sentence. A closed mesh that is inside out is turned.
//! * Distances are exact to rounding: they come from the triangles, not from a grid, so solids
//!   thinner than a particle are solid.
//! * After [`SolidPose::push_out`] (with unlimited reach) or [`SolidPose::collide`] a particle is
//!   outside the solid. [`SolidPose::collide`] also stops a particle that jumped across a thin
//!   solid in one step.
//!
//! # Non-guarantees
//! * Between frames a deforming mesh moves linearly; fast turns shorten it on the way.
//! * A deforming solid costs a new hierarchy over its triangles at every pose.

mod closed_shape;
mod contact;
mod deformation;
mod layers;
mod settings;
mod walls;

use std::sync::Arc;

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::{Bounds, KeyframedTransform, Transform, TriMesh};

use super::sampling::{SurfaceSample, sample_surface};
use super::source_error::{SourceError, positive};
use deformation::Deformation;

pub use closed_shape::ClosedShape;
pub use contact::{Contact, slide};
pub use layers::{BoundarySample, box_samples};
pub use settings::{SolidKey, SolidSettings};
pub use walls::{BoxShape, PlaneWall, Side, Walls};

/// A closed mesh and how it moves.
#[derive(Clone, Debug)]
pub struct Solid {
    motion: Motion,
}

#[derive(Clone, Debug)]
enum Motion {
    Rigid { shape: Arc<ClosedShape>, path: Arc<KeyframedTransform>, largest_scale: f32 },
    Deforming(Deformation),
}

impl Solid {
    /// A solid that never moves.
    pub fn fixed(mesh: TriMesh) -> Result<Self, SourceError> {
        Self::rigid(mesh, vec![(0.0, Transform::IDENTITY)])
    }

    /// A solid carried through placements at certain times (seconds, ascending). Before the first
    /// and after the last it rests.
    pub fn rigid(mesh: TriMesh, keys: Vec<(f64, Transform)>) -> Result<Self, SourceError> {
        let largest_scale = keys.iter().map(|(_, key)| key.scale).fold(0.0, f32::max);
        let path = Arc::new(KeyframedTransform::new(keys)?);
        let shape = Arc::new(ClosedShape::new(mesh)?);
        Ok(Self { motion: Motion::Rigid { shape, path, largest_scale } })
    }

    /// A solid given by the same mesh at several times (seconds, ascending), interpolated
    /// linearly. Before the first and after the last it rests.
    pub fn deforming(frames: Vec<(f64, TriMesh)>) -> Result<Self, SourceError> {
        Ok(Self { motion: Motion::Deforming(Deformation::new(frames)?) })
    }

    /// Adds the next mesh of a deforming solid and forgets all but the newest two, so that a long
    /// sequence need not be in memory at once.
    pub fn advance(&mut self, time: f64, mesh: TriMesh) -> Result<(), SourceError> {
        match &mut self.motion {
            Motion::Deforming(deformation) => deformation.advance(time, mesh),
            Motion::Rigid { .. } => Err(SourceError::NotDeforming),
        }
    }

    /// Samples for boundary particles, at most `spacing` metres apart when the solid is largest:
    /// at its largest key, or in the frame of largest area.
    pub fn sample(&self, spacing: f32) -> Result<Vec<SurfaceSample>, SourceError> {
        positive("the spacing", spacing)?;
        match &self.motion {
            Motion::Rigid { shape, .. } => {
                sample_surface(shape.mesh(), spacing / self.largest_scale())
            }
            Motion::Deforming(deformation) => sample_surface(&deformation.largest_frame(), spacing),
        }
    }

    /// The largest scale that it ever has.
    fn largest_scale(&self) -> f32 {
        match &self.motion {
            Motion::Rigid { largest_scale, .. } => *largest_scale,
            Motion::Deforming(_) => 1.0,
        }
    }

    /// The solid at a time in seconds.
    pub fn at(&self, time: f64) -> Result<SolidPose, SourceError> {
        let (shape, placement, material) = match &self.motion {
            Motion::Rigid { shape, path, .. } => {
                let material = Material::Rigid { path: path.clone(), time };
                (shape.clone(), path.at(time), material)
            }
            Motion::Deforming(deformation) => {
                let (mesh, velocities) = deformation.at(time);
                let shape = Arc::new(ClosedShape::prepared(mesh));
                (shape, Transform::IDENTITY, Material::Deforming { velocities })
            }
        };
        let scale = placement.scale;
        let to_local = placement.inverse().ok_or(SourceError::Scale { time, scale })?;
        Ok(SolidPose { shape, placement, to_local, material })
    }
}

/// A solid at one time. Cheap to make for a rigid solid.
#[derive(Clone, Debug)]
pub struct SolidPose {
    shape: Arc<ClosedShape>,
    placement: Transform,
    to_local: Transform,
    material: Material,
}

/// How the material moves.
#[derive(Clone, Debug)]
enum Material {
    Rigid { path: Arc<KeyframedTransform>, time: f64 },
    Deforming { velocities: Vec<Vec3> },
}

/// The place on a solid's surface nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestSurface {
    /// Distance in metres; negative inside the solid.
    pub distance: f32,
    /// The nearest point of the surface.
    pub point: Vec3,
    /// Unit vector away from the solid, along which the distance grows.
    pub normal: Vec3,
    /// Velocity of the solid there, in m/s.
    pub velocity: Vec3,
    /// Where on the mesh it is.
    pub sample: SurfaceSample,
}

impl SolidPose {
    /// Positions of samples.
    pub fn positions(&self, samples: &[SurfaceSample]) -> Vec<Vec3> {
        let place = |sample: &SurfaceSample| self.placement.point(sample.position(self.mesh()));
        samples.par_iter().map(place).collect()
    }

    /// Velocities of samples, in m/s.
    pub fn velocities(&self, samples: &[SurfaceSample]) -> Vec<Vec3> {
        let velocity = |sample: &SurfaceSample| {
            self.velocity_of(sample, self.placement.point(sample.position(self.mesh())))
        };
        samples.par_iter().map(velocity).collect()
    }

    /// The smallest box around the solid, grown by rounding.
    pub fn bounds(&self) -> Bounds {
        let local = self.shape.bounds();
        let radius = (0.5 * local.size()).length() * self.placement.scale;
        let center = self.placement.point(local.center());
        let round = Bounds::new(center - radius, center + radius);
        if self.placement == Transform::IDENTITY { local } else { round }.grown(self.rounding())
    }

    /// Whether a point is inside the solid.
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

    fn mesh(&self) -> &TriMesh {
        self.shape.mesh()
    }

    /// Velocity of the material at a sample, which lies at `point`.
    fn velocity_of(&self, sample: &SurfaceSample, point: Vec3) -> Vec3 {
        match &self.material {
            Material::Rigid { path, time } => path.velocity(*time, point),
            Material::Deforming { velocities } => {
                sample.interpolate(self.mesh().triangles(), velocities)
            }
        }
    }

    /// A length below which positions near the solid cannot be told apart.
    fn rounding(&self) -> f32 {
        let local = self.shape.bounds();
        let extent = local.min.abs().max(local.max.abs()).max_element() * self.placement.scale;
        16.0 * f32::EPSILON * (extent + self.placement.translation.abs().max_element())
    }
}

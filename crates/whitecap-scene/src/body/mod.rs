//! Animated bodies: closed triangle meshes at rest, in rigid motion, or deforming.
//!
//! A [`MeshMotion`] is a mesh and its motion: carried through keys, or a sequence of frames with the
//! same triangles, in memory or read when needed ([`BodyFrames`]). An [`AnimatedBody`] is one
//! that is closed and so has an inside. [`AnimatedBody::at`] gives a [`BodyPose`], the body at one time,
//! which answers everything else: where its samples are and how fast they move, how far a point is from
//! its surface, and where to put a particle that got too close. Solids of liquids, obstacles of waves,
//! terrain and objects of pictures are all made of these.
//!
//! # Guarantees
//! * A mesh that is not closed, not consistently oriented or not finite is refused with a
//!   sentence. A closed mesh that is inside out is flipped.
//! * A body can be queried for any time, in any order and from any thread, and gives the same answers.
//! * Distances are exact to rounding: they come from the triangles, not from a grid, so bodies
//!   thinner than a particle are solid.
//! * Between its frames a deforming mesh moves smoothly: positions are of third order in the time
//!   between frames, and velocities are their derivatives.
//! * After [`BodyPose::push_out`] (with unlimited reach) or [`BodyPose::collide`] a particle is
//!   outside the body. [`BodyPose::collide`] also stops a particle that jumped across a thin
//!   body in one step.
//!
//! # Non-guarantees
//! * Vertices move along cubics, each on its own: a body that turns by a large angle from frame to frame
//!   changes its size a little in between, and a motion that stops at a frame overshoots a little.
//! * Only the first frame of a sequence is checked for being closed, and each frame for having the same
//!   triangles.
//! * A deforming body needs a new hierarchy over its triangles at every pose.

mod contact;
mod frames;
mod motion;
mod pose;
mod sequence;
mod settings;

use std::sync::Arc;

use whitecap_core::{Transform, TriMesh};

use crate::closed_shape::{ClosedShape, closed_mesh};
use crate::error::{SceneError, positive};
use crate::sampling::{SurfaceSample, sample_surface};
use motion::MotionKind;
use pose::Material;

pub use contact::{Contact, slide};
pub use frames::{BodyFrames, FramesInMemory};
pub use motion::MeshMotion;
pub use pose::{BodyPose, NearestSurface};
pub use settings::{BodySettings, PoseKey};

/// A closed mesh and its motion.
#[derive(Clone, Debug)]
pub struct AnimatedBody {
    motion: MeshMotion,
    /// The shape of a rigid body, which never changes.
    shape: Option<Arc<ClosedShape>>,
    /// Whether the frames of a sequence are inside out.
    turned: bool,
}

impl AnimatedBody {
    /// A body from a mesh in motion, which must be closed.
    pub fn new(motion: MeshMotion) -> Result<Self, SceneError> {
        match &motion.kind {
            MotionKind::Rigid { mesh, .. } => {
                let shape = Arc::new(ClosedShape::new(mesh.as_ref().clone())?);
                Ok(Self { motion, shape: Some(shape), turned: false })
            }
            MotionKind::Sequence(sequence) => {
                let closed = closed_mesh(sequence.first().clone())?;
                let turned = closed.triangles() != sequence.first().triangles();
                Ok(Self { motion, shape: None, turned })
            }
        }
    }

    /// A body that never moves.
    pub fn at_rest(mesh: TriMesh) -> Result<Self, SceneError> {
        Self::new(MeshMotion::at_rest(mesh)?)
    }

    /// A body carried through placements at certain times (seconds, ascending). Before the first
    /// and after the last it is at rest.
    pub fn rigid(mesh: TriMesh, keys: Vec<(f64, Transform)>) -> Result<Self, SceneError> {
        Self::new(MeshMotion::rigid(mesh, keys)?)
    }

    /// A body given by the same mesh at several times (seconds, ascending).
    pub fn in_memory(frames: Vec<(f64, TriMesh)>) -> Result<Self, SceneError> {
        Self::new(MeshMotion::in_memory(frames)?)
    }

    /// A body given by a sequence of meshes, which are loaded when needed.
    pub fn sequence(frames: Arc<dyn BodyFrames>) -> Result<Self, SceneError> {
        Self::new(MeshMotion::sequence(frames)?)
    }

    /// The mesh and its motion.
    pub fn motion(&self) -> &MeshMotion {
        &self.motion
    }

    /// Samples of the surface, at most `spacing` metres apart when the body is largest: at its largest
    /// key, or in the sampling frame of a sequence.
    pub fn sample(&self, spacing: f32) -> Result<Vec<SurfaceSample>, SceneError> {
        positive("the spacing", spacing)?;
        match &self.motion.kind {
            MotionKind::Rigid { mesh, largest_scale, .. } => {
                let mesh = self.shape.as_ref().map_or(mesh.as_ref(), |shape| shape.mesh());
                sample_surface(mesh, spacing / largest_scale)
            }
            MotionKind::Sequence(sequence) => {
                sample_surface(&self.facing_outward(sequence.sampled()?), spacing)
            }
        }
    }

    /// Whether it never moves.
    pub fn is_at_rest(&self) -> bool {
        match &self.motion.kind {
            MotionKind::Rigid { path, .. } => path.is_at_rest(),
            MotionKind::Sequence(_) => false,
        }
    }

    /// The largest scale it ever has.
    pub fn largest_scale(&self) -> f32 {
        match &self.motion.kind {
            MotionKind::Rigid { largest_scale, .. } => *largest_scale,
            MotionKind::Sequence(_) => 1.0,
        }
    }

    /// The body at a time in seconds.
    pub fn at(&self, time: f64) -> Result<BodyPose, SceneError> {
        let (shape, placement, material) = match (&self.motion.kind, &self.shape) {
            (MotionKind::Rigid { path, .. }, Some(shape)) => {
                let material = Material::Rigid { path: path.clone(), time };
                (shape.clone(), path.at(time), material)
            }
            _ => {
                let (mesh, velocities) = self.motion.at(time)?;
                let shape = Arc::new(ClosedShape::prepared(self.facing_outward(mesh)));
                (shape, Transform::IDENTITY, Material::Deforming { velocities })
            }
        };
        BodyPose::new(shape, placement, material, time)
    }

    fn facing_outward(&self, mesh: TriMesh) -> TriMesh {
        if self.turned { mesh.flipped() } else { mesh }
    }
}

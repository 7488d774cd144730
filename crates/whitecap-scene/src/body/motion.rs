//! Meshes in motion, open or closed: moved rigidly through keys, or a sequence of frames.

use std::sync::Arc;

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, KeyframedTransform, Transform, TriMesh, attributes};

use super::frames::{BodyFrames, FramesInMemory};
use super::sequence::MeshSequence;
use crate::error::{SceneError, usable_mesh};

/// A mesh and its motion. The mesh only needs finite vertices and at least one triangle; see
/// [`super::AnimatedBody`] for bodies with an inside.
#[derive(Clone, Debug)]
pub struct MeshMotion {
    pub(super) kind: MotionKind,
}

#[derive(Clone, Debug)]
pub(super) enum MotionKind {
    Rigid { mesh: Arc<TriMesh>, path: Arc<KeyframedTransform>, largest_scale: f32 },
    Sequence(Arc<MeshSequence>),
}

impl MeshMotion {
    /// A mesh that never moves.
    pub fn at_rest(mesh: TriMesh) -> Result<Self, SceneError> {
        Self::rigid(mesh, vec![(0.0, Transform::IDENTITY)])
    }

    /// A mesh carried through placements at certain times (seconds, ascending). Before the first and
    /// after the last it is at rest.
    pub fn rigid(mesh: TriMesh, keys: Vec<(f64, Transform)>) -> Result<Self, SceneError> {
        usable_mesh(mesh.positions(), mesh.triangles())?;
        let largest_scale = keys.iter().map(|(_, key)| key.scale).fold(0.0, f32::max);
        let path = Arc::new(KeyframedTransform::new(keys)?);
        Ok(Self { kind: MotionKind::Rigid { mesh: Arc::new(mesh), path, largest_scale } })
    }

    /// A sequence of meshes with the same triangles, which are loaded when needed.
    pub fn sequence(frames: Arc<dyn BodyFrames>) -> Result<Self, SceneError> {
        Ok(Self { kind: MotionKind::Sequence(Arc::new(MeshSequence::new(frames)?)) })
    }

    /// A sequence of meshes in memory, with their times in seconds.
    pub fn in_memory(frames: Vec<(f64, TriMesh)>) -> Result<Self, SceneError> {
        let sequence = MeshSequence::new(Arc::new(FramesInMemory::new(frames)))?;
        sequence.check_all()?;
        Ok(Self { kind: MotionKind::Sequence(Arc::new(sequence)) })
    }

    /// The mesh at a time in seconds, with the column `velocity` in m/s.
    pub fn mesh_at(&self, time: f64) -> Result<TriMesh, SceneError> {
        let (mut mesh, velocities) = self.at(time)?;
        mesh.set_attribute(attributes::VELOCITY, Column::Vec3(velocities))
            .expect("there is a velocity for each vertex");
        Ok(mesh)
    }

    /// The mesh at a time, and the velocities of its vertices.
    pub fn at(&self, time: f64) -> Result<(TriMesh, Vec<Vec3>), SceneError> {
        match &self.kind {
            MotionKind::Rigid { mesh, path, .. } => {
                let mesh = path.at(time).mesh(mesh.as_ref().clone());
                let velocity = |&point: &Vec3| path.velocity(time, point);
                let velocities = mesh.positions().iter().map(velocity).collect();
                Ok((mesh, velocities))
            }
            MotionKind::Sequence(sequence) => sequence.at(time),
        }
    }
}

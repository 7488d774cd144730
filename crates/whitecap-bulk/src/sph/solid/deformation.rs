//! A mesh that changes shape: the same triangles at several times, interpolated linearly.

use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;

use super::super::source_error::{SourceError, usable_mesh};
use super::closed_shape::closed_mesh;

/// Vertex positions at ascending times, with one list of triangles.
#[derive(Clone, Debug)]
pub(super) struct Deformation {
    /// The first mesh, for its triangles.
    mesh: TriMesh,
    /// Whether the given meshes are inside out.
    turned: bool,
    frames: Vec<(f64, Vec<Vec3>)>,
    /// How many frames have been forgotten.
    forgotten: usize,
}

impl Deformation {
    pub fn new(frames: Vec<(f64, TriMesh)>) -> Result<Self, SourceError> {
        let mut frames = frames.into_iter();
        let (time, first) = frames.next().ok_or(SourceError::NoFrame)?;
        if !time.is_finite() {
            return Err(SourceError::FrameTime { frame: 0, time, previous: f64::NEG_INFINITY });
        }
        let given = first.triangles().to_vec();
        let mesh = closed_mesh(first)?;
        let turned = mesh.triangles() != given;
        let frame = (time, mesh.positions().to_vec());
        let mut deformation = Self { mesh, turned, frames: vec![frame], forgotten: 0 };
        for (time, mesh) in frames {
            deformation.push(time, mesh)?;
        }
        Ok(deformation)
    }

    /// Adds a frame and forgets all but the newest two.
    pub fn advance(&mut self, time: f64, mesh: TriMesh) -> Result<(), SourceError> {
        self.push(time, mesh)?;
        let old = self.frames.len().saturating_sub(2);
        self.frames.drain(..old);
        self.forgotten += old;
        Ok(())
    }

    fn push(&mut self, time: f64, mesh: TriMesh) -> Result<(), SourceError> {
        let frame = self.forgotten + self.frames.len();
        let previous = self.frames.last().map_or(f64::NEG_INFINITY, |last| last.0);
        if !(time > previous && time.is_finite()) {
            return Err(SourceError::FrameTime { frame, time, previous });
        }
        let positions = self.checked(mesh, frame)?;
        self.frames.push((time, positions));
        Ok(())
    }

    /// The vertices of a mesh that has the triangles of the first.
    fn checked(&self, mesh: TriMesh, frame: usize) -> Result<Vec<Vec3>, SourceError> {
        usable_mesh(mesh.positions(), mesh.triangles())?;
        let (vertices, triangles) = (mesh.positions().len(), mesh.triangles().len());
        let mesh = if self.turned { mesh.flipped() } else { mesh };
        if vertices != self.mesh.positions().len() || mesh.triangles() != self.mesh.triangles() {
            return Err(SourceError::Topology {
                frame,
                vertices,
                triangles,
                first_vertices: self.mesh.positions().len(),
                first_triangles: self.mesh.triangles().len(),
            });
        }
        Ok(mesh.positions().to_vec())
    }

    /// The mesh at a time, and the velocities of its vertices. At a frame the motion towards the
    /// next one counts.
    pub fn at(&self, time: f64) -> (TriMesh, Vec<Vec3>) {
        let after = self.frames.partition_point(|frame| frame.0 <= time);
        let rest = |positions: &[Vec3]| {
            (self.shaped(positions.to_vec()), vec![Vec3::ZERO; positions.len()])
        };
        if after == 0 {
            return rest(&self.frames[0].1);
        }
        let (start, from) = &self.frames[after - 1];
        let Some((end, to)) = self.frames.get(after) else { return rest(from) };
        let duration = end - start;
        let fraction = ((time - start) / duration) as f32;
        let positions = from.iter().zip(to).map(|(a, b)| a.lerp(*b, fraction)).collect();
        let velocities = from.iter().zip(to).map(|(a, b)| (b - a) / duration as f32).collect();
        (self.shaped(positions), velocities)
    }

    /// The frame with the largest surface.
    pub fn largest_frame(&self) -> TriMesh {
        let mut largest = (f64::NEG_INFINITY, None);
        for (_, positions) in &self.frames {
            let mesh = self.shaped(positions.clone());
            let area = whitecap_surface::area(&mesh);
            if area > largest.0 {
                largest = (area, Some(mesh));
            }
        }
        largest.1.unwrap_or_else(|| self.mesh.clone())
    }

    fn shaped(&self, positions: Vec<Vec3>) -> TriMesh {
        let mut mesh = self.mesh.clone();
        mesh.positions_mut().copy_from_slice(&positions);
        mesh
    }
}

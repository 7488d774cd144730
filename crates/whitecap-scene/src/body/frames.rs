//! Where the meshes of a sequence come from.

use std::fmt::Debug;

use whitecap_core::TriMesh;

/// Meshes at several times, all with the same triangles.
///
/// The same frame must always have the same mesh: it may be requested again, by any thread.
pub trait BodyFrames: Debug + Send + Sync {
    /// Times of the frames in seconds, ascending.
    fn times(&self) -> &[f64];

    /// The mesh of a frame, counted from 0, or a sentence about why there is none.
    fn mesh(&self, frame: usize) -> Result<TriMesh, String>;

    /// The name of a frame in messages.
    fn name(&self, frame: usize) -> String {
        format!("frame {frame}")
    }

    /// The frame in which the surface is sampled, ideally the one of largest area.
    fn sampled(&self) -> usize {
        0
    }
}

/// A sequence whose frames are all in memory.
#[derive(Clone, Debug, Default)]
pub struct FramesInMemory {
    times: Vec<f64>,
    meshes: Vec<TriMesh>,
    largest: usize,
}

impl FramesInMemory {
    /// From pairs of a time in seconds and a mesh.
    pub fn new(frames: Vec<(f64, TriMesh)>) -> Self {
        let (times, meshes): (Vec<f64>, Vec<TriMesh>) = frames.into_iter().unzip();
        let areas = meshes.iter().map(whitecap_surface::area).enumerate();
        let largest = areas.fold((0, f64::NEG_INFINITY), |largest, (frame, area)| {
            if area > largest.1 { (frame, area) } else { largest }
        });
        Self { times, meshes, largest: largest.0 }
    }
}

impl BodyFrames for FramesInMemory {
    fn times(&self) -> &[f64] {
        &self.times
    }

    fn mesh(&self, frame: usize) -> Result<TriMesh, String> {
        self.meshes.get(frame).cloned().ok_or_else(|| String::from("there is no such frame"))
    }

    fn sampled(&self) -> usize {
        self.largest
    }
}

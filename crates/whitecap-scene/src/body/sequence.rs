//! A mesh that changes shape: the same triangles in many frames, and a smooth motion through them.
//!
//! Between two frames each vertex follows the cubic through both that has, at each, the slope of the
//! parabola through that frame and its two neighbours (a Catmull-Rom spline for unevenly spaced
//! frames). At the ends of the sequence the parabola is one-sided. Two frames make a straight
//! line; a single frame is at rest.
//!
//! # Guarantees
//! * The motion passes through its frames exactly, its velocity is continuous within the sequence and is
//!   the derivative of the positions.
//! * For a smooth motion the error of positions between frames falls with the third power of the time
//!   between them.
//! * At most four frames are in memory, and answers do not depend on earlier queries.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use whitecap_core::TriMesh;
use whitecap_core::glam::{DVec3, Vec3};

use super::frames::BodyFrames;
use crate::error::{SceneError, usable_mesh};

/// The frames that a cubic needs.
const WINDOW: usize = 4;

/// A sequence of meshes with the same triangles.
#[derive(Debug)]
pub(crate) struct MeshSequence {
    frames: Arc<dyn BodyFrames>,
    /// The first mesh, for its triangles and columns.
    first: TriMesh,
    /// The frames used last, the newest at the end.
    window: Mutex<Vec<(usize, Arc<Vec<Vec3>>)>>,
}

/// Times so close after the last frame, in seconds, belong to it: a step that ends with a frame may end a
/// rounding error later, and the body is not at rest then.
const ROUNDING: f64 = 1e-6;

impl MeshSequence {
    /// Checks the times and reads the first frame.
    pub fn new(frames: Arc<dyn BodyFrames>) -> Result<Self, SceneError> {
        let times = frames.times();
        if times.is_empty() {
            return Err(SceneError::NoFrame);
        }
        let mut previous = f64::NEG_INFINITY;
        for (frame, &time) in times.iter().enumerate() {
            if !(time > previous && time.is_finite()) {
                return Err(SceneError::FrameTime { frame, time, previous });
            }
            previous = time;
        }
        let first = read(frames.as_ref(), 0)?;
        let window = Mutex::new(vec![(0, Arc::new(first.positions().to_vec()))]);
        Ok(Self { frames, first, window })
    }

    /// Fails at the first frame that cannot be used.
    pub fn check_all(&self) -> Result<(), SceneError> {
        (0..self.frames.times().len()).try_for_each(|frame| self.positions(frame).map(|_| ()))
    }

    /// The mesh of the first frame.
    pub fn first(&self) -> &TriMesh {
        &self.first
    }

    /// The mesh of the frame in which the surface is sampled.
    pub fn sampled(&self) -> Result<TriMesh, SceneError> {
        Ok(self.shaped(&self.positions(self.frames.sampled())?))
    }

    /// The mesh at a time in seconds, and the velocities of its vertices in m/s. Before the first and after
    /// the last frame it is at rest.
    pub fn at(&self, time: f64) -> Result<(TriMesh, Vec<Vec3>), SceneError> {
        let times = self.frames.times();
        let last = times.len() - 1;
        let rest = |frame: usize| {
            let positions = self.positions(frame)?;
            Ok((self.shaped(&positions), vec![Vec3::ZERO; positions.len()]))
        };
        if time < times[0] || last == 0 || time.is_nan() {
            return rest(0);
        }
        if time > times[last] + ROUNDING {
            return rest(last);
        }
        let time = time.min(times[last]);
        let from = (times.partition_point(|&frame| frame <= time) - 1).min(last - 1);
        let used = from.saturating_sub(1)..=(from + 2).min(last);
        let knots: Vec<f64> = used.clone().map(|frame| times[frame]).collect();
        let frames: Vec<Arc<Vec<Vec3>>> =
            used.clone().map(|f| self.positions(f)).collect::<Result<_, _>>()?;
        let cubic = Cubic::new(&knots, from - used.start(), time);
        let moved: Vec<(Vec3, Vec3)> = (0..self.first.positions().len())
            .into_par_iter()
            .map(|vertex| cubic.at(|frame| frames[frame][vertex].as_dvec3()))
            .collect();
        let (positions, velocities): (Vec<Vec3>, Vec<Vec3>) = moved.into_iter().unzip();
        Ok((self.shaped(&positions), velocities))
    }

    /// Vertices of a frame, from memory if it was used recently.
    fn positions(&self, frame: usize) -> Result<Arc<Vec<Vec3>>, SceneError> {
        let held = || self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, positions)) = held().iter().find(|(number, _)| *number == frame) {
            return Ok(positions.clone());
        }
        // Read without the lock: reading may run on several threads, and one of them may ask for a frame.
        let mesh = read(self.frames.as_ref(), frame)?;
        let (vertices, triangles) = (mesh.positions().len(), mesh.triangles().len());
        let (first_vertices, first_triangles) =
            (self.first.positions().len(), self.first.triangles().len());
        if vertices != first_vertices || mesh.triangles() != self.first.triangles() {
            let frame = self.frames.name(frame);
            return Err(SceneError::Topology {
                frame,
                vertices,
                triangles,
                first_vertices,
                first_triangles,
            });
        }
        let positions = Arc::new(mesh.positions().to_vec());
        let mut window = held();
        window.retain(|(number, _)| *number != frame);
        if window.len() == WINDOW {
            window.remove(0);
        }
        window.push((frame, positions.clone()));
        Ok(positions)
    }

    fn shaped(&self, positions: &[Vec3]) -> TriMesh {
        let mut mesh = self.first.clone();
        mesh.positions_mut().copy_from_slice(positions);
        mesh
    }
}

fn read(frames: &dyn BodyFrames, frame: usize) -> Result<TriMesh, SceneError> {
    let unusable = |reason: String| SceneError::Frame { frame: frames.name(frame), reason };
    let mesh = frames.mesh(frame).map_err(unusable)?;
    usable_mesh(mesh.positions(), mesh.triangles()).map_err(|error| unusable(error.to_string()))?;
    Ok(mesh)
}

/// Weights of up to four frames, for the position and the velocity at one time.
struct Cubic {
    position: Vec<f64>,
    velocity: Vec<f64>,
}

impl Cubic {
    /// At `time`, which lies between the frames `from` and `from + 1` of `times`.
    fn new(times: &[f64], from: usize, time: f64) -> Self {
        let length = times[from + 1] - times[from];
        let s = (time - times[from]) / length;
        // The Hermite basis and its derivative: ends, then slopes.
        let ends = [(1.0 + 2.0 * s) * (1.0 - s).powi(2), s * s * (3.0 - 2.0 * s)];
        let slopes = [s * (1.0 - s).powi(2) * length, s * s * (s - 1.0) * length];
        let end_rates = [6.0 * s * (s - 1.0) / length, 6.0 * s * (1.0 - s) / length];
        let slope_rates = [(1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)];
        let mut cubic = Self { position: vec![0.0; times.len()], velocity: vec![0.0; times.len()] };
        for side in 0..2 {
            cubic.position[from + side] += ends[side];
            cubic.velocity[from + side] += end_rates[side];
            for (frame, weight) in slope_weights(times, from + side) {
                cubic.position[frame] += slopes[side] * weight;
                cubic.velocity[frame] += slope_rates[side] * weight;
            }
        }
        cubic
    }

    fn at(&self, vertex: impl Fn(usize) -> DVec3) -> (Vec3, Vec3) {
        // Relative to the first frame, so that no digits are lost far from the origin.
        let origin = vertex(0);
        let sum = |weights: &[f64]| {
            let terms = weights.iter().enumerate();
            terms.map(|(frame, &weight)| (vertex(frame) - origin) * weight).sum::<DVec3>()
        };
        ((origin + sum(&self.position)).as_vec3(), sum(&self.velocity).as_vec3())
    }
}

/// Weights of the frames whose sum is the slope at frame `at` of the parabola through it and its two
/// neighbours; at an end of the sequence, of the parabola through the three frames there; of the line
/// through two frames if there are no more.
fn slope_weights(times: &[f64], at: usize) -> Vec<(usize, f64)> {
    let count = times.len().min(3);
    let start = at.saturating_sub(1).min(times.len() - count);
    let used = start..start + count;
    // The derivative of Lagrange's polynomials at one of their nodes.
    let weight = |frame: usize| -> f64 {
        let others = used.clone().filter(|&other| other != frame);
        if frame == at {
            return others.map(|other| 1.0 / (times[at] - times[other])).sum();
        }
        let factor = |other: usize| {
            let numerator = if other == at { 1.0 } else { times[at] - times[other] };
            numerator / (times[frame] - times[other])
        };
        others.map(factor).product()
    };
    used.clone().map(|frame| (frame, weight(frame))).collect()
}

//! Boundary particles below the surface of a solid.
//!
//! Samples on the surface alone would hold liquid back only until it is pressed into the plane that they
//! lie in: there they are on all sides of a particle, their density gradients cancel, and nothing
//! lifts it off again. Moved inward by half a spacing, with another layer one spacing deeper, they continue
//! the lattice of the liquid where it ends. The gradient then points out of the solid at every place
//! where a particle can be, and liquid at rest keeps half a spacing from the surface, as it does from
//! plane walls.

use rayon::prelude::*;
use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;

use whitecap_scene::SceneError;
use whitecap_scene::sampling::{SurfaceSample, sample_box};
use whitecap_scene::{AnimatedBody, BodyPose};

/// Depths of the layers, in spacings.
const DEPTHS: [f32; 2] = [0.5, 1.5];
/// A solid has the second layer where it is at least this thick, in spacings; where it is thinner, the first
/// layer of the other side takes its place.
const THICK: f32 = 2.5;

/// A boundary particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundarySample {
    /// The sample of the surface it belongs to.
    pub surface: SurfaceSample,
    /// How far below the surface it lies, in metres at the scale of the mesh.
    pub depth: f32,
}

/// Boundary particles for liquid of a spacing in metres: one or two layers below the samples of
/// [`AnimatedBody::sample`]; in solids thinner than a spacing, a single one in the middle.
pub fn boundary_samples(
    body: &AnimatedBody,
    spacing: f32,
) -> Result<Vec<BoundarySample>, SceneError> {
    let samples = body.sample(spacing)?;
    let pose = body.at(0.0)?;
    let shape = pose.shape();
    let spacing = spacing / body.largest_scale();
    let below = |surface: &SurfaceSample| {
        let thickness = shape.thickness(surface);
        let first = DEPTHS[0].min(0.5 * thickness / spacing);
        let second = (thickness >= THICK * spacing).then_some(DEPTHS[1]);
        let layers = [Some(first), second].into_iter().flatten();
        let surface = *surface;
        layers.map(move |depth| BoundarySample { surface, depth: depth * spacing })
    };
    Ok(samples.par_iter().flat_map_iter(below).collect())
}

/// Positions of the boundary particles of a body in a pose.
pub fn boundary_positions(pose: &BodyPose, samples: &[BoundarySample]) -> Vec<Vec3> {
    samples.par_iter().map(|sample| boundary_position(pose, sample)).collect()
}

/// Velocities of boundary particles, in m/s: those of the body where it is rigid, those of the
/// surface above them where it deforms.
pub fn boundary_velocities(pose: &BodyPose, samples: &[BoundarySample]) -> Vec<Vec3> {
    let velocity = |sample: &BoundarySample| {
        pose.velocity_of(&sample.surface, boundary_position(pose, sample))
    };
    samples.par_iter().map(velocity).collect()
}

fn boundary_position(pose: &BodyPose, sample: &BoundarySample) -> Vec3 {
    let shape = pose.shape();
    let outward = shape.face_normal(sample.surface.triangle);
    let on_surface = sample.surface.position(shape.mesh());
    pose.placement().point(on_surface - outward * sample.depth)
}

/// Boundary particles of a box: layers below its faces, as far as it has room for them.
pub fn box_samples(bounds: &Bounds, spacing: f32) -> Result<Vec<Vec3>, SceneError> {
    let room = 0.5 * bounds.size();
    let inset = |depth: f32| {
        let inset = Vec3::splat(depth * spacing).min(room);
        sample_box(bounds.min + inset, bounds.max - inset, spacing)
    };
    let mut samples = inset(DEPTHS[0])?;
    if 2.0 * room.min_element() >= THICK * spacing {
        samples.extend(inset(DEPTHS[1])?);
    }
    Ok(samples)
}

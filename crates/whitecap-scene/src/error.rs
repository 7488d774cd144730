//! What can be wrong with the bodies, sources and fields of a scene.

use whitecap_core::budget::OverBudget;
use whitecap_core::counted;
use whitecap_core::glam::Vec3;
use whitecap_core::transform::KeyframeError;

use crate::setting::SettingError;
use crate::shape::BoxShape;

/// Why a body, a source or a set of particles cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A length that must be positive is not.
    #[error("{what} must be a positive length in metres, not {value}")]
    Length {
        /// Which length.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// A number that must be finite is not.
    #[error("{what} must be finite, but is {value}")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: Vec3,
    },
    /// A particle or sample position is not finite.
    #[error("position {index} is not finite: {value}")]
    NonFinitePosition {
        /// Which position, counted from 0.
        index: usize,
        /// Its value.
        value: Vec3,
    },
    /// A vertex is not finite.
    #[error("vertex {vertex} of the mesh is not finite: {value}")]
    NonFiniteVertex {
        /// Which vertex, counted from 0.
        vertex: usize,
        /// Its value.
        value: Vec3,
    },
    /// The mesh has no triangle.
    #[error("the mesh has no triangle, so there is no surface to work with")]
    EmptyMesh,
    /// The mesh has holes.
    #[error(
        "the mesh is not closed: {} with a triangle on one side only; fill its holes, or give a surface without volume some thickness",
        counted(*open_edges, "edge")
    )]
    NotClosed {
        /// Edges without a partner.
        open_edges: usize,
    },
    /// Neighbouring triangles face different ways.
    #[error(
        "the mesh has no consistent outside: at {} the triangles on the two sides face different ways; recalculate its normals so that all of them point outward",
        counted(*edges, "edge")
    )]
    Orientation {
        /// Edges where triangles disagree.
        edges: usize,
    },
    /// The mesh is closed but encloses nothing.
    #[error("the mesh is closed but encloses no volume, so nothing can be inside it")]
    NoVolume,
    /// A sequence without a frame.
    #[error("a mesh that deforms needs at least one frame, but none was given")]
    NoFrame,
    /// A frame cannot be loaded.
    #[error("{frame}: {reason}")]
    Frame {
        /// Name of the frame.
        frame: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A frame of a deforming mesh differs in topology from the first.
    #[error(
        "{frame} of the deforming mesh has {vertices} vertices and {triangles} triangles, but they differ from those of the first frame ({first_vertices} vertices, {first_triangles} triangles); every frame must move the same vertices"
    )]
    Topology {
        /// Name of the frame.
        frame: String,
        /// Vertices of that frame.
        vertices: usize,
        /// Triangles of that frame.
        triangles: usize,
        /// Vertices of the first frame.
        first_vertices: usize,
        /// Triangles of the first frame.
        first_triangles: usize,
    },
    /// The frames of a deforming mesh are not in order of time.
    #[error(
        "frame {frame} of the deforming mesh is at {time} s, which is not after the frame before it at {previous} s"
    )]
    FrameTime {
        /// Which frame, counted from 0.
        frame: usize,
        /// Its time.
        time: f64,
        /// Time of the frame before it.
        previous: f64,
    },
    /// The keys of a rigid motion do not make a motion.
    #[error(transparent)]
    Keyframes(#[from] KeyframeError),
    /// A moving body shrinks to almost nothing.
    #[error("at {time} s the body is scaled by {scale}, which is too close to zero")]
    Scale {
        /// When.
        time: f64,
        /// The scale at that time.
        scale: f32,
    },
    /// A spacing that would make too many points.
    #[error(
        "{what} would need {count:.1e} points at a spacing of {spacing} m, more than the {most:.1e} that are allowed; use a larger spacing"
    )]
    TooMany {
        /// What is being filled or sampled.
        what: &'static str,
        /// How many points there would be.
        count: f64,
        /// Distance between points.
        spacing: f32,
        /// The largest number allowed.
        most: f64,
    },
    /// More memory or time is needed than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// An opening smaller than a particle.
    #[error(
        "the opening of the emitter is smaller than one particle: no point fits at a spacing of {spacing} m"
    )]
    OpeningTooSmall {
        /// The particle spacing.
        spacing: f32,
    },
}

/// Checks that a length is positive and finite.
pub(crate) fn positive(what: &'static str, value: f32) -> Result<f32, SceneError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(SceneError::Length { what, value })
    }
}

/// Checks that a vector is finite.
pub(crate) fn finite(what: &'static str, value: Vec3) -> Result<Vec3, SceneError> {
    if value.is_finite() { Ok(value) } else { Err(SceneError::NotFinite { what, value }) }
}

/// Checks that all positions are finite.
pub(crate) fn finite_positions(positions: &[Vec3]) -> Result<(), SceneError> {
    match positions.iter().position(|p| !p.is_finite()) {
        Some(index) => Err(SceneError::NonFinitePosition { index, value: positions[index] }),
        None => Ok(()),
    }
}

/// Checks that a mesh has triangles and finite vertices.
pub(crate) fn usable_mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), SceneError> {
    if triangles.is_empty() {
        return Err(SceneError::EmptyMesh);
    }
    match positions.iter().position(|p| !p.is_finite()) {
        Some(vertex) => Err(SceneError::NonFiniteVertex { vertex, value: positions[vertex] }),
        None => Ok(()),
    }
}

/// The unit vector along `value`; `None` if it has no direction or is not finite.
pub(crate) fn unit_vector(value: Vec3) -> Option<Vec3> {
    // In double precision, so that short and long vectors have a direction too.
    value.as_dvec3().try_normalize().map(|unit| unit.as_vec3())
}

/// The corners of a box that may be flat, checked.
pub(crate) fn ordered_box(
    what: &'static str,
    min: Vec3,
    max: Vec3,
) -> Result<(Vec3, Vec3), SceneError> {
    let (min, max) = (finite(what, min)?, finite(what, max)?);
    BoxShape::new(min, max).check_or_flat()?;
    Ok((min, max))
}

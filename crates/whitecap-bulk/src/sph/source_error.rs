//! What can be wrong with the solids, sources and fields round a liquid.

use whitecap_core::glam::Vec3;
use whitecap_core::transform::KeyframeError;

/// Why a solid, a source, a field or a set of particles cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SourceError {
    /// A length that must be positive is not.
    #[error("{what} must be a positive length in metres, not {value}")]
    Length {
        /// Which length.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// A number that must be finite is not.
    #[error("{what} must be made of finite numbers, but is {value}")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: Vec3,
    },
    /// A particle or sample position is not finite.
    #[error("position {index} is not made of finite numbers: {value}")]
    NonFinitePosition {
        /// Which position, counted from 0.
        index: usize,
        /// Its value.
        value: Vec3,
    },
    /// A vertex is not finite.
    #[error("vertex {vertex} of the mesh is not made of finite numbers: {value}")]
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
        "the mesh is not closed: {open_edges} edges have a triangle on one side only; fill its holes, or give a surface without volume some thickness"
    )]
    NotClosed {
        /// Edges without a partner.
        open_edges: usize,
    },
    /// Neighbouring triangles face different ways.
    #[error(
        "the mesh has no consistent outside: at {edges} edges the triangles on the two sides face different ways; recalculate its normals so that all of them point outward"
    )]
    Orientation {
        /// Edges where triangles disagree.
        edges: usize,
    },
    /// The mesh is closed but encloses nothing.
    #[error("the mesh is closed but encloses no volume, so nothing can be inside it")]
    NoVolume,
    /// A deforming mesh without a frame.
    #[error("a deforming solid needs at least one mesh, but none was given")]
    NoFrame,
    /// A mesh for a later time was given to a rigid solid.
    #[error("only a deforming solid takes another mesh; this one is rigid")]
    NotDeforming,
    /// A frame of a deforming mesh has another topology than the first.
    #[error(
        "frame {frame} of the deforming mesh has {vertices} vertices and {triangles} triangles, which are not the same triangles as those of the first frame ({first_vertices} vertices, {first_triangles} triangles); every frame must move the same vertices"
    )]
    Topology {
        /// Which frame, counted from 0.
        frame: usize,
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
    /// A moving solid shrinks so far that it cannot be found any more.
    #[error("at {time} s the solid is scaled by {scale}, which is too small to be told from zero")]
    Scale {
        /// When.
        time: f64,
        /// The scale at that time.
        scale: f32,
    },
    /// A spacing that would make more points than a computation can use.
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
    /// A box whose low corner is not below its high corner.
    #[error("{what} has its `min` above its `max` along {axis}; swap the two numbers")]
    EmptyBox {
        /// Which box.
        what: &'static str,
        /// The axis.
        axis: char,
    },
    /// A direction without a length.
    #[error("{what} has no direction: it must not be zero")]
    Direction {
        /// Which direction.
        what: &'static str,
    },
    /// A time span that ends before it starts.
    #[error("the time span ends at {end} s, before it starts at {start} s")]
    TimeSpan {
        /// Start of the span.
        start: f64,
        /// End of the span.
        end: f64,
    },
    /// An emitter with neither rate nor speed.
    #[error("an emitter needs a `rate` in m³/s or a `speed` in m/s, and neither was given")]
    NoRate,
    /// An emitter whose rate or speed is not positive.
    #[error("the `{what}` of an emitter must be a positive number, not {value}")]
    Rate {
        /// `rate` or `speed`.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// An emitter asked for more than its opening can pass.
    #[error(
        "an emitter of this size passes at most {most:.4e} m³/s at {speed} m/s, but {rate:.4e} m³/s were asked for; use a speed of {needed:.4} m/s, a larger opening, or leave out the speed"
    )]
    RateTooHigh {
        /// The rate asked for.
        rate: f32,
        /// The speed asked for.
        speed: f32,
        /// The largest rate at that speed.
        most: f32,
        /// The speed that would give the rate.
        needed: f32,
    },
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
pub(super) fn positive(what: &'static str, value: f32) -> Result<f32, SourceError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(SourceError::Length { what, value })
    }
}

/// Checks that a vector is finite.
pub(super) fn finite(what: &'static str, value: Vec3) -> Result<Vec3, SourceError> {
    if value.is_finite() { Ok(value) } else { Err(SourceError::NotFinite { what, value }) }
}

/// Checks that all positions are finite.
pub(super) fn finite_positions(positions: &[Vec3]) -> Result<(), SourceError> {
    match positions.iter().position(|p| !p.is_finite()) {
        Some(index) => Err(SourceError::NonFinitePosition { index, value: positions[index] }),
        None => Ok(()),
    }
}

/// Checks that a mesh has triangles and finite vertices.
pub(super) fn usable_mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), SourceError> {
    if triangles.is_empty() {
        return Err(SourceError::EmptyMesh);
    }
    match positions.iter().position(|p| !p.is_finite()) {
        Some(vertex) => Err(SourceError::NonFiniteVertex { vertex, value: positions[vertex] }),
        None => Ok(()),
    }
}

/// The unit vector along `value`.
pub(super) fn direction(what: &'static str, value: Vec3) -> Result<Vec3, SourceError> {
    // In double precision, so that short and long vectors have a direction too.
    let unit = finite(what, value)?.as_dvec3().normalize_or_zero().as_vec3();
    if unit == Vec3::ZERO { Err(SourceError::Direction { what }) } else { Ok(unit) }
}

/// The corners of a box, checked: finite, and low below high.
pub(super) fn ordered_box(
    what: &'static str,
    min: [f32; 3],
    max: [f32; 3],
) -> Result<(Vec3, Vec3), SourceError> {
    let (min, max) = (finite(what, min.into())?, finite(what, max.into())?);
    match (0..3).find(|&axis| min[axis] > max[axis]) {
        Some(axis) => Err(SourceError::EmptyBox { what, axis: ['x', 'y', 'z'][axis] }),
        None => Ok((min, max)),
    }
}

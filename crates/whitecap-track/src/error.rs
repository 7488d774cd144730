//! What can go wrong with tracking.

use glam::Vec3;
use whitecap_core::budget::OverBudget;
use whitecap_core::saved_bytes::StateError;
use whitecap_core::{Particles, outliers};
use whitecap_scene::SettingError;

use crate::local_origin::LocalOrigin;

/// Why a mesh cannot be tracked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrackError {
    /// A setting is impossible.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The particles themselves are unusable.
    #[error(transparent)]
    Particles(#[from] whitecap_core::Error),
    /// The coarse surface cannot be made.
    #[error(transparent)]
    Surface(whitecap_surface::Error),
    /// The spacing can neither be read nor estimated.
    #[error(
        "the particle spacing cannot be estimated from {count} particles; give `spacing`, the distance between neighbouring particles, in metres"
    )]
    SpacingUnknown {
        /// How many particles there are.
        count: usize,
    },
    /// The mesh has no triangle.
    #[error("the mesh has no triangle; give the detailed surface of the liquid in the first frame")]
    EmptyMesh,
    /// A vertex is NaN or infinite.
    #[error("vertex {vertex} of the mesh is at {position}, which is not finite")]
    NonFiniteVertex {
        /// Which vertex.
        vertex: usize,
        /// Where it is.
        position: Vec3,
    },
    /// The mesh has a border.
    #[error(
        "the mesh is open: {open} of its edges have a triangle on one side only; close it (`close` does, by generalised winding number) or fill its holes in a modelling program"
    )]
    OpenMesh {
        /// How many edges are open.
        open: usize,
    },
    /// The mesh is not a surface everywhere.
    #[error(
        "the mesh is not a 2-manifold: more than two sheets meet, or triangles disagree on which side is outside, at {edges} edges and {vertices} vertices; repair it (`close` does) or merge and reorient its parts in a modelling program"
    )]
    NonManifold {
        /// Bad edges.
        edges: usize,
        /// Bad vertices.
        vertices: usize,
    },
    /// The mesh passes through itself.
    #[error(
        "the mesh passes through itself ({pairs} intersecting pairs of triangles); repair it (`close` does) or make a union of its parts in a modelling program"
    )]
    SelfIntersecting {
        /// Pairs of triangles that intersect.
        pairs: usize,
    },
    /// The mesh is inside out.
    #[error(
        "the mesh is inside out: its volume is {volume:.3e} m³; turn it over so that its normals point out of the liquid, with `whitecap convert IN OUT --flip-normals`"
    )]
    InsideOut {
        /// Its volume.
        volume: f64,
    },
    /// Mesh and particles have different units.
    #[error(
        "the mesh is {ratio:.3} times as large as the particles ({mesh_size:.4} m against {particle_size:.4} m); they are probably in different units: scale the mesh with `whitecap convert IN OUT --scale {scale}`"
    )]
    Scale {
        /// Largest edge of the bounding box of the mesh.
        mesh_size: f32,
        /// Largest edge of the bounding box of the particles.
        particle_size: f32,
        /// Size of the mesh relative to the particles.
        ratio: f32,
        /// The nearest power of ten.
        scale: f32,
    },
    /// Mesh and particles are in different places.
    #[error(
        "{share:.0} % of the mesh lies more than {reach:.4} m from every surface of the particles (mesh centre {mesh_center}, particle centre {particle_center}); give the mesh and the particles of the same frame, in the same coordinates"
    )]
    FarFromParticles {
        /// Share of vertices, in per cent.
        share: f32,
        /// The search distance, in metres.
        reach: f32,
        /// Middle of the mesh.
        mesh_center: Vec3,
        /// Middle of the particles.
        particle_center: Vec3,
    },
    /// Particles of two frames cannot be matched.
    #[error(
        "the {previous} and {next} particles of two frames have no `id` that tells which is which, or one that does not follow the motion, and their positions do not tell either ({matched:.0} % have a partner, on average {distance:.2} spacings from where it is expected): write an `id` column in which a particle has the same integer in every frame, or at least a `velocity` column"
    )]
    Unmatched {
        /// Particles of the first frame.
        previous: usize,
        /// Particles of the second.
        next: usize,
        /// Share that positions match, in per cent.
        matched: f32,
        /// Mean distance of partners, in spacings.
        distance: f32,
    },
    /// Time between frames is not positive.
    #[error("the time from frame to frame is {duration} s; it must be positive and finite")]
    Duration {
        /// What was given.
        duration: f32,
    },
    /// A saved state cannot be continued from.
    #[error(transparent)]
    State(#[from] StateError),
    /// More memory or time is needed than there is.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The caller asked to stop.
    #[error("tracking was cancelled")]
    Cancelled,
}

impl From<whitecap_surface::Error> for TrackError {
    fn from(error: whitecap_surface::Error) -> Self {
        match error {
            whitecap_surface::Error::Cancelled => Self::Cancelled,
            whitecap_surface::Error::OverBudget(refused) => Self::OverBudget(refused),
            other => Self::Surface(other),
        }
    }
}

impl TrackError {
    /// The same error; if it is a refusal, with the outlier among these particles.
    pub(crate) fn blamed_on(self, particles: &Particles) -> Self {
        match self {
            Self::OverBudget(refused) => Self::OverBudget(outliers::blame(refused, particles)),
            other => other,
        }
    }

    /// The same error with positions in the world.
    pub(crate) fn seen_from(mut self, origin: LocalOrigin) -> Self {
        if let Self::FarFromParticles { mesh_center, particle_center, .. } = &mut self {
            *mesh_center = origin.world(*mesh_center);
            *particle_center = origin.world(*particle_center);
        }
        self
    }
}

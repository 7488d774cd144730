//! Keeping the volume of the liquid.
//!
//! Why it would change: φ = 0 lies on the surface of a flat, deep liquid, but 0.59 instead of half a spacing
//! from the middle of a sheet of single particles, and vertices keep their distance from it, so that
//! whatever distance they have on average is multiplied by the area. A ball that spreads to a puddle
//! of single particles has five times the area, and would gain a fifth of its volume.
//!
//! Here φ is moved as a whole, by the same distance everywhere, and the mesh with it, until the mesh
//! encloses its first volume times the change in the number of particles: the uniform offset by which Müller
//! 2009 and Thürey et al. 2010 keep the volume of meshes. In the first frame φ is moved until it
//! encloses the volume of the mesh, so that detail has no average. Detail is measured from the moved φ and
//! does not change.
//!
//! This is done before cells are remeshed, so that patches fit φ, and again afterwards, because
//! patches cut the corners of what they replace: drops of single particles, which are remeshed in
//! nearly every frame, would lose a third of their volume.
//!
//! # Guarantees
//! * While the volume is right to [`TOLERANCE`], nothing is moved.
//! * φ never moves farther than [`FARTHEST`] spacings from where the particles put it, so that it neither
//!   loses drops nor bridges gaps; the report says when that does not suffice.
//!
//! # Non-guarantees
//! * Volume is kept in total, not for every part.
//! * It is not kept where a mesh does not enclose the particles of the first frame.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::{SparseGrid, TriMesh};
use whitecap_surface::{area, volume};

use crate::projection::cubic::CubicSampler;

/// Relative error of the volume that is left alone.
const TOLERANCE: f64 = 0.002;
/// How far φ is moved at most, and the mesh in one round, in particle spacings.
const FARTHEST: f32 = 0.25;
/// A mesh that is this many spacings from the surface of the particles, on average, is not theirs.
const STRANGE: f32 = 1.0;
/// If a larger share of the vertices jumped, the volume is only corrected after remeshing.
pub(crate) const MOST_JUMPED: f32 = 0.1;
/// How often the distance is improved at most, before remeshing and after it.
pub(crate) const ROUNDS: usize = 12;
/// A flatter φ has no direction.
const LEAST_SLOPE: f32 = 0.05;

/// The volume of the liquid, and by how far φ is moved for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct KeptVolume {
    /// Volume of a particle in m³; zero if the volume is not kept.
    pub per_particle: f64,
    /// How far φ is moved outwards, in metres.
    pub offset: f32,
}

impl KeptVolume {
    /// The volume of the first mesh, shared among the particles. If it differs too much from that of the
    /// surface of the particles, it is not kept.
    pub fn of(mesh: &TriMesh, coarse: &TriMesh, particles: usize, spacing: f32) -> Self {
        let (enclosed, surface) = (volume(mesh), area(mesh));
        let offset = ((enclosed - volume(coarse)) / surface) as f32;
        if particles == 0 || offset.is_nan() || offset.abs() > STRANGE * spacing {
            return Self::default();
        }
        let farthest = FARTHEST * spacing;
        Self {
            per_particle: enclosed / particles as f64,
            offset: offset.clamp(-farthest, farthest),
        }
    }

    /// The volume of so many particles, in m³, if it is kept.
    pub fn of_particles(&self, particles: usize) -> Option<f64> {
        (self.per_particle > 0.0).then_some(self.per_particle * particles as f64)
    }

    /// By how much farther φ should be moved outwards, if at all, for the mesh to enclose the volume
    /// of so many particles.
    pub fn correction(&mut self, mesh: &TriMesh, particles: usize, spacing: f32) -> Option<f32> {
        let farthest = FARTHEST * spacing;
        let way = self.missing_way(mesh, particles)?.clamp(-farthest, farthest);
        let offset = (self.offset + way).clamp(-farthest, farthest);
        let by = offset - self.offset;
        self.offset = offset;
        (by != 0.0).then_some(by)
    }

    /// Whether φ is as far as it may be and the volume still not right.
    pub fn is_limited(&self, mesh: &TriMesh, particles: usize, spacing: f32) -> bool {
        let at_limit = self.offset.abs() >= FARTHEST * spacing;
        at_limit && self.missing_way(mesh, particles).is_some()
    }

    /// How far the mesh would have to be moved outwards, if the volume is not right.
    fn missing_way(&self, mesh: &TriMesh, particles: usize) -> Option<f32> {
        let wanted = self.of_particles(particles)?;
        let missing = wanted - volume(mesh);
        let way = (missing / area(mesh)) as f32;
        (missing.abs() > TOLERANCE * wanted && way.is_finite()).then_some(way)
    }
}

/// The ways on which vertices are moved with φ when it is moved outwards by `by`. Those without a
/// finite distance δ do not depend on φ and stay.
pub(crate) fn ways_with(
    positions: &[Vec3],
    delta: &[f32],
    distance: &SparseGrid<f32>,
    by: f32,
) -> Vec<Vec3> {
    positions
        .par_iter()
        .zip(delta)
        .map_init(
            || CubicSampler::new(distance),
            |sampler, (&position, delta)| {
                let (_, gradient) = sampler.at(position);
                let slope = gradient.length();
                let moves = delta.is_finite() && slope > LEAST_SLOPE;
                if moves { gradient * (by / slope) } else { Vec3::ZERO }
            },
        )
        .collect()
}

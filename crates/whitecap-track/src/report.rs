//! What a frame of tracking reports about itself.

use std::time::Duration;

use crate::movement::MatchedBy;
use crate::topology::Topology;

/// Time spent on each part of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackTimes {
    /// Moving the vertices with the particles.
    pub advection: Duration,
    /// Splitting, collapsing and flipping edges.
    pub quality: Duration,
    /// Making the coarse surface φ and its distance.
    pub coarse_surface: Duration,
    /// Projecting the vertices to their distance.
    pub projection: Duration,
    /// Detecting changes of topology.
    pub detection: Duration,
    /// Γ and topology matching.
    pub matching: Duration,
    /// Cutting, filling and welding.
    pub remeshing: Duration,
    /// Everything.
    pub total: Duration,
}

/// What happened in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackReport {
    /// How particles were matched with those of the frame before.
    pub matched_by: MatchedBy,
    /// Vertices of the mesh.
    pub vertices: usize,
    /// Triangles of the mesh.
    pub triangles: usize,
    /// Parts and handles of the mesh.
    pub topology: Topology,
    /// Parts and handles of the coarse surface φ.
    pub coarse_topology: Topology,
    /// Enclosed volume, in m³.
    pub volume: f64,
    /// Enclosed volume of the coarse surface φ, in m³.
    pub coarse_volume: f64,
    /// Volume of the particles, in m³: that of the first mesh times the change in their number. `None` if
    /// the first mesh did not enclose them.
    pub particle_volume: Option<f64>,
    /// How far φ was moved outwards to keep the volume, in metres.
    pub volume_offset: f32,
    /// Whether φ would have to be moved farther than it may be to keep the volume.
    pub volume_limited: bool,
    /// Pairs of triangles that intersect.
    pub self_intersections: usize,
    /// Vertices that would have been moved too far.
    pub jumped_vertices: usize,
    /// Cells flagged because φ changed its topology there.
    pub flagged_cells: usize,
    /// Cells in which the mesh passed through itself.
    pub interpenetrating_cells: usize,
    /// Cells that were rebuilt.
    pub remeshed_cells: usize,
    /// Rebuilt cells as a share of all cells that hold a vertex of the mesh.
    pub remeshed_share: f32,
    /// How often a region had to be widened before it could be rebuilt.
    pub widened: usize,
    /// Parts that could not be repaired in place and were rebuilt from φ.
    pub rebuilt_components: usize,
    /// Largest distance of the surface from where the particles carried it, in metres: an upper bound
    /// of the distance that projection and the kept volume moved a vertex, and in rebuilt cells the largest
    /// distance between the old surface and the new one, either way.
    pub largest_jump: f32,
    /// The largest detail: distance of a vertex from φ, in metres.
    pub largest_detail: f32,
    /// Edges split, collapsed and flipped.
    pub splits: usize,
    /// Edges collapsed.
    pub collapses: usize,
    /// Edges flipped.
    pub flips: usize,
    /// Time spent.
    pub times: TrackTimes,
}

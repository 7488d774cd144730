//! The tracker: a detailed mesh, frame by frame.

use std::time::{Duration, Instant};

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::attributes::VELOCITY;
use whitecap_core::{Column, Lattice, Particles, TriMesh, Watch, reduce};
use whitecap_surface::{self_intersections, volume};

use crate::advect::displacements;
use crate::error::TrackError;
use crate::local_origin::LocalOrigin;
use crate::mesh::carried::Carried;
use crate::mesh::half_edge::HalfEdgeMesh;
use crate::mesh::input_check;
use crate::mesh::quality::{self, QualityCounts};
use crate::movement::Movement;
use crate::projection::coarse_surface::CoarseSurface;
use crate::projection::kept_volume::{self, KeptVolume, ways_with};
use crate::projection::project::{Drawn, Reach, along_normals, keep_distance};
use crate::remeshing::jump::largest_jump;
use crate::remeshing::rebuild::{rebuild_all, rebuild_parts};
use crate::remeshing::remesh::{Task, Unrepaired, remesh, take_birth_distances};
use crate::report::TrackReport;
use crate::settings::{Projection, TrackSettings};
use crate::topology::cells::{
    CellSet, ask_for_cells, ask_for_flagged, cell_span, cells_between, cells_round_edge,
    cells_round_node, places,
};
use crate::topology::crossings::Crossings;
use crate::topology::{Topology, disagreeing_nodes, take_birth_doubts};

/// The band of the coarse distance relative to the largest detail (Dagenais et al. 2017, §2.3.1).
const BAND: f32 = 1.25;
/// The narrowest band, in cells.
const NARROWEST_BAND: f32 = 3.0;
/// The band beyond the largest detail, in cells: vertices walk this far before they count as lost.
const BAND_BEYOND_DETAIL: f32 = 1.5;
/// Nodes are disputed if the mesh and φ differ there by this many cells more than detail explains.
const DISPUTE: f32 = 0.75;

/// A detailed mesh carried by a particle liquid.
///
/// # Guarantees
/// * The mesh of every frame is closed and 2-manifold, whatever the particles do.
/// * The same particles give the same mesh, to the bit, for any number of threads, even when the
///   state was saved and restored between two frames.
/// * After an error, or when the caller cancels, the state is that of the last good frame, to the bit.
/// * The result is the same far from the world's origin as near it, as far as the particles' own numbers
///   allow.
#[derive(Clone, Debug)]
pub struct Tracker {
    pub(crate) settings: TrackSettings,
    pub(crate) spacing: f32,
    /// Seconds from the last frame to this one; zero in the first.
    pub(crate) duration: f32,
    pub(crate) frames: u64,
    /// What positions are relative to.
    pub(crate) origin: LocalOrigin,
    pub(crate) volume: KeptVolume,
    pub(crate) mesh: HalfEdgeMesh,
    /// By how much the counts of the mesh exceed those of φ without a change of topology: detail that
    /// the coarse surface does not have.
    pub(crate) expected_difference: [i64; 2],
}

impl Tracker {
    /// Begins with the closed `mesh` of the liquid in the frame of `particles`.
    pub fn new(
        mesh: &TriMesh,
        particles: &Particles,
        settings: TrackSettings,
        watch: &dyn Watch,
    ) -> Result<Self, TrackError> {
        settings.check()?;
        let spacing = input_check::spacing_of(particles, &settings)?;
        input_check::check(mesh, particles)?;
        quality::ask_for_refined(mesh, settings.longest_edge * spacing)?;
        let origin = LocalOrigin::near(mesh.bounds(), spacing);
        let in_world = particles;
        let particles = &*origin.particles(particles);
        let carried = Carried::new(mesh.positions().len(), mesh.attributes());
        let positions = mesh.positions().iter().map(|&p| origin.local(p)).collect();
        let triangles = mesh.triangles().to_vec();
        let mut working = HalfEdgeMesh::new(positions, triangles, carried)
            .map_err(|_| TrackError::NonManifold { edges: 0, vertices: 1 })?;
        working.compact();
        quality::refine(&mut working, settings.longest_edge * spacing);
        quality::measure_birth(&mut working, 0);
        let build = |band| {
            CoarseSurface::build(particles, spacing, settings.support, (band, 0.0), watch)
                .map_err(|error| error.blamed_on(in_world))
        };
        let first = build(band_for(0.0, spacing))?;
        let reach =
            input_check::largest_detail(&working.positions, &first.mesh, particles, spacing)
                .map_err(|error| error.seen_from(origin))?;
        let band = band_for(reach, spacing);
        let mut coarse = if band > first.band { build(band)? } else { first };
        let volume = KeptVolume::of(&working.plain(), &coarse.mesh, particles.len(), spacing);
        coarse.grow(volume.offset);
        // Vertices from which no path leads to the coarse surface only follow the particles.
        working.carried.delta.fill(f32::INFINITY);
        take_birth_distances(&mut working, 0, &coarse);
        let at = places(&working.positions, coarse.distance.lattice(), 0.0);
        ask_for_cells(&at, &working.triangles)?;
        let crossings = Crossings::find(&at, &working.triangles);
        take_birth_doubts(&mut working, &crossings, &coarse.distance);
        let expected_difference = Topology::of(&working).minus(Topology::of_mesh(&coarse.mesh));
        let (duration, frames, mesh) = (0.0, 0, working);
        Ok(Self { settings, spacing, duration, frames, origin, volume, mesh, expected_difference })
    }

    /// The settings.
    pub fn settings(&self) -> &TrackSettings {
        &self.settings
    }

    /// The particle spacing, in metres.
    pub fn spacing(&self) -> f32 {
        self.spacing
    }

    /// Frames made since the first.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The mesh with the columns it came with and the velocity of its vertices.
    pub fn mesh(&self) -> TriMesh {
        let mut mesh = self.mesh.plain();
        for position in mesh.positions_mut() {
            *position = self.origin.world(*position);
        }
        for (name, column) in &self.mesh.carried.attributes {
            // Columns are as long as the vertices by construction.
            let _ = mesh.set_attribute(name.clone(), column.clone());
        }
        let per_second = if self.duration > 0.0 { 1.0 / self.duration } else { 0.0 };
        let velocity = self.mesh.carried.displacement.iter().map(|&d| d * per_second).collect();
        let _ = mesh.set_attribute(VELOCITY, Column::Vec3(velocity));
        mesh
    }

    /// Distance of each vertex from the coarse surface at its birth, in metres; infinite for
    /// vertices that had none within reach.
    pub fn detail(&self) -> &[f32] {
        &self.mesh.carried.delta
    }

    /// The volume of so many particles, in m³: that of the first mesh times the change in their number.
    /// `None` if the first mesh did not enclose the particles.
    pub fn volume_of(&self, particles: usize) -> Option<f64> {
        self.volume.of_particles(particles)
    }

    /// Carries the mesh from the frame of `previous` to that of `next`, `duration` seconds later.
    /// Particles are matched by their `id`, or else by index or position; they may appear and vanish.
    pub fn advance(
        &mut self,
        previous: &Particles,
        next: &Particles,
        duration: f32,
        watch: &dyn Watch,
    ) -> Result<TrackReport, TrackError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(TrackError::Duration { duration });
        }
        previous.check_finite()?;
        next.check_finite()?;
        let from = &*self.origin.particles(previous);
        let to = &*self.origin.particles(next);
        let movement = Movement::between(from, to, duration, self.spacing)?;
        let mut frame = Frame {
            settings: &self.settings,
            spacing: self.spacing,
            mesh: self.mesh.clone(),
            expected_difference: self.expected_difference,
            volume: self.volume,
            report: TrackReport::default(),
            changed: false,
            watch,
        };
        frame.run(&movement, to, duration).map_err(|error| error.blamed_on(next))?;
        let Frame { mesh, report, expected_difference, volume, .. } = frame;
        self.mesh = mesh;
        self.volume = volume;
        self.expected_difference = expected_difference;
        self.duration = duration;
        self.frames += 1;
        Ok(report)
    }
}

/// A frame being made.
struct Frame<'a> {
    settings: &'a TrackSettings,
    spacing: f32,
    mesh: HalfEdgeMesh,
    expected_difference: [i64; 2],
    volume: KeptVolume,
    report: TrackReport,
    /// Whether triangles changed, not only positions.
    changed: bool,
    watch: &'a dyn Watch,
}

impl Frame<'_> {
    fn cell(&self) -> f32 {
        0.5 * self.spacing
    }

    fn check_cancelled(&self, progress: f32) -> Result<(), TrackError> {
        self.watch.progress(progress);
        if self.watch.cancelled() { Err(TrackError::Cancelled) } else { Ok(()) }
    }

    fn run(
        &mut self,
        movement: &Movement,
        next: &Particles,
        duration: f32,
    ) -> Result<(), TrackError> {
        let start = Instant::now();
        let mut clock = Clock(start);
        self.report.matched_by = movement.matched_by;
        self.advect(movement, duration);
        let carried = self.mesh.plain();
        self.report.times.advection = clock.lap();
        let counts = quality::improve(&mut self.mesh);
        self.note_quality(counts);
        self.report.times.quality = clock.lap();
        self.check_cancelled(0.2)?;
        let mut coarse = self.coarse_surface(next)?;
        self.report.times.coarse_surface = clock.lap();
        self.check_cancelled(0.6)?;
        let start_of_ways = self.mesh.positions.clone();
        let jumped = self.project(&coarse);
        self.keep_volume(&mut coarse, &jumped, next.len());
        self.measure_ways(&start_of_ways);
        self.report.times.projection = clock.lap();
        self.check_cancelled(0.7)?;
        let lattice = coarse.distance.lattice();
        let at = places(&self.mesh.positions, lattice, 0.0);
        ask_for_cells(&at, &self.mesh.triangles)?;
        let fans = jumped.iter().flat_map(|&vertex| self.mesh.fan(vertex));
        ask_for_flagged(&at, fans.map(|h| self.mesh.triangles[h as usize / 3]))?;
        let crossings = Crossings::find(&at, &self.mesh.triangles);
        let flagged = self.flag(&jumped, &at, &crossings, &coarse);
        self.report.times.detection = clock.lap();
        let rebuilt = self.remesh(&coarse, &flagged, &crossings)?;
        self.keep_volume_after_remeshing(&mut coarse, next.len());
        self.report.times.remeshing = clock.lap().saturating_sub(self.report.times.matching);
        self.describe(&coarse, &at, next.len());
        self.measure_jump(&carried, &rebuilt, lattice);
        self.report.times.total = start.elapsed();
        self.watch.progress(1.0);
        Ok(())
    }

    /// Step 1, and the relaxation of detail (§2.8).
    fn advect(&mut self, movement: &Movement, duration: f32) {
        let moved = displacements(&self.mesh.positions, movement, self.spacing);
        let strain = (self.settings.strain_relaxation > 0.0).then(|| self.strains(&moved));
        for (position, displacement) in self.mesh.positions.iter_mut().zip(&moved) {
            *position += *displacement;
        }
        self.mesh.carried.displacement = moved;
        if self.settings.relaxation > 0.0 || strain.is_some() {
            let steady = self.settings.relaxation * duration;
            for (vertex, delta) in self.mesh.carried.delta.iter_mut().enumerate() {
                let strained = strain.as_ref().map_or(0.0, |strain| strain[vertex]);
                *delta *= (-(steady + self.settings.strain_relaxation * strained)).exp();
            }
        }
    }

    /// Mean relative change of the edges round each vertex.
    fn strains(&self, moved: &[Vec3]) -> Vec<f32> {
        let mesh = &self.mesh;
        (0..mesh.positions.len() as u32)
            .into_par_iter()
            .map(|vertex| {
                let here = mesh.positions[vertex as usize];
                let (mut sum, mut count) = (0.0, 0.0f32);
                for h in mesh.fan(vertex) {
                    let other = mesh.to(h) as usize;
                    let before = mesh.positions[other] - here;
                    let after = before + moved[other] - moved[vertex as usize];
                    if before.length() > 0.0 {
                        sum += (after.length() / before.length() - 1.0).abs();
                        count += 1.0;
                    }
                }
                sum / count.max(1.0)
            })
            .collect()
    }

    fn note_quality(&mut self, counts: QualityCounts) {
        self.report.splits += counts.splits;
        self.report.collapses += counts.collapses;
        self.report.flips += counts.flips;
        if counts != QualityCounts::default() {
            self.mesh.compact();
            self.changed = true;
        }
    }

    /// Step 3.
    fn coarse_surface(&self, particles: &Particles) -> Result<CoarseSurface, TrackError> {
        let delta = &self.mesh.carried.delta;
        let known = |i: usize| if delta[i].is_finite() { delta[i].abs() } else { 0.0 };
        let largest = reduce::max(delta.len(), known).max(0.0);
        let band = band_for(largest, self.spacing);
        let (support, width) = (self.settings.support, (band, self.volume.offset));
        CoarseSurface::build(particles, self.spacing, support, width, self.watch)
    }

    /// Steps 4 and 5: vertices go to their distance, or stay and are reported.
    fn project(&mut self, coarse: &CoarseSurface) -> Vec<u32> {
        let reach = Reach {
            jump: self.settings.jump * self.spacing,
            steadiness: self.settings.steadiness * self.spacing,
        };
        let mesh = &mut self.mesh;
        let drawn = match self.settings.projection {
            Projection::KeepDetail => keep_distance(
                &mesh.positions,
                &mesh.carried.delta,
                &coarse.distance,
                coarse.band,
                reach,
            ),
            Projection::OntoSurface => {
                along_normals(&mesh.positions, &mesh.normals(), &coarse.distance, reach)
            }
        };
        let mut jumped = Vec::new();
        for (vertex, drawn) in drawn.into_iter().enumerate() {
            match drawn {
                Drawn::To(place) => {
                    let way = place - mesh.positions[vertex];
                    mesh.carried.displacement[vertex] += way;
                    mesh.positions[vertex] = place;
                }
                Drawn::Jumped => jumped.push(vertex as u32),
            }
        }
        self.report.jumped_vertices = jumped.len();
        jumped
    }

    /// Moves φ and the vertices that follow it until the mesh encloses the volume of the particles. Where
    /// many vertices jumped, what the mesh encloses means nothing before it is remeshed.
    fn keep_volume(&mut self, coarse: &mut CoarseSurface, jumped: &[u32], particles: usize) {
        let most = kept_volume::MOST_JUMPED * self.mesh.positions.len() as f32;
        if jumped.len() as f32 > most {
            return;
        }
        let before = self.volume.offset;
        for _ in 0..kept_volume::ROUNDS {
            let plain = self.mesh.plain();
            let Some(by) = self.volume.correction(&plain, particles, self.spacing) else { break };
            self.move_outwards(coarse, jumped, by);
        }
        coarse.grow_if_moved(self.volume.offset - before);
    }

    /// New patches do not enclose exactly what the cells enclosed before, so the volume is corrected again.
    fn keep_volume_after_remeshing(&mut self, coarse: &mut CoarseSurface, particles: usize) {
        let before = self.volume.offset;
        self.keep_volume(coarse, &[], particles);
        self.report.largest_jump += (self.volume.offset - before).abs();
        let plain = self.mesh.plain();
        self.report.volume_limited = self.volume.is_limited(&plain, particles, self.spacing);
    }

    fn move_outwards(&mut self, coarse: &CoarseSurface, staying: &[u32], by: f32) {
        let mesh = &mut self.mesh;
        let mut ways = ways_with(&mesh.positions, &mesh.carried.delta, &coarse.distance, by);
        for &vertex in staying {
            ways[vertex as usize] = Vec3::ZERO;
        }
        for (vertex, way) in ways.into_iter().enumerate() {
            mesh.positions[vertex] += way;
            mesh.carried.displacement[vertex] += way;
        }
    }

    /// How far projection and the kept volume moved the vertices, on the whole.
    fn measure_ways(&mut self, before: &[Vec3]) {
        let now = &self.mesh.positions;
        let longest = reduce::max(now.len(), |i| before[i].distance(now[i]));
        self.report.largest_jump = self.report.largest_jump.max(longest);
    }

    /// Step 5, and early detection: the cells where φ changed its topology.
    fn flag(
        &mut self,
        jumped: &[u32],
        at: &[glam::DVec3],
        crossings: &Crossings,
        coarse: &CoarseSurface,
    ) -> CellSet {
        let mesh = &self.mesh;
        let mut cells: Vec<IVec3> = jumped
            .par_iter()
            .flat_map_iter(|&vertex| mesh.fan(vertex))
            .flat_map_iter(|h| {
                let (low, high) = cell_span(at, mesh.triangles[h as usize / 3]);
                cells_between(low, high)
            })
            .collect();
        if self.settings.thin_sheets {
            let thin = crossings.thin_sheets();
            let round = |(node, axis): (IVec3, usize)| cells_round_edge(node, axis);
            let thin = CellSet::new(thin.into_iter().flat_map(round).collect()).widened();
            cells.retain(|&cell| !thin.contains(cell));
        }
        self.report.coarse_topology = Topology::of_mesh(&coarse.mesh);
        let difference = Topology::of(mesh).minus(self.report.coarse_topology);
        if self.settings.early_detection && difference != self.expected_difference {
            let tolerance = DISPUTE * self.cell();
            let disputed = disagreeing_nodes(mesh, crossings, &coarse.distance, tolerance);
            cells.extend(disputed.into_iter().flat_map(cells_round_node));
        }
        let flagged = CellSet::new(cells);
        self.report.flagged_cells = flagged.len();
        flagged
    }

    /// Steps 6 to 9. Returns the cells that were rebuilt.
    fn remesh(
        &mut self,
        coarse: &CoarseSurface,
        flagged: &CellSet,
        crossings: &Crossings,
    ) -> Result<CellSet, TrackError> {
        let mut cells = CellSet::default();
        let task = Task { coarse, flagged, crossings };
        match remesh(&mut self.mesh, &task, self.watch) {
            Ok(done) => {
                self.report.interpenetrating_cells = done.interpenetrating;
                self.report.remeshed_cells = done.cells.len();
                self.report.widened = done.widened;
                self.report.times.matching = Duration::from_secs_f64(done.matching);
                cells = done.cells;
            }
            Err(Unrepaired::Cancelled) => return Err(TrackError::Cancelled),
            Err(Unrepaired::BeyondRepair) => {
                let bad = crossings.interpenetrations();
                let bad = bad.into_iter().flat_map(|(node, axis)| cells_round_edge(node, axis));
                let marked = flagged.with(&bad.collect::<Vec<_>>());
                let (rebuilt, parts) = rebuild_parts(&self.mesh, coarse, &marked);
                self.report.rebuilt_components = parts;
                self.mesh = rebuilt;
                self.changed = true;
            }
        }
        if self.report.remeshed_cells > 0 {
            let counts = quality::improve(&mut self.mesh);
            self.note_quality(counts);
            self.mesh.compact();
            self.changed = true;
        }
        // A mesh that was only moved is as sound as it was.
        if self.changed && !(self.mesh.is_sound() && self.mesh.edges_are_single()) {
            self.report.rebuilt_components = self.report.coarse_topology.components;
            self.mesh = rebuild_all(&self.mesh, coarse);
        }
        Ok(cells)
    }

    /// How far the surface is from where the particles carried it, where it was rebuilt.
    fn measure_jump(&mut self, carried: &TriMesh, rebuilt: &CellSet, lattice: Lattice) {
        let report = &mut self.report;
        if report.remeshed_cells > 0 || report.rebuilt_components > 0 {
            let cells = (report.rebuilt_components == 0).then_some(rebuilt);
            let jump = largest_jump(carried, &self.mesh.plain(), cells, lattice);
            report.largest_jump = report.largest_jump.max(jump);
        }
    }

    fn describe(&mut self, coarse: &CoarseSurface, at: &[glam::DVec3], particles: usize) {
        let plain = self.mesh.plain();
        let report = &mut self.report;
        report.vertices = plain.positions().len();
        report.triangles = plain.triangles().len();
        report.topology = Topology::of(&self.mesh);
        report.volume = volume(&plain);
        report.coarse_volume = volume(&coarse.mesh);
        report.particle_volume = self.volume.of_particles(particles);
        report.volume_offset = self.volume.offset;
        report.self_intersections = self_intersections(&plain);
        let delta = &self.mesh.carried.delta;
        let known = |i: usize| if delta[i].is_finite() { delta[i].abs() } else { 0.0 };
        report.largest_detail = reduce::max(delta.len(), known).max(0.0);
        if report.remeshed_cells > 0 {
            let occupied =
                CellSet::new(at.par_iter().map(|&p| crate::topology::cells::cell_of(p)).collect());
            let all = occupied.len().max(report.remeshed_cells);
            report.remeshed_share = report.remeshed_cells as f32 / all as f32;
        }
        // A remaining difference was examined; it is accepted until it changes.
        self.expected_difference = report.topology.minus(report.coarse_topology);
    }
}

/// How wide the band of the coarse distance must be for detail of a size.
fn band_for(largest_detail: f32, spacing: f32) -> f32 {
    let cell = 0.5 * spacing;
    let wanted = (BAND * largest_detail).max(largest_detail + BAND_BEYOND_DETAIL * cell);
    wanted.max(NARROWEST_BAND * cell)
}

/// A stop-watch with laps.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.0;
        self.0 = now;
        lap
    }
}

//! Tracking from frame to frame: what the stage and the command share.

use whitecap_core::attributes::ID;
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh, Watch};
use whitecap_surface::particle_spacing;
use whitecap_track::{CloseReport, Topology, TrackError, TrackReport, Tracker, close_mesh};

use super::settings::TrackStageSettings;
use crate::stage::{Metric, StageError};

/// Cells for closing a mesh per particle spacing.
const CLOSE_CELL_PER_SPACING: f32 = 0.25;

/// A mesh on its way with a liquid.
#[derive(Debug)]
pub struct TrackRun {
    settings: TrackStageSettings,
    /// Time from frame to frame, in s.
    duration: f32,
    /// The tracker and the particles of its frame, once there was one.
    now: Option<(Tracker, Particles)>,
}

/// What a frame gave.
#[derive(Clone, Debug)]
pub struct TrackFrame {
    /// The mesh.
    pub mesh: TriMesh,
    /// Sentences for people.
    pub notes: Vec<String>,
    /// Numbers for the report.
    pub metrics: Vec<Metric>,
}

impl TrackRun {
    /// No frame yet, with frames that are `duration` seconds apart.
    pub fn new(settings: TrackStageSettings, duration: f64) -> Result<Self, TrackError> {
        settings.track.check()?;
        Ok(Self { settings, duration: duration as f32, now: None })
    }

    /// Moves the mesh to the next frame. The first frame takes `first_mesh`, later ones do not ask
    /// for it.
    pub fn step(
        &mut self,
        particles: &Particles,
        first_mesh: Option<&TriMesh>,
        watch: &dyn Watch,
    ) -> Result<TrackFrame, StageError> {
        let mut notes = Vec::new();
        let report = match &mut self.now {
            Some((tracker, previous)) => {
                let report = tracker.advance(previous, particles, self.duration, watch);
                *previous = places_and_ids(particles);
                report.map_err(failed)?
            }
            None => {
                let mesh = first_mesh.ok_or_else(|| StageError::failed("there is no mesh yet"))?;
                let tracker = self.begin(mesh, particles, &mut notes, watch)?;
                let report = first_report(&tracker.mesh());
                self.now = Some((tracker, places_and_ids(particles)));
                report
            }
        };
        if report.rebuilt_components > 0 {
            notes.push(format!(
                "{} part(s) of the mesh could not be repaired in place and were made anew from the particles, without their detail",
                report.rebuilt_components
            ));
        }
        let mesh = self.now.as_ref().map_or_else(TriMesh::default, |(tracker, _)| tracker.mesh());
        let metrics = metrics(&mesh, &report);
        Ok(TrackFrame { mesh, notes, metrics })
    }

    fn begin(
        &self,
        mesh: &TriMesh,
        particles: &Particles,
        notes: &mut Vec<String>,
        watch: &dyn Watch,
    ) -> Result<Tracker, StageError> {
        let settings = self.settings.track.clone();
        if !self.settings.close {
            return Tracker::new(mesh, particles, settings, watch).map_err(failed);
        }
        let spacing = settings.spacing.or_else(|| particle_spacing(particles.positions()));
        let own = spacing.map(|spacing| CLOSE_CELL_PER_SPACING * spacing);
        let cell = self.settings.close_cell.or(own).ok_or_else(|| {
            StageError::failed("the particle spacing cannot be estimated; give `close-cell`")
        })?;
        let (closed, told) = close_mesh(mesh, cell).map_err(failed)?;
        notes.push(closing(&told));
        Tracker::new(&closed, particles, settings, watch).map_err(failed)
    }

    /// Everything that the next frame needs from the past: the tracker, and its particles.
    pub fn save_state(&self) -> Vec<u8> {
        let Some((tracker, particles)) = &self.now else { return Vec::new() };
        let tracker = tracker.save();
        let mut bytes = (tracker.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&tracker);
        bytes.extend_from_slice(&(particles.len() as u64).to_le_bytes());
        for position in particles.positions() {
            bytes.extend(position.to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        bytes.extend(particles.ids().into_iter().flatten().flat_map(i64::to_le_bytes));
        bytes
    }

    /// Brings a fresh run to where the state was saved.
    pub fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        if state.is_empty() {
            self.now = None;
            return Ok(());
        }
        let read = || {
            let (length, rest) = state.split_first_chunk::<8>()?;
            let (tracker, rest) =
                rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            let (count, rest) = rest.split_first_chunk::<8>()?;
            let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
            let (places, ids) = rest.split_at_checked(count.checked_mul(12)?)?;
            Some((tracker, particles_from(places, ids, count)?))
        };
        let (tracker, particles) =
            read().ok_or_else(|| StageError::failed("the saved state is cut off"))?;
        let tracker = Tracker::resume(self.settings.track.clone(), tracker).map_err(failed)?;
        self.now = Some((tracker, particles));
        Ok(())
    }
}

fn failed(error: TrackError) -> StageError {
    match error {
        TrackError::Cancelled => StageError::Cancelled,
        other => StageError::failed(other),
    }
}

/// All that tracking asks of the frame before.
fn places_and_ids(particles: &Particles) -> Particles {
    let mut kept = Particles::new(particles.positions().to_vec());
    if let Some(ids) = particles.ids() {
        // As long as the positions, as it came.
        let _ = kept.set_attribute(ID, Column::I64(ids));
    }
    kept
}

fn particles_from(places: &[u8], ids: &[u8], count: usize) -> Option<Particles> {
    let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let place = |bytes: &[u8]| Vec3::new(number(bytes), number(&bytes[4..]), number(&bytes[8..]));
    let mut particles = Particles::new(places.chunks_exact(12).map(place).collect());
    let (ids, rest) = ids.as_chunks::<8>();
    if !rest.is_empty() {
        return None;
    }
    if !ids.is_empty() {
        let ids: Vec<i64> = ids.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
        if ids.len() != count {
            return None;
        }
        particles.set_attribute(ID, Column::I64(ids)).ok()?;
    }
    Some(particles)
}

/// What closing the first mesh did, in a sentence.
fn closing(told: &CloseReport) -> String {
    format!(
        "the mesh was closed with cells of {:.4} m: {} open edges before, {} triangles now, {} of {} vertices fill gaps or overlaps",
        told.cell, told.before.open_edges, told.after.triangles, told.filled, told.after.vertices,
    )
}

/// The first frame changes nothing.
fn first_report(mesh: &TriMesh) -> TrackReport {
    let told = whitecap_surface::report(mesh);
    let topology =
        Topology { components: told.components, euler_characteristic: told.euler_characteristic };
    TrackReport { topology, volume: told.volume, ..TrackReport::default() }
}

fn metrics(mesh: &TriMesh, report: &TrackReport) -> Vec<Metric> {
    vec![
        Metric::count("triangles", mesh.triangles().len()),
        Metric::count("parts", report.topology.components),
        Metric::new("Euler characteristic", "", report.topology.euler_characteristic as f64),
        Metric::new("volume", "m³", report.volume),
        Metric::count("remeshed cells", report.remeshed_cells),
        Metric::new("remeshed share", "", report.remeshed_share.into()),
        Metric::new("largest jump", "m", report.largest_jump.into()),
        Metric::new("largest detail", "m", report.largest_detail.into()),
        Metric::count("rebuilt parts", report.rebuilt_components),
    ]
}

//! Tracking from frame to frame: what the stage and the command share.

use whitecap_core::attributes::ID;
use whitecap_core::glam::Vec3;
use whitecap_core::saved_bytes::{Reader, StateError, put, vector, vector_bytes};
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
                if previous.ids().is_none() || particles.ids().is_none() {
                    notes.push(String::from(
                        "the particles have no `id`; each is taken for the one at its place in the list of the frame before",
                    ));
                }
                let report = tracker.advance(previous, particles, self.duration, watch);
                let report = report.map_err(failed)?;
                *previous = places_and_ids(particles);
                report
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
        let mut bytes = Vec::new();
        put(&mut bytes, &tracker.save(), |byte| [byte]);
        put(&mut bytes, particles.positions(), vector_bytes);
        put(&mut bytes, &particles.ids().unwrap_or_default(), i64::to_le_bytes);
        bytes
    }

    /// Brings a fresh run to where the state was saved.
    pub fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        if state.is_empty() {
            self.now = None;
            return Ok(());
        }
        let (tracker, places, ids) = read_state(state).map_err(StageError::failed)?;
        let mut particles = Particles::new(places);
        if !ids.is_empty() {
            particles.set_attribute(ID, Column::I64(ids)).map_err(StageError::failed)?;
        }
        let tracker = Tracker::resume(self.settings.track.clone(), &tracker).map_err(failed)?;
        self.now = Some((tracker, particles));
        Ok(())
    }
}

type SavedState = (Vec<u8>, Vec<Vec3>, Vec<i64>);

/// The tracker, the places of its particles and their ids.
fn read_state(state: &[u8]) -> Result<SavedState, StateError> {
    let mut reader = Reader::new(state);
    let tracker = reader.values(|[byte]: [u8; 1]| byte)?;
    let found = (tracker, reader.values(vector)?, reader.values(i64::from_le_bytes)?);
    reader.end().map(|()| found)
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

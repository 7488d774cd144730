//! `kind = "track"`: a detailed mesh that a particle liquid carries along.
//!
//! The stage is stateful: its state is the mesh with everything it remembers, and the particles of its frame.
//! Every frame of the particles is needed, in order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whitecap_core::attributes::{ID, VELOCITY};
use whitecap_core::glam::Vec3;
use whitecap_core::saved_bytes::{Reader, StateError, put, vector, vector_bytes};
use whitecap_core::{Column, Particles, TriMesh, Watch, counted, counted_as};
use whitecap_surface::{radius_warning, spacing_of};
use whitecap_track::{
    CloseReport, MatchedBy, Topology, TrackError, TrackReport, TrackSettings, Tracker, check_size,
    close_mesh,
};

use crate::stage::{
    Depends, InputPort, Inputs, KindInfo, Metric, SettingProblem, ShotContext, StageError,
    StageOutput, StepContext,
};
use crate::{CommandInfo, DataKind, Phenomenon, Subject};

const EXAMPLES: &str = "\
Examples:
  whitecap track 'sim/toy.####.bgeo' --mesh toy.obj -o 'out/toy.####.ply'
  whitecap track 'sim/dragon.####.bgeo' --mesh scan.ply --close -o 'out/dragon.####.ply'
  whitecap track 'sim/honey.####.bgeo' --mesh bear.obj --relaxation 0.5 -o 'out/bear.####.ply'

The mesh is the detailed surface of the liquid in the first frame, closed and in the same units and
place as the particles; --close repairs a scan that is not closed. Its columns (uv, colour, any number)
are kept. The particles should have ids that stay the same from frame to frame; without them each is
matched by its position. Every frame is needed, in order.";

/// Cells for closing a mesh per particle spacing.
const CLOSE_CELL_PER_SPACING: f32 = 0.25;
/// A volume that differs from that of the particles by more than this share is noted.
const NOTED_VOLUME_ERROR: f64 = 0.02;

/// Settings of the stage: how its first mesh is repaired, and how it is tracked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct TrackStageSettings {
    /// Repairs the first mesh if it is open, non-manifold or self-intersecting, as scans often are.
    #[schemars(extend("unit" = "none"))]
    pub close: bool,
    /// Edge length of the cells for `close`: detail is kept down to half of it. Left out: a quarter of the
    /// particle spacing.
    #[schemars(extend("unit" = "m"), range(min = 1e-9, max = 1e9))]
    pub close_cell: Option<f32>,
    /// Tracking itself.
    #[serde(flatten)]
    pub track: TrackSettings,
}

pub(super) struct Track {
    settings: TrackStageSettings,
    /// Time from frame to frame, in s.
    duration: f32,
}

impl Phenomenon for Track {
    const KIND: KindInfo = KindInfo {
        name: "track",
        doc: "Carries a detailed mesh along with a particle liquid.",
        inputs: &[
            InputPort {
                key: "particles",
                accepts: &[DataKind::Particles],
                required: true,
                doc: "The liquid. Its particles should have ids that stay the same; without ids they are matched by position.",
            },
            InputPort {
                key: "mesh",
                accepts: &[DataKind::Mesh],
                required: true,
                doc: "The detailed, closed surface of the liquid in the first frame; later frames of it are not used.",
            },
        ],
        depends: Depends { on_time: true, on_seed: false },
        stateful: true,
        version: 3,
        command: Some(CommandInfo {
            examples: EXAMPLES,
            subject: Subject::Input("particles"),
            told: &["triangles", "remeshed cells"],
            ..CommandInfo::PLAIN
        }),
        ..KindInfo::PLAIN
    };
    type Settings = TrackStageSettings;
    /// The tracker and the particles of its frame, once there is one.
    type State = Option<(Tracker, Particles)>;

    fn check(
        settings: TrackStageSettings,
        shot: &ShotContext,
    ) -> Result<Self, Vec<SettingProblem>> {
        match settings.track.check() {
            Ok(()) => Ok(Self { settings, duration: (1.0 / shot.fps) as f32 }),
            Err(TrackError::Setting(problem)) => Err(vec![problem]),
            Err(error) => Err(vec![SettingProblem::new("kind", error)]),
        }
    }

    fn start(&self) -> Result<Self::State, StageError> {
        Ok(None)
    }

    fn step(
        &self,
        state: &mut Self::State,
        context: &StepContext<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<StageOutput, StageError> {
        let particles = inputs.particles("particles")?;
        let mut notes = Vec::new();
        let report = match state {
            Some((tracker, previous)) => {
                let report = tracker.advance(previous, particles, self.duration, context.watch);
                let report = report.map_err(failed)?;
                notes.extend(matching(report.matched_by));
                *previous = what_matching_needs(particles);
                report
            }
            None => {
                let mesh = inputs.mesh("mesh")?;
                let tracker = self.begin(mesh, particles, &mut notes, context.watch)?;
                let report = first_report(&tracker, particles.len());
                *state = Some((tracker, what_matching_needs(particles)));
                report
            }
        };
        if report.rebuilt_components > 0 {
            notes.push(format!(
                "{} of the mesh rebuilt from the particles, without detail, where repair in place failed",
                counted(report.rebuilt_components, "part")
            ));
        }
        notes.extend(kept_volume(&report));
        let mesh = state.as_ref().map_or_else(TriMesh::default, |(tracker, _)| tracker.mesh());
        let metrics = metrics(&mesh, &report);
        Ok(StageOutput::new(mesh).with_notes(notes).with_metrics(metrics))
    }

    fn save(&self, state: &Self::State) -> Vec<u8> {
        let Some((tracker, particles)) = state else { return Vec::new() };
        let mut bytes = Vec::new();
        put(&mut bytes, &tracker.save(), |byte| [byte]);
        put(&mut bytes, particles.positions(), vector_bytes);
        put(&mut bytes, &particles.ids().unwrap_or_default(), i64::to_le_bytes);
        put(&mut bytes, particles.velocities().unwrap_or_default(), vector_bytes);
        bytes
    }

    fn restore(&self, saved: &[u8]) -> Result<Self::State, StageError> {
        if saved.is_empty() {
            return Ok(None);
        }
        let (tracker, places, ids, velocities) = read_state(saved).map_err(StageError::failed)?;
        let mut particles = Particles::new(places);
        if !velocities.is_empty() {
            let column = Column::Vec3(velocities);
            particles.set_attribute(VELOCITY, column).map_err(StageError::failed)?;
        }
        if !ids.is_empty() {
            particles.set_attribute(ID, Column::I64(ids)).map_err(StageError::failed)?;
        }
        let tracker = Tracker::resume(self.settings.track.clone(), &tracker).map_err(failed)?;
        Ok(Some((tracker, particles)))
    }
}

impl Track {
    fn begin(
        &self,
        mesh: &TriMesh,
        particles: &Particles,
        notes: &mut Vec<String>,
        watch: &dyn Watch,
    ) -> Result<Tracker, StageError> {
        let settings = self.settings.track.clone();
        if let Some(spacing) = settings.spacing {
            let what = format!("half of `spacing`, {} m,", 0.5 * spacing);
            notes.extend(radius_warning(particles.positions(), 0.5 * spacing, &what));
        }
        if !self.settings.close {
            return Tracker::new(mesh, particles, settings, watch).map_err(failed);
        }
        let spacing = settings.spacing.or_else(|| spacing_of(particles));
        let own = spacing.map(|spacing| CLOSE_CELL_PER_SPACING * spacing);
        let cell = self.settings.close_cell.or(own).ok_or_else(|| {
            StageError::failed("the particle spacing cannot be estimated; set `close-cell`")
        })?;
        // A mesh in other units would be closed with far too many cells.
        check_size(mesh, particles).map_err(failed)?;
        let (closed, told) = close_mesh(mesh, cell).map_err(failed)?;
        notes.push(closing(&told));
        Tracker::new(&closed, particles, settings, watch).map_err(failed)
    }
}

type SavedState = (Vec<u8>, Vec<Vec3>, Vec<i64>, Vec<Vec3>);

/// The tracker, and the positions of its particles, their ids and velocities.
fn read_state(state: &[u8]) -> Result<SavedState, StateError> {
    let mut reader = Reader::new(state);
    let tracker = reader.values(|[byte]: [u8; 1]| byte)?;
    let (places, ids) = (reader.values(vector)?, reader.values(i64::from_le_bytes)?);
    let found = (tracker, places, ids, reader.values(vector)?);
    reader.end().map(|()| found)
}

fn failed(error: TrackError) -> StageError {
    match error {
        TrackError::Cancelled => StageError::Cancelled,
        other => StageError::failed(other),
    }
}

/// Everything that tracking needs from the frame before: velocities help where ids are missing.
fn what_matching_needs(particles: &Particles) -> Particles {
    let mut kept = Particles::new(particles.positions().to_vec());
    // Columns are as long as there are positions, as they were given.
    if let Some(ids) = particles.ids() {
        let _ = kept.set_attribute(ID, Column::I64(ids));
    }
    if let Some(velocities) = particles.velocities() {
        let _ = kept.set_attribute(VELOCITY, Column::Vec3(velocities.to_vec()));
    }
    kept
}

/// What to say about particles without usable ids.
fn matching(matched_by: MatchedBy) -> Option<String> {
    let told = match matched_by {
        MatchedBy::Identity => return None,
        MatchedBy::Index => {
            "the particles have no `id`; each is matched with the one at the same index in the frame before"
        }
        MatchedBy::Position => {
            "the particles have no `id` that stays the same; each is matched by its position. Give every particle the same integer `id` in all frames to be exact"
        }
    };
    Some(told.to_owned())
}

/// What to say about a volume that is hard to keep, or not kept.
fn kept_volume(report: &TrackReport) -> Option<String> {
    let Some(off) = volume_error(report) else {
        let told = "the volume of the liquid is not kept: the first mesh does not enclose its particles, or encloses far more than them";
        return Some(told.to_owned());
    };
    if off.abs() > NOTED_VOLUME_ERROR {
        let more_or_less = if off > 0.0 { "more" } else { "less" };
        let percent = 100.0 * off.abs();
        return Some(format!("the mesh encloses {percent:.1} % {more_or_less} than the particles"));
    }
    report.volume_limited.then(|| {
        "the surface of the particles was moved by a quarter of a spacing, the most that is allowed, to keep the volume".to_owned()
    })
}

/// How much more than the particles the mesh encloses, relative to them, if its volume is kept.
fn volume_error(report: &TrackReport) -> Option<f64> {
    let expected = report.particle_volume?;
    Some(if expected > 0.0 { report.volume / expected - 1.0 } else { 0.0 })
}

/// What closing the first mesh did, in a sentence.
fn closing(told: &CloseReport) -> String {
    format!(
        "the mesh was closed with cells of {:.4} m: {} before, {} now, {} of {} in gaps or overlaps",
        told.cell,
        counted(told.before.open_edges, "open edge"),
        counted(told.after.triangles, "triangle"),
        told.filled,
        counted_as(told.after.vertices, "vertex", "vertices"),
    )
}

/// The first frame changes nothing.
fn first_report(tracker: &Tracker, particles: usize) -> TrackReport {
    let told = whitecap_surface::report(&tracker.mesh());
    let particle_volume = tracker.volume_of(particles);
    let topology =
        Topology { components: told.components, euler_characteristic: told.euler_characteristic };
    TrackReport { topology, volume: told.volume, particle_volume, ..TrackReport::default() }
}

fn metrics(mesh: &TriMesh, report: &TrackReport) -> Vec<Metric> {
    let mut metrics = vec![
        Metric::count("triangles", mesh.triangles().len()),
        Metric::count("parts", report.topology.components),
        Metric::new("Euler characteristic", "", report.topology.euler_characteristic as f64),
        Metric::new("volume", "m³", report.volume),
        Metric::count("remeshed cells", report.remeshed_cells).summed(),
        Metric::new("remeshed share", "", report.remeshed_share.into()),
        Metric::new("largest jump", "m", report.largest_jump.into()).largest(),
        Metric::new("largest detail", "m", report.largest_detail.into()),
        Metric::count("rebuilt parts", report.rebuilt_components).summed(),
        Metric::count("self-intersections", report.self_intersections).largest(),
    ];
    if let Some(volume) = report.particle_volume {
        metrics.push(Metric::new("particle volume", "m³", volume));
        metrics.push(Metric::new("volume correction", "m", report.volume_offset.into()));
    }
    if let Some(off) = volume_error(report) {
        metrics.push(Metric::new("volume error", "", off.abs()).largest());
    }
    metrics
}

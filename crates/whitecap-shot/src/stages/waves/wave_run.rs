//! Waves from frame to frame, with the mesh that shows them: what the stage and the command share.

use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, TriMesh, Watch};
use whitecap_surface::{Method, SurfaceSettings, particle_spacing, surface_particles};
use whitecap_waves::dynamics::{Obstacles, container_walls, displaced_mesh};
use whitecap_waves::points::Lengths;
use whitecap_waves::{Surroundings, WaveError, WaveFrame, Waves};

use super::settings::WavesStageSettings;
use crate::stage::{Metric, StageError};

/// Cells of the mesh per fine spacing.
const CELL_PER_FINE: f32 = 0.75;
/// Distance along the normal at which points are looked for, in coarse lengths.
const REACH_PER_COARSE: f32 = 2.0;
/// Particle radii per coarse length, where the particles themselves say nothing.
const RADIUS_PER_COARSE: f32 = 0.25;

/// Waves on a liquid, from frame to frame.
#[derive(Debug)]
pub struct WaveRun {
    settings: WavesStageSettings,
    waves: Waves,
    container: Vec<TriMesh>,
}

impl WaveRun {
    /// No waves yet, with frames that are `duration` seconds apart.
    pub fn new(settings: WavesStageSettings, duration: f64) -> Result<Self, WaveError> {
        let waves = Waves::new(settings.waves.clone(), duration)?;
        let container = settings
            .domain
            .map_or_else(Vec::new, |domain| container_walls(domain.min.into(), domain.max.into()));
        Ok(Self { settings, waves, container })
    }

    /// Moves the waves to the next frame.
    pub fn step(
        &mut self,
        particles: &Particles,
        obstacles: Option<&TriMesh>,
        watch: &dyn Watch,
    ) -> Result<WaveFrame, StageError> {
        let obstacles = Obstacles::new(self.container.iter().chain(obstacles));
        let paint = self.settings.paint.as_deref();
        let paint = paint.map(|name| painted_gain(particles, name)).transpose()?;
        let surroundings = Surroundings {
            obstacles: Some(&obstacles),
            painted_particles: paint.as_deref(),
            ..Surroundings::default()
        };
        self.waves.step(particles, surroundings, watch).map_err(|error| match error {
            WaveError::Cancelled => StageError::Cancelled,
            other => StageError::failed(other),
        })
    }

    /// The mesh of a frame that was just made: `surface`, or one made around the particles, moved by
    /// the waves.
    pub fn mesh(
        &self,
        frame: &WaveFrame,
        particles: &Particles,
        surface: Option<&TriMesh>,
        watch: &dyn Watch,
    ) -> Result<TriMesh, StageError> {
        let Some(lengths) = self.waves.lengths() else { return Ok(TriMesh::default()) };
        let mesh = match surface {
            Some(mesh) => mesh.clone(),
            None => self.surface(particles, lengths, watch)?,
        };
        let reach = REACH_PER_COARSE * lengths.coarse;
        displaced_mesh(mesh, &frame.points, &frame.waves, &frame.velocity, lengths, reach)
            .map_err(StageError::failed)
    }

    /// A smooth surface around the particles, fine enough for the waves.
    fn surface(
        &self,
        particles: &Particles,
        lengths: Lengths,
        watch: &dyn Watch,
    ) -> Result<TriMesh, StageError> {
        let radius = match particles.radii() {
            Some(_) => None,
            None => particle_spacing(particles.positions())
                .map(|spacing| 0.5 * spacing)
                .or(Some(RADIUS_PER_COARSE * lengths.coarse)),
        };
        let settings = SurfaceSettings {
            method: Method::Anisotropic,
            radius,
            cell: Some(self.settings.cell.unwrap_or(CELL_PER_FINE * lengths.fine)),
            smooth: self.settings.smooth,
            ..SurfaceSettings::default()
        };
        match surface_particles(particles, &settings, watch) {
            Ok(surfaced) => Ok(surfaced.mesh),
            Err(whitecap_surface::Error::Cancelled) => Err(StageError::Cancelled),
            Err(error) => Err(StageError::failed(error)),
        }
    }

    /// Everything that the next frame needs from the past.
    pub fn save_state(&self) -> Vec<u8> {
        self.waves.save()
    }

    /// Brings fresh waves to where the state was saved.
    pub fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        self.waves.restore(state).map_err(StageError::failed)
    }
}

/// The numbers in a column of the particles. A frame without particles has no columns and needs none.
fn painted_gain(particles: &Particles, name: &str) -> Result<Vec<f32>, StageError> {
    let refuse =
        |reason: String| Err(StageError::failed(format!("`paint = \"{name}\"`: {reason}")));
    match particles.attribute(name) {
        Some(Column::F32(values)) => Ok(values.clone()),
        Some(Column::I32(values)) => Ok(values.iter().map(|&value| value as f32).collect()),
        Some(Column::I64(values)) => Ok(values.iter().map(|&value| value as f32).collect()),
        Some(column) => refuse(format!(
            "this column of the particles has {} components, but a painted mask has one number per particle",
            column.components()
        )),
        None if particles.is_empty() => Ok(Vec::new()),
        None => {
            let names: Vec<&str> = particles.attributes().iter().map(|(name, _)| name).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            refuse(format!("the particles have no such column; they have: {known}"))
        }
    }
}

/// What a frame tells in the report.
pub fn wave_metrics(frame: &WaveFrame) -> Vec<Metric> {
    let report = &frame.report;
    let points = &report.points;
    let fastest = frame.velocity.iter().copied().map(Vec3::length).fold(0.0, f32::max);
    vec![
        Metric::count("points", frame.points.len()),
        Metric::count("points inserted", points.inserted + points.sampled),
        Metric::count("points deleted", points.crowded + points.lost),
        Metric::new("mean spacing", "fine spacings", points.spacing.mean.into()),
        Metric::new("spread of the spacing", "fine spacings", points.spacing.deviation.into()),
        Metric::new("mean height", "m", report.mean_height.into()),
        Metric::new("largest height", "m", report.largest_height.into()),
        Metric::new("fastest point", "m/s", fastest.into()),
        Metric::new("wave steps", "", report.wave_steps as f64),
    ]
}

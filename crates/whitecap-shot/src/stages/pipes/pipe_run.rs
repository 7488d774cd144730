//! Shallow liquid from frame to frame: what the stage and the command share.

use std::time::Instant;

use whitecap_core::attributes::{RADIUS, VELOCITY};
use whitecap_core::glam::Vec3;
use whitecap_core::{Column, Particles, Watch};
use whitecap_pipes::{Drop, Meniscus, PipeError, Surface, Viewer};

use super::pipe_scene::PipeScene;
use super::settings::{PipeResult, PipesStageSettings};
use crate::stage::{Metric, SettingProblem, ShotContext, StageError, StageOutput};
use crate::{FrameData, FrameTime};

/// A shallow liquid on its way.
#[derive(Debug)]
pub struct PipeRun {
    scene: PipeScene,
    give: PipeResult,
    viewer: Option<Viewer>,
    surface: Surface,
    meniscus: Meniscus,
    /// Whether the first frame, which takes no time, is made.
    has_begun: bool,
}

impl PipeRun {
    /// No frame yet.
    pub fn new(
        settings: &PipesStageSettings,
        shot: &ShotContext<'_>,
    ) -> Result<Self, SettingProblem> {
        Ok(Self {
            scene: PipeScene::new(settings, shot)?,
            give: settings.give,
            viewer: settings.eye.map(|eye| Viewer::At(Vec3::from(eye))),
            surface: Surface::new(),
            meniscus: Meniscus::new(),
            has_begun: false,
        })
    }

    /// Makes the next frame.
    pub fn step(&mut self, frame: FrameTime, watch: &dyn Watch) -> Result<StageOutput, StageError> {
        if watch.cancelled() {
            return Err(StageError::Cancelled);
        }
        let moved = self.scene.move_terrain(frame.index);
        moved.map_err(|problem| StageError::failed(problem.message))?;
        if self.give == PipeResult::Terrain {
            let mesh = self.scene.terrain.clone();
            let metrics = vec![Metric::count("triangles", mesh.triangles().len())];
            return Ok(StageOutput { data: FrameData::Mesh(mesh), notes: Vec::new(), metrics });
        }
        let started = Instant::now();
        let steps = match std::mem::replace(&mut self.has_begun, true) {
            true => self.scene.pipes.advance(frame.dt).map_err(failed)?,
            false => 0,
        };
        let simulation = milliseconds(started);
        let mut metrics = self.metrics(steps);
        metrics.push(Metric::new("simulation time", "ms", simulation));
        let data = match self.give {
            PipeResult::Drops => FrameData::Particles(drops(self.scene.pipes.drops())?),
            _ => self.liquid(&mut metrics)?,
        };
        Ok(StageOutput { data, notes: self.notes(steps), metrics })
    }

    /// The surface of the liquid.
    fn liquid(&mut self, metrics: &mut Vec<Metric>) -> Result<FrameData, StageError> {
        let PipeScene { pipes, minimum, surface: settings, meniscus, .. } = &self.scene;
        let started = Instant::now();
        self.surface.update(pipes.columns(), minimum, settings).map_err(failed)?;
        metrics.push(Metric::new("surface time", "ms", milliseconds(started)));
        if let Some(settings) = meniscus {
            let started = Instant::now();
            self.meniscus
                .apply(pipes.columns(), &mut self.surface, settings, self.viewer)
                .map_err(failed)?;
            metrics.push(Metric::new("meniscus time", "ms", milliseconds(started)));
        }
        metrics.push(Metric::count("triangles", self.surface.triangles().len()));
        Ok(FrameData::Mesh(self.surface.to_mesh()))
    }

    fn metrics(&self, steps: usize) -> Vec<Metric> {
        let pipes = &self.scene.pipes;
        let report = pipes.report();
        let wet = (0..pipes.columns().len()).filter(|&column| pipes.columns().is_wet(column));
        vec![
            Metric::new("volume", "m³", report.volume),
            Metric::new("poured", "m³", report.poured),
            Metric::new("drained", "m³", report.drained),
            Metric::new("error of the volume", "", report.relative_error.abs()),
            Metric::new("deepest", "m", report.deepest),
            Metric::count("columns", pipes.columns().len()),
            Metric::count("wet columns", wet.count()),
            Metric::count("drops", pipes.drops().len()),
            Metric::count("steps", steps),
        ]
    }

    /// What somebody who waits for liquid should know.
    fn notes(&self, steps: usize) -> Vec<String> {
        let settings = self.scene.pipes.settings();
        let is_dry = steps == 0 && settings.sources.is_empty() && self.scene.pipes.volume() == 0.0;
        let note = "there is no liquid: fill something, or add `sources`";
        is_dry.then(|| String::from(note)).into_iter().collect()
    }

    /// Everything that the next frame needs from the past.
    pub fn save_state(&self) -> Vec<u8> {
        if self.has_begun { self.scene.pipes.save() } else { Vec::new() }
    }

    /// Brings a fresh run to where the state was saved.
    pub fn restore_state(&mut self, state: &[u8]) -> Result<(), StageError> {
        if !state.is_empty() {
            self.scene.pipes.restore(state).map_err(failed)?;
            self.has_begun = true;
        }
        Ok(())
    }
}

fn failed(error: PipeError) -> StageError {
    StageError::failed(error)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn drops(drops: &[Drop]) -> Result<Particles, StageError> {
    let mut particles = Particles::new(drops.iter().map(|drop| drop.position).collect());
    let radius = |drop: &Drop| (drop.volume * 0.75 / std::f64::consts::PI).cbrt() as f32;
    let radii = Column::F32(drops.iter().map(radius).collect());
    particles.set_attribute(RADIUS, radii).map_err(StageError::failed)?;
    let velocities = Column::Vec3(drops.iter().map(|drop| drop.velocity).collect());
    particles.set_attribute(VELOCITY, velocities).map_err(StageError::failed)?;
    Ok(particles)
}

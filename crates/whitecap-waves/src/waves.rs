//! Waves on a liquid, frame by frame.

use std::time::Instant;

use glam::Vec3;
use whitecap_core::{Particles, Watch, reduce};

use crate::dynamics::{DynamicsError, Obstacles, WaveDynamics, WaveOutput, WaveSurface};
use crate::error::WaveError;
use crate::frame::{WaveFrame, WaveReport};
use crate::points::{Aggregates, Lengths, PointFrame, SurfaceTracker};
use crate::settings::WaveSettings;

/// A painted gain: maps positions to one value each.
pub type Paint<'a> = &'a (dyn Fn(&[Vec3]) -> Vec<f32> + Sync);

/// What is in a frame besides the liquid.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// Solids that reflect waves.
    pub obstacles: Option<&'a Obstacles>,
    /// A gain for each position, on top of the regions of gain in the settings.
    pub paint: Option<Paint<'a>>,
    /// A gain for each particle; points have the mean of the particles around them. Where there is
    /// also a gain for each position, the two are multiplied.
    pub painted_particles: Option<&'a [f32]>,
}

/// Waves on the surface of a particle liquid.
///
/// # Guarantees
/// * The same particles give the same waves, to the bit, for any number of threads, and also when
///   the state was saved and restored between two frames.
/// * After an error the state is that of the last good frame.
/// * A frame without particles has no waves; later ones start from still water.
#[derive(Clone, Debug)]
pub struct Waves {
    settings: WaveSettings,
    /// Seconds from frame to frame.
    duration: f64,
    pub(crate) frames: u64,
    pub(crate) tracker: SurfaceTracker,
    /// Made when the scales are known.
    pub(crate) dynamics: Option<WaveDynamics>,
}

impl Waves {
    /// No waves yet, on a liquid whose frames are `duration` seconds apart.
    pub fn new(settings: WaveSettings, duration: f64) -> Result<Self, WaveError> {
        settings.check()?;
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(DynamicsError::Duration { duration }.into());
        }
        let tracker = SurfaceTracker::new(settings.points.clone())?;
        Ok(Self { settings, duration, frames: 0, tracker, dynamics: None })
    }

    /// The settings.
    pub fn settings(&self) -> &WaveSettings {
        &self.settings
    }

    /// The scales; unknown before the first frame with particles.
    pub fn lengths(&self) -> Option<Lengths> {
        self.tracker.lengths()
    }

    /// Frames made so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Moves points and waves to the next frame of the liquid.
    pub fn step(
        &mut self,
        particles: &Particles,
        surroundings: Surroundings<'_>,
        watch: &dyn Watch,
    ) -> Result<WaveFrame, WaveError> {
        // Enters the thread pool once, rather than once for each of many short loops.
        rayon::scope(|_| self.step_points_and_waves(particles, surroundings, watch))
    }

    fn step_points_and_waves(
        &mut self,
        particles: &Particles,
        surroundings: Surroundings<'_>,
        watch: &dyn Watch,
    ) -> Result<WaveFrame, WaveError> {
        let start = Instant::now();
        if let Some(values) = surroundings.painted_particles
            && values.len() != particles.len()
        {
            return Err(WaveError::Paint { found: values.len(), particles: particles.len() });
        }
        let (points, last_points) = self.tracker.step_from(particles, self.duration, watch)?;
        let last_waves = self.dynamics.clone();
        match self.step_waves(points, particles, surroundings) {
            Ok(mut frame) => {
                self.frames += 1;
                frame.report.total = start.elapsed();
                Ok(frame)
            }
            Err(error) => {
                self.tracker.put_back(last_points);
                self.dynamics = last_waves;
                Err(error)
            }
        }
    }

    /// Moves the waves on points that exist already.
    fn step_waves(
        &mut self,
        frame: PointFrame,
        particles: &Particles,
        surroundings: Surroundings<'_>,
    ) -> Result<WaveFrame, WaveError> {
        let mut report = WaveReport { points: frame.report, ..WaveReport::default() };
        let Some(lengths) = self.tracker.lengths() else {
            return Ok(WaveFrame { report, ..WaveFrame::default() });
        };
        let points = self.tracker.points();
        let start = Instant::now();
        let aggregates = Aggregates::build(
            &points.position,
            &points.normal,
            &points.area,
            lengths.coarse,
            self.settings.points.sums,
        );
        report.aggregation = start.elapsed();
        let start = Instant::now();
        let dynamics = match &mut self.dynamics {
            Some(dynamics) => dynamics,
            none => none.insert(Self::dynamics_for(&self.settings, lengths, self.duration)?),
        };
        dynamics.carry(&frame.carry);
        let painted = painted(&self.tracker, particles, surroundings);
        let no_obstacles = Obstacles::default();
        let surface = WaveSurface {
            points,
            neighbourhood: self.tracker.neighbourhood(),
            aggregates: &aggregates,
            velocity: &frame.velocity,
            painted: painted.as_deref(),
            obstacles: surroundings.obstacles.unwrap_or(&no_obstacles),
        };
        let waves = dynamics.step(&surface, self.frames as f64 * self.duration)?;
        report.dynamics = start.elapsed();
        describe(&waves, &mut report);
        Ok(WaveFrame { points: points.clone(), velocity: frame.velocity, waves, report })
    }

    /// Still water at the given scales.
    pub(crate) fn dynamics_for(
        settings: &WaveSettings,
        lengths: Lengths,
        duration: f64,
    ) -> Result<WaveDynamics, DynamicsError> {
        WaveDynamics::new(settings.dynamics.clone(), lengths.coarse, lengths.fine, duration)
    }

    /// Seconds from frame to frame.
    pub fn duration(&self) -> f64 {
        self.duration
    }
}

/// The painted gain of each point, if anything is painted.
fn painted(
    tracker: &SurfaceTracker,
    particles: &Particles,
    surroundings: Surroundings<'_>,
) -> Option<Vec<f32>> {
    let at_places = surroundings.paint.map(|paint| paint(&tracker.points().position));
    let on_particles =
        surroundings.painted_particles.map(|values| tracker.averages(particles, values));
    match (at_places, on_particles) {
        (Some(mut gains), Some(others)) if gains.len() == others.len() => {
            gains.iter_mut().zip(others).for_each(|(gain, other)| *gain *= other);
            Some(gains)
        }
        (at_places, on_particles) => at_places.or(on_particles),
    }
}

fn describe(waves: &WaveOutput, report: &mut WaveReport) {
    let heights = &waves.height;
    let squares = reduce::sum(heights.len(), |i| f64::from(heights[i]).powi(2));
    report.mean_height = (squares / heights.len().max(1) as f64).sqrt() as f32;
    report.largest_height = reduce::max(heights.len(), |i| heights[i].abs()).max(0.0);
    report.wave_steps = waves.steps;
}

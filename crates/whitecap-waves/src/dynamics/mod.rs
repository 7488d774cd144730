//! Waves on a set of surface points: seeded where the coarse liquid is under-resolved, carried by
//! the wave equation, reflected by obstacles (Mercier et al. 2015, §4.4).
//!
//! [`WaveDynamics::step`] is one frame, in the order of Algorithm 2:
//! 1. [`curvature`]: how strongly the liquid is curved at its own scale (Eq. 4.13)
//! 2. [`DynamicsSettings`] and regions of gain decide where oscillators grow (lines 1–3)
//! 3. [`laplacian`]: one weight per pair of neighbours, for all steps and bands (Eq. 4.15)
//! 4. the waves of each of the [`bands`] move (lines 4–14)
//! 5. foam is tagged, and what is seen is the sum of the bands: [`WaveOutput`]
//!
//! [`displaced_mesh()`] transfers the result to a mesh of the coarse liquid.
//!
//! # Guarantees
//! * Oscillators are never visible. Still water stays still, to the bit; so do drops.
//! * No height exceeds `largest-height`; no result depends on the number of threads.
//! * Scaling all lengths, at the same time between frames, scales the waves, as long as dispersion
//!   is off: water itself is not the same at every scale.
//!
//! # Non-guarantees
//! * Volume is not conserved: waves are a displacement of the surface, not a flow.

pub mod bands;
mod bodies;
pub mod curvature;
mod displaced_mesh;
mod error;
mod foam;
mod gain;
pub mod laplacian;
mod obstacle;
mod output;
mod propagation;
mod seeding;
mod settings;
mod state;

use whitecap_core::glam::Vec3;

use crate::points::{Aggregates, Carry, Neighbourhood, SurfacePoints};

pub use displaced_mesh::{HEIGHT, displaced_mesh};
pub use error::DynamicsError;
pub use gain::{GainBox, GainSphere};
pub use obstacle::{Obstacles, Wall, container_walls};
pub use output::WaveOutput;
pub use propagation::BandState;
pub use settings::{DROP_CURVATURE, Dispersion, DynamicsSettings, SHEET_CURVATURE};
pub use state::WaveState;

use bands::Band;
use foam::FoamRule;
use laplacian::Stencil;
use propagation::Motion;
use seeding::SeedRule;

/// Steps of the wave equation that one frame may take.
const MOST_STEPS: u32 = 5000;
/// Share of a wave on a drop that is left after a frame.
const LEFT_ON_DROPS: f32 = 0.5;
/// The area of a point times its density ρ, in λ_f²: the integral of the kernel of Mercier et al.
/// 2015, Eq. 4.1 over its support of 2 λ_f.
const AREA_PER_WEIGHT: f32 = 4.0 * std::f32::consts::PI / 3.0;

/// The surface of one frame, on which waves move.
#[derive(Clone, Copy, Debug)]
pub struct WaveSurface<'a> {
    /// The points.
    pub points: &'a SurfacePoints,
    /// Their neighbours within 2 λ_f.
    pub neighbourhood: &'a Neighbourhood,
    /// Samples for sums at the scale λ_c.
    pub aggregates: &'a Aggregates,
    /// Velocity of the liquid at each point, in metres per second; `None` if unknown.
    pub velocity: &'a [Vec3],
    /// A painted gain for each point; `None` to use only the regions of gain.
    pub painted: Option<&'a [f32]>,
    /// The solids of this frame.
    pub obstacles: &'a Obstacles,
}

/// Waves that move from frame to frame.
#[derive(Clone, Debug)]
pub struct WaveDynamics {
    settings: DynamicsSettings,
    /// λ_c and λ_f, in metres.
    coarse: f32,
    fine: f32,
    /// Time between frames, in seconds.
    duration: f64,
    bands: Vec<Band>,
    state: WaveState,
    stencil: Stencil,
}

impl WaveDynamics {
    /// Still water, without points yet, at the scales `coarse` (λ_c) and `fine` (λ_f) in metres, with
    /// frames of `duration` seconds.
    pub fn new(
        settings: DynamicsSettings,
        coarse: f32,
        fine: f32,
        duration: f64,
    ) -> Result<Self, DynamicsError> {
        settings.check()?;
        if !(fine > 0.0 && fine < coarse && coarse.is_finite()) {
            return Err(DynamicsError::Lengths { coarse, fine });
        }
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(DynamicsError::Duration { duration });
        }
        let bands = bands::bands(&settings, coarse, fine, duration);
        let state = WaveState::still(bands.len(), 0);
        Ok(Self { settings, coarse, fine, duration, bands, state, stencil: Stencil::default() })
    }

    /// The bands in which waves move.
    pub fn bands(&self) -> &[Band] {
        &self.bands
    }

    /// The present waves.
    pub fn state(&self) -> &WaveState {
        &self.state
    }

    /// Replaces the present waves by saved ones.
    pub fn set_state(&mut self, state: WaveState) {
        self.state = state;
    }

    /// Carries the waves from the points of the last frame to those of this one.
    pub fn carry(&mut self, carry: &Carry) {
        self.state.carry(carry);
    }

    /// Still water on `points` points.
    pub fn calm(&mut self, points: usize) {
        self.state = WaveState::still(self.bands.len(), points);
    }

    /// Moves the waves to the frame at `time`, on its surface; they must have been carried to its
    /// points.
    pub fn step(
        &mut self,
        surface: &WaveSurface<'_>,
        time: f64,
    ) -> Result<WaveOutput, DynamicsError> {
        self.check(surface)?;
        let points = surface.points;
        let curvature = curvature::curvatures(points, surface.aggregates, self.coarse);

        // Lines 1–3: oscillators grow or fade.
        let gains = gain::gains(&self.settings, &points.position, surface.painted);
        let walls = surface.obstacles.walls(&points.position, 2.0 * self.fine);
        let drops = self.drops(surface);
        self.still_drops_and_walls(&drops, &walls);
        self.stencil.rebuild(points, surface.neighbourhood, &walls, self.fine);
        let before = self.stencil.laplacian(&self.state.seed_amplitude);
        let memory = self.settings.curvature_memory;
        let usual = &mut self.state.usual_curvature;
        let changes = curvature::changes(&curvature, surface.neighbourhood, usual, memory);
        self.seed_rule().advance(&mut self.state.seed_amplitude, &changes, &gains, &drops);
        let after = self.stencil.laplacian(&self.state.seed_amplitude);

        // Lines 4–14: waves move.
        let mut steps = 0;
        for index in 0..self.bands.len() {
            steps += self.move_band(index, time - self.duration, [&before, &after])?;
        }

        self.foam_rule().advance(&mut self.state.foam, &changes, surface.velocity);
        let largest = self.settings.largest_height * self.coarse;
        let output = WaveOutput::new(&self.state, points, curvature, &gains, largest, steps);
        output.check_finite(points)?;
        Ok(output)
    }

    fn check(&self, surface: &WaveSurface<'_>) -> Result<(), DynamicsError> {
        let points = surface.points.len();
        let lengths = [
            ("neighbours", surface.neighbourhood.len()),
            ("waves", self.state.len()),
            ("velocity", if surface.velocity.is_empty() { points } else { surface.velocity.len() }),
            ("painted gain", surface.painted.map_or(points, <[f32]>::len)),
        ];
        match lengths.into_iter().find(|&(_, found)| found != points) {
            Some((column, found)) => Err(DynamicsError::ColumnLength { column, found, points }),
            None => Ok(()),
        }
    }

    fn drops(&self, surface: &WaveSurface<'_>) -> Vec<bool> {
        let radius = self.settings.drop_radius * self.coarse / self.fine;
        let least = 4.0 * std::f32::consts::PI * radius * radius / AREA_PER_WEIGHT;
        bodies::on_drops(surface.neighbourhood, &surface.points.area, least)
    }

    fn still_drops_and_walls(&mut self, drops: &[bool], walls: &[Wall]) {
        let left = |point: usize| match (drops[point], walls.get(point)) {
            (_, Some(Wall::Within)) => 0.0,
            (true, _) => LEFT_ON_DROPS,
            _ => 1.0,
        };
        for band in &mut self.state.bands {
            for (point, (height, velocity)) in
                band.height.iter_mut().zip(&mut band.velocity).enumerate()
            {
                *height *= left(point);
                *velocity *= left(point);
            }
        }
        for (amplitude, wall) in self.state.seed_amplitude.iter_mut().zip(walls) {
            if *wall == Wall::Within {
                *amplitude = 0.0;
            }
        }
    }

    fn move_band(
        &mut self,
        index: usize,
        start: f64,
        forcing: [&[f32]; 2],
    ) -> Result<u64, DynamicsError> {
        let band = &self.bands[index];
        let settings = &self.settings;
        let largest_height = settings.largest_height * self.coarse;
        let frequency = settings.largest_frequency.unwrap_or(2.0 * band.largest_frequency());
        let motion = Motion {
            start,
            duration: self.duration,
            diffusion: settings.diffusion * band.speed * self.fine,
            restoring: (settings.restoring * band.least_frequency()).powi(2),
            left: 1.0 - settings.damping,
            largest_height,
            largest_velocity: largest_height * frequency,
        };
        let steps = motion.steps(&self.stencil, band.speed);
        if steps > u64::from(MOST_STEPS) {
            return Err(DynamicsError::TooFast {
                speed: band.speed,
                needed: steps,
                duration: self.duration,
                fine: self.fine,
                most: MOST_STEPS,
            });
        }
        motion.advance(&self.stencil, band, steps, &mut self.state.bands[index], forcing);
        Ok(steps)
    }

    fn seed_rule(&self) -> SeedRule {
        let largest = self.settings.seed_height * self.coarse;
        SeedRule {
            curvature: self.curvature_limits(),
            largest,
            change: largest / self.settings.seed_rise,
        }
    }

    fn foam_rule(&self) -> FoamRule {
        let usual = (f64::from(self.coarse) / self.duration) as f32;
        FoamRule {
            curvature: self.curvature_limits(),
            speed: self.settings.foam_speed.unwrap_or(usual),
            left: 0.5f32.powf(1.0 / self.settings.foam_half_life),
        }
    }

    /// c_min and c_max in metres.
    fn curvature_limits(&self) -> (f32, f32) {
        let settings = &self.settings;
        (settings.least_curvature * self.coarse, settings.full_curvature * self.coarse)
    }
}

/// 0 below `low`, 1 above `high`, and 3t² − 2t³ between.
fn smooth_step(value: f32, low: f32, high: f32) -> f32 {
    if high <= low {
        return if value >= high { 1.0 } else { 0.0 };
    }
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

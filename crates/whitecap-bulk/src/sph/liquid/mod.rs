//! A liquid made of particles, and its time step.
//!
//! # The step in detail
//! 1. Emitters make particles. Particles are sorted along a Z-order curve; neighbour pairs, densities
//!    and the boundary's contribution are computed, or known from the end of the previous step.
//! 2. The velocity is made free of divergence (DFSPH: Bender & Koschier 2017, Alg. 2).
//! 3. Viscosity (Monaghan 2005; implicit: Weiler et al. 2018), surface tension (Becker & Teschner 2007,
//!    Eq. 12), gravity and other forces (Morgenroth 2021, Eq. 3.1) change the velocity.
//! 4. The pressure solver finds the pressure that keeps the density (Bender & Koschier 2017, Alg. 3, or
//!    Solenthaler & Pajarola 2009), and friction acts where the boundary pushes.
//! 5. The result is checked: if a velocity is not finite, a particle moves too far or a
//!    density is impossible, the step is discarded and tried again at half its length.
//! 6. Particles and solids move; particles are kept out of walls and solids. Compression that the prediction
//!    missed shows in the densities at the new positions and is corrected (`settle`).
//! 7. Particles in kill volumes are removed.
//!
//! # Guarantees
//! * A frame ends exactly at its time, whatever the steps.
//! * The result has the same bits for any number of threads, and when continued from a saved state.
//! * No particle is compressed beyond `largest-compression` by a step, up to a bounded number of rounds.
//! * When a step fails at every length, the state is that of the last good step.
//! * No memory is allocated in a step once the particle count and the lists have stopped growing.

mod columns;
mod snapshot;
mod sources;
mod step;

use rayon::prelude::*;
use whitecap_core::Watch;
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use wide::f32x4;

use crate::sph::boundary::Boundary;
use crate::sph::error::SphError;
use crate::sph::neighbours::Pairs;
use crate::sph::output::{FrameReport, StepReport};
use crate::sph::pressure::Dfsph;
use crate::sph::pressure::Pcisph;
use crate::sph::pressure::PressureSolver;
use crate::sph::pressure::PressureSystem;
use crate::sph::resolution::Resolution;
use crate::sph::settings::{PressureMethod, SphSettings, ViscosityMethod};
use crate::sph::viscosity::ImplicitViscosity;
use crate::sph::viscosity::stable_time_step;
use columns::Columns;
use whitecap_scene::emitter::Emitter;

/// A liquid.
#[derive(Debug)]
pub struct Liquid {
    pub(in crate::sph) settings: SphSettings,
    pub(in crate::sph) resolution: Resolution,
    pub(in crate::sph) boundary: Boundary,
    pub(in crate::sph) emitters: Vec<Emitter>,
    pub(in crate::sph) columns: Columns,
    pub(in crate::sph) time: f64,
    /// The time that solids are posed for: `time`, but for the rounding of a step that ends with a frame.
    pub(in crate::sph) posed_at: f64,
    pub(in crate::sph) step_count: u64,
    pub(in crate::sph) next_id: i64,
    /// Whether particles with unknown pressure were added.
    pub(in crate::sph) cold: bool,
    pub(in crate::sph) solver: Box<dyn PressureSolver>,
    pub(in crate::sph) work: Workspace,
}

/// Arrays of one step, in sorted order. Only λ outlives a frame.
#[derive(Debug, Default)]
pub(in crate::sph) struct Workspace {
    /// Whether grid and pairs match the present particles and boundary.
    pub is_current: bool,
    pub grid: NeighbourGrid,
    pub pairs: Pairs,
    pub system: PressureSystem,
    pub velocity: Vec<f32x4>,
    /// Velocity of the solids near each particle; empty where there is none.
    pub solid_velocity: Vec<Vec3>,
    pub viscosity: ImplicitViscosity,
}

impl Workspace {
    /// Bytes held without the grid.
    pub fn bytes(&self) -> usize {
        self.pairs.bytes()
            + self.system.bytes()
            + self.viscosity.bytes()
            + size_of::<f32x4>() * self.velocity.capacity()
            + size_of::<Vec3>() * self.solid_velocity.capacity()
    }
}

impl Liquid {
    /// A liquid without particles.
    pub fn new(settings: SphSettings) -> Result<Self, SphError> {
        settings.check()?;
        let resolution = Resolution::new(settings.spacing, settings.support, settings.rest_density);
        let solver: Box<dyn PressureSolver> = match settings.pressure {
            PressureMethod::Dfsph => Box::new(Dfsph { divergence_free: settings.divergence_free }),
            PressureMethod::Pcisph => Box::new(Pcisph::default()),
        };
        Ok(Self {
            boundary: Boundary::new(&settings, &resolution)?,
            emitters: Vec::new(),
            settings,
            resolution,
            columns: Columns::default(),
            time: 0.0,
            posed_at: 0.0,
            step_count: 0,
            next_id: 0,
            cold: true,
            solver,
            work: Workspace::default(),
        })
    }

    /// Advances by one frame of `duration` seconds, in as many steps as needed.
    pub fn step_frame(
        &mut self,
        duration: f64,
        watch: &dyn Watch,
    ) -> Result<FrameReport, SphError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(SphError::Duration { duration });
        }
        // Between frames the caller may have changed anything.
        self.work.is_current = false;
        let start = self.time;
        let end = start + duration;
        let mut report = FrameReport::default();
        while self.time < end {
            if watch.cancelled() {
                return Err(SphError::Cancelled);
            }
            let remaining = end - self.time;
            let longest = f64::from(self.longest_time_step());
            let steps = (remaining / longest - 1e-6).ceil().max(1.0);
            let step = self.step((remaining / steps) as f32)?;
            let last = steps == 1.0 && step.retries == 0;
            self.time = if last { end } else { self.time + f64::from(step.time_step) };
            report.steps.push(StepReport { time: self.time, ..step });
            self.kill();
            watch.progress(((self.time - start) / duration).min(1.0) as f32);
        }
        self.columns.acceleration.clear();
        report.particles = self.len();
        report.kinetic_energy = self.kinetic_energy();
        report.bytes = self.bytes();
        Ok(report)
    }

    /// The time step that the settings allow now.
    fn longest_time_step(&self) -> f32 {
        let viscous = match self.settings.viscosity_method {
            ViscosityMethod::Explicit => {
                stable_time_step(self.settings.viscosity, &self.resolution)
            }
            ViscosityMethod::Automatic | ViscosityMethod::Implicit => f32::INFINITY,
        };
        if let Some(fixed) = self.settings.time_step {
            return fixed.min(viscous);
        }
        // From v Δt + a Δt² = cfl · spacing, written so that it holds for a = 0 and v = 0.
        let distance = self.settings.cfl * self.resolution.spacing;
        let speed = self.largest_speed().max(self.boundary.particles.largest_speed());
        let acceleration = Vec3::from(self.settings.gravity).length();
        let root = (speed * speed + 4.0 * acceleration * distance).sqrt();
        (2.0 * distance / (speed + root)).min(self.settings.largest_time_step).min(viscous)
    }

    fn largest_speed(&self) -> f32 {
        let squares = self.columns.velocity.par_iter().map(|velocity| velocity.length_squared());
        squares.reduce(|| 0.0, f32::max).sqrt()
    }
}

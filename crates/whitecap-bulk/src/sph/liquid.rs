//! A liquid made of particles, and its time step.
//!
//! # The step in detail
//! 1. Particles are sorted along a Z-order curve; neighbour pairs, densities and the boundary's
//!    share are computed once.
//! 2. The velocity is made free of divergence (DFSPH).
//! 3. Viscosity, surface tension, gravity and other forces change the velocity.
//! 4. The pressure solver finds the pressure that keeps the density, and friction acts where the
//!    boundary pushes.
//! 5. The result is looked at: a velocity that is not finite, a particle that moves too far or a
//!    density that cannot be means that the step is thrown away and tried again at half its length.
//! 6. Particles move and are kept out of walls.
//!
//! # Guarantees
//! * A frame ends exactly at its time, whatever the steps.
//! * The result has the same bits for any number of threads, and when continued from a saved state.
//! * When a step fails at every length, the state is that of the last good step.
//! * No memory is allocated in a step once the particle count and the lists have stopped growing.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{Column, Particles, Watch, attributes, reduce};
use wide::f32x4;

use super::boundary::Boundary;
use super::columns::Columns;
use super::dfsph::Dfsph;
use super::error::SphError;
use super::pairs::Pairs;
use super::pcisph::Pcisph;
use super::pressure_solver::PressureSolver;
use super::pressure_system::PressureSystem;
use super::report::{FrameReport, StepReport};
use super::resolution::Resolution;
use super::settings::{PressureMethod, SphSettings};
use super::solid::Walls;
use super::tags;
use super::viscosity::stable_time_step;

/// A liquid.
#[derive(Debug)]
pub struct Liquid {
    pub(super) settings: SphSettings,
    pub(super) resolution: Resolution,
    pub(super) boundary: Boundary,
    pub(super) columns: Columns,
    pub(super) time: f64,
    pub(super) step_count: u64,
    pub(super) next_id: i64,
    /// Whether particles were added whose pressure is not known.
    pub(super) cold: bool,
    pub(super) solver: Box<dyn PressureSolver>,
    pub(super) work: Workspace,
}

/// Arrays of one step, in sorted order. Nothing in it but λ outlives a step.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub grid: NeighbourGrid,
    pub pairs: Pairs,
    pub system: PressureSystem,
    pub velocity: Vec<f32x4>,
}

impl Liquid {
    /// A liquid without particles.
    pub fn new(settings: SphSettings) -> Result<Self, SphError> {
        settings.check()?;
        let resolution = Resolution::new(settings.spacing, settings.support, settings.rest_density);
        let mut walls = Walls::new();
        if let Some(domain) = settings.domain {
            walls = walls.with_domain(domain, &settings.open_sides)?;
        }
        for &plane in &settings.planes {
            walls = walls.with_plane(plane)?;
        }
        let solver: Box<dyn PressureSolver> = match settings.pressure {
            PressureMethod::Dfsph => Box::new(Dfsph { divergence_free: settings.divergence_free }),
            PressureMethod::Pcisph => Box::new(Pcisph::default()),
        };
        Ok(Self {
            boundary: Boundary::new(walls, &resolution),
            settings,
            resolution,
            columns: Columns::default(),
            time: 0.0,
            step_count: 0,
            next_id: 0,
            cold: true,
            solver,
            work: Workspace::default(),
        })
    }

    /// Adds particles at rest density, numbered in order. Returns how many.
    pub fn add(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<usize, SphError> {
        if let Some(index) = positions.iter().position(|p| !p.is_finite()) {
            return Err(SphError::NotFinite { column: "position", index });
        }
        if let Some(index) = velocities.iter().position(|v| !v.is_finite()) {
            return Err(SphError::NotFinite { column: "velocity", index });
        }
        for (&position, &velocity) in positions.iter().zip(velocities) {
            let (position, velocity) = self.boundary.keep_out(position, velocity);
            let rest_density = self.resolution.rest_density;
            self.columns.push(position, velocity, self.next_id, 0.0, rest_density);
            self.next_id += 1;
        }
        self.cold = true;
        Ok(positions.len())
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time in seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Bytes of memory held for particles and neighbours.
    pub fn bytes(&self) -> usize {
        // The grid holds a position, a place and two sort items for each particle, and a table of
        // about one cell for every eight.
        let grid = self.len() * (12 + 4 + 32 + 8);
        let velocity = size_of::<f32x4>() * self.work.velocity.capacity();
        self.columns.bytes()
            + self.work.pairs.bytes()
            + self.work.system.bytes()
            + self.solver.bytes()
            + velocity
            + grid
    }

    /// Advances by one frame of `duration` seconds, in as many steps as it needs.
    pub fn step_frame(
        &mut self,
        duration: f64,
        watch: &dyn Watch,
    ) -> Result<FrameReport, SphError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(SphError::Duration { duration });
        }
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
            watch.progress(((self.time - start) / duration).min(1.0) as f32);
        }
        report.particles = self.len();
        report.kinetic_energy = self.kinetic_energy();
        report.bytes = self.bytes();
        Ok(report)
    }

    /// Kinetic energy in joules.
    pub fn kinetic_energy(&self) -> f64 {
        let velocity = &self.columns.velocity;
        let squares = reduce::sum(velocity.len(), |i| f64::from(velocity[i].length_squared()));
        0.5 * f64::from(self.resolution.mass) * squares
    }

    /// The time step that the settings allow now.
    fn longest_time_step(&self) -> f32 {
        let viscous = stable_time_step(self.settings.viscosity, &self.resolution);
        if let Some(fixed) = self.settings.time_step {
            return fixed.min(viscous);
        }
        // From v Δt + a Δt² = cfl · spacing, written so that it holds for a = 0 and v = 0.
        let distance = self.settings.cfl * self.resolution.spacing;
        let speed = self.largest_speed();
        let acceleration = Vec3::from(self.settings.gravity).length();
        let root = (speed * speed + 4.0 * acceleration * distance).sqrt();
        (2.0 * distance / (speed + root)).min(self.settings.largest_time_step).min(viscous)
    }

    fn largest_speed(&self) -> f32 {
        let squares = self.columns.velocity.par_iter().map(|velocity| velocity.length_squared());
        squares.reduce(|| 0.0, f32::max).sqrt()
    }

    /// The particles with the columns `velocity`, `id`, `density` (kg/m³), `pressure` (Pa), `type`
    /// (see [`super::tags`]) and `age` (s), ordered by id.
    pub fn particles(&self) -> Result<Particles, SphError> {
        let columns = &self.columns;
        let mut order: Vec<u32> = (0..columns.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| columns.id[i as usize]);
        let tags = tags::tag(&columns.position, self.resolution.spacing)?;
        let pressure = columns.pressure.iter().zip(&columns.density).map(|(p, rho)| p * rho * rho);
        let mut particles = Particles::new(columns.position.clone());
        particles.set_attribute(attributes::VELOCITY, Column::Vec3(columns.velocity.clone()))?;
        particles.set_attribute(attributes::ID, Column::I64(columns.id.clone()))?;
        particles.set_attribute("density", Column::F32(columns.density.clone()))?;
        particles.set_attribute("pressure", Column::F32(pressure.collect()))?;
        particles.set_attribute("type", Column::I32(tags.types))?;
        particles.set_attribute("age", Column::F32(columns.age.clone()))?;
        Ok(particles.gather(&order))
    }

    /// Positions in metres, in an order of their own that changes with every step.
    pub fn positions(&self) -> &[Vec3] {
        &self.columns.position
    }
}

//! One time step of a [`Liquid`]; see there for its parts in order.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;
use whitecap_core::reduce;
use wide::f32x4;

use crate::sph::error::{BlowUp, SphError};
use crate::sph::liquid::{Liquid, Workspace};
use crate::sph::neighbours::{CHUNK, MassSpline};
use crate::sph::output::StepReport;
use crate::sph::pressure::{PressureProblem, Stop, pack, vector};
use crate::sph::resolution::Resolution;
use crate::sph::settings::ViscosityMethod;
use crate::sph::tension::Cohesion;
use crate::sph::viscosity::{MOST_ITERATIONS, ViscousForce, stable_time_step};
use whitecap_scene::force_field::total_acceleration;

/// How often a step is halved before the run stops.
const MOST_RETRIES: u32 = 8;
/// A step that moves a particle farther than this, in supports, has failed.
const LARGEST_MOVE: f32 = 1.0;
/// A predicted density beyond this factor of the rest density shows a failed step.
const LARGEST_DENSITY: f32 = 2.0;
/// Steps between two measurements of the pressure system's largest eigenvalue.
const STEPS_PER_MEASUREMENT: u64 = 64;

/// Factor on the allowed density error when no pressure is known from a previous step: otherwise the
/// part of the weight of deep liquid that is left unsupported would be corrected later, all at once.
const COLD_START_ACCURACY: f32 = 0.01;

impl Workspace {
    /// A step as a pressure solver sees it.
    fn pressure_problem<'a>(
        &'a mut self,
        resolution: &'a Resolution,
        density: &'a [f32],
        time_step: f32,
        stop: Stop,
    ) -> PressureProblem<'a> {
        let Self { pairs, system, velocity, .. } = self;
        PressureProblem { resolution, pairs, system, velocity, density, time_step, stop }
    }
}

impl Liquid {
    /// One time step of at most `time_step` seconds; the caller advances the time.
    pub(in crate::sph) fn step(&mut self, time_step: f32) -> Result<StepReport, SphError> {
        if !self.work.is_current {
            self.sort();
        }
        if self.emit()? || !self.work.is_current {
            self.find_pairs();
        }
        self.measure_system();
        let mut time_step = time_step;
        for retries in 0..=MOST_RETRIES {
            let mut report = self.predict(time_step);
            report.largest_density = self.largest_density();
            match self.check(&report) {
                Ok(largest_speed) => {
                    self.advance(time_step, largest_speed)?;
                    let settling = self.settle(time_step)?;
                    let largest_density = self.largest_density();
                    return Ok(StepReport {
                        retries,
                        largest_speed,
                        settling,
                        largest_density,
                        ..report
                    });
                }
                Err(reason) if retries == MOST_RETRIES => {
                    return Err(SphError::BlowUp { time: self.time, time_step, reason });
                }
                Err(_) => time_step *= 0.5,
            }
        }
        unreachable!("the last retry returns")
    }

    /// Puts the particles into the order of the search grid and computes what stays the same during
    /// the step: pairs, densities and boundary.
    pub(in crate::sph) fn find_pairs(&mut self) {
        let Workspace { grid, pairs, system, velocity, solid_velocity, .. } = &mut self.work;
        let (columns, boundary, resolution) = (&mut self.columns, &self.boundary, &self.resolution);
        columns.reorder(grid.order(), grid.positions(), velocity);
        system.resize(columns.len());
        velocity.resize(columns.len(), f32x4::ZERO);
        let solids = &boundary.particles;
        let solids_rub = self.settings.friction > 0.0 && !solids.is_empty();
        solid_velocity.resize(if solids_rub { columns.len() } else { 0 }, Vec3::ZERO);
        let results = columns
            .density
            .par_chunks_mut(CHUNK)
            .zip(system.inverse_diagonal.par_chunks_mut(CHUNK))
            .zip(system.packed.par_chunks_mut(CHUNK));
        let positions = grid.positions();
        let least_diagonal = 1e-3 * resolution.gradient_squares;
        let kernel = MassSpline::new(resolution);
        let share = |position| solids.share(position, &kernel, resolution);
        let planes = boundary.planes();
        pairs.rebuild(grid, resolution, planes, share, results, |place, local, sums, result| {
            let ((density, inverse_diagonal), packed) = result;
            density[local] = sums.density;
            inverse_diagonal[local] = 1.0 / sums.diagonal.max(least_diagonal);
            packed[local] = pack(positions[place], 0.0);
        });
        solid_velocity.par_iter_mut().zip(positions).for_each(|(velocity, &position)| {
            *velocity = share(position).velocity;
        });
        self.work.is_current = true;
    }

    /// Sorts the particles into the search grid.
    pub(in crate::sph) fn sort(&mut self) {
        self.work.grid.rebuild(&self.columns.position, self.resolution.support);
    }

    /// Measures the stiffness of the pressure system every few steps.
    fn measure_system(&mut self) {
        let Workspace { system, pairs, .. } = &mut self.work;
        if self.step_count.is_multiple_of(STEPS_PER_MEASUREMENT) {
            system.measure_largest_eigenvalue(pairs);
        }
        self.step_count += 1;
    }

    /// Largest density, as a share of the rest density.
    fn largest_density(&self) -> f32 {
        let largest = self.columns.density.par_iter().copied().reduce(|| 0.0, f32::max);
        largest / self.resolution.rest_density
    }

    /// The velocities after a step, and how they were found. The particles stay as they are.
    fn predict(&mut self, time_step: f32) -> StepReport {
        let mut stop = self.settings.stop();
        if self.cold {
            stop.mean_error *= COLD_START_ACCURACY;
        }
        let packed = self.work.velocity.par_iter_mut().zip(&self.columns.velocity);
        packed.for_each(|(packed, velocity)| *packed = pack(*velocity, -1.0));
        let (resolution, density) = (&self.resolution, &self.columns.density);
        let mut problem = self.work.pressure_problem(resolution, density, time_step, stop);
        let divergence = self.solver.remove_divergence(&mut problem);
        let viscosity_iterations = self.apply_forces(time_step);
        self.work.system.pressure.copy_from_slice(&self.columns.pressure);
        let (resolution, density) = (&self.resolution, &self.columns.density);
        let mut problem = self.work.pressure_problem(resolution, density, time_step, stop);
        let compression = self.solver.remove_compression(&mut problem);
        self.apply_friction(time_step);
        StepReport {
            time: self.time,
            time_step,
            retries: 0,
            compression,
            divergence,
            viscosity_iterations,
            viscosity_at_limit: viscosity_iterations >= MOST_ITERATIONS,
            largest_speed: 0.0,
            largest_density: 0.0,
            settling: 0,
        }
    }

    /// Everything but pressure: v += Δt a. Returns the iterations of the implicit viscosity.
    fn apply_forces(&mut self, time_step: f32) -> u32 {
        let Workspace { pairs, system, velocity, viscosity, .. } = &mut self.work;
        let (settings, columns, time) = (&self.settings, &self.columns, self.time);
        let (acceleration, positions) = (&mut system.acceleration, &system.packed);
        let gravity = Vec3::from(settings.gravity);
        acceleration.par_iter_mut().enumerate().for_each(|(i, acceleration)| {
            let host = columns.acceleration.get(i).copied().unwrap_or(Vec3::ZERO);
            let (position, velocity) = (columns.position[i], columns.velocity[i]);
            let field = total_acceleration(&settings.forces, position, velocity, time);
            *acceleration = pack(gravity + host + field, 0.0);
        });
        if settings.surface_tension > 0.0 {
            let cohesion = Cohesion::new(settings.surface_tension, &self.resolution);
            cohesion.add_to(acceleration, pairs, positions);
        }
        let force = ViscousForce {
            pairs,
            positions,
            density: &columns.density,
            viscosity: settings.viscosity,
            support: self.resolution.support,
        };
        let is_implicit = match settings.viscosity_method {
            ViscosityMethod::Explicit => false,
            ViscosityMethod::Implicit => settings.viscosity > 0.0,
            ViscosityMethod::Automatic => {
                time_step > stable_time_step(settings.viscosity, &self.resolution)
            }
        };
        if settings.viscosity > 0.0 && !is_implicit {
            force.add_to(acceleration, velocity);
        }
        let step = f32x4::splat(time_step);
        velocity.par_iter_mut().zip(&*acceleration).for_each(|(velocity, acceleration)| {
            *velocity = acceleration.mul_add(step, *velocity);
        });
        if is_implicit { viscosity.solve(&force, time_step, velocity, acceleration) } else { 0 }
    }

    /// Coulomb friction: where the boundary pushes, the velocity along it is reduced by up to
    /// `friction` times that push.
    fn apply_friction(&mut self, time_step: f32) {
        let friction = self.settings.friction;
        if friction == 0.0 {
            return;
        }
        let Workspace { pairs, system, velocity, solid_velocity, .. } = &mut self.work;
        let impulse = friction * time_step;
        let boundary_velocity = |i: usize| solid_velocity.get(i).copied().unwrap_or(Vec3::ZERO);
        velocity.par_chunks_mut(CHUNK).zip(pairs.chunks()).enumerate().for_each(
            |(number, (velocity, chunk))| {
                let pushes = system.boundary_pushes(pairs, number, chunk);
                for (local, (velocity, push)) in velocity.iter_mut().zip(pushes).enumerate() {
                    if push == Vec3::ZERO {
                        continue;
                    }
                    let relative = vector(*velocity) - boundary_velocity(number * CHUNK + local);
                    let along = relative.reject_from_normalized(push.normalize());
                    let speed = along.length();
                    if speed > 0.0 {
                        let lost = (impulse * push.length() / speed).min(1.0);
                        *velocity -= pack(along * lost, 0.0);
                    }
                }
            },
        );
    }

    /// Checks that the new velocities can be used; returns the largest speed.
    fn check(&self, report: &StepReport) -> Result<f32, BlowUp> {
        let velocity = &self.work.velocity;
        // The sum of a square that is not finite is not finite either; the maximum would hide it.
        let worst = |range: std::ops::Range<usize>| {
            range.fold((0.0f32, usize::MAX), |worst, i| {
                let square = vector(velocity[i]).length_squared();
                let square = if square.is_finite() { square } else { f32::INFINITY };
                if square > worst.0 { (square, i) } else { worst }
            })
        };
        let (square, fastest) =
            reduce::ordered_reduce(velocity.len(), (0.0, usize::MAX), worst, |a, b| {
                if b.0 > a.0 { b } else { a }
            });
        if square == f32::INFINITY {
            return Err(BlowUp::NotFinite { id: self.columns.id[fastest] });
        }
        let speed = square.sqrt();
        let distance = speed * report.time_step;
        if distance > LARGEST_MOVE * self.resolution.support {
            let spacings = distance / self.resolution.spacing;
            return Err(BlowUp::TooFast { id: self.columns.id[fastest], speed, spacings });
        }
        let factor = report.largest_density.max(1.0) + report.compression.largest_error;
        if factor.is_nan() || factor > LARGEST_DENSITY * report.largest_density.max(1.0) {
            return Err(BlowUp::TooDense { factor });
        }
        Ok(speed)
    }

    /// Moves the particles with the new velocities, the fastest of which is `largest_speed`, and
    /// the solids.
    fn advance(&mut self, time_step: f32, largest_speed: f32) -> Result<(), SphError> {
        let (columns, work, boundary) = (&mut self.columns, &self.work, &self.boundary);
        let posed_at = self.time + f64::from(time_step);
        let later = boundary.particles.poses_at(posed_at)?;
        let reach = time_step * (largest_speed + boundary.particles.largest_speed());
        columns.pressure.copy_from_slice(&work.system.pressure);
        columns
            .position
            .par_iter_mut()
            .zip(&mut columns.velocity)
            .zip(&mut columns.age)
            .zip(&work.velocity)
            .for_each(|(((position, velocity), age), &found)| {
                let (from, found) = (*position, vector(found));
                let to = from + time_step * found;
                (*position, *velocity) = boundary.keep_out(from, to, found, &later, reach);
                *age += time_step;
            });
        self.cold = false;
        self.posed_at = posed_at;
        Ok(self.boundary.particles.move_to(later, &self.resolution)?)
    }
}

//! Corrects, at the end of a step, the compression that the step did not predict.
//!
//! A pressure solver predicts densities from the pairs and slopes at the start of a step. Particles that
//! come into each other's reach during the step, and walls that are met at speed, are missing from that
//! prediction: without correction, a front that strikes a wall is a quarter too dense afterwards. So the
//! true densities are computed at the new positions, and where they are too large the same problem is
//! solved again from there, with the pairs found there: x += Δt² a, v += Δt a, as if the step had known.
//! This is Newton's method for the density; a few rounds are enough, and most steps need none.
//!
//! # Guarantees
//! Momentum is conserved, as by the pressure itself. Liquid that was denser than allowed before the
//! step, for instance where fills overlap, is only kept from becoming denser still: it relaxes and does not
//! explode.

use rayon::prelude::*;
use whitecap_core::glam::Vec3;

use crate::sph::error::SphError;
use crate::sph::liquid::{Liquid, Workspace};
use crate::sph::pressure::Stop;
use crate::sph::pressure::vector;

/// How often the densities are corrected after a step.
const MOST_ROUNDS: u32 = 8;
/// How far below the largest allowed density a correction aims, as a share of the allowed compression.
/// Half of that may be left.
const MARGIN: f32 = 0.5;

impl Liquid {
    /// Finds the densities at the end of a step of `time_step` seconds and corrects them until none is
    /// larger than the settings allow. Returns how many rounds that took.
    pub(in crate::sph) fn settle(&mut self, time_step: f32) -> Result<u32, SphError> {
        let rest_density = self.resolution.rest_density;
        let allowed = self.settings.largest_compression() * rest_density;
        let margin = MARGIN * allowed;
        let before = &self.columns.density;
        self.work.system.extrapolated.par_iter_mut().zip(before).for_each(|(target, &before)| {
            *target = before.max(rest_density + allowed) - margin;
        });
        let mut rounds = 0;
        while self.find_excess() > margin && rounds < MOST_ROUNDS {
            self.push_apart(time_step)?;
            rounds += 1;
        }
        Ok(rounds)
    }

    /// Densities at the present positions and by how much they exceed their targets, which are in
    /// `extrapolated`, in the order before. Returns the largest excess in kg/m³.
    fn find_excess(&mut self) -> f32 {
        self.sort();
        self.find_pairs();
        let Workspace { grid, system, .. } = &mut self.work;
        let (density, targets) = (&self.columns.density, &system.extrapolated);
        system
            .excess
            .par_iter_mut()
            .zip(density)
            .zip(grid.order())
            .map(|((excess, density), &before)| {
                *excess = density - targets[before as usize];
                *excess
            })
            .reduce(|| 0.0, f32::max)
    }

    /// Removes the excess by moving particles apart; targets are left where [`Self::find_excess`]
    /// looks for them.
    fn push_apart(&mut self, time_step: f32) -> Result<(), SphError> {
        let stop = Stop {
            mean_error: f32::INFINITY,
            largest_error: 0.5 * MARGIN * self.settings.largest_compression(),
            ..self.settings.stop()
        };
        let Workspace { pairs, system, .. } = &mut self.work;
        system.pressure.fill(0.0);
        system.solve(pairs, time_step, self.resolution.rest_density, stop);
        let later = self.boundary.particles.poses_at(self.time + f64::from(time_step))?;
        let (columns, boundary) = (&mut self.columns, &self.boundary);
        columns
            .position
            .par_iter_mut()
            .zip(&mut columns.velocity)
            .zip(&system.acceleration)
            .for_each(|((position, velocity), &acceleration)| {
                let change = time_step * vector(acceleration);
                if change != Vec3::ZERO {
                    let (from, moved) = (*position, time_step * change);
                    let (to, velocity_after) = (from + moved, *velocity + change);
                    let reach = moved.length();
                    (*position, *velocity) =
                        boundary.keep_out(from, to, velocity_after, &later, reach);
                }
            });
        let (density, excess) = (&columns.density, &system.excess);
        system
            .extrapolated
            .par_iter_mut()
            .zip(density)
            .zip(excess)
            .for_each(|((target, density), excess)| *target = density - excess);
        Ok(())
    }
}

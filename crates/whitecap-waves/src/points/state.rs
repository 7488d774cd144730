//! What surface points remember from frame to frame.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::partners::{Moving, Partners};
use whitecap_core::{Identities, Particles};

use super::SurfacePoints;
use super::coarse::CoarseParticles;
use super::coarse::advection::Movement;
use super::report::PointReport;

/// The two scales.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths {
    /// Coarse length λ_c, in metres.
    pub coarse: f32,
    /// Fine spacing λ_f, in metres.
    pub fine: f32,
}

/// Everything remembered from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TrackerState {
    pub lengths: Option<Lengths>,
    pub points: SurfacePoints,
    pub next_id: u64,
    pub last: LastParticles,
}

/// Particles near the surface of the last frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LastParticles {
    pub position: Vec<Vec3>,
    /// 1 / ψ.
    pub inverse_density: Vec<f32>,
    /// Identities, or empty.
    pub id: Vec<i64>,
    /// Velocities, or empty: kept only if there are no identities.
    pub velocity: Vec<Vec3>,
}

impl LastParticles {
    /// The particles of a finished frame that are near its surface.
    pub(super) fn new(
        coarse: &CoarseParticles,
        particles: &Particles,
        ids: Option<Vec<i64>>,
    ) -> Self {
        let near: Vec<usize> =
            (0..coarse.len()).filter(|&place| coarse.is_near_surface(place)).collect();
        let index = |&place: &usize| coarse.order()[place] as usize;
        let velocities = particles.velocities().filter(|_| ids.is_none());
        Self {
            position: near.iter().map(|&place| coarse.position(place)).collect(),
            inverse_density: near.iter().map(|&place| coarse.inverse_density(place)).collect(),
            id: ids.map_or(Vec::new(), |ids| near.iter().map(|p| ids[index(p)]).collect()),
            velocity: velocities
                .map_or(Vec::new(), |values| near.iter().map(|p| values[index(p)]).collect()),
        }
    }

    /// Their motion to the next frame, `duration` seconds later.
    pub(super) fn movement(
        &self,
        particles: &Particles,
        identities: Option<&Identities>,
        coarse: f32,
        duration: f64,
        report: &mut PointReport,
    ) -> Movement {
        let count = self.position.len();
        let by_identity = identities.filter(|_| self.id.len() == count);
        let partners: Vec<Option<usize>> = match by_identity {
            Some(identities) => {
                let partner = |i: usize| identities.get(self.id[i]);
                (0..count).into_par_iter().with_min_len(512).map(partner).collect()
            }
            None => self.partners(particles, 0.5 * coarse, duration as f32, report),
        };
        let mut movement = Movement::default();
        for (i, partner) in partners.into_iter().enumerate() {
            let Some(partner) = partner.map(|index| particles.positions()[index]) else {
                report.vanished_particles += 1;
                continue;
            };
            movement.position.push(self.position[i]);
            movement.displacement.push(partner - self.position[i]);
            movement.inverse_density.push(self.inverse_density[i]);
        }
        movement
    }

    /// Partners by position, for particles that are about `spacing` apart.
    fn partners(
        &self,
        particles: &Particles,
        spacing: f32,
        duration: f32,
        report: &mut PointReport,
    ) -> Vec<Option<usize>> {
        if self.position.is_empty() {
            return Vec::new();
        }
        let before = Moving { positions: &self.position, velocities: &self.velocity };
        let partners = Partners::by_position(before, particles.into(), duration, spacing);
        report.notes.push(
            "the particles have no ids: each was matched with the nearest one of the last frame"
                .to_owned(),
        );
        if !partners.are_plausible(spacing) {
            report.notes.push(
                "many particles could not be found again by position, and waves may lag behind the liquid: write an `id` column in which a particle has the same integer in every frame, or at least a `velocity` column"
                    .to_owned(),
            );
        }
        partners.of.into_iter().map(|index| index.map(|index| index as usize)).collect()
    }
}

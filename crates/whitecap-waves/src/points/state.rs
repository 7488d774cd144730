//! What surface points remember from frame to frame.

use glam::Vec3;
use rayon::prelude::*;
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
        now: &CoarseParticles,
        particles: &Particles,
        identities: Option<&Identities>,
        coarse: f32,
        duration: f64,
        report: &mut PointReport,
    ) -> Movement {
        let count = self.position.len();
        let by_identity = identities.filter(|_| self.id.len() == count);
        if by_identity.is_none() && count > 0 {
            report.notes.push(
                "the particles have no ids: each was matched with the nearest one of the last frame"
                    .to_owned(),
            );
        }
        let partner = |i: usize| match by_identity {
            Some(identities) => {
                identities.get(self.id[i]).map(|index| particles.positions()[index])
            }
            None => {
                let velocity = self.velocity.get(i).copied().unwrap_or(Vec3::ZERO);
                now.nearest(self.position[i] + velocity * duration as f32, 0.5 * coarse)
            }
        };
        let partners: Vec<Option<Vec3>> =
            (0..count).into_par_iter().with_min_len(512).map(partner).collect();
        let mut movement = Movement::default();
        for (i, partner) in partners.into_iter().enumerate() {
            let Some(partner) = partner else {
                report.vanished_particles += 1;
                continue;
            };
            movement.position.push(self.position[i]);
            movement.displacement.push(partner - self.position[i]);
            movement.inverse_density.push(self.inverse_density[i]);
        }
        movement
    }
}

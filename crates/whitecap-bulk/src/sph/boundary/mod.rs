//! The boundary that keeps particles out: plane walls, boxes and solids.
//!
//! Walls are mirrors (`Images`); boxes and solids are sampled by boundary particles (Akinci et al.
//! 2012), which lie in layers below the surface ([`boundary_samples`]) and represent the volume that
//! [`boundary_volumes`] gives them. Both complete the density near the boundary and carry the pressure;
//! particles that still come too close are pushed out.
//!
//! # Guarantees
//! * After `Boundary::keep_out`, a particle is outside every wall and solid, unless it is caught between
//!   them where there is no room.

use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;

mod images;
mod layers;
mod particles;
mod volumes;

pub(crate) use images::{Images, Plane};
pub use layers::{
    BoundarySample, boundary_positions, boundary_samples, boundary_velocities, box_samples,
};
pub(crate) use particles::{BoundaryParticles, BoundaryShare};
pub use volumes::boundary_volumes;

use crate::sph::error::SphError;
use crate::sph::resolution::Resolution;
use crate::sph::settings::SphSettings;
use whitecap_scene::body::{BodyPose, Contact};
use whitecap_scene::walls::Walls;

/// Distance that particles keep from plane walls, in spacings. At rest they are half a spacing away.
const WALL_MARGIN: f32 = 0.25;
/// Distance that particles keep from solids, in spacings.
const SOLID_MARGIN: f32 = 0.1;
/// How often walls and solids alternately push a particle that is caught between them.
const ROUNDS: usize = 4;

/// Walls and solids.
#[derive(Clone, Debug)]
pub(crate) struct Boundary {
    walls: Walls,
    pub particles: BoundaryParticles,
    spacing: f32,
}

impl Boundary {
    pub fn new(settings: &SphSettings, resolution: &Resolution) -> Result<Self, SphError> {
        let mut walls = Walls::new();
        if let Some(domain) = settings.domain {
            walls = walls.with_domain(domain, &settings.open_sides)?;
        }
        for &plane in &settings.planes {
            walls = walls.with_plane(plane)?;
        }
        let mut particles = BoundaryParticles::default();
        for &obstacle in &settings.obstacles {
            walls = walls.with_obstacle(obstacle)?;
        }
        for bounds in walls.obstacles() {
            particles.add_box(bounds, resolution)?;
        }
        Ok(Self { walls, particles, spacing: resolution.spacing })
    }

    /// Plane walls: (unit normal towards the liquid, offset).
    pub fn planes(&self) -> &[(Vec3, f32)] {
        self.walls.planes()
    }

    /// Distance to the nearest wall or solid in metres, negative inside one.
    pub fn clearance(&self, position: Vec3) -> f32 {
        let solids = self.particles.poses().map(|pose| pose.signed_distance(position));
        solids.fold(self.walls.signed_distance(position), f32::min)
    }

    /// Whether a position is inside a wall or a solid.
    pub fn contains(&self, position: Vec3) -> bool {
        self.is_behind_wall(position) || self.is_inside_solid(position)
    }

    /// Whether a position is behind a plane, those of the domain included.
    pub fn is_behind_wall(&self, position: Vec3) -> bool {
        self.planes().iter().any(|&(normal, offset)| normal.dot(position) < offset)
    }

    /// Whether a position is inside a box or a mesh.
    pub fn is_inside_solid(&self, position: Vec3) -> bool {
        let within =
            |bounds: &Bounds| position.cmpgt(bounds.min).all() && position.cmplt(bounds.max).all();
        self.walls.obstacles().iter().any(within)
            || self.particles.poses().any(|pose| pose.contains(position))
    }

    /// Position and velocity of a particle that moves from `from` to `to` while the solids move into
    /// the poses `later`; `reach` is the farthest that anything moves.
    pub fn keep_out(
        &self,
        from: Vec3,
        to: Vec3,
        velocity: Vec3,
        later: &[BodyPose],
        reach: f32,
    ) -> (Vec3, Vec3) {
        let margin = WALL_MARGIN * self.spacing;
        let walls = |place, speed| self.walls.push_out(place, speed, margin, 0.0);
        let (mut place, mut speed) = walls(to, velocity).unwrap_or((to, velocity));
        if later.is_empty() {
            return (place, speed);
        }
        let margin = SOLID_MARGIN * self.spacing;
        let contact = Contact { margin, friction: 0.0, reach: 2.0 * reach + 2.0 * margin };
        for (pose, earlier) in later.iter().zip(self.particles.poses()) {
            if pose.bounds().grown(contact.reach).contains(place)
                && let Some(kept) = pose.collide(earlier, from, place, speed, &contact)
            {
                (place, speed) = kept;
            }
        }
        for _ in 0..ROUNDS {
            let pushed = later
                .iter()
                .filter(|pose| pose.bounds().contains(place))
                .find_map(|pose| pose.push_out(place, speed, &contact));
            match pushed.or_else(|| walls(place, speed)) {
                Some(kept) if kept.0 != place => (place, speed) = kept,
                _ => break,
            }
        }
        (place, speed)
    }
}

//! Solids as boundary particles (Akinci et al. 2012).
//!
//! A sample below a solid's surface acts on the density and the pressure of the liquid as a particle of
//! mass Ψ = ρ0 V_b (Eq. 5, with V_b of Eq. 4) that moves with the solid: ρ_i = Σ_j m W_ij + Σ_b Ψ W_ib
//! (Eq. 6). All that a pressure solver needs is, for each particle,
//! the share of the samples in its density, their density gradient, and how their motion changes
//! it, so solids cost nothing in the iterations.
//!
//! Unlike in the paper, a sample is a mirror image: it has the pressure of the particle that it acts on,
//! P_i + P_b = 2 P_i, and mirrors its motion. With P_i alone the particles at the boundary
//! would need twice the pressure of those behind them, and at long time steps the weight of the
//! liquid would press them into the solid.
//!
//! Samples of moving solids are placed again at every step; those of solids at rest stay.

use whitecap_core::Bounds;
use whitecap_core::glam::Vec3;
use whitecap_core::kernels::{CubicSpline, Kernel};
use whitecap_core::neighbours::NeighbourGrid;

use super::layers::{
    BoundarySample, boundary_positions, boundary_samples, boundary_velocities, box_samples,
};
use super::volumes::boundary_volumes;
use crate::sph::neighbours::MassSpline;
use crate::sph::resolution::Resolution;
use whitecap_scene::SceneError;
use whitecap_scene::{AnimatedBody, BodyPose};

/// A particle and its mirror image have twice the pressure and approach twice as fast.
const MIRRORED: f32 = 2.0;

/// The contribution of boundary particles to the sums of one particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BoundaryShare {
    /// Density in kg/m³.
    pub density: f32,
    /// Σ 2 Ψ ∇W: gradient of the density with the mirrored pressure and motion.
    pub gradient: Vec3,
    /// Σ 2 Ψ v_b·∇W: how fast the boundary's own motion reduces its contribution.
    pub thinning: f32,
    /// Velocity of the boundary nearby, in m/s.
    pub velocity: Vec3,
}

/// One solid with its samples.
#[derive(Clone, Debug)]
struct Body {
    solid: AnimatedBody,
    samples: Vec<BoundarySample>,
    pose: BodyPose,
}

/// The boundary particles of all solids.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundaryParticles {
    bodies: Vec<Body>,
    /// Samples of boxes, which never move.
    fixed: Vec<Vec<Vec3>>,
    positions: Vec<Vec3>,
    grid: NeighbourGrid,
    /// The region in which a particle can feel a sample.
    bounds: Option<Bounds>,
    /// By sorted index: volume in m³ and velocity in m/s.
    sorted: Vec<(f32, Vec3)>,
    largest_speed: f32,
}

impl BoundaryParticles {
    /// Adds a solid, sampled for the resolution, in its pose at `time`.
    pub fn add_solid(
        &mut self,
        solid: AnimatedBody,
        time: f64,
        resolution: &Resolution,
    ) -> Result<(), SceneError> {
        let body = Body {
            samples: boundary_samples(&solid, resolution.spacing)?,
            pose: solid.at(time)?,
            solid,
        };
        self.bodies.push(body);
        self.place(resolution)
    }

    /// Adds a box at rest.
    pub fn add_box(&mut self, bounds: &Bounds, resolution: &Resolution) -> Result<(), SceneError> {
        self.fixed.push(box_samples(bounds, resolution.spacing)?);
        self.place(resolution)
    }

    /// Whether there is no solid at all.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The solids as they are now.
    pub fn poses(&self) -> impl Iterator<Item = &BodyPose> {
        self.bodies.iter().map(|body| &body.pose)
    }

    /// The solids as they will be at `time`.
    pub fn poses_at(&self, time: f64) -> Result<Vec<BodyPose>, SceneError> {
        self.bodies.iter().map(|body| body.solid.at(time)).collect()
    }

    /// Moves the solids to new poses.
    pub fn move_to(
        &mut self,
        poses: Vec<BodyPose>,
        resolution: &Resolution,
    ) -> Result<(), SceneError> {
        for (body, pose) in self.bodies.iter_mut().zip(poses) {
            body.pose = pose;
        }
        self.place(resolution)
    }

    /// Speed of the fastest sample, in m/s.
    pub fn largest_speed(&self) -> f32 {
        self.largest_speed
    }

    /// Places the samples in the current poses.
    fn place(&mut self, resolution: &Resolution) -> Result<(), SceneError> {
        let mut parts: Vec<Vec<Vec3>> = self.fixed.clone();
        let mut velocities: Vec<Vec3> = vec![Vec3::ZERO; parts.iter().map(Vec::len).sum()];
        for body in &self.bodies {
            parts.push(boundary_positions(&body.pose, &body.samples));
            velocities.extend(boundary_velocities(&body.pose, &body.samples));
        }
        self.largest_speed = velocities.iter().map(|v| v.length()).fold(0.0, f32::max);
        let positions = parts.concat();
        let has_moved = positions != self.positions;
        if has_moved {
            self.bounds = Some(Bounds::of(&positions).grown(resolution.support));
            self.grid.rebuild(&positions, resolution.support);
        }
        if has_moved || self.largest_speed > 0.0 || self.sorted.len() != positions.len() {
            let kernel = CubicSpline::new(resolution.support);
            let mut volumes = Vec::with_capacity(positions.len());
            for part in &parts {
                volumes.extend(boundary_volumes(part, &kernel)?);
            }
            self.sorted.clear();
            let order = self.grid.order().iter().map(|&i| i as usize);
            self.sorted.extend(order.map(|i| (volumes[i], velocities[i])));
        }
        self.positions = positions;
        Ok(())
    }

    /// The contribution to the sums of a particle at `position`. `kernel` is that of the liquid, with
    /// the mass of its particles.
    pub fn share(
        &self,
        position: Vec3,
        kernel: &MassSpline,
        resolution: &Resolution,
    ) -> BoundaryShare {
        let mut share = BoundaryShare::default();
        if !self.bounds.is_some_and(|bounds| bounds.contains(position)) {
            return share;
        }
        let per_volume = resolution.rest_density / resolution.mass;
        self.grid.for_each_within(position, resolution.support, |place, squared| {
            let (volume, velocity) = self.sorted[place];
            let (value, slope) = kernel.at_one(squared);
            let weight = per_volume * volume;
            let offset = position - self.grid.positions()[place];
            let gradient = offset * (MIRRORED * weight * slope);
            // Akinci et al. 2012, Eq. 6: Ψ W_ib.
            share.density += weight * value;
            share.gradient += gradient;
            share.thinning += velocity.dot(gradient);
            share.velocity += velocity * (weight * value);
        });
        if share.density > 0.0 {
            share.velocity /= share.density;
        }
        share
    }
}

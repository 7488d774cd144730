//! Thin walls: the liquid on one side, and its copies inside the wall, must not show on the other.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::Particles;

use super::Solid;
use crate::liquid::sides::{Side, Sides};

/// Whether two sides with these normals belong to a thin wall between them.
pub(super) fn is_opposite(first: Vec3, second: Vec3) -> bool {
    first.dot(second) < -0.5
}

/// The wall next to a particle, as a plane.
#[derive(Clone, Copy)]
struct WallPlane {
    normal: Vec3,
    offset: f32,
}

/// Which particles lie behind which walls.
pub(super) struct WallSides {
    solids: Vec<Solid>,
    planes: Vec<Option<WallPlane>>,
    reach: f32,
}

impl WallSides {
    /// The walls within the reach of particles; none if no solid can be thin.
    pub fn new(particles: &Particles, solids: &[Solid], reach: f32) -> Option<Self> {
        if !solids.iter().any(Solid::may_be_thin) {
            return None;
        }
        let plane = |&position: &Vec3| {
            let (solid, distance) = nearest(solids, position)?;
            let normal = solids[solid].normal(position);
            let near = distance < reach && normal != Vec3::ZERO;
            let offset = distance - normal.dot(position);
            near.then_some(WallPlane { normal, offset })
        };
        let planes = particles.positions().par_iter().map(plane).collect();
        Some(Self { solids: solids.to_vec(), planes, reach })
    }
}

/// The nearest solid, and its distance.
fn nearest(solids: &[Solid], point: Vec3) -> Option<(usize, f32)> {
    let distances = solids.iter().map(|solid| solid.distance(point)).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1))
}

impl Sides for WallSides {
    fn of_block(&self, center: Vec3, edge: f32) -> [Option<Side>; 2] {
        let Some((number, distance)) = nearest(&self.solids, center) else { return [None; 2] };
        let solid = &self.solids[number];
        if distance > self.reach + edge {
            return [None; 2];
        }
        let side = |point: Vec3| Side { point, normal: solid.normal(point) };
        if distance > 0.87 * edge {
            return [Some(side(center)), None];
        }
        // The wall passes through the block, or just beside it: rays look a little over the edge.
        let corner = |c: i32| {
            let step = Vec3::new((c & 1) as f32, (c >> 1 & 1) as f32, (c >> 2) as f32) - 0.5;
            center + 1.02 * edge * step
        };
        let mut corners: Vec<(f32, Side)> = (0..8)
            .map(corner)
            .map(|point| (solid.distance(point), point))
            .filter(|(distance, _)| *distance > 0.0)
            .map(|(distance, point)| (distance, side(point)))
            .collect();
        corners.sort_by(|a, b| b.0.total_cmp(&a.0));
        let first = corners.first().map(|(_, side)| *side);
        let is_opposite =
            |side: &Side| first.is_some_and(|first| is_opposite(first.normal, side.normal));
        [first, corners.iter().map(|(_, side)| *side).find(is_opposite)]
    }

    fn hides(&self, particle: u32, side: &Side) -> bool {
        self.planes[particle as usize].is_some_and(|plane| {
            is_opposite(plane.normal, side.normal)
                && plane.normal.dot(side.point) + plane.offset < 0.0
        })
    }
}

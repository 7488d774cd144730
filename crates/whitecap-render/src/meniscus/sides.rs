//! Thin walls: the liquid on one side, and its copies inside the wall, must not show on the other.

use glam::Vec3;
use rayon::prelude::*;

use super::Solid;
use super::ghosts::{Ghost, WallSide, wall_sides};
use crate::liquid::sides::{Hidden, Side, Sides};

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

type Planes = [Option<WallPlane>; 3];

/// Which particles lie behind which walls.
pub(super) struct WallSides {
    solids: Vec<Solid>,
    /// For each particle, its position and the walls near it.
    particles: Vec<(Vec3, Planes)>,
    /// For each copy, its particle and the walls that it was copied across.
    ghosts: Vec<(u32, Planes)>,
    reach: f32,
    /// How deep in a solid there may be liquid, in m.
    overlap: f32,
}

impl WallSides {
    /// The walls within the reach of particles; none if no solid can be thin.
    pub fn new(
        positions: &[Vec3],
        ghosts: &[Ghost],
        solids: &[Solid],
        reach: f32,
        overlap: f32,
    ) -> Option<Self> {
        // A particle and a copy of one reach each other through less than two reaches.
        if !solids.iter().any(|solid| solid.may_be_thinner(2.0 * reach)) {
            return None;
        }
        let planes_of = |position: Vec3, walls: [Option<WallSide>; 3]| {
            walls.map(|wall| {
                let WallSide { normal, distance } = wall?;
                Some(WallPlane { normal, offset: distance - normal.dot(position) })
            })
        };
        let of_particle = |&position: &Vec3| {
            let near = nearest(solids, position).filter(|(_, distance)| *distance < reach);
            let walls = near.map(|(solid, _)| wall_sides(&solids[solid], position, reach));
            (position, planes_of(position, walls.unwrap_or_default()))
        };
        let particles = positions.par_iter().map(of_particle).collect();
        let of_ghost = |ghost: &Ghost| {
            (ghost.particle, planes_of(positions[ghost.particle as usize], ghost.walls))
        };
        let ghosts = ghosts.iter().map(of_ghost).collect();
        Some(Self { solids: solids.to_vec(), particles, ghosts, reach, overlap })
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
        let side =
            |point: Vec3, distance: f32| Side { point, normal: solid.normal(point), distance };
        if distance > 0.89 * edge {
            return [Some(side(center, distance)), None];
        }
        // The wall passes through the block, or just beside it: rays look slightly beyond the edge.
        let corner = |c: i32| {
            let step = Vec3::new((c & 1) as f32, (c >> 1 & 1) as f32, (c >> 2) as f32) - 0.5;
            center + 1.02 * edge * step
        };
        let mut corners: Vec<(f32, Side)> = (0..8)
            .map(corner)
            .map(|point| (solid.distance(point), point))
            .filter(|(distance, _)| *distance > -self.overlap)
            .map(|(distance, point)| (distance, side(point, distance)))
            .collect();
        corners.sort_by(|a, b| b.0.total_cmp(&a.0));
        let first = corners.first().map(|(_, side)| *side);
        let is_opposite =
            |side: &Side| first.is_some_and(|first| is_opposite(first.normal, side.normal));
        [first, corners.iter().map(|(_, side)| *side).find(is_opposite)]
    }

    fn hides(&self, from: Hidden, side: &Side) -> bool {
        let behind = |plane: &WallPlane| plane.normal.dot(side.point) + plane.offset < 0.0;
        let hidden = |planes: &Planes, opposite: fn(Vec3, Vec3) -> bool| {
            let mut planes = planes.iter().flatten();
            planes.any(|plane| opposite(plane.normal, side.normal) && behind(plane))
        };
        match from {
            Hidden::Particle(number) => {
                let (position, planes) = &self.particles[number as usize];
                planes[0].is_some()
                    && !faces(planes, *position, side)
                    && (hidden(planes, is_opposite) || self.is_between(*position, side.point))
            }
            // A copy counts only on its own side; around an edge it does not count either.
            Hidden::Ghost(number) => {
                let (particle, planes) = &self.ghosts[number as usize];
                let (position, near) = &self.particles[*particle as usize];
                hidden(planes, |a, b| a.dot(b) < 0.0)
                    || (!faces(near, *position, side) && self.is_between(*position, side.point))
            }
        }
    }
}

/// Whether a particle and a side see each other across the walls next to them: each is in front of
/// those of the other.
fn faces(planes: &Planes, position: Vec3, side: &Side) -> bool {
    let before = |plane: &WallPlane| plane.normal.dot(side.point) + plane.offset >= 0.0;
    side.normal.dot(position - side.point) + side.distance >= 0.0
        && planes.iter().flatten().all(before)
}

impl WallSides {
    /// Whether a solid lies between two points.
    fn is_between(&self, first: Vec3, second: Vec3) -> bool {
        let depth = self.overlap + 0.05 * self.reach;
        let inside = |share: f32| {
            let point = first.lerp(second, share);
            self.solids.iter().any(|solid| solid.distance(point) < -depth)
        };
        [0.5, 0.3, 0.7].into_iter().any(inside)
    }
}

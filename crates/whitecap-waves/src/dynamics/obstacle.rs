//! Obstacles: solids from which waves are thrown back.
//!
//! A surface point near a solid sees the mirror images of itself and of its neighbours in the plane
//! of the wall nearest to it (Mercier et al. 2015, §4.3.5). An image has the wave of its original,
//! so no wave passes through the wall: a Neumann condition. In a corner of two solids there are images
//! in both walls, and images of images. Images need no memory: they are further weights on the
//! originals.
//!
//! # Guarantees
//! * Points inside a solid carry no wave and are nobody's neighbour.
//!
//! # Non-guarantees
//! * In a corner within one solid only the nearer wall makes images; the other one reflects as a border
//!   does, less exactly.

use rayon::prelude::*;
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_core::winding_number::WindingNumber;

/// The cosine between the normals of two walls below which their images do not get in each other's way.
const UPRIGHT: f32 = 0.3;

/// What a surface point sees of the solids.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Wall {
    /// No solid is near.
    #[default]
    Open,
    /// A wall through `point`, with the unit `normal` towards the surface point.
    Near {
        /// Closest point of the solid.
        point: Vec3,
        /// From the solid to the surface point.
        normal: Vec3,
    },
    /// Walls of two solids that stand upright on each other, or nearly, the nearer one first: points
    /// of them, and unit normals.
    Corner {
        /// Closest points of the solids.
        points: [Vec3; 2],
        /// From the solids to the surface point.
        normals: [Vec3; 2],
    },
    /// The point is inside a solid.
    Within,
}

/// The solids of one frame, ready for questions.
#[derive(Clone, Debug, Default)]
pub struct Obstacles {
    solids: Vec<WindingNumber>,
}

impl Obstacles {
    /// Solids bounded by closed meshes, as they are in this frame.
    pub fn new<'a>(meshes: impl IntoIterator<Item = &'a TriMesh>) -> Self {
        Self { solids: meshes.into_iter().map(WindingNumber::build).collect() }
    }

    /// Whether there is no solid.
    pub fn is_empty(&self) -> bool {
        self.solids.is_empty()
    }

    /// What each of `positions` sees of the solids within `reach`; nothing at all without solids.
    pub fn walls(&self, positions: &[Vec3], reach: f32) -> Vec<Wall> {
        if self.is_empty() {
            return Vec::new();
        }
        positions.par_iter().with_min_len(256).map(|&place| self.wall(place, reach)).collect()
    }

    fn wall(&self, position: Vec3, reach: f32) -> Wall {
        let mut found: Vec<(f32, Vec3, Vec3)> = Vec::new();
        for solid in &self.solids {
            let bounds = solid.bvh().bounds();
            if bounds.distance_squared(position) > reach * reach {
                continue;
            }
            if bounds.contains(position) && solid.is_inside(position) {
                return Wall::Within;
            }
            let Some(closest) = solid.bvh().closest_point(position, reach) else { continue };
            let away = (position - closest.point).normalize_or_zero();
            if away != Vec3::ZERO && closest.distance_squared <= reach * reach {
                found.push((closest.distance_squared, closest.point, away));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(_, point, normal)) = found.first() else { return Wall::Open };
        match found.iter().find(|other| other.2.dot(normal).abs() < UPRIGHT) {
            Some(&(_, other, away)) => {
                Wall::Corner { points: [point, other], normals: [normal, away] }
            }
            None => Wall::Near { point, normal },
        }
    }
}

/// The six walls of a box that holds a liquid, as closed meshes outside the box.
pub fn container_walls(min: Vec3, max: Vec3) -> Vec<TriMesh> {
    // Thicker than the surface that lies round the outermost particles, whatever its scale.
    let thickness = (max - min).max_element().max(f32::MIN_POSITIVE);
    let (low, high) = (min - thickness, max + thickness);
    let mut walls = Vec::with_capacity(6);
    for axis in 0..3 {
        let (mut below, mut above) = (high, low);
        below[axis] = min[axis];
        above[axis] = max[axis];
        walls.extend(block(low, below));
        walls.extend(block(above, high));
    }
    walls
}

/// A box as a closed mesh, if it has finite corners.
fn block(min: Vec3, max: Vec3) -> Option<TriMesh> {
    let width = max - min;
    let mesh = TriMesh::cuboid(min, min + width);
    mesh.positions().iter().all(|p| p.is_finite()).then_some(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: a point outside a container is within its walls, one in the middle sees none, and
    /// one near a side sees that side.
    #[test]
    fn a_container_has_walls_all_round() {
        let walls = container_walls(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0));
        let obstacles = Obstacles::new(&walls);
        let places = [
            Vec3::new(1.0, 0.5, 0.5),
            Vec3::new(2.01, 0.5, 0.5),
            Vec3::new(-0.5, -0.5, 1.5),
            Vec3::new(1.0, 0.5, 0.98),
        ];
        let found = obstacles.walls(&places, 0.1);
        assert_eq!(found[..3], [Wall::Open, Wall::Within, Wall::Within]);
        let Wall::Near { point, normal } = found[3] else { panic!("{:?}", found[3]) };
        assert!(point.distance(Vec3::new(1.0, 0.5, 1.0)) < 1e-6);
        assert!(normal.distance(Vec3::NEG_Z) < 1e-3);
    }
}

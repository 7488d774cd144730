//! Obstacles: solids that reflect waves.
//!
//! A surface point near a solid sees the mirror images of itself and of its neighbours in the plane
//! of the wall nearest to it (Mercier et al. 2015, §4.3.5). An image has the wave of its original,
//! so no wave passes through the wall: a Neumann condition. In a corner of two solids there are images
//! in both walls, and images of images. Images need no memory: they are further weights on the
//! originals.
//!
//! # Guarantees
//! * Points inside a solid carry no wave and are no point's neighbour.
//!
//! # Non-guarantees
//! * In a corner within one solid only the nearer wall makes images; the other one reflects like a border,
//!   less exactly.

use rayon::prelude::*;
use whitecap_core::Bounds;
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_core::winding_number::WindingNumber;
use whitecap_scene::BodyPose;

/// The cosine between the normals of two walls below which their images do not interfere.
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
    /// Walls of two solids that are perpendicular, or nearly, the nearer one first: points
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

/// The solids of one frame, prepared for queries.
#[derive(Clone, Debug, Default)]
pub struct Obstacles {
    solids: Vec<Solid>,
}

#[derive(Clone, Debug)]
enum Solid {
    Mesh(Box<WindingNumber>),
    Body(Box<BodyPose>),
}

impl Solid {
    fn bounds(&self) -> Bounds {
        match self {
            Solid::Mesh(mesh) => mesh.bvh().bounds(),
            Solid::Body(pose) => pose.bounds(),
        }
    }

    fn contains(&self, position: Vec3) -> bool {
        match self {
            Solid::Mesh(mesh) => mesh.is_inside(position),
            Solid::Body(pose) => pose.contains(position),
        }
    }

    /// The closest point of the surface within `reach`, and the square of its distance.
    fn closest_point(&self, position: Vec3, reach: f32) -> Option<(Vec3, f32)> {
        match self {
            Solid::Mesh(mesh) => {
                let found = mesh.bvh().closest_point(position, reach)?;
                Some((found.point, found.distance_squared))
            }
            Solid::Body(pose) => {
                let found = pose.nearest(position, reach)?;
                Some((found.point, found.distance * found.distance))
            }
        }
    }
}

impl Obstacles {
    /// Solids bounded by closed meshes, as they are in this frame.
    pub fn new<'a>(meshes: impl IntoIterator<Item = &'a TriMesh>) -> Self {
        let solid = |mesh| Solid::Mesh(Box::new(WindingNumber::build(mesh)));
        Self { solids: meshes.into_iter().map(solid).collect() }
    }

    /// The same and further bodies, each at the time of its pose.
    pub fn with_poses(mut self, poses: impl IntoIterator<Item = BodyPose>) -> Self {
        self.solids.extend(poses.into_iter().map(|pose| Solid::Body(Box::new(pose))));
        self
    }

    /// Whether there is no solid.
    pub fn is_empty(&self) -> bool {
        self.solids.is_empty()
    }

    /// What each of `positions` sees of the solids within `reach`; empty without solids.
    pub fn walls(&self, positions: &[Vec3], reach: f32) -> Vec<Wall> {
        if self.is_empty() {
            return Vec::new();
        }
        positions.par_iter().with_min_len(256).map(|&place| self.wall(place, reach)).collect()
    }

    fn wall(&self, position: Vec3, reach: f32) -> Wall {
        let mut found: Vec<(f32, Vec3, Vec3)> = Vec::new();
        for solid in &self.solids {
            let bounds = solid.bounds();
            if bounds.distance_squared(position) > reach * reach {
                continue;
            }
            if bounds.contains(position) && solid.contains(position) {
                return Wall::Within;
            }
            let Some((closest, squared)) = solid.closest_point(position, reach) else { continue };
            let away = (position - closest).normalize_or_zero();
            if away != Vec3::ZERO && squared <= reach * reach {
                found.push((squared, closest, away));
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
    // Thicker than the distance of the surface from the outermost particles, whatever its scale.
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
    use whitecap_core::Transform;
    use whitecap_scene::AnimatedBody;

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

    /// Contract: a body in a pose reflects waves as its mesh at that place does.
    #[test]
    fn poses_are_obstacles() {
        let walls = container_walls(Vec3::ZERO, Vec3::ONE);
        let lift = Transform::from_translation(Vec3::new(0.0, 0.25, 0.0));
        let body = AnimatedBody::rigid(walls[0].clone(), vec![(0.0, lift)]).unwrap();
        let pose = body.at(0.0).unwrap();
        let moved = pose.mesh();
        let (poses, meshes) = (Obstacles::new([]).with_poses([pose]), Obstacles::new([&moved]));
        let places: Vec<Vec3> = (0..500)
            .map(|i| {
                let part = |step: usize| (i * step % 499) as f32 / 499.0;
                Vec3::new(part(1), part(7), part(31)) * 3.0 - 1.5
            })
            .collect();
        let (of_poses, of_meshes) = (poses.walls(&places, 0.3), meshes.walls(&places, 0.3));
        for (place, (a, b)) in places.iter().zip(of_poses.iter().zip(&of_meshes)) {
            let near = match (*a, *b) {
                (Wall::Near { point: a, .. }, Wall::Near { point: b, .. }) => a.distance(b) < 1e-5,
                (a, b) => a == b,
            };
            assert!(near, "{place}: {a:?} against {b:?}");
        }
        assert!(of_meshes.iter().any(|wall| matches!(wall, Wall::Near { .. })));
    }
}

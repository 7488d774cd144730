//! Obstacles: solids from which waves are thrown back.
//!
//! A surface point near a solid sees the mirror images of itself and of its neighbours in the plane
//! of the wall nearest to it (Mercier et al. 2015, §4.3.5). An image has the wave of its original,
//! so no wave passes through the wall: a Neumann condition. Images need no memory: they are further
//! weights on the originals.
//!
//! # Guarantees
//! * Points inside a solid carry no wave and are nobody's neighbour.
//!
//! # Non-guarantees
//! * In a corner of two walls only the nearer one makes images; the other one reflects as a border
//!   does, less exactly.

use rayon::prelude::*;
use whitecap_core::TriMesh;
use whitecap_core::glam::Vec3;
use whitecap_core::winding_number::WindingNumber;

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
        let mut nearest = reach * reach;
        let mut wall = Wall::Open;
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
            if away != Vec3::ZERO && closest.distance_squared <= nearest {
                nearest = closest.distance_squared;
                wall = Wall::Near { point: closest.point, normal: away };
            }
        }
        wall
    }
}

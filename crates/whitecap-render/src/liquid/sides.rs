//! Walls that divide a liquid: what lies behind a thin wall does not show on this side of it.

use glam::Vec3;

/// One side of a wall in or near a block.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// A point of the block on this side.
    pub point: Vec3,
    /// Unit vector away from the wall.
    pub normal: Vec3,
    /// Distance of the point from the wall, in m.
    pub distance: f32,
}

/// What a wall may hide.
#[derive(Clone, Copy, Debug)]
pub enum Hidden {
    /// A particle.
    Particle(u32),
    /// A copy of a particle.
    Ghost(u32),
}

/// The walls of a liquid, as its blocks and particles see them.
pub trait Sides: Sync {
    /// The sides of walls in or near a block: none, one, or both sides of a wall thinner than the block.
    fn of_block(&self, center: Vec3, edge: f32) -> [Option<Side>; 2];

    /// Whether a wall hides a particle, or a copy of one, from a side.
    fn hides(&self, from: Hidden, side: &Side) -> bool;
}

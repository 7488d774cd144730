//! Walls that part a liquid: what lies behind a thin wall does not show on this side of it.

use glam::Vec3;

/// One side of a wall in or near a block.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// A point of the block on this side.
    pub point: Vec3,
    /// Unit vector away from the wall.
    pub normal: Vec3,
}

/// The walls of a liquid, as its blocks and particles see them.
pub trait Sides: Sync {
    /// The sides of walls in or near a block: none, one, or both sides of a wall thinner than the block.
    fn of_block(&self, center: Vec3, edge: f32) -> [Option<Side>; 2];

    /// Whether a wall hides a particle, and its copies, from a side.
    fn hides(&self, particle: u32, side: &Side) -> bool;
}

//! What walls change in a liquid of particles: copies inside the walls that continue it, what thin walls
//! hide, and blocks deep inside them.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::Tile;
use whitecap_core::sparse_grid::local_node;

use super::ParticleLiquid;
use super::blocks::bounds::{Bulge, woken};
use super::blocks::lists::{BlockLists, ListSource};
use super::blocks::{BlockGrid, FIRST_SIGN, OUTSIDE};
use super::field::gather::{Frame, Segment};
use super::particles::GROUPS;
use super::sides::Sides;

/// What a liquid of particles must know about the walls beside it.
#[derive(Clone, Copy)]
pub(crate) struct Walls<'a> {
    /// Copies of particles inside the walls: (index, position).
    pub ghosts: &'a [(u32, Vec3)],
    /// What the walls hide.
    pub sides: Option<&'a dyn Sides>,
    /// Whether a block around a point lies deep inside a wall, where no ray looks.
    pub dry: &'a (dyn Fn(Vec3, f32) -> bool + Sync),
}

impl ParticleLiquid {
    /// Moves copies of particles: `way(number of the copy)`. Blocks that a moved copy reaches are
    /// examined again.
    pub(crate) fn move_ghosts(&mut self, way: impl Fn(u32) -> Vec3, walls: Walls) {
        let mut moved = Vec::new();
        for (kernel, &ghost) in self.kernels.iter_mut().zip(&self.ghost_of) {
            let way = if (ghost as i32) < 0 { Vec3::ZERO } else { way(ghost) };
            if way.length() > 1e-3 * self.radius {
                moved.push(*kernel);
                kernel.center += way;
                moved.push(*kernel);
            }
        }
        let mut sorted = woken(&self.blocks, &moved, self.shutter);
        sorted.dry_out(walls.dry);
        let source = ListSource {
            kernels: &self.kernels,
            sources: &self.source,
            ghost_of: &self.ghost_of,
            blind: &self.blind,
            sides: walls.sides,
            hull: self.hull,
            shutter: self.shutter,
        };
        let (lists, blocks) = BlockLists::build(sorted, source);
        let asleep = std::mem::replace(&mut self.blocks, blocks);
        self.lists = lists;
        self.settle(&asleep);
    }

    /// Excludes again the reactivated blocks that cannot contain the surface.
    pub(super) fn settle(&mut self, asleep: &BlockGrid) {
        let Some(bulge) = self.bulge else { return };
        let states = self.blocks.states();
        let tiles: Vec<(IVec3, Tile<u32>)> = states
            .coordinates()
            .par_iter()
            .zip(states.tiles())
            .map(|(&tile, states)| {
                let Tile::Dense(states) = states else { return (tile, states.clone()) };
                let before = asleep.states().tile(tile);
                let mut states = states.clone();
                for (offset, state) in states.iter_mut().enumerate() {
                    let was = before.map_or(OUTSIDE, |tile| tile.at(offset));
                    let woken = *state < FIRST_SIGN && was >= FIRST_SIGN;
                    if woken && !self.lists.is_two_sided(*state) {
                        let settled =
                            self.settled_state(*state, tile * 8 + local_node(offset), bulge);
                        *state = if settled < FIRST_SIGN { *state } else { settled };
                    }
                }
                (tile, Tile::Dense(states))
            })
            .collect();
        self.blocks = BlockGrid::new(self.blocks.edge(), tiles);
    }

    /// What the values on the nodes of a block say about it.
    fn settled_state(&self, row: u32, block: IVec3, bulge: Bulge) -> u32 {
        let edge = self.blocks.edge();
        let origin = (block.as_vec3() + 0.5) * edge;
        let segment = Segment { origin, direction: Vec3::X, length: 0.0, time: 0.0 };
        let frame = Frame::of(Vec3::X);
        GROUPS.with_borrow_mut(|groups| {
            self.gather_beside(groups, segment, row, 0.87 * edge);
            let node = |n: i32| IVec3::new(n % 3, n / 3 % 3, n / 9).as_vec3() - 1.0;
            let values = (0..27).map(|n| {
                let shift = frame.components(0.5 * edge * node(n));
                groups.value_beside(self.kind, self.background, 0.0, shift)
            });
            let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            });
            bulge.state(low, high)
        })
    }
}

//! Blocks of space that may contain the surface, and the path of a ray through them.
//!
//! Blocks are stored in tiles of 8³. A tree of boxes around the tiles with at least one such block
//! finds them front to back; within a tile the ray steps from block to block (Amanatides & Woo
//! 1987). An outlier far away costs one tile.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node, offset_in_tile, tile_of};
use whitecap_core::{Bounds, Lattice, SparseGrid, Tile};

use crate::Ray;

/// State of a block that lies outside the liquid.
pub const OUTSIDE: u32 = u32::MAX;
/// State of a block that lies inside the liquid.
pub const INSIDE: u32 = u32::MAX - 1;
/// States below this one mark blocks that may hold the surface.
pub const FIRST_SIGN: u32 = INSIDE;

/// Blocks of an edge length, each with a state: [`OUTSIDE`], [`INSIDE`] or a number that its owner
/// gave to a block that may hold the surface.
#[derive(Clone, Debug)]
pub struct BlockGrid {
    states: SparseGrid<u32>,
    tree: Vec<Node>,
    bounds: Bounds,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    /// For an inner node: its second child (the first follows it). For a leaf: its tile.
    target: u32,
    leaf: bool,
}

impl BlockGrid {
    /// The grid of the given tiles; block b spans b to b + 1 edges from the origin of space.
    pub(crate) fn new(edge: f32, tiles: Vec<(IVec3, Tile<u32>)>) -> Self {
        let states = SparseGrid::from_tiles(Lattice::at_origin(edge), OUTSIDE, tiles)
            .expect("every tile is listed once");
        let mut leaves: Vec<(Bounds, u32)> = states
            .coordinates()
            .par_iter()
            .zip(states.tiles())
            .enumerate()
            .filter_map(|(place, (&tile, states))| {
                Some((active_bounds(edge, tile, states)?, place as u32))
            })
            .collect();
        let mut tree = Vec::with_capacity(2 * leaves.len());
        if !leaves.is_empty() {
            build(&mut leaves, &mut tree);
        }
        let bounds = tree.first().map_or(Bounds::EMPTY, |root| root.bounds);
        Self { states, tree, bounds }
    }

    /// Edge of a block in metres.
    pub(crate) fn edge(&self) -> f32 {
        self.states.lattice().cell
    }

    /// A box around all blocks that may hold the surface.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The states, tile by tile.
    pub(crate) fn states(&self) -> &SparseGrid<u32> {
        &self.states
    }

    /// State of a block.
    pub(crate) fn state(&self, block: IVec3) -> u32 {
        self.states.tile(tile_of(block)).map_or(OUTSIDE, |tile| tile.at(offset_in_tile(block)))
    }

    /// State of the block that holds a point.
    pub(crate) fn state_at(&self, point: Vec3) -> u32 {
        self.state(self.states.lattice().locate(point).0)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let tile = |tile: &Tile<u32>| match tile {
            Tile::Dense(_) => size_of::<[u32; TILE_NODES]>() + size_of::<Tile<u32>>(),
            Tile::Constant(_) => size_of::<Tile<u32>>(),
        };
        let tiles: usize = self.states.tiles().iter().map(tile).sum();
        tiles + self.states.tile_count() * 48 + self.tree.len() * size_of::<Node>()
    }

    /// Visits the blocks on the ray that may hold the surface: `visit(state, (enter, leave))`
    /// returns the distance of a hit. The nearest is returned. Blocks of one tile come front to
    /// back; a farther tile is visited only if it begins before the nearest hit.
    pub(crate) fn nearest<T>(
        &self,
        ray: &Ray,
        mut visit: impl FnMut(u32, (f32, f32)) -> Option<(f32, T)>,
    ) -> Option<(f32, T)> {
        let mut best: Option<(f32, T)> = None;
        let mut far = ray.far;
        let inverse = Vec3::from_array(ray.direction.to_array().map(finite_inverse));
        let mut stack = [(0u32, 0.0f32); 64];
        let mut depth = 0;
        if let Some(root) = self.tree.first()
            && let Some((enter, _)) = clip(&root.bounds, ray.origin, inverse, far)
        {
            stack[0] = (0, enter);
            depth = 1;
        }
        while depth > 0 {
            depth -= 1;
            let (place, enter) = stack[depth];
            if enter >= far {
                continue;
            }
            let node = &self.tree[place as usize];
            if node.leaf {
                let tile = node.target as usize;
                let found = self.walk_tile(tile, &node.bounds, ray, inverse, far, &mut visit);
                if let Some(found) = found.filter(|found| found.0 < far) {
                    far = found.0;
                    best = Some(found);
                }
                continue;
            }
            let children = [place + 1, node.target].map(|child| {
                let bounds = &self.tree[child as usize].bounds;
                (child, clip(bounds, ray.origin, inverse, far).map(|(enter, _)| enter))
            });
            match children {
                [(a, Some(enter_a)), (b, Some(enter_b))] => {
                    let (near, second) = match enter_a <= enter_b {
                        true => ((a, enter_a), (b, enter_b)),
                        false => ((b, enter_b), (a, enter_a)),
                    };
                    stack[depth] = second;
                    stack[depth + 1] = near;
                    depth += 2;
                }
                [(child, Some(enter)), (_, None)] | [(_, None), (child, Some(enter))] => {
                    stack[depth] = (child, enter);
                    depth += 1;
                }
                [(_, None), (_, None)] => {}
            }
        }
        best
    }

    /// Steps through the blocks of one tile.
    fn walk_tile<T>(
        &self,
        tile: usize,
        bounds: &Bounds,
        ray: &Ray,
        inverse: Vec3,
        far: f32,
        visit: &mut impl FnMut(u32, (f32, f32)) -> Option<(f32, T)>,
    ) -> Option<(f32, T)> {
        let (enter, leave) = clip(bounds, ray.origin, inverse, far)?;
        let edge = self.edge();
        let states = self.states.tiles()[tile].dense()?;
        let low = self.states.lattice().position(self.states.coordinates()[tile] * 8);
        let start = (ray.at(enter) - low) / edge;
        let mut block = start.floor().as_ivec3().clamp(IVec3::ZERO, IVec3::splat(7)).to_array();
        let origin = ray.origin.to_array();
        let (low, inverse) = (low.to_array(), inverse.to_array());
        let mut step = [1i32; 3];
        let (mut next, mut width) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let ahead = inverse[axis] > 0.0;
            step[axis] = if ahead { 1 } else { -1 };
            let wall = low[axis] + edge * (block[axis] + i32::from(ahead)) as f32;
            next[axis] = (wall - origin[axis]) * inverse[axis];
            width[axis] = edge * inverse[axis].abs();
        }
        let mut here = enter;
        loop {
            let axis = match (next[0] <= next[1], next[0] <= next[2], next[1] <= next[2]) {
                (true, true, _) => 0,
                (false, _, true) => 1,
                _ => 2,
            };
            let until = next[axis].min(leave);
            let state = states[(block[0] + 8 * block[1] + 64 * block[2]) as usize];
            if state < FIRST_SIGN
                && until >= here
                && let Some(found) = visit(state, (here, until))
            {
                return Some(found);
            }
            if next[axis] >= leave {
                return None;
            }
            here = here.max(until);
            block[axis] += step[axis];
            if !(0..8).contains(&block[axis]) {
                return None;
            }
            next[axis] += width[axis];
        }
    }
}

/// A box around the blocks of a tile that may hold the surface.
fn active_bounds(edge: f32, tile: IVec3, states: &Tile<u32>) -> Option<Bounds> {
    let states = states.dense()?;
    let (mut low, mut high) = (IVec3::splat(8), IVec3::splat(-1));
    for (offset, &state) in states.iter().enumerate() {
        if state < FIRST_SIGN {
            low = low.min(local_node(offset));
            high = high.max(local_node(offset));
        }
    }
    let lattice = Lattice::at_origin(edge);
    let position = |block: IVec3| lattice.position(tile * 8 + block);
    (low.x <= high.x).then(|| Bounds::new(position(low), position(high + 1)))
}

/// Splits at the median of the longest axis; leaves hold one tile.
fn build(leaves: &mut [(Bounds, u32)], tree: &mut Vec<Node>) {
    let bounds = leaves.iter().fold(Bounds::EMPTY, |all, (bounds, _)| all.union(*bounds));
    if let [(_, tile)] = leaves {
        tree.push(Node { bounds, target: *tile, leaf: true });
        return;
    }
    let size = bounds.size();
    let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
    let middle = leaves.len() / 2;
    leaves.select_nth_unstable_by(middle, |(a, tile_a), (b, tile_b)| {
        a.center()[axis].total_cmp(&b.center()[axis]).then(tile_a.cmp(tile_b))
    });
    let place = tree.len();
    tree.push(Node { bounds, target: 0, leaf: false });
    let (before, after) = leaves.split_at_mut(middle);
    build(before, tree);
    tree[place].target = tree.len() as u32;
    build(after, tree);
}

/// The inverse of a component of a direction; large if it is zero, so that a ray in the plane of a
/// face gives no NaN.
fn finite_inverse(component: f32) -> f32 {
    if component.abs() < 1e-20 { 1e20f32.copysign(component) } else { 1.0 / component }
}

/// The part of the ray inside a box, between its origin and `far`.
#[inline]
fn clip(bounds: &Bounds, origin: Vec3, inverse: Vec3, far: f32) -> Option<(f32, f32)> {
    let first = (bounds.min - origin) * inverse;
    let second = (bounds.max - origin) * inverse;
    let low = |axis: usize| first[axis].min(second[axis]);
    let high = |axis: usize| first[axis].max(second[axis]);
    let enter = low(0).max(low(1)).max(low(2)).max(0.0);
    let leave = high(0).min(high(1)).min(high(2)).min(far);
    (enter <= leave).then_some((enter, leave))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball() -> BlockGrid {
        let coordinates = (0..27).map(|s| IVec3::new(s % 3, s / 3 % 3, s / 9) - 1);
        let tiles = coordinates.map(|tile| {
            let states = std::array::from_fn(|offset| {
                let middle = (tile * 8 + local_node(offset)).as_vec3() + 0.5;
                if (7.0..8.5).contains(&middle.length()) { offset as u32 } else { INSIDE }
            });
            (tile, Tile::Dense(Box::new(states)))
        });
        BlockGrid::new(0.1, tiles.collect())
    }

    /// Contract: a ray visits every block it passes through by more than rounding, once and front
    /// to back within a tile, whether it runs along an axis, in a face, or in any direction.
    #[test]
    fn rays_visit_the_blocks_they_pass_through() {
        let grid = ball();
        for i in 0..500 {
            let t = i as f32;
            let direction = match i {
                0 => Vec3::X,
                1 => Vec3::NEG_Y,
                2 => Vec3::Z,
                _ => Vec3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 2.1).sin()).normalize(),
            };
            let target = 0.6 * Vec3::new((t * 1.1).sin(), (t * 0.37).sin(), (t * 0.83).cos());
            let target = if i < 3 { Vec3::ZERO } else { target };
            let ray =
                Ray { origin: target - 3.0 * direction, direction, time: 0.0, far: f32::INFINITY };
            let mut spans: Vec<(f32, f32)> = Vec::new();
            grid.nearest(&ray, |_, span| {
                spans.push(span);
                None::<(f32, ())>
            });
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
            // The first three run between blocks, and visit both.
            let apart = spans.windows(2).all(|w| w[0].1 <= w[1].0 + 1e-5);
            assert!(apart || i < 3, "blocks overlap");
            for step in 0..3000 {
                let distance = 1.5 + step as f32 * 1e-3;
                let inside = spans.iter().any(|s| s.0 - 1e-4 < distance && distance < s.1 + 1e-4);
                let near = |shift: f32| grid.state_at(ray.at(distance + shift)) < FIRST_SIGN;
                if near(0.0) && near(1e-4) && near(-1e-4) {
                    assert!(inside, "ray {i} missed a block at {distance}");
                }
            }
        }
    }

    /// Contract: the nearest of several hits wins.
    #[test]
    fn the_nearest_hit_wins() {
        let grid = ball();
        let ray = Ray {
            origin: Vec3::new(0.03, 0.04, -3.0),
            direction: Vec3::Z,
            time: 0.0,
            far: f32::INFINITY,
        };
        let hit = grid.nearest(&ray, |_, span| Some((0.5 * (span.0 + span.1), ())));
        let distance = hit.unwrap().0;
        assert!((distance - 2.15).abs() < 0.11, "{distance}");
        let short = Ray { far: 1.0, ..ray };
        assert!(grid.nearest(&short, |_, span| Some((span.0, ()))).is_none());
    }
}

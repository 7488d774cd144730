//! For each block that may hold the surface, the particles that reach it during the shutter.

use std::ops::Range;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node, offset_in_tile};
use whitecap_core::{Bounds, CoordinateIndex, Tile};

use super::Shutter;
use super::blocks::{BlockGrid, FIRST_SIGN, INSIDE, OUTSIDE};
use super::bounds::{Sorted, boxes_along};
use super::gather::Kernel;

/// Particles by block, as compressed rows: the state of an active block is its row.
#[derive(Debug)]
pub(super) struct BlockLists {
    starts: Vec<usize>,
    places: Vec<u32>,
}

/// The particles of one tile's blocks.
struct TileLists {
    tile: IVec3,
    states: Box<[u32; TILE_NODES]>,
    lengths: Vec<u32>,
    places: Vec<u32>,
}

impl BlockLists {
    /// Lists and numbered blocks. Blocks that nobody reaches are outside; blocks that only blind
    /// particles reach cannot show a surface and count as inside. The averaged position lies within the
    /// hull of the particles, so for averaged functions a block farther than the largest radius
    /// (`hull`) from a box around its particles is outside.
    pub fn build(
        sorted: Sorted,
        kernels: &[Kernel],
        blind: &[bool],
        hull: Option<f32>,
        shutter: Shutter,
    ) -> (Self, BlockGrid) {
        let edge = sorted.edge;
        let particles = BlockParticles { kernels, blind, hull, edge, shutter };
        let coordinates: Vec<IVec3> = sorted.tiles.iter().map(|(tile, _)| *tile).collect();
        let (starts, by_tile) = particles_by_tile(&coordinates, kernels, edge, shutter);
        let tiles: Vec<TileLists> = sorted
            .tiles
            .into_par_iter()
            .enumerate()
            .map(|(place, (tile, states))| {
                let places = &by_tile[starts[place]..starts[place + 1]];
                particles.list_tile(tile, states, places)
            })
            .collect();
        let mut lists = Self { starts: vec![0], places: Vec::new() };
        lists.places.reserve_exact(tiles.iter().map(|tile| tile.places.len()).sum());
        let mut numbered = Vec::with_capacity(tiles.len());
        for TileLists { tile, mut states, lengths, places } in tiles {
            let first = lists.starts.len() - 1;
            for state in states.iter_mut().filter(|state| **state < FIRST_SIGN) {
                *state += first as u32;
            }
            for length in lengths {
                let end = lists.starts[lists.starts.len() - 1] + length as usize;
                lists.starts.push(end);
            }
            lists.places.extend_from_slice(&places);
            let flat = states.iter().all(|&state| state == INSIDE);
            numbered.push((tile, if flat { Tile::Constant(INSIDE) } else { Tile::Dense(states) }));
        }
        (lists, BlockGrid::new(edge, numbered))
    }

    /// The particles of an active block.
    #[inline]
    pub fn of(&self, state: u32) -> &[u32] {
        &self.places[self.range(state)]
    }

    fn range(&self, state: u32) -> Range<usize> {
        self.starts[state as usize]..self.starts[state as usize + 1]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<usize>() + self.places.capacity() * size_of::<u32>()
    }
}

/// Particles that reach each tile, as compressed rows in the order of `tiles`.
fn particles_by_tile(
    tiles: &[IVec3],
    kernels: &[Kernel],
    edge: f32,
    shutter: Shutter,
) -> (Vec<usize>, Vec<u32>) {
    let index = CoordinateIndex::build(tiles);
    let tile_edge = 8.0 * edge;
    let mut pairs: Vec<(u32, u32)> = kernels
        .par_iter()
        .enumerate()
        .flat_map_iter(|(place, kernel)| {
            let mut found: Vec<(u32, u32)> = Vec::new();
            for (min, max) in boxes_along(kernel, edge, shutter) {
                let low = (min / tile_edge).floor().as_ivec3();
                let high = (max / tile_edge).floor().as_ivec3();
                for z in low.z..=high.z {
                    for y in low.y..=high.y {
                        for x in low.x..=high.x {
                            if let Some(tile) = index.get(IVec3::new(x, y, z)) {
                                found.push((tile as u32, place as u32));
                            }
                        }
                    }
                }
            }
            found.sort_unstable();
            found.dedup();
            found
        })
        .collect();
    pairs.par_sort_unstable();
    let mut starts = vec![0usize; tiles.len() + 1];
    for (tile, _) in &pairs {
        starts[*tile as usize + 1] += 1;
    }
    for tile in 0..tiles.len() {
        starts[tile + 1] += starts[tile];
    }
    (starts, pairs.into_iter().map(|(_, place)| place).collect())
}

/// What the lists are made from.
struct BlockParticles<'a> {
    kernels: &'a [Kernel],
    blind: &'a [bool],
    hull: Option<f32>,
    edge: f32,
    shutter: Shutter,
}

impl BlockParticles<'_> {
    fn list_tile(
        &self,
        tile: IVec3,
        mut states: Box<[u32; TILE_NODES]>,
        places: &[u32],
    ) -> TileLists {
        if states.iter().all(|&state| state >= FIRST_SIGN) {
            return TileLists { tile, states, lengths: Vec::new(), places: Vec::new() };
        }
        let mut pairs: Vec<(u16, u32)> = Vec::new();
        for &place in places {
            let kernel = &self.kernels[place as usize];
            for_each_block_reached(kernel, tile, self.edge, self.shutter, |offset| {
                if states[offset] < FIRST_SIGN {
                    pairs.push((offset as u16, place));
                }
            });
        }
        pairs.sort_unstable();
        pairs.dedup();
        let (mut lengths, mut kept) = (Vec::new(), Vec::new());
        let mut rest = pairs.as_slice();
        for (offset, state) in states.iter_mut().enumerate() {
            if *state >= FIRST_SIGN {
                continue;
            }
            let count = rest.iter().take_while(|(block, _)| *block as usize == offset).count();
            let (here, later) = rest.split_at(count);
            rest = later;
            let block = tile * 8 + local_node(offset);
            *state = self.block_state(block, here).unwrap_or(lengths.len() as u32);
            if *state < FIRST_SIGN {
                lengths.push(here.len() as u32);
                kept.extend(here.iter().map(|(_, place)| *place));
            }
        }
        TileLists { tile, states, lengths, places: kept }
    }

    /// State of a block that these particles reach, if they decide it.
    fn block_state(&self, block: IVec3, here: &[(u16, u32)]) -> Option<u32> {
        let is_blind = |&(_, place): &(u16, u32)| self.blind.get(place as usize) == Some(&true);
        if here.is_empty() {
            return Some(OUTSIDE);
        }
        if here.iter().all(is_blind) {
            return Some(INSIDE);
        }
        let radius = self.hull?;
        let around = here.iter().fold(Bounds::EMPTY, |bounds, &(_, place)| {
            let Kernel { center, velocity, .. } = self.kernels[place as usize];
            bounds
                .with(center + velocity * self.shutter.open)
                .with(center + velocity * self.shutter.close)
        });
        let low = block.as_vec3() * self.edge;
        let gap = (around.min - low - self.edge).max(low - around.max).max(Vec3::ZERO);
        (gap.length() > 1.0001 * radius).then_some(OUTSIDE)
    }
}

/// Calls `visit` for every block of a tile that a particle may reach, some perhaps twice.
fn for_each_block_reached(
    kernel: &Kernel,
    tile: IVec3,
    edge: f32,
    shutter: Shutter,
    mut visit: impl FnMut(usize),
) {
    let reach = kernel.scale.sqrt().recip();
    for (min, max) in boxes_along(kernel, edge, shutter) {
        // The particle runs through the middle of its box; half its way widens the reach.
        let middle = 0.5 * (min + max);
        let way = (0.5 * (max - min) - reach).max(Vec3::ZERO).length();
        let limit = (reach + way) * (1.0 + 1e-5);
        let low = ((min / edge).floor().as_ivec3() - tile * 8).max(IVec3::ZERO);
        let high = ((max / edge).floor().as_ivec3() - tile * 8).min(IVec3::splat(7));
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let block = tile * 8 + IVec3::new(x, y, z);
                    let corner = block.as_vec3() * edge;
                    let outside = (corner - middle).max(middle - corner - edge).max(Vec3::ZERO);
                    if outside.length_squared() < limit * limit {
                        visit(offset_in_tile(block));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::sparse_grid::tile_order;

    /// Contract: every particle that reaches a point of an active block at some moment is in the
    /// block's list, and the list names no particle twice.
    #[test]
    fn lists_name_everyone_who_reaches_a_block() {
        let shutter = Shutter { open: -0.5, close: 0.5 };
        let kernels: Vec<Kernel> = (0..300)
            .map(|i| {
                let t = i as f32;
                let center = Vec3::new((t * 0.618) % 1.0, (t * 0.414) % 1.0, (t * 0.73) % 1.0);
                let velocity =
                    if i % 3 == 0 { Vec3::new(t.sin(), t.cos(), 0.5) } else { Vec3::ZERO };
                Kernel { center, scale: 1.0 / (0.1f32 * 0.1), velocity, weight: 1.0 }
            })
            .collect();
        let tiles: Vec<(IVec3, Box<[u32; TILE_NODES]>)> = (0..125)
            .map(|s| IVec3::new(s % 5, s / 5 % 5, s / 25) - 1)
            .map(|tile| (tile, Box::new([0; TILE_NODES])))
            .collect();
        assert!(tiles.is_sorted_by_key(|(tile, _)| tile_order(*tile)));
        let (lists, grid) =
            BlockLists::build(Sorted { edge: 0.05, tiles }, &kernels, &[], None, shutter);
        let mut found = 0;
        for (place, kernel) in kernels.iter().enumerate() {
            for i in 0..50 {
                let t = i as f32;
                let way = Vec3::new((t * 3.1).sin(), (t * 1.7).cos(), (t * 0.9).sin()).normalize();
                let time = (t * 0.317) % 1.0 - 0.5;
                let point = kernel.center + kernel.velocity * time + 0.099 * way;
                let state = grid.state_at(point);
                if grid.states().tile(grid.states().lattice().locate(point).0 >> 3).is_some() {
                    assert!(state < FIRST_SIGN && lists.of(state).contains(&(place as u32)));
                    found += 1;
                }
            }
        }
        assert!(found > 10_000);
        for state in 0..lists.starts.len() as u32 - 1 {
            assert!(lists.of(state).is_sorted_by(|a, b| a < b));
        }
    }
}

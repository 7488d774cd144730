//! For each block that may contain the surface, the particles that reach it during the shutter.

use std::ops::Range;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node};
use whitecap_core::{Bounds, CoordinateIndex, Tile};

use super::active_rows::ActiveRows;
use super::bounds::{Sorted, boxes_along};
use super::buckets::BlockBuckets;
use super::nearby::{ListBox, Nearby};
use crate::liquid::Shutter;
use crate::liquid::blocks::{BlockGrid, FIRST_SIGN, INSIDE, OUTSIDE};
use crate::liquid::field::kernel::Kernel;
use crate::liquid::sides::{Hidden, Side, Sides};

/// State of a block that is inside unless a wall hides what fills it.
const MAYBE_INSIDE: u32 = 1;

/// Particles by block, as compressed rows: the state of an active block is its row. A block with both
/// sides of a thin wall has two rows, one after the other.
#[derive(Debug)]
pub(crate) struct BlockLists {
    starts: Vec<usize>,
    places: Vec<u32>,
    /// First rows of blocks with two sides, ascending, and the normal of that first side.
    two_sided: Vec<(u32, Vec3)>,
}

/// The particles of one tile's blocks.
struct TileLists {
    tile: IVec3,
    states: Box<[u32; TILE_NODES]>,
    lengths: Vec<u32>,
    places: Vec<u32>,
    two_sided: Vec<(u32, Vec3)>,
}

/// What the lists are made from.
#[derive(Clone, Copy)]
pub(crate) struct ListSource<'a> {
    pub kernels: &'a [Kernel],
    /// Index of the particle of each kernel.
    pub sources: &'a [u32],
    /// Number of the copy for each kernel, negative if there is none; or `None`.
    pub ghost_of: &'a [u32],
    pub blind: &'a [bool],
    pub sides: Option<&'a dyn Sides>,
    /// The averaged position lies within the hull of the particles, so for averaged functions a block
    /// farther than the largest radius from a box around its particles is outside.
    pub hull: Option<f32>,
    pub shutter: Shutter,
}

impl BlockLists {
    /// Lists and numbered blocks. Blocks that no particle reaches are outside; blocks that only
    /// blind particles reach cannot show a surface and count as inside.
    pub fn build(sorted: Sorted, source: ListSource) -> (Self, BlockGrid) {
        let edge = sorted.edge;
        let coordinates: Vec<IVec3> = sorted.tiles.iter().map(|(tile, _)| *tile).collect();
        let (starts, by_tile) =
            particles_by_tile(&coordinates, source.kernels, edge, source.shutter);
        let tiles: Vec<TileLists> = sorted
            .tiles
            .into_par_iter()
            .enumerate()
            .map(|(place, (tile, states))| {
                let places = &by_tile[starts[place]..starts[place + 1]];
                source.list_tile(edge, tile, states, places)
            })
            .collect();
        let mut lists = Self { starts: vec![0], places: Vec::new(), two_sided: Vec::new() };
        lists.places.reserve_exact(tiles.iter().map(|tile| tile.places.len()).sum());
        let mut numbered = Vec::with_capacity(tiles.len());
        for TileLists { tile, mut states, lengths, places, two_sided } in tiles {
            let first = lists.rows();
            for state in states.iter_mut().filter(|state| **state < FIRST_SIGN) {
                *state += first;
            }
            lists.two_sided.extend(two_sided.iter().map(|&(row, normal)| (row + first, normal)));
            lists.push_rows(&lengths, &places);
            let flat = states.iter().all(|&state| state == INSIDE);
            numbered.push((tile, if flat { Tile::Constant(INSIDE) } else { Tile::Dense(states) }));
        }
        (lists, BlockGrid::new(edge, numbered))
    }

    /// Adds a row for each box, and returns the number of the first.
    pub fn add(&mut self, boxes: &[ListBox], source: ListSource) -> u32 {
        let first = self.rows();
        let near = Nearby::new(source.kernels, source.shutter);
        let rows: Vec<Vec<u32>> =
            boxes.par_iter().map(|wanted| near.list(wanted, source)).collect();
        for row in rows {
            self.push_rows(&[row.len() as u32], &row);
        }
        first
    }

    fn rows(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    fn push_rows(&mut self, lengths: &[u32], places: &[u32]) {
        for &length in lengths {
            let end = self.starts[self.starts.len() - 1] + length as usize;
            self.starts.push(end);
        }
        self.places.extend_from_slice(places);
    }

    /// The row of an active block for points that face a direction away from a wall (zero: anywhere).
    #[inline]
    pub fn row(&self, state: u32, facing: Vec3) -> u32 {
        if self.two_sided.is_empty() {
            return state;
        }
        match self.two_sided.binary_search_by_key(&state, |(row, _)| *row) {
            Ok(place) => state + u32::from(self.two_sided[place].1.dot(facing) < 0.0),
            Err(_) => state,
        }
    }

    /// Whether an active block holds both sides of a wall.
    pub fn is_two_sided(&self, state: u32) -> bool {
        self.two_sided.binary_search_by_key(&state, |(row, _)| *row).is_ok()
    }

    /// Whether some blocks hold both sides of a wall.
    pub fn has_two_sides(&self) -> bool {
        !self.two_sided.is_empty()
    }

    /// The particles of a row.
    #[inline]
    pub fn of(&self, row: u32) -> &[u32] {
        &self.places[self.range(row)]
    }

    fn range(&self, row: u32) -> Range<usize> {
        self.starts[row as usize]..self.starts[row as usize + 1]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<usize>() + self.places.capacity() * size_of::<u32>()
    }
}

/// Particles that reach each tile, as compressed rows in the order of `tiles`.
pub(crate) fn particles_by_tile(
    tiles: &[IVec3],
    kernels: &[Kernel],
    edge: f32,
    shutter: Shutter,
) -> (Vec<usize>, Vec<u32>) {
    let index = CoordinateIndex::build(tiles);
    let tile_edge = 8.0 * edge;
    let pairs: Vec<(u32, u32)> = kernels
        .par_iter()
        .enumerate()
        .flat_map_iter(|(place, kernel)| {
            let mut found: Vec<(u32, u32)> = Vec::new();
            let mut boxes = 0;
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
                boxes += 1;
            }
            if boxes > 1 {
                found.sort_unstable();
                found.dedup();
            }
            found
        })
        .collect();
    bucketed(&pairs, tiles.len())
}

/// Second numbers of the pairs by their first, as compressed rows; the order within a row is kept.
fn bucketed(pairs: &[(u32, u32)], rows: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0usize; rows + 1];
    for (row, _) in pairs {
        starts[*row as usize + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut values = vec![0; pairs.len()];
    for &(row, value) in pairs {
        values[next[row as usize]] = value;
        next[row as usize] += 1;
    }
    (starts, values)
}

impl ListSource<'_> {
    fn list_tile(
        &self,
        edge: f32,
        tile: IVec3,
        mut states: Box<[u32; TILE_NODES]>,
        places: &[u32],
    ) -> TileLists {
        let mut lists = TileLists {
            tile,
            states: Box::new([OUTSIDE; TILE_NODES]),
            lengths: Vec::new(),
            places: Vec::new(),
            two_sided: Vec::new(),
        };
        self.wake_beside_walls(edge, tile, &mut states);
        let active = ActiveRows::of(&states);
        if active.is_empty() {
            return TileLists { states, ..lists };
        }
        let mut pairs = Vec::new();
        for &place in places {
            let kernel = &self.kernels[place as usize];
            active.for_each_reached(kernel, tile, edge, self.shutter, |offset| {
                pairs.push((offset as u16, place));
            });
        }
        let mut by_block = BlockBuckets::new(&pairs);
        lists.places.reserve(pairs.len());
        for (offset, state) in states.iter_mut().enumerate().filter(|(_, s)| **s < FIRST_SIGN) {
            let here = by_block.of(offset);
            let block = tile * 8 + local_node(offset);
            *state = match self.block_state(edge, block, here) {
                Some(state) => state,
                None => self.push_block(edge, block, *state == MAYBE_INSIDE, here, &mut lists),
            };
        }
        TileLists { states, ..lists }
    }

    /// Marks blocks beside walls that seem to be inside: a wall may hide what fills them.
    fn wake_beside_walls(&self, edge: f32, tile: IVec3, states: &mut [u32; TILE_NODES]) {
        let Some(sides) = self.sides else { return };
        for (offset, state) in states.iter_mut().enumerate().filter(|(_, s)| **s == INSIDE) {
            let center = ((tile * 8 + local_node(offset)).as_vec3() + 0.5) * edge;
            if sides.of_block(center, edge)[0].is_some() {
                *state = MAYBE_INSIDE;
            }
        }
    }

    /// Adds the rows of a block, and returns its state. One that is inside unless a wall hides something
    /// gets no row if nothing is hidden.
    fn push_block(
        &self,
        edge: f32,
        block: IVec3,
        inside: bool,
        here: &[u32],
        lists: &mut TileLists,
    ) -> u32 {
        let first = lists.lengths.len() as u32;
        let Some(sides) = self.sides else {
            lists.places.extend_from_slice(here);
            lists.lengths.push(here.len() as u32);
            return first;
        };
        let sides = sides.of_block((block.as_vec3() + 0.5) * edge, edge);
        let before = lists.places.len();
        let mut push = |side: Option<&Side>| {
            let from = lists.places.len();
            lists.places.extend(here.iter().filter(|&&place| !self.hides(place, side)));
            lists.lengths.push((lists.places.len() - from) as u32);
        };
        push(sides[0].as_ref());
        let two_sided = sides[1].is_some();
        if two_sided {
            push(sides[1].as_ref());
        }
        let visible = lists.places.len() - before;
        let hidden = here.len() * (1 + usize::from(two_sided)) - visible;
        let inside = inside || (!two_sided && self.all_blind(here));
        if visible == 0 || (inside && hidden == 0) {
            lists.places.truncate(before);
            lists.lengths.truncate(first as usize);
            return if visible == 0 { OUTSIDE } else { INSIDE };
        }
        if let [Some(side), Some(_)] = &sides {
            lists.two_sided.push((first, side.normal));
        }
        first
    }

    fn all_blind(&self, places: &[u32]) -> bool {
        places.iter().all(|&place| self.blind.get(place as usize) == Some(&true))
    }

    /// Whether a wall hides the particle of a kernel.
    pub fn hides(&self, place: u32, side: Option<&Side>) -> bool {
        match (self.sides, side) {
            (Some(sides), Some(side)) => {
                let ghost = self.ghost_of.get(place as usize).filter(|ghost| (**ghost as i32) >= 0);
                let particle = Hidden::Particle(self.sources[place as usize]);
                sides.hides(ghost.map_or(particle, |&ghost| Hidden::Ghost(ghost)), side)
            }
            _ => false,
        }
    }

    /// State of a block that these particles reach, if they decide it.
    fn block_state(&self, edge: f32, block: IVec3, here: &[u32]) -> Option<u32> {
        if here.is_empty() {
            return Some(OUTSIDE);
        }
        // If there are walls, they decide first.
        if self.sides.is_none() && self.all_blind(here) {
            return Some(INSIDE);
        }
        let radius = self.hull?;
        let around = here.iter().fold(Bounds::EMPTY, |bounds, &place| {
            let Kernel { center, velocity, .. } = self.kernels[place as usize];
            bounds
                .with(center + velocity * self.shutter.open)
                .with(center + velocity * self.shutter.close)
        });
        let low = block.as_vec3() * edge;
        let gap = (around.min - low - edge).max(low - around.max).max(Vec3::ZERO);
        (gap.length() > 1.0001 * radius).then_some(OUTSIDE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::sparse_grid::tile_order;

    /// Contract: every particle that reaches a point of an active block at some moment is in the
    /// block's list, and the list names no particle twice. The same holds for other boxes.
    #[test]
    fn lists_name_everyone_who_reaches_a_block() {
        let shutter = Shutter { open: -0.5, close: 0.5 };
        let kernels: Vec<Kernel> = (0..300)
            .map(|i| {
                let t = i as f32;
                let center = Vec3::new((t * 0.618) % 1.0, (t * 0.414) % 1.0, (t * 0.73) % 1.0);
                let velocity =
                    if i % 3 == 0 { Vec3::new(t.sin(), t.cos(), 0.5) } else { Vec3::ZERO };
                Kernel { center, inverse_reach: 10.0, velocity, weight: 1.0 }
            })
            .collect();
        let tiles: Vec<(IVec3, Box<[u32; TILE_NODES]>)> = (0..125)
            .map(|s| IVec3::new(s % 5, s / 5 % 5, s / 25) - 1)
            .map(|tile| (tile, Box::new([0; TILE_NODES])))
            .collect();
        assert!(tiles.is_sorted_by_key(|(tile, _)| tile_order(*tile)));
        let sources: Vec<u32> = (0..300).collect();
        let source = ListSource {
            kernels: &kernels,
            sources: &sources,
            ghost_of: &[],
            blind: &[],
            sides: None,
            hull: None,
            shutter,
        };
        let (mut lists, grid) = BlockLists::build(Sorted { edge: 0.05, tiles }, source);
        let (center, half) = (Vec3::new(0.3, 0.6, 0.45), 0.07);
        let around = lists.add(&[ListBox { center, half, side: None }], source);
        let mut found = 0;
        for (place, kernel) in kernels.iter().enumerate() {
            for i in 0..50 {
                let t = i as f32;
                let way = Vec3::new((t * 3.1).sin(), (t * 1.7).cos(), (t * 0.9).sin()).normalize();
                let time = (t * 0.317) % 1.0 - 0.5;
                let point = kernel.center + kernel.velocity * time + 0.099 * way;
                let state = grid.state_at(point);
                if (point - center).abs().max_element() < half {
                    assert!(lists.of(around).contains(&(place as u32)));
                }
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

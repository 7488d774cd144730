//! Parts of the domain that touch no known value.
//!
//! On such a part the equation fixes the solution only up to a constant, and has a solution only
//! when the right-hand side has zero sum. Both constants are removed, part by part.
//!
//! Each tile is flood-filled on its own; the parts of neighbouring tiles are then joined.

use rayon::prelude::*;

use crate::sparse_grid::TILE_NODES;

use super::finest::Finest;
use super::level::{Links, TileLinks};
use super::tiling::{for_each_tile, tile_values};

const NONE: u16 = u16::MAX;
const NOT_FLOATING: u32 = u32::MAX;
/// Distance in a tile's memory to the neighbour in each direction.
const OFFSETS: [isize; 6] = [-1, 1, -8, 8, -64, 64];

/// The parts of the domain that float.
pub(super) struct FloatingParts {
    /// For each node the part of its tile that it belongs to.
    labels: Vec<u16>,
    /// For each tile its first entry in `parts`, and one past the last at the end.
    starts: Vec<usize>,
    /// For each part of a tile the floating part of the domain it belongs to.
    parts: Vec<u32>,
    /// Number of nodes of each floating part.
    sizes: Vec<f64>,
}

/// The parts of one tile.
struct TileParts {
    labels: [u16; TILE_NODES],
    /// Whether each part touches a known value.
    pinned: Vec<bool>,
    /// Nodes of the high x, y and z faces that are joined to the next tile, as bits.
    joined: [u64; 3],
}

impl FloatingParts {
    /// `None` when every part of the domain touches a known value.
    pub(super) fn find(finest: &Finest<'_>) -> Option<Self> {
        let tiling = &finest.tiling;
        let tiles: Vec<TileParts> = (0..tiling.len())
            .into_par_iter()
            .map(|tile| {
                let mut links = [Links::default(); TILE_NODES];
                finest.links(tile, &mut links);
                let mut parts = TileParts::default();
                finest.each_unknown(tile, |node| parts.add(&links, node));
                parts
            })
            .collect();
        let mut starts = vec![0];
        starts.extend(tiles.iter().scan(0, |sum, tile| {
            *sum += tile.pinned.len();
            Some(*sum)
        }));
        let mut sets = Sets::new(tiles.iter().flat_map(|tile| &tile.pinned).copied().collect());
        for (tile, parts) in tiles.iter().enumerate() {
            for axis in 0..3 {
                let next = tiling.neighbours[tile][2 * axis + 1] as usize;
                for (here, there) in parts.joined_nodes(axis) {
                    let a = starts[tile] + parts.labels[here] as usize;
                    let b = starts[next] + tiles[next].labels[there] as usize;
                    sets.join(a, b);
                }
            }
        }
        let parts = sets.floating()?;
        let mut labels = tiling.vector::<u16>();
        for_each_tile(&mut labels, |tile, labels| *labels = tiles[tile].labels);
        let count = parts.iter().filter(|&&part| part != NOT_FLOATING).max().map_or(0, |&p| p + 1);
        let mut found = Self { labels, starts, parts, sizes: vec![0.0; count as usize] };
        found.sizes = found.sums(&vec![1.0; (tiling.len() + 1) * TILE_NODES]);
        Some(found)
    }

    /// Subtracts from `vector` its mean over each floating part.
    pub(super) fn remove_means(&self, vector: &mut [f64]) {
        let sums = self.sums(vector);
        let means: Vec<f64> = sums.iter().zip(&self.sizes).map(|(sum, size)| sum / size).collect();
        for_each_tile(vector, |tile, values| {
            for (value, &label) in values.iter_mut().zip(tile_values(&self.labels, tile)) {
                let part = self.part(tile, label);
                if part != NOT_FLOATING {
                    *value -= means[part as usize];
                }
            }
        });
    }

    /// Sum of `vector` over each floating part, in an order that does not depend on threads.
    fn sums(&self, vector: &[f64]) -> Vec<f64> {
        let by_tile: Vec<Vec<f64>> = (0..self.starts.len() - 1)
            .into_par_iter()
            .with_min_len(8)
            .map(|tile| {
                let mut sums = vec![0.0; self.starts[tile + 1] - self.starts[tile]];
                let values = tile_values(vector, tile);
                for (value, &label) in values.iter().zip(tile_values(&self.labels, tile)) {
                    if label != NONE {
                        sums[label as usize] += value;
                    }
                }
                sums
            })
            .collect();
        let mut sums = vec![0.0; self.sizes.len()];
        for (&part, sum) in self.parts.iter().zip(by_tile.iter().flatten()) {
            if part != NOT_FLOATING {
                sums[part as usize] += sum;
            }
        }
        sums
    }

    fn part(&self, tile: usize, label: u16) -> u32 {
        if label == NONE { NOT_FLOATING } else { self.parts[self.starts[tile] + label as usize] }
    }
}

impl Default for TileParts {
    fn default() -> Self {
        Self { labels: [NONE; TILE_NODES], pinned: Vec::new(), joined: [0; 3] }
    }
}

impl TileParts {
    /// Adds the part that holds `seed`, unless it is known already.
    fn add(&mut self, links: &TileLinks, seed: usize) {
        if self.labels[seed] != NONE {
            return;
        }
        let label = self.pinned.len() as u16;
        let mut pinned = false;
        let mut waiting = vec![seed];
        self.labels[seed] = label;
        while let Some(node) = waiting.pop() {
            pinned |= links[node].pinned.iter().any(|&weight| weight > 0.0);
            for direction in (0..6).filter(|&direction| links[node].open[direction] > 0.0) {
                let (axis, upward) = (direction / 2, direction % 2 == 1);
                let along = node >> (3 * axis) & 7;
                if along == if upward { 7 } else { 0 } {
                    // The next tile; each border is noted once, on its low side.
                    self.joined[axis] |= u64::from(upward) << face_place(node, axis);
                    continue;
                }
                let next = node.wrapping_add_signed(OFFSETS[direction]);
                if self.labels[next] == NONE {
                    self.labels[next] = label;
                    waiting.push(next);
                }
            }
        }
        self.pinned.push(pinned);
    }

    /// Nodes of the high face on `axis` that are joined to the next tile, each with its
    /// neighbour's place in that tile.
    fn joined_nodes(&self, axis: usize) -> impl Iterator<Item = (usize, usize)> {
        let joined = self.joined[axis];
        (0..64).filter(move |place| joined >> place & 1 == 1).map(move |place| {
            let (low, high) = (place & 7, place >> 3);
            let there = match axis {
                0 => 8 * low + 64 * high,
                1 => low + 64 * high,
                _ => low + 8 * high,
            };
            (there + (7 << (3 * axis)), there)
        })
    }
}

/// Place of a node of a tile's face among the 64 of that face.
fn face_place(node: usize, axis: usize) -> usize {
    let (x, y, z) = (node & 7, node >> 3 & 7, node >> 6);
    match axis {
        0 => y + 8 * z,
        1 => x + 8 * z,
        _ => x + 8 * y,
    }
}

/// Disjoint sets that remember whether any member is pinned. The lowest member stands for a set.
struct Sets {
    parents: Vec<usize>,
    pinned: Vec<bool>,
}

impl Sets {
    fn new(pinned: Vec<bool>) -> Self {
        Self { parents: (0..pinned.len()).collect(), pinned }
    }

    fn root(&mut self, mut member: usize) -> usize {
        while self.parents[member] != member {
            self.parents[member] = self.parents[self.parents[member]];
            member = self.parents[member];
        }
        member
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.pinned[low] |= self.pinned[high];
        self.parents[high] = low;
    }

    /// For each member the number of its floating set; `None` when no set floats.
    fn floating(mut self) -> Option<Vec<u32>> {
        let mut numbers = vec![NOT_FLOATING; self.parents.len()];
        let mut count = 0;
        for member in 0..numbers.len() {
            let root = self.root(member);
            if self.pinned[root] {
                continue;
            }
            if root == member {
                numbers[member] = count;
                count += 1;
            } else {
                numbers[member] = numbers[root];
            }
        }
        (count > 0).then_some(numbers)
    }
}

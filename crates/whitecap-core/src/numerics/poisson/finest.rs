//! The finest level, read from the problem's grids tile by tile.

use glam::{IVec3, Vec3};

use crate::SparseGrid;
use crate::sparse_grid::{TILE_NODES, Tile, local_node};

use super::level::{Links, TileLinks};
use super::tiling::{STEPS, Tiling, for_each_tile};
use super::{Domain, Given, NodeKind};

/// Edge of a tile with one layer of nodes around it.
const PADDED: usize = 10;
/// Distance to the six neighbours in that memory.
const PADDED_STEPS: [isize; 6] = [-1, 1, -10, 10, -100, 100];

/// A domain on the tiling of its unknowns.
pub(super) struct Finest<'a> {
    pub(super) domain: Domain<'a>,
    pub(super) tiling: Tiling,
}

impl<'a> Finest<'a> {
    pub(super) fn new(domain: Domain<'a>) -> Self {
        let kinds = domain.kinds;
        let stored = kinds.coordinates().iter().zip(kinds.tiles());
        let with_unknowns = stored.filter(|(_, tile)| match tile.dense() {
            Some(values) => values.contains(&NodeKind::Unknown),
            None => tile.at(0) == NodeKind::Unknown,
        });
        let coordinates = with_unknowns.map(|(&coordinate, _)| coordinate).collect();
        Self { domain, tiling: Tiling::new(coordinates) }
    }

    /// The links of the nodes of a tile; `links` holds none on entry.
    pub(super) fn links(&self, tile: usize, links: &mut TileLinks) {
        let coordinate = self.tiling.coordinates[tile];
        let mut kinds = [NodeKind::Neumann; PADDED * PADDED * PADDED];
        self.domain.kinds.neighbourhood(coordinate).copy_padded(1, &mut kinds);
        let weights = self.domain.face_weights.map(|weights| weights.neighbourhood(coordinate));
        let bounded = self.domain.kinds.background() != NodeKind::Unknown;
        let is_plain = weights.as_ref().is_none_or(|weights| {
            let is_one = |tile: Option<&Tile<Vec3>>| tile == Some(&Tile::Constant(Vec3::ONE));
            [IVec3::ZERO, IVec3::X, IVec3::Y, IVec3::Z].iter().all(|&s| is_one(weights.tile(s)))
        });
        if bounded && is_plain && kinds.iter().all(|&kind| kind == NodeKind::Unknown) {
            // The usual tile, inside the domain.
            return links.fill(Links { open: [1.0; 6], pinned: [0.0; 6] });
        }
        for (offset, links) in links.iter_mut().enumerate() {
            let node = local_node(offset);
            let place = padded_place(node);
            if kinds[place] != NodeKind::Unknown {
                continue;
            }
            for (direction, &step) in STEPS.iter().enumerate() {
                // A face belongs to the node on its high side.
                let face = if direction % 2 == 0 { node } else { node + step };
                let weight = weights.as_ref().map_or(1.0, |w| w.get(face)[direction / 2]);
                if !(weight > 0.0 && weight.is_finite()) {
                    continue;
                }
                match kinds[place.wrapping_add_signed(PADDED_STEPS[direction])] {
                    NodeKind::Unknown if !bounded && self.is_beyond(tile, node + step) => {}
                    NodeKind::Unknown => links.open[direction] = weight,
                    NodeKind::Dirichlet => links.pinned[direction] = weight,
                    NodeKind::Neumann => {}
                }
            }
        }
    }

    /// Whether a node beside a tile is in no tile: an unknown background cannot be solved for.
    fn is_beyond(&self, tile: usize, node: IVec3) -> bool {
        let place = self.tiling.place(self.tiling.coordinates[tile] + (node >> 3));
        place as usize == self.tiling.len()
    }

    /// The right-hand side in units of the operator: h² times the given one, plus the known
    /// values across pinned links.
    pub(super) fn right_hand_side(&self, with: &Given<'_>) -> Vec<f64> {
        let given = with.right_hand_side;
        let cell = f64::from(self.domain.kinds.lattice().cell);
        let mut vector = self.tiling.vector::<f64>();
        for_each_tile(&mut vector, |tile, vector| {
            let coordinate = self.tiling.coordinates[tile];
            self.each_unknown(tile, |node| {
                let given = given.tile(coordinate).map_or(given.background(), |t| t.at(node));
                vector[node] = cell * cell * f64::from(given);
            });
            if let Some(known) = with.boundary_values {
                let known = known.neighbourhood(coordinate);
                let mut links = [Links::default(); TILE_NODES];
                self.links(tile, &mut links);
                for (node, links) in links.iter().enumerate() {
                    for (weight, step) in links.pinned.iter().zip(STEPS) {
                        if *weight > 0.0 {
                            let value = known.get(local_node(node) + step);
                            vector[node] += f64::from(*weight) * f64::from(value);
                        }
                    }
                }
            }
        });
        vector
    }

    /// The values of `guess` at the unknowns.
    pub(super) fn guess(&self, guess: Option<&SparseGrid<f32>>) -> Vec<f64> {
        let mut vector = self.tiling.vector::<f64>();
        if let Some(guess) = guess {
            for_each_tile(&mut vector, |tile, vector| {
                let known = guess.tile(self.tiling.coordinates[tile]);
                self.each_unknown(tile, |node| {
                    let value = known.map_or(guess.background(), |known| known.at(node));
                    vector[node] = f64::from(if value.is_finite() { value } else { 0.0 });
                });
            });
        }
        vector
    }

    /// The values of a solution as a grid, with the known values in place.
    pub(super) fn solution(&self, x: &[f64], known: Option<&SparseGrid<f32>>) -> SparseGrid<f32> {
        let kinds = self.domain.kinds;
        let tiles = self.tiling.coordinates.clone();
        SparseGrid::filled(kinds.lattice(), 0.0, tiles, |coordinate, values| {
            let start = self.tiling.place(coordinate) as usize * TILE_NODES;
            let kinds = kinds.tile(coordinate);
            let known = known.and_then(|known| known.tile(coordinate));
            for (node, value) in values.iter_mut().enumerate() {
                *value = match kinds.map(|kinds| kinds.at(node)) {
                    Some(NodeKind::Unknown) => x[start + node] as f32,
                    Some(NodeKind::Dirichlet) => known.map_or(0.0, |known| known.at(node)),
                    _ => 0.0,
                };
            }
        })
    }

    /// Calls `visit` with the unknown nodes of a tile.
    pub(super) fn each_unknown(&self, tile: usize, visit: impl FnMut(usize)) {
        if let Some(kinds) = self.domain.kinds.tile(self.tiling.coordinates[tile]) {
            (0..TILE_NODES).filter(|&node| kinds.at(node) == NodeKind::Unknown).for_each(visit);
        }
    }
}

fn padded_place(node: IVec3) -> usize {
    let edge = PADDED as i32;
    (((node.z + 1) * edge + node.y + 1) * edge + node.x + 1) as usize
}

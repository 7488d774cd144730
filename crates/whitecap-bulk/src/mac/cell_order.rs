//! Particles in the order of the cells that they are in: tile after tile, and within a tile cell after cell.
//!
//! # Guarantees
//! Particles of one cell keep their order, so that the result depends on the particles alone.

use rayon::prelude::*;
use whitecap_core::CoordinateIndex;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{TILE_NODES, offset_in_tile, tile_of, tile_order};

use super::MacLattice;

/// Particles of a task.
const CHUNK: usize = 1 << 14;

/// The order.
#[derive(Clone, Debug, Default)]
pub struct CellOrder {
    tiles: Vec<IVec3>,
    index: CoordinateIndex,
    /// For each tile the place of its first particle; one more at the end.
    tile_starts: Vec<u32>,
    /// For each cell of each tile the place of its first particle, counted from that of the tile.
    cell_starts: Vec<[u32; TILE_NODES]>,
    /// The particles.
    order: Vec<u32>,
}

impl CellOrder {
    /// The order of particles at these positions.
    pub fn new(lattice: MacLattice, positions: &[Vec3]) -> Self {
        let cells: Vec<IVec3> =
            positions.par_iter().map(|&position| lattice.cell_of(position)).collect();
        let tiles = tiles_of(&cells);
        let index = CoordinateIndex::build(&tiles);
        let (tile_starts, mut order) = by_tile(&cells, &index, tiles.len());
        let mut cell_starts = vec![[0; TILE_NODES]; tiles.len()];
        let mut parts: Vec<&mut [u32]> = Vec::with_capacity(tiles.len());
        let mut rest = order.as_mut_slice();
        for pair in tile_starts.windows(2) {
            let (part, others) = rest.split_at_mut((pair[1] - pair[0]) as usize);
            parts.push(part);
            rest = others;
        }
        parts.into_par_iter().zip(&mut cell_starts).for_each(|(part, starts)| {
            sort_by_cell(part, &cells, starts);
        });
        Self { tiles, index, tile_starts, cell_starts, order }
    }

    /// The tiles with particles, sorted.
    pub fn tiles(&self) -> &[IVec3] {
        &self.tiles
    }

    /// The particles, in order.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The place of a tile among [`CellOrder::tiles`].
    #[inline]
    pub fn tile_place(&self, tile: IVec3) -> Option<usize> {
        self.index.get(tile)
    }

    /// The particles of the tile at a place.
    #[inline]
    pub fn of_tile(&self, place: usize) -> &[u32] {
        &self.order[self.tile_starts[place] as usize..self.tile_starts[place + 1] as usize]
    }

    /// The particles of a cell, given by its offset, of the tile at a place.
    #[inline]
    pub fn of_cell(&self, place: usize, offset: usize) -> &[u32] {
        let particles = self.of_tile(place);
        let starts = &self.cell_starts[place];
        let end = starts.get(offset + 1).map_or(particles.len(), |&end| end as usize);
        &particles[starts[offset] as usize..end]
    }

    /// How many particles are in a cell of the tile at a place.
    #[inline]
    pub fn count(&self, place: usize, offset: usize) -> usize {
        self.of_cell(place, offset).len()
    }
}

/// Every tile with a cell of these, sorted.
fn tiles_of(cells: &[IVec3]) -> Vec<IVec3> {
    let mut tiles: Vec<IVec3> = cells
        .par_chunks(CHUNK)
        .flat_map_iter(|chunk| {
            let mut tiles: Vec<IVec3> = chunk.iter().map(|&cell| tile_of(cell)).collect();
            // Neighbours are often in one tile.
            tiles.dedup();
            tiles.sort_unstable_by_key(|&tile| tile_order(tile));
            tiles.dedup();
            tiles
        })
        .collect();
    tiles.par_sort_unstable_by_key(|&tile| tile_order(tile));
    tiles.dedup();
    tiles
}

/// Where each tile starts, and the particles tile by tile: a counting sort.
fn by_tile(cells: &[IVec3], index: &CoordinateIndex, tiles: usize) -> (Vec<u32>, Vec<u32>) {
    let keys: Vec<u32> = cells
        .par_iter()
        .map(|&cell| index.get(tile_of(cell)).expect("every tile is in the list") as u32)
        .collect();
    let mut starts = vec![0u32; tiles + 1];
    for &key in &keys {
        starts[key as usize + 1] += 1;
    }
    for tile in 0..tiles {
        starts[tile + 1] += starts[tile];
    }
    let mut next = starts.clone();
    let mut order = vec![0; keys.len()];
    for (particle, &key) in keys.iter().enumerate() {
        order[next[key as usize] as usize] = particle as u32;
        next[key as usize] += 1;
    }
    (starts, order)
}

fn sort_by_cell(particles: &mut [u32], cells: &[IVec3], starts: &mut [u32; TILE_NODES]) {
    let offset = |particle: u32| offset_in_tile(cells[particle as usize]);
    for &particle in particles.iter() {
        starts[offset(particle)] += 1;
    }
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += std::mem::replace(start, sum);
    }
    let mut next = *starts;
    let unsorted = particles.to_vec();
    for particle in unsorted {
        let place = &mut next[offset(particle)];
        particles[*place as usize] = particle;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whitecap_core::scatter::Sequence;

    /// Contract: every particle is listed once, in the cell that it is in, in its old order there.
    #[test]
    fn particles_are_in_their_cells() {
        let mut random = Sequence::new(5);
        let positions: Vec<Vec3> = (0..5000).map(|_| 20.0 * random.point() - 10.0).collect();
        let lattice = MacLattice::at_origin(0.7);
        let order = CellOrder::new(lattice, &positions);
        let mut seen = vec![false; positions.len()];
        for (place, &tile) in order.tiles().iter().enumerate() {
            for offset in 0..TILE_NODES {
                let particles = order.of_cell(place, offset);
                assert!(particles.is_sorted());
                for &particle in particles {
                    let cell = lattice.cell_of(positions[particle as usize]);
                    assert_eq!((tile_of(cell), offset_in_tile(cell)), (tile, offset));
                    assert!(!std::mem::replace(&mut seen[particle as usize], true));
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    }
}

//! Particles in the order of the cells that they are in: tile after tile, and within a tile cell after cell.
//!
//! # Guarantees
//! Particles of one cell keep their order, so that the result depends on the particles alone.

use rayon::prelude::*;
use whitecap_core::CoordinateIndex;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{
    SparseGrid, TILE_NODES, Tile, offset_in_tile, tile_of, tile_order,
};

use super::MacLattice;

/// Particles of a task.
const CHUNK: usize = 1 << 16;
/// Particles that a cell full of liquid counts as.
const FULL: u8 = 8;

/// The order.
#[derive(Clone, Debug)]
pub struct CellOrder {
    lattice: MacLattice,
    tiles: Vec<IVec3>,
    index: CoordinateIndex,
    /// For each tile the place of its first particle; one more at the end.
    tile_starts: Vec<u32>,
    /// For each cell of each tile the place of its first particle, counted from that of the tile.
    cell_starts: Vec<[u32; TILE_NODES]>,
    /// The particles.
    order: Vec<u32>,
    /// Not 0 where a cell is full of liquid without particles.
    full: Option<SparseGrid<u8>>,
}

impl CellOrder {
    /// The order of particles at these positions.
    pub fn new(lattice: MacLattice, positions: &[Vec3]) -> Self {
        let cells: Vec<IVec3> =
            positions.par_iter().map(|&position| lattice.cell_of(position)).collect();
        let tiles = tiles_of(&cells);
        let index = CoordinateIndex::build(&tiles);
        let runs: Vec<Run> = cells
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, cells)| Run::new((chunk * CHUNK) as u32, cells, &index, tiles.len()))
            .collect();
        let mut tile_starts = vec![0; tiles.len() + 1];
        for tile in 0..tiles.len() {
            let count: usize = runs.iter().map(|run| run.of_tile(tile).len()).sum();
            tile_starts[tile + 1] = tile_starts[tile] + count as u32;
        }
        let mut cell_starts = vec![[0; TILE_NODES]; tiles.len()];
        let mut order = vec![0; cells.len()];
        let parts = split_at_starts(&tile_starts, &mut order);
        parts.into_par_iter().zip(&mut cell_starts).enumerate().for_each(
            |(tile, (part, starts))| {
                let particles = || runs.iter().flat_map(|run| run.of_tile(tile)).copied();
                sort_by_cell(particles, &cells, starts, part);
            },
        );
        Self { lattice, tiles, index, tile_starts, cell_starts, order, full: None }
    }

    /// The same, beside cells that are full of liquid whatever particles there are: those where `full` is not 0.
    pub fn with_full_cells(self, full: SparseGrid<u8>) -> Self {
        Self { full: Some(full), ..self }
    }

    /// Where cells are full of liquid without particles: not 0 there.
    pub fn full_cells(&self) -> Option<&SparseGrid<u8>> {
        self.full.as_ref()
    }

    /// The tiles with particles or full cells, sorted.
    pub fn wet_tiles(&self) -> Vec<IVec3> {
        let mut tiles = self.tiles.clone();
        tiles.extend(self.full.iter().flat_map(|full| full.coordinates()));
        tiles.par_sort_unstable_by_key(|&tile| tile_order(tile));
        tiles.dedup();
        tiles
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

    /// The parts of a column, whose values are in this order, that belong to each tile.
    pub fn split<'a, T>(&self, column: &'a mut [T]) -> Vec<&'a mut [T]> {
        split_at_starts(&self.tile_starts, column)
    }

    /// How many particles are in each cell, up to 255; eight in full cells.
    pub fn counts(&self) -> SparseGrid<u8> {
        let tiles = self.wet_tiles().into_par_iter().map(|tile| (tile, self.counts_of_tile(tile)));
        let counts = SparseGrid::from_tiles(self.lattice.centers(), 0, tiles.collect());
        counts.expect("wet tiles are distinct")
    }

    fn counts_of_tile(&self, tile: IVec3) -> Tile<u8> {
        let place = self.tile_place(tile);
        let full = self.full.as_ref().and_then(|full| full.tile(tile));
        if let (None, Some(Tile::Constant(1..))) = (place, full) {
            return Tile::Constant(FULL);
        }
        let count = |offset: usize| match full.is_some_and(|full| full.at(offset) > 0) {
            true => FULL,
            false => place.map_or(0, |place| self.of_cell(place, offset).len().min(255) as u8),
        };
        Tile::Dense(Box::new(std::array::from_fn(count)))
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

/// The particles of a chunk, tile by tile: a counting sort.
struct Run {
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl Run {
    fn new(first: u32, cells: &[IVec3], index: &CoordinateIndex, tiles: usize) -> Self {
        // Neighbours are often in one tile.
        let mut last = None;
        let mut key_of = |&cell: &IVec3| {
            let tile = tile_of(cell);
            let key = match last {
                Some((known, key)) if known == tile => key,
                _ => index.get(tile).expect("every tile is in the list"),
            };
            last = Some((tile, key));
            key
        };
        let keys: Vec<usize> = cells.iter().map(&mut key_of).collect();
        let mut starts = vec![0u32; tiles + 1];
        for &key in &keys {
            starts[key + 1] += 1;
        }
        for tile in 0..tiles {
            starts[tile + 1] += starts[tile];
        }
        let mut next = starts.clone();
        let mut order = vec![0; keys.len()];
        for (particle, &key) in (first..).zip(&keys) {
            order[next[key] as usize] = particle;
            next[key] += 1;
        }
        Self { starts, order }
    }

    fn of_tile(&self, tile: usize) -> &[u32] {
        &self.order[self.starts[tile] as usize..self.starts[tile + 1] as usize]
    }
}

/// The parts of a column between starts.
fn split_at_starts<'a, T>(starts: &[u32], column: &'a mut [T]) -> Vec<&'a mut [T]> {
    let mut rest = column;
    starts
        .windows(2)
        .map(|pair| rest.split_off_mut(..(pair[1] - pair[0]) as usize).expect("starts are sorted"))
        .collect()
}

fn sort_by_cell<P: Iterator<Item = u32>>(
    particles: impl Fn() -> P,
    cells: &[IVec3],
    starts: &mut [u32; TILE_NODES],
    sorted: &mut [u32],
) {
    let offset = |particle: u32| offset_in_tile(cells[particle as usize]);
    for particle in particles() {
        starts[offset(particle)] += 1;
    }
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += std::mem::replace(start, sum);
    }
    let mut next = *starts;
    for particle in particles() {
        let place = &mut next[offset(particle)];
        sorted[*place as usize] = particle;
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

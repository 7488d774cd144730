//! The particles of a tile, grouped by block.

use whitecap_core::sparse_grid::TILE_NODES;

/// Particles by block of a tile.
pub(crate) struct BlockBuckets {
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl BlockBuckets {
    /// From pairs of block and particle in the order of the particles, which stays within each block.
    pub fn new(pairs: &[(u16, u32)]) -> Self {
        let mut starts = vec![0; TILE_NODES + 1];
        for (block, _) in pairs {
            starts[*block as usize + 1] += 1;
        }
        for block in 0..TILE_NODES {
            starts[block + 1] += starts[block];
        }
        let mut next = starts.clone();
        let mut places = vec![0; pairs.len()];
        for &(block, place) in pairs {
            let next = &mut next[block as usize];
            places[*next as usize] = place;
            *next += 1;
        }
        Self { starts, places }
    }

    /// The particles of a block, each once: a moving one may reach a block several times.
    pub fn of(&mut self, block: usize) -> &[u32] {
        let (start, end) = (self.starts[block] as usize, self.starts[block + 1] as usize);
        let list = &mut self.places[start..end];
        let mut kept = 0;
        for place in 0..list.len() {
            if kept == 0 || list[kept - 1] != list[place] {
                list[kept] = list[place];
                kept += 1;
            }
        }
        &list[..kept]
    }
}

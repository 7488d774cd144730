//! The particles around one search cell, and which of them are neighbours of one particle.

use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::padded_columns::{NOWHERE, PaddedColumns};
use wide::f32x8;

/// Candidates around one search cell, and the accepted neighbours of one particle. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    positions: PaddedColumns<3>,
    place: Vec<u32>,
    /// Where the search cell's own particles begin among the candidates.
    own: usize,
    /// Accepted neighbours, at the front of columns that are longer.
    near: PaddedColumns<3>,
    near_place: Vec<u32>,
}

impl Candidates {
    /// Collects the particles of a cell and of those around it.
    pub fn gather(&mut self, grid: &NeighbourGrid, cell: usize) {
        self.positions.clear();
        self.place.clear();
        let own_start = grid.cell_range(cell).start;
        grid.for_each_cell_around(cell, |range| {
            if range.start == own_start {
                self.own = self.positions.len();
            }
            self.positions.extend(grid.positions()[range.clone()].iter().map(Vec3::to_array));
            self.place.extend(range.map(|place| place as u32));
        });
        self.positions.pad([NOWHERE; 3]);
        self.place.resize(self.positions.len(), 0);
        // Room for whole groups of eight after the last neighbour.
        let room = self.near.len().max(self.positions.len() + 8);
        self.near.resize(room, [0.0; 3]);
        self.near_place.resize(room, 0);
    }

    /// Accepts the candidates closer than the support to a particle, but not the particle itself,
    /// which is number `own` in its cell. Returns their sorted indices.
    pub fn accept(&mut self, position: Vec3, own: usize, support_squared: f32) -> &[u32] {
        let itself = self.own + own;
        let [px, py, pz] = position.to_array().map(f32x8::splat);
        let limit = f32x8::splat(support_squared);
        let mut count = 0;
        // One mask of 64 candidates at a time: its bits are walked with one mispredicted branch.
        for block in (0..self.positions.len()).step_by(64) {
            let end = (block + 64).min(self.positions.len());
            let mut mask = 0u64;
            for (group, i) in (block..end).step_by(8).enumerate() {
                let [x, y, z] = self.positions.group(i);
                let (dx, dy, dz) = (px - x, py - y, pz - z);
                let squared = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
                mask |= u64::from(squared.simd_lt(limit).to_bitmask() as u8) << (8 * group);
            }
            if (block..end).contains(&itself) {
                mask &= !(1 << (itself - block));
            }
            while mask != 0 {
                let candidate = block + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                self.near.set_row(count, self.positions.row(candidate));
                self.near_place[count] = self.place[candidate];
                count += 1;
            }
        }
        for free in count..count.next_multiple_of(8) {
            self.near.set_row(free, [NOWHERE; 3]);
        }
        &self.near_place[..count]
    }

    /// Offsets from eight accepted neighbours, beginning with number `i`, to a position. Beyond the
    /// last one they are far outside every support.
    #[inline(always)]
    pub fn offsets(&self, position: Vec3, i: usize) -> [f32x8; 3] {
        let [px, py, pz] = position.to_array().map(f32x8::splat);
        let [x, y, z] = self.near.group(i);
        [px - x, py - y, pz - z]
    }
}

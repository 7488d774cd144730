//! The particles round one search cell, and which of them are neighbours of one particle.

use whitecap_core::glam::Vec3;
use whitecap_core::neighbours::NeighbourGrid;
use wide::f32x8;

/// Candidates round one search cell, and the accepted neighbours of one particle. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    place: Vec<u32>,
    /// Where the search cell's own particles begin among the candidates.
    own: usize,
    /// Accepted neighbours, at the front of arrays that are longer.
    near_x: Vec<f32>,
    near_y: Vec<f32>,
    near_z: Vec<f32>,
    near_place: Vec<u32>,
}

/// Far enough to be nobody's neighbour, near enough to square without overflow.
const NOWHERE: f32 = 1e18;

impl Candidates {
    /// Collects the particles of a cell and of those around it.
    pub fn gather(&mut self, grid: &NeighbourGrid, cell: usize) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
        self.place.clear();
        let own_start = grid.cell_range(cell).start;
        grid.for_each_cell_around(cell, |range| {
            if range.start == own_start {
                self.own = self.x.len();
            }
            let positions = &grid.positions()[range.clone()];
            self.x.extend(positions.iter().map(|p| p.x));
            self.y.extend(positions.iter().map(|p| p.y));
            self.z.extend(positions.iter().map(|p| p.z));
            self.place.extend(range.map(|place| place as u32));
        });
        let padded = self.x.len().next_multiple_of(8);
        for column in [&mut self.x, &mut self.y, &mut self.z] {
            column.resize(padded, NOWHERE);
        }
        self.place.resize(padded, 0);
        // Room for whole groups of eight after the last neighbour.
        for column in [&mut self.near_x, &mut self.near_y, &mut self.near_z] {
            column.resize(column.len().max(padded + 8), 0.0);
        }
        self.near_place.resize(self.near_place.len().max(padded + 8), 0);
    }

    /// Accepts the candidates closer than the support to a particle, but not the particle itself,
    /// which is the one with the number `own` in its cell. Returns their places.
    pub fn accept(&mut self, position: Vec3, own: usize, support_squared: f32) -> &[u32] {
        let itself = self.own + own;
        let [px, py, pz] = position.to_array().map(f32x8::splat);
        let limit = f32x8::splat(support_squared);
        let mut count = 0;
        // One mask of 64 candidates at a time: its bits are walked with one mispredicted branch.
        for block in (0..self.x.len()).step_by(64) {
            let end = (block + 64).min(self.x.len());
            let mut mask = 0u64;
            for (group, i) in (block..end).step_by(8).enumerate() {
                let dx = px - load(&self.x, i);
                let dy = py - load(&self.y, i);
                let dz = pz - load(&self.z, i);
                let squared = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
                mask |= u64::from(squared.simd_lt(limit).to_bitmask() as u8) << (8 * group);
            }
            if (block..end).contains(&itself) {
                mask &= !(1 << (itself - block));
            }
            while mask != 0 {
                let candidate = block + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                self.near_x[count] = self.x[candidate];
                self.near_y[count] = self.y[candidate];
                self.near_z[count] = self.z[candidate];
                self.near_place[count] = self.place[candidate];
                count += 1;
            }
        }
        let padded = count.next_multiple_of(8);
        for column in [&mut self.near_x, &mut self.near_y, &mut self.near_z] {
            column[count..padded].fill(NOWHERE);
        }
        &self.near_place[..count]
    }

    /// Offsets from eight accepted neighbours, beginning with number `i`, to a position. Beyond the
    /// last one they are far outside every support.
    #[inline(always)]
    pub fn offsets(&self, position: Vec3, i: usize) -> [f32x8; 3] {
        let [px, py, pz] = position.to_array().map(f32x8::splat);
        [px - load(&self.near_x, i), py - load(&self.near_y, i), pz - load(&self.near_z, i)]
    }
}

#[inline(always)]
fn load(column: &[f32], i: usize) -> f32x8 {
    f32x8::new(column[i..i + 8].try_into().expect("padded to eight"))
}

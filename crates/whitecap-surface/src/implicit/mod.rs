//! Implicit functions of particles, evaluated tile by tile on a sparse grid.
//!
//! All of them are negative inside the liquid and positive outside.
//!
//! | function | value | good for | weak at |
//! |---|---|---|---|
//! | [`density`] | threshold − SPH density ratio | speed, tight surface | bumps the size of particles |
//! | [`anisotropic`] | the same with stretched kernels (Yu & Turk 2013) | flat sheets, sharp edges | cost of the stretch |
//! | [`averaged`] | distance to the averaged position minus radius (Zhu & Bridson 2005) | smooth bulk | false surface in concave corners |
//! | [`averaged`] with correction (Solenthaler et al. 2007) | the same, radius reduced | concave corners | cost |
//! | [`blobs`] | iso − sum of bumps (after Blinn 1982) | the look of metaballs; ray tracing only | swells where particles crowd |
//!
//! A tile is evaluated by gathering the particles that reach it and adding them row by row: a
//! row of eight nodes is one SIMD register.

pub(crate) mod anisotropic;
pub(crate) mod averaged;
pub(crate) mod band;
pub(crate) mod blobs;
pub(crate) mod density;
pub(crate) mod particle_field;

use glam::{IVec3, Vec3};
use whitecap_core::Lattice;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::sparse_grid::TILE_NODES;

/// An implicit function that can fill a tile.
pub(crate) trait Implicit: Sync {
    /// Value far from every particle.
    fn background(&self) -> f32;

    /// The sorted particles.
    fn grid(&self) -> &NeighbourGrid;

    /// Distance over which the particle at a sorted place contributes, in metres.
    fn reach(&self, place: usize) -> f32;

    /// The largest reach of any particle.
    fn largest_reach(&self) -> f32;

    /// How far beyond its values at the corners of a cell of edge `cell` the function can bulge
    /// inside that cell: (towards outside, towards inside). `None` if no useful bound is known,
    /// and then nothing is skipped.
    fn bulge(&self, cell: f32) -> Option<(f32, f32)> {
        let _ = cell;
        None
    }

    /// Adds the candidates to the rows in `rows` of a tile whose cells have edge `cell`, and
    /// writes the node values of those rows.
    fn fill(&self, cell: f32, rows: Rows, candidates: &[Candidate], values: &mut [f32; TILE_NODES]);
}

/// A set of rows of a tile: bit y of byte z. A row is eight nodes along x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows(pub u64);

impl Rows {
    /// Every row.
    pub const ALL: Rows = Rows(u64::MAX);

    /// The rows of slice z between two y, both included, as row numbers y + 8 z.
    #[inline]
    pub fn in_slice(self, z: i32, first_y: i32, last_y: i32) -> RowIterator {
        let span = (0xFFu64 >> (7 - last_y)) & (0xFF << first_y);
        RowIterator(self.0 & span << (8 * z))
    }

    /// The numbers of all rows in the set.
    pub fn iter(self) -> RowIterator {
        RowIterator(self.0)
    }
}

/// Row numbers of a set, ascending.
pub(crate) struct RowIterator(u64);

impl Iterator for RowIterator {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let row = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(row)
    }
}

/// A particle that reaches a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Position relative to the tile's first node, in cells.
    pub position: Vec3,
    /// Sorted place.
    pub place: u32,
}

/// Gathers the particles that reach any node of a tile, in sorted order.
pub(crate) fn gather(
    implicit: &impl Implicit,
    lattice: Lattice,
    tile: IVec3,
    candidates: &mut Vec<Candidate>,
) {
    candidates.clear();
    let low = lattice.position(tile * 8);
    let high = low + 7.0 * lattice.cell;
    let reach = implicit.largest_reach();
    let grid = implicit.grid();
    let inverse_cell = 1.0 / lattice.cell;
    grid.for_each_cell_in_box(low - reach, high + reach, |range| {
        for place in range {
            let position = grid.positions()[place];
            let outside = (low - position).max(position - high).max(Vec3::ZERO);
            let reach = implicit.reach(place);
            if outside.length_squared() < reach * reach {
                let position = (position - low) * inverse_cell;
                candidates.push(Candidate { position, place: place as u32 });
            }
        }
    });
}

//! Blobs: iso − Σ k(s), with k(s) = (1 − s²)³₊ a polynomial of compact support in place of the
//! Gaussian of Blinn 1982, and iso = k(radius / support), so that a lone particle is a sphere of
//! its own radius.

use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::sparse_grid::TILE_NODES;
use wide::f32x8;

use super::density::{add_sphere, write_density};
use super::{Candidate, Implicit, Rows};
use crate::input::Input;

/// The blobs of a particle set.
pub(crate) struct Blobs<'a> {
    input: &'a Input,
    level: f32,
}

impl<'a> Blobs<'a> {
    pub fn new(input: &'a Input) -> Self {
        Self { input, level: level(input) }
    }
}

/// The sum at the radius of a lone particle.
pub(super) fn level(input: &Input) -> f32 {
    (1.0 - (input.radius / input.support).powi(2)).powi(3)
}

impl Implicit for Blobs<'_> {
    fn background(&self) -> f32 {
        self.level
    }

    fn grid(&self) -> &NeighbourGrid {
        &self.input.grid
    }

    fn reach(&self, place: usize) -> f32 {
        self.input.reach(place)
    }

    fn largest_reach(&self) -> f32 {
        self.input.largest_support()
    }

    fn fill(
        &self,
        cell: f32,
        rows: Rows,
        candidates: &[Candidate],
        values: &mut [f32; TILE_NODES],
    ) {
        let mut sums = [f32x8::ZERO; 64];
        for candidate in candidates {
            let support = self.reach(candidate.place as usize) / cell;
            add_sphere(candidate.position, support, rows, |row, squared| {
                let rest = (f32x8::ONE - squared).fast_max(f32x8::ZERO);
                sums[row] = (rest * rest).mul_add(rest, sums[row]);
            });
        }
        write_density(self.level, rows, &sums, values);
    }
}

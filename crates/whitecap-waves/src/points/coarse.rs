//! The coarse particles as surface points see them: sorted into cells of λ_c, with the densities of
//! those near the surface.
//!
//! # Guarantees
//! * Only particles within two cells of a cell that was [activated](CoarseParticles::activate) cost
//!   more than a sort, so a deep liquid costs little more than a shallow one.
//! * Within 2 λ_c of any point of an activated cell the densities are complete.

use std::ops::Range;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::CoordinateIndex;
use whitecap_core::neighbours::NeighbourGrid;
use wide::f32x8;

use super::band::densities;
use super::lanes::{Lanes, dot, splat};

/// Particles of one frame. Keeps its memory from frame to frame.
#[derive(Clone, Debug, Default)]
pub(super) struct CoarseParticles {
    coarse: f32,
    grid: NeighbourGrid,
    cells: CoordinateIndex,
    /// Per cell, whether the densities of its particles are known.
    dense: Vec<bool>,
    /// Per cell, whether it was activated.
    active: Vec<bool>,
    /// Activated coordinates without a particle.
    active_elsewhere: std::collections::BTreeSet<[i32; 3]>,
    /// Per place, 1 / ψ (Eq. 4.6) and 1 / ρ (Eq. 4.2 over 2 λ_c); zero where not known.
    inverse_metaball: Vec<f32>,
    inverse_density: Vec<f32>,
}

impl CoarseParticles {
    /// Sorts the particles; none has a density yet.
    pub fn rebuild(&mut self, positions: &[Vec3], coarse: f32) {
        self.coarse = coarse;
        self.grid.rebuild(positions, coarse);
        let coordinates: Vec<IVec3> =
            (0..self.grid.cell_count()).map(|cell| self.grid.cell(cell)).collect();
        self.cells.rebuild(&coordinates);
        for flags in [&mut self.dense, &mut self.active] {
            flags.clear();
            flags.resize(coordinates.len(), false);
        }
        self.active_elsewhere.clear();
        for column in [&mut self.inverse_metaball, &mut self.inverse_density] {
            column.clear();
            column.resize(positions.len(), 0.0);
        }
    }

    /// Sorted positions.
    pub fn positions(&self) -> &[Vec3] {
        self.grid.positions()
    }

    /// For each sorted place, the index of the particle.
    pub fn order(&self) -> &[u32] {
        self.grid.order()
    }

    /// Whether the density of a place is known.
    pub fn is_near_surface(&self, place: usize) -> bool {
        self.inverse_density[place] > 0.0
    }

    /// 1 / ρ over 2 λ_c of a place near the surface.
    pub fn inverse_density(&self, place: usize) -> f32 {
        self.inverse_density[place]
    }

    /// Position and 1 / ψ of a place.
    pub fn metaball(&self, place: usize) -> (Vec3, f32) {
        (self.grid.positions()[place], self.inverse_metaball[place])
    }

    /// Appends the places near the surface within `reach` of a box.
    pub fn places_near(&self, [min, max]: [Vec3; 2], reach: f32, places: &mut Vec<u32>) {
        let reach_squared = reach * reach;
        self.grid.for_each_cell_in_box(min - reach, max + reach, |range| {
            if self.inverse_metaball[range.start] == 0.0 {
                return;
            }
            for place in range {
                let position = self.grid.positions()[place];
                let outside = (min - position).max(position - max).max(Vec3::ZERO);
                if outside.length_squared() <= reach_squared {
                    places.push(place as u32);
                }
            }
        });
    }

    /// Makes the densities round cells of λ_c known; `cells` hold the surface points.
    pub fn activate(&mut self, cells: impl Iterator<Item = IVec3>) {
        let mut wanted = Vec::new();
        for coordinate in cells {
            let is_new = match self.cells.get(coordinate) {
                Some(cell) => !std::mem::replace(&mut self.active[cell], true),
                None => self.active_elsewhere.insert(coordinate.to_array()),
            };
            if !is_new {
                continue;
            }
            for near in cube(2) {
                if let Some(cell) = self.cells.get(coordinate + near)
                    && !std::mem::replace(&mut self.dense[cell], true)
                {
                    wanted.push(cell);
                }
            }
        }
        wanted.sort_unstable();
        let found: Vec<Vec<[f32; 2]>> = wanted
            .par_iter()
            .with_min_len(8)
            .map_init(Lanes::default, |lanes, &cell| self.densities_of(cell, lanes))
            .collect();
        for (cell, values) in wanted.into_iter().zip(found) {
            for (place, [metaball, density]) in self.grid.cell_range(cell).zip(values) {
                self.inverse_metaball[place] = metaball;
                self.inverse_density[place] = density;
            }
        }
    }

    /// 1 / ψ and 1 / ρ of the particles of a cell.
    fn densities_of(&self, cell: usize, lanes: &mut Lanes) -> Vec<[f32; 2]> {
        let own = &self.grid.positions()[self.grid.cell_range(cell)];
        let (min, max) = own
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), &p| (min.min(p), max.max(p)));
        let reach = 2.0 * self.coarse;
        let mut near = Vec::new();
        self.grid.for_each_cell_in_box(min - reach, max + reach, |range| {
            for &position in &self.grid.positions()[range] {
                let outside = (min - position).max(position - max).max(Vec3::ZERO);
                if outside.length_squared() <= reach * reach {
                    near.push((position, 1.0));
                }
            }
        });
        lanes.fill(near.into_iter());
        let per_square = f32x8::splat(1.0 / (self.coarse * self.coarse));
        let sums = own.iter().map(|&position| {
            let here = splat(position);
            let (mut metaball, mut density) = (f32x8::ZERO, f32x8::ZERO);
            for group in lanes.groups() {
                let offset = lanes.offsets(group, here);
                let squared = dot(offset, offset) * per_square;
                let inside = squared.simd_lt(f32x8::splat(4.0));
                let squared = inside.bitselect(squared, f32x8::splat(4.0));
                let counted = inside.bitselect(densities(squared), f32x8::ZERO);
                metaball += counted;
                density += f32x8::ONE - squared.sqrt() * 0.5;
            }
            [1.0 / metaball.reduce_add(), 1.0 / density.reduce_add()]
        });
        sums.collect()
    }

    /// Cells at the border of the liquid with no activated cell next to them.
    pub fn uncovered_cells(&self) -> Vec<usize> {
        let is_uncovered = |&cell: &usize| {
            let middle = self.grid.cell(cell);
            let mut has_empty_side = false;
            for near in cube(1) {
                match self.cells.get(middle + near) {
                    Some(other) if self.active[other] => return false,
                    Some(_) => {}
                    None if self.active_elsewhere.contains(&(middle + near).to_array()) => {
                        return false;
                    }
                    None => has_empty_side = true,
                }
            }
            has_empty_side
        };
        (0..self.grid.cell_count()).into_par_iter().with_min_len(256).filter(is_uncovered).collect()
    }

    /// Places of the particles of a cell.
    pub fn cell_range(&self, cell: usize) -> Range<usize> {
        self.grid.cell_range(cell)
    }

    /// Calls `visit` with the position of each particle within `radius` of `point`.
    pub fn for_each_within(&self, point: Vec3, radius: f32, mut visit: impl FnMut(usize, f32)) {
        self.grid.for_each_within(point, radius, &mut visit);
    }
}

/// The cells whose coordinates differ by at most `reach` from one cell, as differences.
fn cube(reach: i32) -> impl Iterator<Item = IVec3> {
    let side = move || -reach..=reach;
    side().flat_map(move |z| side().flat_map(move |y| side().map(move |x| IVec3::new(x, y, z))))
}

//! The coarse particles as surface points see them: sorted into cells of λ_c, with the densities of
//! those near the surface.
//!
//! # Guarantees
//! * Only particles within two cells of a cell that was [activated](CoarseParticles::activate) cost
//!   more than a sort, so a deep liquid costs little more than a shallow one.
//! * Within 2 λ_c of any point of an activated cell the densities are known.
//!
//! The density is ψ of Mercier et al. 2015, Eq. 4.6. It also stands for the density of Eq. 4.2 in the
//! weights of the advection: both measure how many particles share a place.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::CoordinateIndex;
use whitecap_core::neighbours::NeighbourGrid;
use wide::f32x8;

use super::band::{REACH, densities};
use super::blocks::box_of;
use super::lanes::{Weighted, dot, offsets, splat};
use super::near_box::{NearBox, PositionColumns};

const INACTIVE: u32 = u32::MAX;

/// Particles of one frame. Keeps its memory from frame to frame.
#[derive(Clone, Debug, Default)]
pub(super) struct CoarseParticles {
    coarse: f32,
    grid: NeighbourGrid,
    cells: CoordinateIndex,
    /// Per cell, whether the densities of its particles are known.
    dense: Vec<bool>,
    /// Per cell, the number with which it was activated, or [`INACTIVE`].
    active: Vec<u32>,
    /// The same for activated coordinates without a particle.
    active_elsewhere: BTreeMap<[i32; 3], u32>,
    /// Occupied cells within two cells of each activated one.
    near_cells: Vec<u32>,
    near_starts: Vec<u32>,
    /// Positions of the places.
    columns: PositionColumns,
    /// Per place, the position and 1 / ψ (Eq. 4.6), which is zero where it is not known.
    metaball: Vec<[f32; 4]>,
}

impl CoarseParticles {
    /// Sorts the particles; none has a density yet.
    pub fn rebuild(&mut self, positions: &[Vec3], coarse: f32) {
        self.coarse = coarse;
        self.grid.rebuild(positions, coarse);
        let coordinates: Vec<IVec3> =
            (0..self.grid.cell_count()).map(|cell| self.grid.cell(cell)).collect();
        self.cells.rebuild(&coordinates);
        self.dense.clear();
        self.dense.resize(coordinates.len(), false);
        self.active.clear();
        self.active.resize(coordinates.len(), INACTIVE);
        self.active_elsewhere.clear();
        self.near_cells.clear();
        self.near_starts.clear();
        self.near_starts.push(0);
        self.columns.fill(self.grid.positions().iter().copied());
        self.metaball.clear();
        self.metaball.extend(self.grid.positions().iter().map(|p| p.extend(0.0).to_array()));
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.grid.len()
    }

    /// Position of a sorted place.
    pub fn position(&self, place: usize) -> Vec3 {
        self.grid.positions()[place]
    }

    /// For each sorted place, the index of the particle.
    pub fn order(&self) -> &[u32] {
        self.grid.order()
    }

    /// Whether the density of a place is known.
    pub fn is_near_surface(&self, place: usize) -> bool {
        self.metaball[place][3] > 0.0
    }

    /// Position and 1 / ψ of a place.
    #[inline(always)]
    pub fn metaball(&self, place: usize) -> [f32; 4] {
        self.metaball[place]
    }

    /// Appends the places within `reach` of a box, which must be below two cells. `cell` is an activated
    /// cell that holds the box, or nearly.
    pub fn places_near(
        &self,
        cell: IVec3,
        [min, max]: [Vec3; 2],
        reach: f32,
        places: &mut Vec<u32>,
    ) {
        let number = self.active_number(cell) as usize;
        let Some(&end) = self.near_starts.get(number.saturating_add(1)) else { return };
        let near_box = NearBox::new([min, max], reach);
        for &near in &self.near_cells[self.near_starts[number] as usize..end as usize] {
            let corner = self.grid.cell(near as usize).as_vec3() * self.coarse;
            // The margin is for the rounding of coordinates far from the origin.
            let (low, high) = (corner - 0.01 * self.coarse, corner + 1.01 * self.coarse);
            let outside = (min - high).max(low - max).max(Vec3::ZERO);
            if outside.length_squared() <= reach * reach {
                let range = self.grid.cell_range(near as usize);
                self.columns.collect_near(range, &near_box, places);
            }
        }
    }

    /// The cell that holds a point.
    pub fn cell_of(&self, point: Vec3) -> IVec3 {
        (point.as_dvec3() / f64::from(self.coarse)).floor().as_ivec3()
    }

    fn active_number(&self, cell: IVec3) -> u32 {
        match self.cells.get(cell) {
            Some(cell) => self.active[cell],
            None => *self.active_elsewhere.get(&cell.to_array()).unwrap_or(&INACTIVE),
        }
    }

    /// Makes the densities round cells of λ_c known; `cells` hold the surface points.
    pub fn activate(&mut self, cells: impl Iterator<Item = IVec3>) {
        let mut wanted = Vec::new();
        for coordinate in cells {
            if self.active_number(coordinate) != INACTIVE {
                continue;
            }
            let number = self.near_starts.len() as u32 - 1;
            match self.cells.get(coordinate) {
                Some(cell) => self.active[cell] = number,
                None => {
                    self.active_elsewhere.insert(coordinate.to_array(), number);
                }
            }
            for near in cube(2) {
                if let Some(cell) = self.cells.get(coordinate + near) {
                    self.near_cells.push(cell as u32);
                    if !std::mem::replace(&mut self.dense[cell], true) {
                        wanted.push(cell);
                    }
                }
            }
            self.near_starts.push(self.near_cells.len() as u32);
        }
        wanted.sort_unstable();
        let found: Vec<Vec<f32>> = wanted
            .par_iter()
            .with_min_len(8)
            .map_init(Weighted::default, |lanes, &cell| self.densities_of(cell, lanes))
            .collect();
        for (cell, values) in wanted.into_iter().zip(found) {
            for (place, value) in self.grid.cell_range(cell).zip(values) {
                self.metaball[place][3] = value;
            }
        }
    }

    /// 1 / ψ of the particles of a cell.
    fn densities_of(&self, cell: usize, lanes: &mut Weighted) -> Vec<f32> {
        let own = &self.grid.positions()[self.grid.cell_range(cell)];
        let [min, max] = box_of(own);
        let reach = REACH * self.coarse;
        let near_box = NearBox::new([min, max], reach);
        let mut near = Vec::new();
        self.grid.for_each_cell_in_box(min - reach, max + reach, |range| {
            self.columns.collect_near(range, &near_box, &mut near);
        });
        lanes.fill(&near, |place| self.metaball[place as usize]);
        let per_square = f32x8::splat(1.0 / (self.coarse * self.coarse));
        let reach_squared = f32x8::splat(REACH * REACH);
        let sums = own.iter().map(|&position| {
            let here = splat(position);
            let mut sum = f32x8::ZERO;
            for group in lanes.groups() {
                let offset = offsets(group, here);
                let squared = dot(offset, offset) * per_square;
                let inside = squared.simd_lt(reach_squared);
                let value = densities(squared.fast_min(reach_squared));
                sum += inside.bitselect(value, f32x8::ZERO);
            }
            1.0 / sum.reduce_add()
        });
        sums.collect()
    }

    /// Cells at the border of the liquid with no activated cell next to them.
    pub fn uncovered_cells(&self) -> Vec<usize> {
        let is_uncovered = |&cell: &usize| {
            let middle = self.grid.cell(cell);
            let mut has_empty_side = false;
            for near in cube(1) {
                if self.active_number(middle + near) != INACTIVE {
                    return false;
                }
                has_empty_side |= self.cells.get(middle + near).is_none();
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

//! The coarse particles as surface points see them: sorted into cells of λ_c, with the densities of
//! those near the surface.
//!
//! # Guarantees
//! * Only particles within 2 λ_c, or a little more, of a box that was [activated](CoarseParticles::activate)
//!   cost more than a sort, so a deep liquid costs little more than a shallow one.
//! * Within 2 λ_c of an activated box the densities are known.
//!
//! The density is ψ of Mercier et al. 2015, Eq. 4.6. It also replaces the density of Eq. 4.2 in the
//! weights of the advection: both measure how many particles are in one place.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;
use whitecap_core::{CoordinateIndex, reduce};
use wide::f32x8;

use super::band::densities;
use crate::points::sums::blocks::box_of;
use crate::points::sums::lanes::{Row, Weighted, dot, offsets, splat, weighted};
use crate::points::sums::near_box::{NearBox, PositionColumns};

const INACTIVE: u32 = u32::MAX;
/// Distance within which the densities around a box are known, in coarse lengths: that of the advection.
const KNOWN: f32 = 2.0;
/// Distance beyond which particles are left out of Eq. 4.6, in coarse lengths. The paper uses 2 λ_c; the
/// particles in between are 3 % of the density deep in the liquid.
const DENSITY_REACH: f32 = 1.5;

/// Particles of one frame. Keeps its memory from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoarseParticles {
    coarse: f32,
    grid: NeighbourGrid,
    cells: CoordinateIndex,
    /// Per cell, whether it or a cell beside it was activated.
    covered: Vec<bool>,
    /// Per cell, its activation number, or [`INACTIVE`].
    active: Vec<u32>,
    /// The same for activated coordinates without a particle.
    active_elsewhere: BTreeMap<[i32; 3], u32>,
    /// Per activated cell, the box around which densities are known.
    boxes: Vec<[Vec3; 2]>,
    /// Occupied cells within two cells of each activated one.
    near_cells: Vec<u32>,
    near_starts: Vec<u32>,
    /// Positions of the places.
    columns: PositionColumns,
    /// Per place, the position and 1 / ψ (Eq. 4.6), which is zero where it is not known.
    metaball: Vec<Row>,
}

impl CoarseParticles {
    /// Sorts the particles; none has a density yet.
    pub fn rebuild(&mut self, positions: &[Vec3], coarse: f32) {
        self.coarse = coarse;
        self.grid.rebuild(positions, coarse);
        let coordinates: Vec<IVec3> =
            (0..self.grid.cell_count()).map(|cell| self.grid.cell(cell)).collect();
        self.cells.rebuild(&coordinates);
        self.covered.clear();
        self.covered.resize(coordinates.len(), false);
        self.active.clear();
        self.active.resize(coordinates.len(), INACTIVE);
        self.active_elsewhere.clear();
        self.boxes.clear();
        self.near_cells.clear();
        self.near_starts.clear();
        self.near_starts.push(0);
        self.columns.fill(self.grid.positions());
        let unknown = self.grid.positions().par_iter().with_min_len(4096);
        unknown.map(|&position| weighted(position, 0.0)).collect_into_vec(&mut self.metaball);
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

    /// 1 / ψ of a place, zero where it is not known.
    #[inline(always)]
    pub fn inverse_density(&self, place: usize) -> f32 {
        self.metaball[place][3]
    }

    /// Positions and 1 / ψ of the places.
    #[inline(always)]
    pub fn metaballs(&self) -> &[Row] {
        &self.metaball
    }

    /// Appends the places within `reach` of a box; `reach` must be below two cells. `cell` holds the box, or
    /// nearly; it costs less if it was activated.
    pub fn places_near(
        &self,
        cell: IVec3,
        [min, max]: [Vec3; 2],
        reach: f32,
        places: &mut Vec<u32>,
    ) {
        let near_box = NearBox::new([min, max], reach);
        let number = self.active_number(cell);
        if number == INACTIVE {
            self.grid.for_each_cell_in_box(min - reach, max + reach, |range| {
                self.columns.collect_near(range, &near_box, places);
            });
            return;
        }
        for &near in self.near_cells_of(number as usize) {
            if self.is_near(near, [min, max], reach) {
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

    /// Computes the densities near boxes of surface points. Each box comes with the cell of λ_c that
    /// holds it, or nearly; the densities stay known while the box grows by less than `margin`.
    pub fn activate(&mut self, boxes: impl Iterator<Item = (IVec3, [Vec3; 2])>, margin: f32) {
        let mut grown: Vec<u32> = Vec::new();
        for (coordinate, [min, max]) in boxes {
            let number = match self.active_number(coordinate) {
                INACTIVE => self.activate_cell(coordinate),
                number => number,
            };
            let known = &mut self.boxes[number as usize];
            if min.cmplt(known[0]).any() || max.cmpgt(known[1]).any() {
                *known = [known[0].min(min - margin), known[1].max(max + margin)];
                grown.push(number);
            }
        }
        if grown.is_empty() {
            return;
        }
        grown.sort_unstable();
        grown.dedup();
        let unknown = self.unknown_near(&grown);
        self.find_densities(&unknown);
    }

    /// Activates a cell for an empty box; returns its number.
    fn activate_cell(&mut self, coordinate: IVec3) -> u32 {
        let number = self.boxes.len() as u32;
        self.boxes.push([Vec3::INFINITY, Vec3::NEG_INFINITY]);
        match self.cells.get(coordinate) {
            Some(cell) => self.active[cell] = number,
            None => {
                self.active_elsewhere.insert(coordinate.to_array(), number);
            }
        }
        for near in cube(2) {
            if let Some(cell) = self.cells.get(coordinate + near) {
                self.near_cells.push(cell as u32);
                self.covered[cell] |= near.abs().max_element() <= 1;
            }
        }
        self.near_starts.push(self.near_cells.len() as u32);
        number
    }

    /// The places near the boxes of some activated cells whose density is not known, by cell, ascending.
    fn unknown_near(&self, numbers: &[u32]) -> Vec<Vec<u32>> {
        let reach = KNOWN * self.coarse;
        // Each cell with the activated cells near it: a sort by counting.
        let pairs = || {
            numbers.iter().flat_map(|&number| {
                let bounds = self.boxes[number as usize];
                let near = self.near_cells_of(number as usize).iter();
                near.filter(move |&&cell| self.is_near(cell, bounds, reach))
                    .map(move |&cell| (cell as usize, number))
            })
        };
        let mut ends = vec![0u32; self.grid.cell_count() + 1];
        pairs().for_each(|(cell, _)| ends[cell + 1] += 1);
        for cell in 0..self.grid.cell_count() {
            ends[cell + 1] += ends[cell];
        }
        let mut near = vec![0u32; ends[self.grid.cell_count()] as usize];
        for (cell, number) in pairs() {
            near[ends[cell] as usize] = number;
            ends[cell] += 1;
        }
        let unknown = |cell: usize| {
            let first = if cell == 0 { 0 } else { ends[cell - 1] as usize };
            let range = self.grid.cell_range(cell);
            let mut is_near = vec![false; range.len()];
            let mut found = Vec::new();
            for &number in &near[first..ends[cell] as usize] {
                found.clear();
                let near_box = NearBox::new(self.boxes[number as usize], reach);
                self.columns.collect_near(range.clone(), &near_box, &mut found);
                found.iter().for_each(|&place| is_near[place as usize - range.start] = true);
                if found.len() == range.len() {
                    break;
                }
            }
            let places = range.zip(is_near).filter(|&(_, is_near)| is_near);
            let places = places.map(|(place, _)| place as u32);
            places.filter(|&place| !self.is_near_surface(place as usize)).collect::<Vec<u32>>()
        };
        let cells = (0..self.grid.cell_count()).into_par_iter().with_min_len(64);
        cells.map(unknown).filter(|places| !places.is_empty()).collect()
    }

    /// Whether a cell is within `reach` of a box.
    fn is_near(&self, cell: u32, [min, max]: [Vec3; 2], reach: f32) -> bool {
        let corner = self.grid.cell(cell as usize).as_vec3() * self.coarse;
        // The margin allows for the rounding of coordinates far from the origin.
        let (low, high) = (corner - 0.01 * self.coarse, corner + 1.01 * self.coarse);
        let outside = (min - high).max(low - max).max(Vec3::ZERO);
        outside.length_squared() <= reach * reach
    }

    fn near_cells_of(&self, number: usize) -> &[u32] {
        &self.near_cells[self.near_starts[number] as usize..self.near_starts[number + 1] as usize]
    }

    /// Computes 1 / ψ of the places, each group of which is in one cell.
    fn find_densities(&mut self, cells: &[Vec<u32>]) {
        let found: Vec<Vec<f32>> = cells
            .par_iter()
            .with_min_len(8)
            .map_init(Default::default, |memory, places| self.inverse_densities(places, memory))
            .collect();
        for (&place, value) in cells.iter().flatten().zip(found.into_iter().flatten()) {
            self.metaball[place as usize][3] = value;
        }
    }

    /// 1 / ψ of some particles of a cell.
    fn inverse_densities(
        &self,
        places: &[u32],
        (lanes, near): &mut (Weighted, Vec<u32>),
    ) -> Vec<f32> {
        let position = |&place: &u32| self.grid.positions()[place as usize];
        let [min, max] = box_of(places.iter().map(position));
        let reach = DENSITY_REACH * self.coarse;
        let near_box = NearBox::new([min, max], reach);
        near.clear();
        self.grid.for_each_cell_in_box(min - reach, max + reach, |range| {
            self.columns.collect_near(range, &near_box, near);
        });
        lanes.fill(near, &self.metaball);
        let per_square = f32x8::splat(1.0 / (self.coarse * self.coarse));
        let reach_squared = f32x8::splat(DENSITY_REACH * DENSITY_REACH);
        let inverse_density = |here: Vec3| {
            let here = splat(here);
            let mut sum = f32x8::ZERO;
            for group in lanes.groups() {
                let offset = offsets(group, here);
                let squared = dot(offset, offset) * per_square;
                let inside = squared.simd_lt(reach_squared);
                let value = densities(squared.fast_min(reach_squared));
                sum += inside.bitselect(value, f32x8::ZERO);
            }
            1.0 / sum.reduce_add()
        };
        places.iter().map(position).map(inverse_density).collect()
    }

    /// Cells at the border of the liquid with no activated cell next to them.
    pub fn uncovered_cells(&self) -> Vec<usize> {
        let is_uncovered = |&cell: &usize| {
            let middle = self.grid.cell(cell);
            !self.covered[cell] && cube(1).any(|near| self.cells.get(middle + near).is_none())
        };
        (0..self.grid.cell_count()).into_par_iter().with_min_len(256).filter(is_uncovered).collect()
    }

    /// About how many points `fine` metres apart the surface has: one coarse length squared for each face
    /// between a cell with particles and one without.
    pub fn expected_points(&self, fine: f32) -> f64 {
        let sides = IVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
        let open_faces = |cell: usize| {
            let middle = self.grid.cell(cell);
            sides.clone().filter(|&side| self.cells.get(middle + side).is_none()).count() as f64
        };
        let faces = reduce::sum(self.grid.cell_count(), open_faces);
        faces * f64::from(self.coarse / fine).powi(2)
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

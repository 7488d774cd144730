//! The neighbours of each surface point within 2 λ_f.
//!
//! # Guarantees
//! * Every pair closer than the radius whose normals are less than a right angle apart is in both
//!   lists; points on the far side of a thin sheet, or on another body that comes close, are in none.
//! * A point is not its own neighbour. Lists ascend, whatever the number of threads.

use std::ops::Range;

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;
use wide::f32x8;

use super::sums::lanes::{Lanes, Row, dot, offsets, oriented};

/// Cells per task.
const CELLS_PER_TASK: usize = 64;

/// Neighbour lists of points that are in the order of a [`NeighbourGrid`].
#[derive(Clone, Debug, Default)]
pub struct Neighbourhood {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    radius: f32,
}

/// ρ of Mercier et al. 2015, Eq. 4.2, for each point: over the radius of the lists, and over half of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Densities {
    pub whole: Vec<f32>,
    pub half: Vec<f32>,
}

impl Neighbourhood {
    /// Neighbours of the points of `grid` (whose order they are in) within `radius`, which must not
    /// exceed the grid's cell.
    pub fn build(grid: &NeighbourGrid, normals: &[Vec3], radius: f32) -> Self {
        let mut neighbourhood = Self::default();
        neighbourhood.rebuild(grid, normals, radius);
        neighbourhood
    }

    /// As [`Neighbourhood::build`], reusing memory.
    pub fn rebuild(&mut self, grid: &NeighbourGrid, normals: &[Vec3], radius: f32) {
        self.rebuild_facing(grid, grid.positions(), normals, radius, 0.0);
    }

    /// As [`Neighbourhood::rebuild`], with a limit to the cosine between normals other than zero, and
    /// for points that have moved a little since the grid was made: pairs that came close from two
    /// cells apart are not found. Also computes densities.
    pub(super) fn rebuild_facing(
        &mut self,
        grid: &NeighbourGrid,
        positions: &[Vec3],
        normals: &[Vec3],
        radius: f32,
        least_cosine: f32,
    ) -> Densities {
        assert_eq!(grid.len(), normals.len(), "one normal per point");
        self.radius = radius;
        let points = positions.par_iter().zip(normals).with_min_len(4096);
        let rows: Vec<Row> = points.map(|(&place, &normal)| oriented(place, normal, 0.0)).collect();
        let search = Search { grid, rows: &rows, radius, least_cosine };
        let parts: Vec<Lists> = (0..grid.cell_count().div_ceil(CELLS_PER_TASK))
            .into_par_iter()
            .map(|task| {
                let first = task * CELLS_PER_TASK;
                search.lists(first..(first + CELLS_PER_TASK).min(grid.cell_count()))
            })
            .collect();
        self.starts.clear();
        self.starts.push(0);
        self.neighbours.clear();
        let mut densities = Densities::default();
        for part in &parts {
            let before = self.neighbours.len() as u32;
            self.starts.extend(part.ends.iter().map(|end| before + end));
            self.neighbours.extend_from_slice(&part.neighbours);
            densities.whole.extend_from_slice(&part.densities.whole);
            densities.half.extend_from_slice(&part.densities.half);
        }
        densities
    }

    /// The neighbours of a point, ascending.
    #[inline]
    pub fn of(&self, point: usize) -> &[u32] {
        &self.neighbours[self.starts[point] as usize..self.starts[point + 1] as usize]
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The radius of the lists, in metres.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

/// What lists are made from.
struct Search<'a> {
    grid: &'a NeighbourGrid,
    /// Positions and normals.
    rows: &'a [Row],
    radius: f32,
    least_cosine: f32,
}

/// The lists of the points of some cells.
#[derive(Default)]
struct Lists {
    ends: Vec<u32>,
    neighbours: Vec<u32>,
    densities: Densities,
}

impl Search<'_> {
    fn lists(&self, cells: Range<usize>) -> Lists {
        let mut lists = Lists::default();
        let (mut ranges, mut around): (Vec<Range<usize>>, Vec<u32>) = Default::default();
        let mut lanes = Lanes::<6>::default();
        for cell in cells {
            ranges.clear();
            self.grid.for_each_cell_around(cell, |range| ranges.push(range));
            ranges.sort_unstable_by_key(|range| range.start);
            around.clear();
            around.extend(ranges.iter().flat_map(|range| range.start as u32..range.end as u32));
            lanes.fill(&around, self.rows);
            let own = self.grid.cell_range(cell);
            let before = around.partition_point(|&other| (other as usize) < own.start);
            for (index, point) in own.enumerate() {
                self.list(point, before + index, &lanes, &around, &mut lists);
            }
        }
        lists
    }

    /// Appends the list of a point, which is the one at `index` among those `around`.
    #[inline(always)]
    fn list(
        &self,
        point: usize,
        index: usize,
        lanes: &Lanes<6>,
        around: &[u32],
        lists: &mut Lists,
    ) {
        let limit = f32x8::splat(self.radius * self.radius);
        let cosine = f32x8::splat(self.least_cosine);
        let inverse_radius = f32x8::splat(1.0 / self.radius);
        let [x, y, z, u, v, w, ..] = self.rows[point].map(f32x8::splat);
        let (here, normal) = ([x, y, z], [u, v, w]);
        let (mut whole, mut half) = (f32x8::ZERO, f32x8::ZERO);
        // One mask of 64 candidates at a time: its bits are walked with one mispredicted branch.
        for (chunk, (groups, others)) in lanes.groups().chunks(8).zip(around.chunks(64)).enumerate()
        {
            let mut mask = 0u64;
            for (number, group) in groups.iter().enumerate() {
                let offset = offsets(group, here);
                let squared = dot(offset, offset);
                let faces = dot(normal, [group[3], group[4], group[5]]).simd_gt(cosine);
                let is_near = squared.simd_lt(limit) & faces;
                mask |= u64::from(is_near.to_bitmask()) << (8 * number);
                let kernel = f32x8::ONE - squared.sqrt() * inverse_radius;
                let kernel = is_near.bitselect(kernel, f32x8::ZERO);
                whole += kernel;
                half += (kernel + kernel - f32x8::ONE).fast_max(f32x8::ZERO);
            }
            if index / 64 == chunk {
                mask &= !(1 << (index % 64));
            }
            while mask != 0 {
                lists.neighbours.push(others[mask.trailing_zeros() as usize]);
                mask &= mask - 1;
            }
        }
        lists.ends.push(lists.neighbours.len() as u32);
        // The point itself counts one.
        lists.densities.whole.push(whole.reduce_add().max(1.0));
        lists.densities.half.push(half.reduce_add().max(1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: on two facing sheets, lists equal those of brute force over the own sheet.
    #[test]
    fn lists_hold_all_points_of_the_same_side() {
        let mut sequence = whitecap_core::scatter::Sequence::new(7);
        let mut random = || sequence.fraction();
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        for i in 0..600 {
            let side = if i % 2 == 0 { 1.0 } else { -1.0 };
            positions.push(Vec3::new(4.0 * random(), 0.05 * side, 4.0 * random()));
            normals.push(Vec3::Y * side);
        }
        let grid = NeighbourGrid::build(&positions, 0.5);
        let normals: Vec<Vec3> = grid.order().iter().map(|&i| normals[i as usize]).collect();
        let lists = Neighbourhood::build(&grid, &normals, 0.5);
        let places = grid.positions();
        for i in 0..places.len() {
            let expected: Vec<u32> = (0..places.len())
                .filter(|&j| {
                    j != i
                        && normals[i].dot(normals[j]) > 0.0
                        && places[i].distance_squared(places[j]) < 0.25
                })
                .map(|j| j as u32)
                .collect();
            assert_eq!(lists.of(i), expected);
        }
    }
}

//! The neighbours of each surface point within 2 λ_f.
//!
//! # Guarantees
//! * Every pair closer than the radius whose normals are less than a right angle apart is in both
//!   lists; the far side of a thin sheet, or another body that comes close, is in none.
//! * A point is not its own neighbour. Lists ascend, whatever the number of threads.

use std::ops::Range;

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;
use wide::f32x8;

use super::lanes::{Lanes, dot, offsets, splat};

/// Cells per task.
const CELLS_PER_TASK: usize = 64;

/// Neighbour lists of points that are in the order of a [`NeighbourGrid`].
#[derive(Clone, Debug, Default)]
pub struct Neighbourhood {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    radius: f32,
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

    /// As [`Neighbourhood::rebuild`], with another limit to the cosine between normals than zero, and
    /// of points that have moved a little since the grid was made: pairs that came close from two
    /// cells apart are not found.
    pub(super) fn rebuild_facing(
        &mut self,
        grid: &NeighbourGrid,
        positions: &[Vec3],
        normals: &[Vec3],
        radius: f32,
        least_cosine: f32,
    ) {
        assert_eq!(grid.len(), normals.len(), "one normal per point");
        self.radius = radius;
        let tasks = grid.cell_count().div_ceil(CELLS_PER_TASK);
        let parts: Vec<(Vec<u32>, Vec<u32>)> = (0..tasks)
            .into_par_iter()
            .map(|task| {
                let end = ((task + 1) * CELLS_PER_TASK).min(grid.cell_count());
                lists_of_cells(
                    grid,
                    positions,
                    normals,
                    radius,
                    least_cosine,
                    task * CELLS_PER_TASK..end,
                )
            })
            .collect();
        self.starts.clear();
        self.starts.push(0);
        self.neighbours.clear();
        let mut total = 0;
        for (counts, neighbours) in &parts {
            for count in counts {
                total += count;
                self.starts.push(total);
            }
            self.neighbours.extend_from_slice(neighbours);
        }
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

fn lists_of_cells(
    grid: &NeighbourGrid,
    positions: &[Vec3],
    normals: &[Vec3],
    radius: f32,
    least_cosine: f32,
    cells: Range<usize>,
) -> (Vec<u32>, Vec<u32>) {
    let limit = f32x8::splat(radius * radius);
    let cosine = f32x8::splat(least_cosine);
    let (mut counts, mut neighbours) = (Vec::new(), Vec::new());
    let (mut ranges, mut around): (Vec<Range<usize>>, Vec<u32>) = Default::default();
    let mut lanes = Lanes::<6>::default();
    for cell in cells {
        ranges.clear();
        grid.for_each_cell_around(cell, |range| ranges.push(range));
        ranges.sort_unstable_by_key(|range| range.start);
        around.clear();
        around.extend(ranges.iter().flat_map(|range| range.start as u32..range.end as u32));
        lanes.fill(&around, |other| {
            let [x, y, z] = positions[other as usize].to_array();
            let [u, v, w] = normals[other as usize].to_array();
            [x, y, z, u, v, w]
        });
        for point in grid.cell_range(cell) {
            let (here, normal) = (splat(positions[point]), splat(normals[point]));
            let before = neighbours.len();
            // One mask of 64 candidates at a time: its bits are walked with one mispredicted branch.
            for (groups, others) in lanes.groups().chunks(8).zip(around.chunks(64)) {
                let mut mask = 0u64;
                for (number, group) in groups.iter().enumerate() {
                    let offset = offsets(group, here);
                    let is_near = dot(offset, offset).simd_lt(limit);
                    let faces = dot(normal, [group[3], group[4], group[5]]).simd_gt(cosine);
                    mask |= u64::from((is_near & faces).to_bitmask()) << (8 * number);
                }
                while mask != 0 {
                    neighbours.push(others[mask.trailing_zeros() as usize]);
                    mask &= mask - 1;
                }
            }
            let own = neighbours[before..].iter().position(|&other| other == point as u32);
            if let Some(own) = own {
                neighbours.remove(before + own);
            }
            counts.push((neighbours.len() - before) as u32);
        }
    }
    (counts, neighbours)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: on two facing sheets, lists equal those of brute force over the own sheet.
    #[test]
    fn lists_hold_all_points_of_the_same_side() {
        let mut state = 7u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
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

//! The neighbours of each surface point within 2 λ_f.
//!
//! # Guarantees
//! * Every pair closer than the radius whose normals are less than a right angle apart is in both
//!   lists; the far side of a thin sheet, or another body that comes close, is in none.
//! * A point is not its own neighbour. Lists ascend, whatever the number of threads.

use glam::Vec3;
use rayon::prelude::*;
use whitecap_core::neighbours::NeighbourGrid;

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
        self.rebuild_facing(grid, normals, radius, 0.0);
    }

    /// As [`Neighbourhood::rebuild`], with another limit to the cosine between normals than zero.
    pub(super) fn rebuild_facing(
        &mut self,
        grid: &NeighbourGrid,
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
                lists_of_cells(grid, normals, radius, least_cosine, task * CELLS_PER_TASK..end)
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
    normals: &[Vec3],
    radius: f32,
    least_cosine: f32,
    cells: std::ops::Range<usize>,
) -> (Vec<u32>, Vec<u32>) {
    let positions = grid.positions();
    let radius_squared = radius * radius;
    let (mut counts, mut neighbours) = (Vec::new(), Vec::new());
    let mut around = Vec::new();
    for cell in cells {
        around.clear();
        grid.for_each_cell_around(cell, |range| around.push(range));
        around.sort_unstable_by_key(|range| range.start);
        for point in grid.cell_range(cell) {
            let (here, normal) = (positions[point], normals[point]);
            let before = neighbours.len();
            for other in around.iter().cloned().flatten() {
                if positions[other].distance_squared(here) < radius_squared
                    && normals[other].dot(normal) > least_cosine
                    && other != point
                {
                    neighbours.push(other as u32);
                }
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

//! Neighbour search: particles sorted along a Z-order curve, with a table of occupied cells.
//!
//! # Guarantees
//! * The sort is stable: particles of one cell keep their input order, so every sum over
//!   neighbours runs in the same order whatever the number of threads.
//! * Memory follows the particles. An outlier far away costs one cell.
//! * No pair closer than the search radius is missed, at any distance from the origin.
//!
//! # Non-guarantees
//! * Positions must be finite; a NaN lands in an arbitrary cell and is never a neighbour.
//!
//! Queries may come from another set than the sources, and each query may have its own radius.

use std::ops::Range;

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

use crate::morton::{self, MortonSort};
use crate::sparse_grid::tile_order;
use crate::{CoordinateIndex, reduce};

/// A box of this many cells for every occupied one is searched through the occupied ones.
const MANY_CELLS: f64 = 64.0;

/// Particles sorted into cells as wide as the search radius. Buffers are kept between rebuilds.
#[derive(Clone, Debug, Default)]
pub struct NeighbourGrid {
    inverse_cell: f64,
    positions: Vec<Vec3>,
    order: Vec<u32>,
    cells: Vec<IVec3>,
    starts: Vec<u32>,
    index: CoordinateIndex,
    sort: MortonSort,
}

impl NeighbourGrid {
    /// Sorts `positions` into cells of edge `cell`, normally the search radius.
    ///
    /// # Panics
    /// If `cell` is not a positive finite number or there are more than 2³² − 2 positions.
    pub fn build(positions: &[Vec3], cell: f32) -> Self {
        let mut grid = Self::default();
        grid.rebuild(positions, cell);
        // A grid that is built once does not need the buffers of the next sort.
        grid.sort = MortonSort::default();
        grid
    }

    /// As [`NeighbourGrid::build`], reusing memory.
    pub fn rebuild(&mut self, positions: &[Vec3], cell: f32) {
        assert!(cell > 0.0 && cell.is_finite(), "the cell must be a positive length, not {cell}");
        assert!(positions.len() < u32::MAX as usize - 1, "too many particles");
        // A hair wider than asked for, so that a pair exactly at the radius is never two cells apart.
        self.inverse_cell = 1.0 / (f64::from(cell) * (1.0 + 1e-9));
        let inverse_cell = self.inverse_cell;
        self.sort.sort(positions.len(), |i| morton::encode(cell_of(positions[i], inverse_cell)));

        self.order.clear();
        self.order.extend(self.sort.sorted().map(|(_, i)| i));
        self.positions.clear();
        self.positions.extend(self.order.iter().map(|&i| positions[i as usize]));

        self.cells.clear();
        self.starts.clear();
        let mut previous = None;
        for (place, (key, _)) in self.sort.sorted().enumerate() {
            if previous != Some(key) {
                self.cells.push(morton::decode(key));
                self.starts.push(place as u32);
                previous = Some(key);
            }
        }
        self.starts.push(positions.len() as u32);
        self.index.rebuild(&self.cells);
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Positions in sorted order.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// For each place in sorted order, the index of that particle in the input.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of occupied cells.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Coordinate of an occupied cell.
    pub fn cell(&self, cell: usize) -> IVec3 {
        self.cells[cell]
    }

    /// Sorted places of the particles in an occupied cell.
    pub fn cell_range(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// The occupied cell that holds a sorted place.
    pub fn cell_containing(&self, place: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= place) - 1
    }

    /// Calls `visit` with the range of sorted places of an occupied cell and of each of its 26
    /// neighbours that is occupied.
    #[inline]
    pub fn for_each_cell_around(&self, cell: usize, mut visit: impl FnMut(Range<usize>)) {
        let middle = self.cells[cell];
        for z in -1..=1 {
            for y in -1..=1 {
                for x in -1..=1 {
                    if let Some(found) = self.index.get(middle + IVec3::new(x, y, z)) {
                        visit(self.cell_range(found));
                    }
                }
            }
        }
    }

    /// How many pairs a search of every particle's neighbours looks at.
    pub fn pair_visits(&self) -> f64 {
        reduce::sum(self.cells.len(), |cell| {
            let mut around = 0;
            self.for_each_cell_around(cell, |range| around += range.len());
            self.cell_range(cell).len() as f64 * around as f64
        })
    }

    /// Calls `visit` with the range of sorted places of each occupied cell that overlaps the box.
    #[inline]
    pub fn for_each_cell_in_box(&self, min: Vec3, max: Vec3, mut visit: impl FnMut(Range<usize>)) {
        let low = cell_of(min, self.inverse_cell);
        let high = cell_of(max, self.inverse_cell);
        let span = (high - low).max(IVec3::splat(-1)).as_dvec3() + 1.0;
        if span.x * span.y * span.z > MANY_CELLS * self.cells.len() as f64 {
            return self
                .occupied_in(low, high)
                .into_iter()
                .for_each(|at| visit(self.cell_range(at)));
        }
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    if let Some(cell) = self.index.get(IVec3::new(x, y, z)) {
                        visit(self.cell_range(cell));
                    }
                }
            }
        }
    }

    /// The occupied cells from `low` to `high`, in the order in which a loop over all cells between
    /// them would meet them: for boxes far larger than the grid.
    #[cold]
    fn occupied_in(&self, low: IVec3, high: IVec3) -> Vec<usize> {
        let inside = |cell: &IVec3| cell.cmpge(low).all() && cell.cmple(high).all();
        let mut found: Vec<usize> =
            (0..self.cells.len()).filter(|&at| inside(&self.cells[at])).collect();
        found.sort_unstable_by_key(|&at| tile_order(self.cells[at]));
        found
    }

    /// Calls `visit(place, distance²)` for every particle within `radius` of `point`, in an order
    /// that depends only on the particles.
    #[inline]
    pub fn for_each_within(&self, point: Vec3, radius: f32, mut visit: impl FnMut(usize, f32)) {
        let radius_squared = radius * radius;
        self.for_each_cell_in_box(point - radius, point + radius, |range| {
            for place in range {
                let distance_squared = self.positions[place].distance_squared(point);
                if distance_squared <= radius_squared {
                    visit(place, distance_squared);
                }
            }
        });
    }

    /// The particle nearest to `point` within `radius`: (sorted place, distance²). The lowest
    /// place wins a tie.
    pub fn nearest(&self, point: Vec3, radius: f32) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        self.for_each_within(point, radius, |place, distance_squared| {
            let closer = best.is_none_or(|(p, d)| (distance_squared, place) < (d, p));
            if closer {
                best = Some((place, distance_squared));
            }
        });
        best
    }

    /// Neighbour lists of `queries`, as sorted places, each within its own radius.
    pub fn lists(&self, queries: &[Vec3], radius: SearchRadius<'_>, lists: &mut NeighbourLists) {
        let counts: Vec<u32> = queries
            .par_iter()
            .enumerate()
            .map(|(i, &query)| {
                let mut count = 0;
                self.for_each_within(query, radius.of(i), |_, _| count += 1);
                count
            })
            .collect();
        lists.starts.clear();
        lists.starts.push(0);
        let mut total = 0usize;
        for count in counts {
            total += count as usize;
            lists.starts.push(total);
        }
        lists.places.clear();
        lists.places.resize(total, 0);
        split_rows(&mut lists.places, &lists.starts).into_par_iter().enumerate().for_each(
            |(i, row)| {
                let mut next = 0;
                self.for_each_within(queries[i], radius.of(i), |place, _| {
                    row[next] = place as u32;
                    next += 1;
                });
            },
        );
    }
}

/// One radius for all queries, or one for each.
#[derive(Clone, Copy, Debug)]
pub enum SearchRadius<'a> {
    /// The same radius everywhere.
    Uniform(f32),
    /// One radius per query.
    PerQuery(&'a [f32]),
}

impl SearchRadius<'_> {
    #[inline]
    fn of(&self, query: usize) -> f32 {
        match self {
            SearchRadius::Uniform(radius) => *radius,
            SearchRadius::PerQuery(radii) => radii[query],
        }
    }
}

/// Neighbours of each query as sorted places of a [`NeighbourGrid`]; reusable between steps.
#[derive(Clone, Debug, Default)]
pub struct NeighbourLists {
    starts: Vec<usize>,
    places: Vec<u32>,
}

impl NeighbourLists {
    /// Neighbours of one query.
    #[inline]
    pub fn of(&self, query: usize) -> &[u32] {
        &self.places[self.starts[query]..self.starts[query + 1]]
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no query.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn split_rows<'a>(mut rest: &'a mut [u32], starts: &[usize]) -> Vec<&'a mut [u32]> {
    let mut rows = Vec::with_capacity(starts.len() - 1);
    for pair in starts.windows(2) {
        let (row, tail) = rest.split_at_mut(pair[1] - pair[0]);
        rows.push(row);
        rest = tail;
    }
    rows
}

/// The cell of a position. Monotone in every coordinate and clamped to what a key can hold, so
/// neighbours stay in neighbouring (or the same) cells at any distance.
#[inline]
fn cell_of(position: Vec3, inverse_cell: f64) -> IVec3 {
    let limit = DVec3::splat(f64::from(morton::LIMIT - 1));
    (position.as_dvec3() * inverse_cell).floor().clamp(-limit, limit).as_ivec3()
}

//! The tiles of a sparse grid that boxes overlap, found without ever listing more of them than
//! memory can hold.
//!
//! # Guarantees
//! * Each tile once, in the order of [`tile_order`], whatever the number of threads.
//! * Every box asks the [`budget`] for its own tiles before they are listed, and the
//!   list asks again as it grows. Boxes that overlap are paid for once.

use glam::IVec3;
use rayon::prelude::*;

use crate::budget::{self, OverBudget};
use crate::sparse_grid::tile_order;
use crate::{Bounds, Lattice};

/// Boxes that are listed together.
const CHUNK: usize = 1024;
/// Lists that are made at a time before they are joined.
const CHUNKS_AT_A_TIME: usize = 64;
/// Tiles in a list before repeats are first removed.
const FIRST_SWEEP: usize = 1 << 16;

/// What tiles are for, and what each of them costs.
#[derive(Clone, Copy, Debug)]
pub struct TileCost<'a> {
    /// Memory that will be needed for each tile, in bytes. Zero where tiles are known to be few:
    /// then nothing is asked, and nothing refused.
    pub bytes: f64,
    /// What the tiles are for.
    pub what: &'a str,
    /// What to change if there are too many.
    pub remedy: &'a str,
}

impl TileCost<'_> {
    fn ask(&self, tiles: f64) -> Result<(), OverBudget> {
        if self.bytes == 0.0 {
            return Ok(());
        }
        budget::ask(tiles * (self.bytes + size_of::<IVec3>() as f64), self.what, self.remedy)
    }
}

/// The tiles with a node in any of the boxes `0..count`, and a few more. An empty box has none.
pub fn tiles_of_boxes(
    lattice: Lattice,
    count: usize,
    bounds: impl Fn(usize) -> Bounds + Sync,
    cost: TileCost<'_>,
) -> Result<Vec<IVec3>, OverBudget> {
    let mut tiles: Vec<IVec3> = Vec::new();
    let mut sweep = FIRST_SWEEP;
    for first in (0..count).step_by(CHUNK * CHUNKS_AT_A_TIME) {
        let last = count.min(first + CHUNK * CHUNKS_AT_A_TIME);
        let lists = (first..last)
            .into_par_iter()
            .step_by(CHUNK)
            .map(|start| {
                tiles_of_some(lattice, (start..last.min(start + CHUNK)).map(&bounds), cost)
            })
            .collect::<Vec<_>>();
        // The first refusal in the order of the boxes, whichever thread came first.
        for list in lists {
            tiles.extend(list?);
        }
        if tiles.len() > sweep {
            sort_unique(&mut tiles);
            cost.ask(tiles.len() as f64)?;
            sweep = FIRST_SWEEP.max(2 * tiles.len());
        }
    }
    sort_unique(&mut tiles);
    cost.ask(tiles.len() as f64)?;
    Ok(tiles)
}

fn tiles_of_some(
    lattice: Lattice,
    boxes: impl Iterator<Item = Bounds>,
    cost: TileCost<'_>,
) -> Result<Vec<IVec3>, OverBudget> {
    let mut found: Vec<IVec3> = Vec::new();
    let mut sweep = FIRST_SWEEP;
    for bounds in boxes.filter(|bounds| !bounds.is_empty()) {
        let low: IVec3 = lattice.locate(bounds.min).0 >> 3;
        let high: IVec3 = (lattice.locate(bounds.max).0 + 1) >> 3;
        let span = (high - low + 1).as_dvec3();
        cost.ask(span.x * span.y * span.z)?;
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                found.extend((low.x..=high.x).map(|x| IVec3::new(x, y, z)));
            }
        }
        if found.len() > sweep {
            sort_unique(&mut found);
            cost.ask(found.len() as f64)?;
            sweep = FIRST_SWEEP.max(2 * found.len());
        }
    }
    sort_unique(&mut found);
    Ok(found)
}

fn sort_unique(tiles: &mut Vec<IVec3>) {
    tiles.par_sort_unstable_by_key(|tile| tile_order(*tile));
    tiles.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    const COST: TileCost<'_> =
        TileCost { bytes: 2048.0, what: "the grid", remedy: "use a larger `cell`" };

    /// Contract: every tile that a box touches is found, once, in order.
    #[test]
    fn boxes_are_covered() {
        let lattice = Lattice::at_origin(0.5);
        let bounds = |i: usize| {
            let low = Vec3::new(i as f32 * 0.1, -1.0, 0.0);
            Bounds::new(low, low + Vec3::new(3.0, 9.0, 1.0))
        };
        let tiles = tiles_of_boxes(lattice, 3000, bounds, COST).unwrap();
        assert!(tiles.is_sorted_by(|a, b| tile_order(*a) < tile_order(*b)));
        for i in [0, 1, 1500, 2999] {
            for corner in [bounds(i).min, bounds(i).max] {
                assert!(tiles.contains(&(lattice.locate(corner).0 >> 3)), "{corner}");
            }
        }
        let none = tiles_of_boxes(lattice, 1, |_| Bounds::EMPTY, COST).unwrap();
        assert!(none.is_empty());
    }

    /// Contract: a box that no memory could hold is refused at once, with the same number for any
    /// number of threads; boxes that overlap are paid for once.
    #[test]
    fn absurd_boxes_are_refused_at_once() {
        let lattice = Lattice::at_origin(1e-6);
        let whole = Bounds::new(Vec3::ZERO, Vec3::splat(10.0));
        let refused = tiles_of_boxes(lattice, 5, |_| whole, COST).unwrap_err();
        assert!(refused.to_string().contains("use a larger `cell`"), "{refused}");
        let growing = |i: usize| Bounds::new(Vec3::ZERO, Vec3::splat(10.0 + i as f32));
        let needed = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let refused = pool.install(|| tiles_of_boxes(lattice, 60_000, growing, COST));
            refused.unwrap_err().needed
        };
        assert_eq!(needed(4), needed(1), "the number does not depend on threads");
        let same = Bounds::new(Vec3::ZERO, Vec3::splat(1e-4));
        assert_eq!(tiles_of_boxes(lattice, 20_000, |_| same, COST).unwrap().len(), 13 * 13 * 13);
    }
}

//! Evaluating an implicit function only where its surface can be.
//!
//! 1. Tiles that any particle reaches are found.
//! 2. Where the function comes with a bound on how far it can bulge between nodes
//!    ([`Implicit::bulge`]), it is first evaluated at every second node. Rows of nodes around
//!    which all coarse nodes lie beyond that bound on one side hold no surface and are not
//!    evaluated further; a tile of such rows becomes one constant inside, nothing outside.
//! 3. The remaining rows are evaluated at every node.
//!
//! Nodes that were not evaluated hold ±∞; no edge that the surface crosses ends in one. Memory
//! and time follow the surface once the coarse pass is done.

use glam::IVec3;
use rayon::prelude::*;
use whitecap_core::budget::{self, OverBudget};
use whitecap_core::sparse_grid::{Neighbourhood, TILE_NODES};
use whitecap_core::tile_cover::{TileCost, tiles_of_boxes};
use whitecap_core::{Bounds, Lattice, SparseGrid, Tile, Watch, reduce};

use super::{Candidate, Implicit, Rows, gather};
use crate::Error;

const WHAT: &str = "the grid around the particles";
const REMEDY: &str = "use larger cells, a smaller support, or crop the particles";

/// Evaluates `implicit` around its surface on nodes `cell` apart.
pub(crate) fn evaluate(
    implicit: &impl Implicit,
    cell: f32,
    watch: &dyn Watch,
) -> Result<SparseGrid<f32>, Error> {
    let lattice = Lattice::at_origin(cell);
    let plans = match implicit.bulge(2.0 * cell) {
        Some(bulge) => plan_from_coarse(implicit, cell, bulge, watch)?,
        None => return evaluate_everywhere(implicit, cell, watch),
    };
    budget::ask(planned_bytes(&plans), WHAT, REMEDY)?;
    evaluate_tiles(implicit, lattice, plans, watch)
}

/// Evaluates `implicit` on every node that a particle reaches.
pub(crate) fn evaluate_everywhere(
    implicit: &impl Implicit,
    cell: f32,
    watch: &dyn Watch,
) -> Result<SparseGrid<f32>, Error> {
    let lattice = Lattice::at_origin(cell);
    let everything = Plan { inside: 0, evaluate: Rows::ALL };
    let tiles = reached_tiles(implicit, lattice)?;
    budget::ask_work(visits(implicit, lattice), WHAT, REMEDY)?;
    let plans = tiles.into_iter().map(|tile| (tile, everything));
    evaluate_tiles(implicit, lattice, plans.collect(), watch)
}

/// What to do with a tile: rows to evaluate, and rows known to be inside without evaluation.
/// The remaining rows are outside.
#[derive(Clone, Copy)]
struct Plan {
    inside: u64,
    evaluate: Rows,
}

/// Memory of the tiles that are planned: values where rows are evaluated, otherwise one constant.
fn planned_bytes(plans: &[(IVec3, Plan)]) -> f64 {
    let dense = plans.iter().filter(|(_, plan)| plan.inside != u64::MAX).count();
    let entries = plans.len() * size_of::<(IVec3, Tile<f32>)>();
    (dense * TILE_NODES * size_of::<f32>() + entries) as f64
}

fn evaluate_tiles(
    implicit: &impl Implicit,
    lattice: Lattice,
    plans: Vec<(IVec3, Plan)>,
    watch: &dyn Watch,
) -> Result<SparseGrid<f32>, Error> {
    let background = implicit.background();
    let tiles = plans
        .into_par_iter()
        .map_init(Vec::new, |candidates: &mut Vec<Candidate>, (tile, plan)| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            if plan.inside == u64::MAX {
                return Ok(Some((tile, Tile::Constant(f32::NEG_INFINITY))));
            }
            gather(implicit, lattice, tile, candidates);
            if candidates.is_empty() {
                return Ok(None);
            }
            let mut values = Box::new([f32::INFINITY; TILE_NODES]);
            for row in Rows(plan.inside).iter() {
                values[row * 8..row * 8 + 8].fill(f32::NEG_INFINITY);
            }
            implicit.fill(lattice.cell, plan.evaluate, candidates, &mut values);
            Ok(Some((tile, Tile::Dense(values))))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let tiles = tiles.into_iter().flatten().collect();
    Ok(SparseGrid::from_tiles(lattice, background, tiles)?)
}

/// Plans the tiles from the values at every second node.
fn plan_from_coarse(
    implicit: &impl Implicit,
    cell: f32,
    bulge: (f32, f32),
    watch: &dyn Watch,
) -> Result<Vec<(IVec3, Plan)>, Error> {
    let lattice = Lattice::at_origin(2.0 * cell);
    let coarse = evaluate_everywhere(implicit, lattice.cell, watch)?;
    let plan_tile = |&tile: &IVec3| {
        let around = coarse.neighbourhood(tile);
        (0..8).filter_map(move |child| {
            let step = IVec3::new(child & 1, child >> 1 & 1, child >> 2);
            let plan = plan_child(&around, step * 4, bulge);
            (plan.inside != 0 || plan.evaluate.0 != 0).then_some((tile * 2 + step, plan))
        })
    };
    Ok(coarse.coordinates().par_iter().flat_map_iter(plan_tile).collect())
}

/// Plans a tile from its 4³ coarse nodes and the ring around them.
///
/// A coarse cell all of whose corners lie beyond the bulge on one side holds no surface. A row is
/// evaluated if any other coarse cell touches it.
fn plan_child(around: &Neighbourhood<'_, f32>, low: IVec3, (outward, inward): (f32, f32)) -> Plan {
    // For each line of coarse nodes along x: bit 0 all certainly inside, bit 1 all certainly
    // outside, on the line from −1 to 4.
    let line = |y: i32, z: i32| {
        (-1..5).fold((true, true), |(inside, outside), x| {
            let value = around.get(low + IVec3::new(x, y, z));
            (inside && value < -outward, outside && value > inward)
        })
    };
    let lines: [[(bool, bool); 6]; 6] =
        std::array::from_fn(|z| std::array::from_fn(|y| line(y as i32 - 1, z as i32 - 1)));
    let (mut inside, mut evaluate) = (0u64, 0u64);
    for z in 0..8 {
        for y in 0..8 {
            // Coarse lines (ring included) of the cells that touch fine row (y, z).
            let span = |fine: usize| fine.div_ceil(2)..=fine / 2 + 2;
            let (mut all_inside, mut all_outside) = (true, true);
            for coarse_z in span(z) {
                for coarse_y in span(y) {
                    let (line_inside, line_outside) = lines[coarse_z][coarse_y];
                    all_inside &= line_inside;
                    all_outside &= line_outside;
                }
            }
            let bit = 1u64 << (8 * z + y);
            if all_inside {
                inside |= bit;
            } else if !all_outside {
                evaluate |= bit;
            }
        }
    }
    Plan { inside, evaluate: Rows(evaluate) }
}

/// How often [`gather`] looks at a particle: each cell of particles from every tile that the largest
/// reach extends to.
fn visits(implicit: &impl Implicit, lattice: Lattice) -> f64 {
    let (grid, reach) = (implicit.grid(), f64::from(implicit.largest_reach()));
    let tile = 8.0 * f64::from(lattice.cell);
    let span = 2.0 * (reach / tile).ceil() + 1.0;
    let of_cell = |cell: usize| {
        let positions = &grid.positions()[grid.cell_range(cell)];
        let bounds = positions.iter().fold(Bounds::EMPTY, |bounds, &p| bounds.with(p));
        let size = (bounds.size().as_dvec3() / tile).ceil() + span;
        grid.cell_range(cell).len() as f64 * size.x * size.y * size.z
    };
    reduce::sum(grid.cell_count(), of_cell)
}

/// Tiles with a node within reach of some particle (and a few more), sorted.
fn reached_tiles(implicit: &impl Implicit, lattice: Lattice) -> Result<Vec<IVec3>, OverBudget> {
    let grid = implicit.grid();
    let around = |cell: usize| {
        grid.cell_range(cell).fold(Bounds::EMPTY, |bounds, place| {
            let position = Bounds::EMPTY.with(grid.positions()[place]);
            bounds.union(position.grown(implicit.reach(place)))
        })
    };
    let cost =
        TileCost { bytes: (TILE_NODES * size_of::<f32>()) as f64, what: WHAT, remedy: REMEDY };
    tiles_of_boxes(lattice, grid.cell_count(), around, cost)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::implicit::density::Density;
    use crate::input::Input;
    use crate::{SurfaceSettings, marching_cubes};
    use whitecap_core::neighbours::NeighbourGrid;
    use whitecap_core::scatter::Sequence;
    use whitecap_core::{Particles, Unwatched};

    /// The same function without a bound, so that nothing is skipped.
    struct Unbounded<'a>(Density<'a>);

    impl Implicit for Unbounded<'_> {
        fn background(&self) -> f32 {
            self.0.background()
        }
        fn grid(&self) -> &NeighbourGrid {
            self.0.grid()
        }
        fn reach(&self, place: usize) -> f32 {
            self.0.reach(place)
        }
        fn largest_reach(&self) -> f32 {
            self.0.largest_reach()
        }
        fn fill(
            &self,
            cell: f32,
            rows: Rows,
            candidates: &[Candidate],
            values: &mut [f32; TILE_NODES],
        ) {
            self.0.fill(cell, rows, candidates, values);
        }
    }

    /// Jittered lattice points in a box with a spherical void, a thin sheet, a filament and
    /// isolated particles: everything a skipped tile could get wrong.
    fn awkward_liquid(seed: u64) -> Vec<Vec3> {
        let mut random = Sequence::new(seed);
        let mut centered = || random.point() - 0.5;
        let mut points = Vec::new();
        for i in 0..20 * 20 * 20 {
            let p = Vec3::new((i % 20) as f32, (i / 20 % 20) as f32, (i / 400) as f32) * 0.02;
            let jitter = centered() * 0.012;
            if p.distance(Vec3::new(0.2, 0.21, 0.19)) > 0.05 {
                points.push(p + jitter);
            }
        }
        for i in 0..100 {
            let p = Vec3::new((i % 10) as f32 * 0.02, 0.5, (i / 10) as f32 * 0.02);
            points.push(p + centered() * 0.01);
            points.push(Vec3::new(0.5, 0.01 * i as f32, 0.3 * centered().x));
        }
        points
    }

    /// Contract: skipping by the bulge bound changes no vertex and no triangle.
    #[test]
    fn skipping_gives_the_same_mesh_as_evaluating_everything() {
        for seed in 0..6 {
            let particles = Particles::new(awkward_liquid(seed));
            for cell in [0.5, 0.35] {
                let settings = SurfaceSettings {
                    radius: Some(0.01),
                    cell: Some(cell * 0.01),
                    ..SurfaceSettings::default()
                };
                let input = Input::new(&particles, &settings).unwrap();
                let density = Density::new(&input, 0.6);
                assert!(density.bulge(2.0 * input.cell).is_some(), "the bound must apply");
                let skipped = evaluate(&density, input.cell, &Unwatched).unwrap();
                let full = evaluate(&Unbounded(density), input.cell, &Unwatched).unwrap();
                let dense = |g: &SparseGrid<f32>| g.tiles().iter().flat_map(Tile::dense).count();
                assert!(dense(&skipped) < dense(&full), "nothing was skipped");
                assert!(marching_cubes::extract(&skipped) == marching_cubes::extract(&full));
            }
        }
    }
}

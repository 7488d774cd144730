//! How much liquid there is around faces, cells and edges: what the energy of Batty and Bridson (2008) is
//! made of.
//!
//! A share is that of a cube of the size of a cell around the middle of the face, cell or edge. From the
//! distance φ there it is ½ − φ/h between 0 and 1, which is exact where the surface is parallel to a side of
//! the cube.

use whitecap_core::Lattice;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{SparseGrid, TILE_NODES, local_node, offset_in_tile, tile_order};

use super::{Viscosity, ViscosityInput};
use crate::mac::faces::corner_step;
use crate::mac::step_around;

/// Shares below this are none: they hardly weigh, and coarse levels do not see what moves there.
const SMALLEST_SHARE: f32 = 0.01;
/// Solids count as this far away, in cells, where their distance is not known.
const FAR: f32 = 2.0;
/// Edge of a tile with one layer of cells around it, and the distance to the next cell there.
const PADDED: usize = 10;
const BLOCK: usize = PADDED * PADDED * PADDED;
const STEPS: [usize; 3] = [1, PADDED, PADDED * PADDED];
/// Edge of a tile with two layers around it.
const WIDE: usize = 12;

/// What belongs to a cell, its low faces and its low edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shares {
    /// Share of liquid around the low face on each axis; zero in solids.
    pub(super) mass: [f32; 3],
    /// ν Δt / h² times the share of the cell, for its stretch along each axis.
    pub(super) stretch: [f32; 3],
    /// ν Δt / h² times the share around the low edge along each axis.
    pub(super) shear: [f32; 3],
    /// Distance of the middle of the cell from solids in m.
    pub(super) solid: f32,
}

impl Shares {
    /// Neither liquid nor solid.
    fn nothing(solid: f32) -> Self {
        Self { mass: [0.0; 3], stretch: [0.0; 3], shear: [0.0; 3], solid }
    }
}

/// The shares in the cells of `tiles`.
pub(super) fn shares(
    lattice: Lattice,
    tiles: &[IVec3],
    input: &ViscosityInput<'_>,
) -> SparseGrid<Shares> {
    let far = FAR * lattice.cell;
    let coefficient = input.time_step / (lattice.cell * lattice.cell);
    SparseGrid::filled(lattice, Shares::nothing(far), tiles.to_vec(), |tile, shares| {
        let around = Around::new(input, tile, far);
        for (offset, shares) in shares.iter_mut().enumerate() {
            shares.solid = around.solid[padded_place(local_node(offset))];
        }
        if around.liquid.iter().all(|&distance| distance >= 0.5 * lattice.cell) {
            return;
        }
        for (offset, shares) in shares.iter_mut().enumerate() {
            let place = padded_place(local_node(offset));
            for axis in 0..3 {
                let beside = [place, place - STEPS[axis]];
                let is_solid = beside.iter().map(|&place| around.solid[place]).sum::<f32>() <= 0.0;
                shares.mass[axis] =
                    if is_solid { 0.0 } else { around.share(&beside, lattice.cell) };
                let (one, other) = (STEPS[(axis + 1) % 3], STEPS[(axis + 2) % 3]);
                let cells = [place, place - one, place - other, place - one - other];
                let viscosity = around.viscosity(&cells);
                shares.shear[axis] = coefficient * viscosity * around.share(&cells, lattice.cell);
            }
            let share = around.share(&[place], lattice.cell);
            shares.stretch = [coefficient * around.viscosity(&[place]) * share; 3];
        }
    })
}

#[inline]
fn padded_place(cell: IVec3) -> usize {
    let cell = cell + 1;
    cell.x as usize + PADDED * (cell.y as usize + PADDED * cell.z as usize)
}

/// A tile and one layer of cells around it.
struct Around {
    liquid: Vec<f32>,
    solid: Vec<f32>,
    /// Empty where it is the same everywhere.
    viscosities: Vec<f32>,
    uniform: f32,
}

impl Around {
    fn new(input: &ViscosityInput<'_>, tile: IVec3, far: f32) -> Self {
        let padded = |grid: &SparseGrid<f32>| {
            let mut values = vec![0.0; BLOCK];
            grid.neighbourhood(tile).copy_padded(1, &mut values);
            values
        };
        let (viscosities, uniform) = match input.viscosity {
            Viscosity::Uniform(uniform) => (Vec::new(), uniform),
            Viscosity::PerCell(grid) => (padded(grid), 0.0),
        };
        let solid = padded(&input.solids.distance).iter().map(|&d| d.min(far)).collect();
        Self { liquid: padded(input.liquid), solid, viscosities, uniform }
    }

    /// The share of liquid in the middle of some cells. What φ is in solids says nothing.
    #[inline]
    fn share(&self, cells: &[usize], cell_size: f32) -> f32 {
        let mean = mean_of(cells, |place| self.solid[place] > 0.0, |place| self.liquid[place]);
        let share = (0.5 - mean / cell_size).min(1.0);
        if share < SMALLEST_SHARE { 0.0 } else { share }
    }

    /// The viscosity in the middle of some cells: the harmonic mean of those that are wet, with which the
    /// stress between two layers is exact. Not a number if it is negative.
    #[inline]
    fn viscosity(&self, cells: &[usize]) -> f32 {
        let is_wet = |place: usize| self.liquid[place] < 0.0;
        let viscosity = match self.viscosities.is_empty() {
            true => self.uniform,
            false => mean_of(cells, is_wet, |place| self.viscosities[place].recip()).recip(),
        };
        if viscosity >= 0.0 { viscosity } else { f32::NAN }
    }
}

/// The mean over the cells that count; over all if none does.
#[inline]
fn mean_of(
    cells: &[usize],
    counts: impl Fn(usize) -> bool,
    value: impl Fn(usize) -> f32 + Copy,
) -> f32 {
    let (mut sum, mut count) = (0.0, 0);
    for &place in cells.iter().filter(|&&place| counts(place)) {
        sum += value(place);
        count += 1;
    }
    if count > 0 {
        return sum / count as f32;
    }
    cells.iter().map(|&place| value(place)).sum::<f32>() / cells.len() as f32
}

/// The shares of cells twice as wide, with a quarter of the coefficient Δt / h².
///
/// Where velocities are interpolated from coarse faces, each finer velocity, stretch and shear is a mean of
/// coarse ones. Every finer share is handed to those in the proportions of that mean: then a coarse
/// velocity has at least the energy of the finer one that it stands for (Jensen), the same if it is linear,
/// and coarse levels correct never too much.
pub(super) fn coarser(fine: &SparseGrid<Shares>) -> SparseGrid<Shares> {
    let lattice = fine.lattice();
    let lattice = Lattice { origin: lattice.origin, cell: 2.0 * lattice.cell };
    let reached = |&tile: &IVec3| (0..27).map(move |slot| (tile + step_around(slot)) >> 1);
    let mut tiles: Vec<IVec3> = fine.coordinates().iter().flat_map(reached).collect();
    tiles.sort_unstable_by_key(|&tile| tile_order(tile));
    tiles.dedup();
    SparseGrid::filled(lattice, fine.background(), tiles, |tile, shares| {
        for corner in 0..8 {
            let step = corner_step(corner);
            let mut around = vec![fine.background(); WIDE * WIDE * WIDE];
            fine.neighbourhood(tile * 2 + step).copy_padded(2, &mut around);
            for cell in (0..TILE_NODES / 8).map(|place| place as i32) {
                let cell = IVec3::new(cell % 4, cell / 4 % 4, cell / 16);
                shares[offset_in_tile(cell + 4 * step)] = coarse_cell(&around, cell * 2 + 2);
            }
        }
    })
}

/// The shares of a coarse cell; `first` is the first of its eight cells in a block of finer ones.
fn coarse_cell(around: &[Shares], first: IVec3) -> Shares {
    /// What coarse faces and edges get of finer ones in line with them: one before, itself, one after.
    const IN_LINE: [f32; 4] = [0.25, 0.5, 0.25, 0.0];
    /// What they get of those beside them, whose values come to 3/4 from the nearest coarse one.
    const BESIDE: [f32; 4] = [0.125, 0.375, 0.375, 0.125];
    /// What a coarse cell gets of those inside it.
    const INSIDE: [f32; 4] = [0.0, 0.5, 0.5, 0.0];
    let mut sum = Shares::nothing(0.0);
    for step in (0..64).map(|step| IVec3::new(step % 4, step / 4 % 4, step / 16)) {
        let place = first + step - 1;
        let shares =
            &around[place.x as usize + WIDE * (place.y as usize + WIDE * place.z as usize)];
        let [in_line, beside, inside] =
            [IN_LINE, BESIDE, INSIDE].map(|weights| step.to_array().map(|at| weights[at as usize]));
        for axis in 0..3 {
            let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
            let across = beside[one] * beside[other];
            sum.mass[axis] += in_line[axis] * across * shares.mass[axis];
            sum.stretch[axis] += 0.25 * inside[axis] * across * shares.stretch[axis];
            sum.shear[axis] +=
                0.25 * beside[axis] * in_line[one] * in_line[other] * shares.shear[axis];
        }
        sum.solid += inside[0] * inside[1] * inside[2] * shares.solid;
    }
    sum
}

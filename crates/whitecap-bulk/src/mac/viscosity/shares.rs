//! How much liquid there is around faces, cells and edges: what the energy of Batty and Bridson (2008) is
//! made of.
//!
//! A share is that of a cube of the size of a cell around the middle of the face, cell or edge. From the
//! distance φ there it is ½ − φ/h between 0 and 1, which is exact where the surface is parallel to a side of
//! the cube.

use rayon::prelude::*;
use whitecap_core::Lattice;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{
    Neighbourhood, SparseGrid, TILE_NODES, Tile, local_node, offset_in_tile, tile_order,
};

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
    pub(super) fn nothing(solid: f32) -> Self {
        Self { mass: [0.0; 3], stretch: [0.0; 3], shear: [0.0; 3], solid }
    }
}

/// The shares in the cells of `tiles`.
pub(super) fn shares(
    lattice: Lattice,
    tiles: &[IVec3],
    input: &ViscosityInput<'_>,
) -> SparseGrid<Shares> {
    let nothing = Shares::nothing(FAR * lattice.cell);
    let tiles: Vec<(IVec3, Tile<Shares>)> =
        tiles.par_iter().map(|&tile| (tile, tile_shares(lattice.cell, tile, input))).collect();
    SparseGrid::from_tiles(lattice, nothing, tiles).expect("the tiles of a grid are distinct")
}

fn tile_shares(cell_size: f32, tile: IVec3, input: &ViscosityInput<'_>) -> Tile<Shares> {
    let around = Around::new(input, tile, cell_size);
    let coefficient = input.time_step / (cell_size * cell_size);
    if around.is_open && around.liquid.iter().all(|&distance| distance >= 0.5 * cell_size) {
        return Tile::Constant(Shares::nothing(FAR * cell_size));
    }
    let shares_of = |offset: usize| {
        let place = padded_place(local_node(offset));
        let mut shares = Shares::nothing(around.solid[place]);
        for axis in 0..3 {
            let beside = [place, place - STEPS[axis]];
            let is_solid = beside.iter().map(|&place| around.solid[place]).sum::<f32>() <= 0.0;
            shares.mass[axis] = if is_solid { 0.0 } else { around.share(beside) };
            let (one, other) = (STEPS[(axis + 1) % 3], STEPS[(axis + 2) % 3]);
            let cells = [place, place - one, place - other, place - one - other];
            shares.shear[axis] = coefficient * around.viscosity(cells) * around.share(cells);
        }
        shares.stretch = [coefficient * around.viscosity([place]) * around.share([place]); 3];
        shares
    };
    let is_deep = around.liquid.iter().all(|&distance| distance <= -0.5 * cell_size);
    if around.is_open && is_deep && around.viscosities.is_empty() {
        return Tile::Constant(shares_of(0));
    }
    Tile::Dense(Box::new(std::array::from_fn(shares_of)))
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
    /// Whether solids are far away.
    is_open: bool,
    /// Empty where it is the same everywhere.
    viscosities: Vec<f32>,
    uniform: f32,
    per_cell_size: f32,
}

impl Around {
    fn new(input: &ViscosityInput<'_>, tile: IVec3, cell_size: f32) -> Self {
        let padded = |grid: &SparseGrid<f32>| {
            let mut values = vec![0.0; BLOCK];
            grid.neighbourhood(tile).copy_padded(1, &mut values);
            values
        };
        let (viscosities, uniform) = match input.viscosity {
            Viscosity::Uniform(uniform) => (Vec::new(), uniform),
            Viscosity::PerCell(grid) => (padded(grid), 0.0),
        };
        let far = FAR * cell_size;
        let solid: Vec<f32> =
            padded(&input.solids.distance).iter().map(|&distance| distance.min(far)).collect();
        Self {
            liquid: padded(input.liquid),
            is_open: solid.iter().all(|&distance| distance == far),
            solid,
            viscosities,
            uniform,
            per_cell_size: cell_size.recip(),
        }
    }

    /// The share of liquid in the middle of some cells. What φ is in solids says nothing.
    #[inline]
    fn share<const CELLS: usize>(&self, cells: [usize; CELLS]) -> f32 {
        let is_counted = |place: usize| self.is_open || self.solid[place] > 0.0;
        let mean = mean_of(cells, is_counted, |place| self.liquid[place]);
        let share = (0.5 - mean * self.per_cell_size).min(1.0);
        if share < SMALLEST_SHARE { 0.0 } else { share }
    }

    /// The viscosity in the middle of some cells: the harmonic mean of those that are wet, with which the
    /// stress between two layers is exact. Not a number if it is negative.
    #[inline]
    fn viscosity<const CELLS: usize>(&self, cells: [usize; CELLS]) -> f32 {
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
fn mean_of<const CELLS: usize>(
    cells: [usize; CELLS],
    counts: impl Fn(usize) -> bool,
    value: impl Fn(usize) -> f32,
) -> f32 {
    let values = cells.map(value);
    let weights = cells.map(|place| if counts(place) { 1.0 } else { 0.0 });
    let count: f32 = weights.iter().sum();
    if count == 0.0 {
        return values.iter().sum::<f32>() / CELLS as f32;
    }
    // A value that does not count may be infinite.
    let counted = values.iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
    counted.map(|(value, _)| value).sum::<f32>() / count
}

/// The shares of cells twice as wide, with a quarter of the coefficient Δt / h².
///
/// Where velocities are interpolated from coarse faces, each finer velocity, stretch and shear is a mean of
/// coarse ones. Every finer share is handed to those in the proportions of that mean: then a coarse
/// velocity has at least the energy of the finer one that it stands for (Jensen), the same if it is linear,
/// and coarse levels correct never too much.
///
/// `tiles` are those of the finer level that are needed.
pub(super) fn coarser(fine: &SparseGrid<Shares>, tiles: &[IVec3]) -> SparseGrid<Shares> {
    let lattice = fine.lattice();
    let lattice = Lattice { origin: lattice.origin, cell: 2.0 * lattice.cell };
    let reached = |&tile: &IVec3| (0..27).map(move |slot| (tile + step_around(slot)) >> 1);
    let mut coarse: Vec<IVec3> = tiles.iter().flat_map(reached).collect();
    coarse.sort_unstable_by_key(|&tile| tile_order(tile));
    coarse.dedup();
    SparseGrid::filled(lattice, fine.background(), coarse, |tile, shares| {
        for corner in 0..8 {
            let step = corner_step(corner);
            let around = fine.neighbourhood(tile * 2 + step);
            let is_stored = |slot| around.tile(step_around(slot)).is_some();
            if (0..27).any(is_stored) {
                add_child(&around, step, shares);
            }
        }
    })
}

/// What coarse faces and edges get of finer ones in line with them: one before, itself, one after.
const IN_LINE: [f32; 4] = [0.25, 0.5, 0.25, 0.0];
/// What they get of those beside them, whose values come to 3/4 from the nearest coarse one.
const BESIDE: [f32; 4] = [0.125, 0.375, 0.375, 0.125];
/// What a coarse cell gets of those inside it.
const INSIDE: [f32; 4] = [0.0, 0.5, 0.5, 0.0];

/// The 4³ coarse cells over a finer tile; `step` says which child of the coarse tile it is.
fn add_child(around: &Neighbourhood<'_, Shares>, step: IVec3, coarse: &mut [Shares; TILE_NODES]) {
    let mut block = vec![Shares::nothing(0.0); BLOCK];
    around.copy_padded(1, &mut block);
    let place = |cell: usize| {
        let cell = cell as i32;
        offset_in_tile(IVec3::new(cell % 4, cell / 4 % 4, cell / 16) + 4 * step)
    };
    for axis in 0..3 {
        let along = |own: [f32; 4], others: [f32; 4]| {
            std::array::from_fn(|other| if other == axis { own } else { others })
        };
        let mass = averaged(&block, |shares| shares.mass[axis], along(IN_LINE, BESIDE));
        let stretch = averaged(&block, |shares| shares.stretch[axis], along(INSIDE, BESIDE));
        let shear = averaged(&block, |shares| shares.shear[axis], along(BESIDE, IN_LINE));
        for cell in 0..64 {
            let coarse = &mut coarse[place(cell)];
            coarse.mass[axis] = mass[cell];
            coarse.stretch[axis] = 0.25 * stretch[cell];
            coarse.shear[axis] = 0.25 * shear[cell];
        }
    }
    let solid = averaged(&block, |shares| shares.solid, [INSIDE; 3]);
    for cell in 0..64 {
        coarse[place(cell)].solid = solid[cell];
    }
}

/// Means of one number with the weights of each axis, from one cell before to one after each coarse cell.
fn averaged(
    block: &[Shares],
    number: impl Fn(&Shares) -> f32,
    weights: [[f32; 4]; 3],
) -> [f32; 64] {
    let mut along_x = [0.0f32; 4 * PADDED * PADDED];
    for (row, means) in block.chunks_exact(PADDED).zip(along_x.chunks_exact_mut(4)) {
        for (x, mean) in means.iter_mut().enumerate() {
            *mean = (0..4).map(|tap| weights[0][tap] * number(&row[2 * x + tap])).sum();
        }
    }
    let mut along_y = [0.0f32; 16 * PADDED];
    for (layer, means) in along_x.chunks_exact(4 * PADDED).zip(along_y.chunks_exact_mut(16)) {
        for (place, mean) in means.iter_mut().enumerate() {
            let (x, y) = (place % 4, place / 4);
            *mean = (0..4).map(|tap| weights[1][tap] * layer[4 * (2 * y + tap) + x]).sum();
        }
    }
    std::array::from_fn(|place| {
        let (below, z) = (place % 16, place / 16);
        (0..4).map(|tap| weights[2][tap] * along_y[16 * (2 * z + tap) + below]).sum()
    })
}

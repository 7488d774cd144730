//! Which cells are the core of a liquid with a narrow band: those with no air near them.
//!
//! A cell is k cells deep if none of those within k cells on every axis, diagonals included, is air; walls are not
//! air. So a core that begins k cells deep is nowhere nearer to the surface than k cells (Ferstl et al. 2016,
//! section 3, where the depth is that of a level set).
//!
//! # Guarantees
//! * What is deeper than the band is core, unless something there needs particles; what is less deep is not.
//!   Between the two is a margin in which cells stay what they are, so that they do not change with every ripple.
//! * The result depends on the particles, the core before and the solids alone.
//!
//! # Non-guarantees
//! Bubbles of fewer than six cells are not air.

use rayon::prelude::*;
use whitecap_core::glam::IVec3;
use whitecap_core::sparse_grid::{Neighbourhood, SparseGrid, TILE_NODES, Tile, local_node};

use crate::mac::around::{PADDED, padded_place, sum_around};
use crate::mac::cell_order::CellOrder;
use crate::mac::solids::SolidFaces;
use crate::mac::step_around;

/// How much deeper than the band a cell must be to become core, in cells.
const MARGIN: usize = 2;
/// An empty cell is air if there are so many around it, itself included; fewer are gaps between particles.
const LEAST_AIR: u16 = 6;
/// A cell with less room than this, as a share, is part of the solid.
const LEAST_ROOM: f32 = 0.5;
/// A cell with less room than this, as a share, is no core.
const LEAST_CORE_ROOM: f32 = 0.02;

/// What decides which cells are core.
pub(super) struct CoreRules<'a> {
    /// Depth of the band in cells.
    pub(super) band: usize,
    /// How far from the band the depth within the core is told, in cells.
    pub(super) layers: usize,
    /// Particles, and the core as it is.
    pub(super) order: &'a CellOrder,
    pub(super) solids: &'a SolidFaces,
}

impl CoreRules<'_> {
    /// The core: for each of its cells how many cells from the band it is, from 1 (beside it) to `layers` + 1; 0
    /// elsewhere. Tiles for which `needs_particles` holds have none.
    pub(super) fn core(&self, needs_particles: impl Fn(IVec3) -> bool + Sync) -> SparseGrid<u8> {
        let mut near = self.no_air();
        for _ in 0..self.band {
            near = eroded(&near);
        }
        let mut deep = near.clone();
        for _ in 0..MARGIN {
            deep = eroded(&deep);
        }
        let core = near.map_tiles(0, |tile, near| {
            let near = near.center().expect("tiles of the grid itself");
            match matches!(near, Tile::Constant(0)) || needs_particles(tile) {
                true => Tile::Constant(0),
                false => self.core_of_tile(tile, near, deep.tile(tile)),
            }
        });
        self.with_depths(&core)
    }

    /// 0 where cells are air, 1 elsewhere.
    fn no_air(&self) -> SparseGrid<u8> {
        let counts = self.order.counts();
        self.solids.volumes.map_tiles(1, |tile, volumes| {
            let (mut count, mut volume) = ([0; PADDED], [0.0; PADDED]);
            counts.neighbourhood(tile).copy_padded(1, &mut count);
            volumes.copy_padded(1, &mut volume);
            let is_empty: [u16; PADDED] =
                std::array::from_fn(|i| u16::from(count[i] == 0 && volume[i] >= LEAST_ROOM));
            if is_empty.iter().all(|&is_empty| is_empty == 0) {
                return Tile::Constant(1);
            }
            let around = sum_around(&is_empty, 1);
            let is_air = |offset: usize| {
                is_empty[padded_place(local_node(offset))] == 1 && around[offset] >= LEAST_AIR
            };
            plain(std::array::from_fn(|offset| u8::from(!is_air(offset))))
        })
    }

    /// 1 in core cells: deep ones, and those of the core before that are still below the band.
    fn core_of_tile(&self, tile: IVec3, near: &Tile<u8>, deep: Option<&Tile<u8>>) -> Tile<u8> {
        let before = self.order.full_cells().and_then(|core| core.tile(tile));
        let room = self.solids.volumes.tile(tile);
        let is = |tile: Option<&Tile<u8>>, offset: usize| tile.is_some_and(|t| t.at(offset) > 0);
        let is_core = |offset: usize| {
            near.at(offset) > 0
                && (is(before, offset) || is(deep, offset))
                && room.is_none_or(|room| room.at(offset) >= LEAST_CORE_ROOM)
        };
        plain(std::array::from_fn(|offset| u8::from(is_core(offset))))
    }

    /// The core with the depth of its cells below the band; solids are not band. Tiles without core are left out.
    fn with_depths(&self, core: &SparseGrid<u8>) -> SparseGrid<u8> {
        let mut inside = core.map_tiles(1, |tile, core| {
            let core = core.center().expect("tiles of the grid itself");
            let room = self.solids.volumes.tile(tile);
            let is_closed =
                |offset: usize| room.is_some_and(|room| room.at(offset) < LEAST_CORE_ROOM);
            plain(std::array::from_fn(|i| u8::from(core.at(i) > 0 || is_closed(i))))
        });
        let mut depths = core.clone();
        for _ in 0..self.layers {
            inside = eroded(&inside);
            let deeper = |(depths, (core, inside)): (&mut Tile<u8>, (&Tile<u8>, &Tile<u8>))| {
                let more = |i: usize| u8::from(core.at(i) > 0 && inside.at(i) > 0);
                *depths = plain(std::array::from_fn(|i| depths.at(i) + more(i)));
            };
            let layer = core.tiles().par_iter().zip(inside.tiles());
            depths.tiles_mut().par_iter_mut().zip(layer).for_each(deeper);
        }
        let tiles = depths.coordinates().iter().copied().zip(depths.tiles().iter().cloned());
        let tiles = tiles.filter(|(_, depths)| !matches!(depths, Tile::Constant(0)));
        SparseGrid::from_tiles(core.lattice(), 0, tiles.collect())
            .expect("the tiles of a grid are distinct")
    }
}

/// A grid of zeros and ones with a one only where all 27 cells around are one.
fn eroded(grid: &SparseGrid<u8>) -> SparseGrid<u8> {
    grid.map_tiles(grid.background(), |_, around| {
        if matches!(around.center(), Some(Tile::Constant(0))) {
            return Tile::Constant(0);
        }
        if is_one_around(around) {
            return Tile::Constant(1);
        }
        let mut values = [0; PADDED];
        around.copy_padded(1, &mut values);
        let sums = sum_around(&values.map(u16::from), 1);
        plain(sums.map(|sum| u8::from(sum == 27)))
    })
}

/// Whether a tile and all around it are ones throughout; where there is no tile, there are.
fn is_one_around(around: &Neighbourhood<'_, u8>) -> bool {
    let is_one = |tile: Option<&Tile<u8>>| tile.is_none_or(|t| matches!(t, Tile::Constant(1)));
    (0..27).all(|slot| is_one(around.tile(step_around(slot))))
}

/// The same grid, with tiles as one value where they are.
pub(super) fn with_plain_tiles(grid: &SparseGrid<u8>) -> SparseGrid<u8> {
    grid.map_tiles(grid.background(), |_, around| {
        let tile = around.center().expect("tiles of the grid itself");
        plain(std::array::from_fn(|offset| tile.at(offset)))
    })
}

/// A tile, as one value if it is.
fn plain(values: [u8; TILE_NODES]) -> Tile<u8> {
    match values.iter().all(|&value| value == values[0]) {
        true => Tile::Constant(values[0]),
        false => Tile::Dense(Box::new(values)),
    }
}

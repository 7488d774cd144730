//! Where the surface of the particles is: how far the middle of each cell is from it.
//!
//! Near the surface the distance is that of Zhu and Bridson (2005): to the weighted mean of the particles
//! around, less a radius. Cells that are surrounded by particles on all sides are inside, whatever the
//! particles do there.
//!
//! # Guarantees
//! For particles that fill a half-space, eight in a cell, the surface is at its border to a tenth of a cell.

use rayon::prelude::*;
use whitecap_core::glam::{IVec3, Vec3};
use whitecap_core::sparse_grid::{
    Neighbourhood, SparseGrid, TILE_NODES, Tile, local_node, offset_in_tile, tile_of,
};

use crate::mac::around::{PADDED, padded_place, sum_around};
use crate::mac::cell_order::CellOrder;
use crate::mac::solids::SolidFaces;
use crate::mac::{MacLattice, step_around};

/// Size of the neighbourhood whose particles count, in cells.
const SUPPORT: f32 = 1.5;
/// How far beyond the mean of the particles the surface is, in cells: for a half-space of particles this is
/// the distance of its border from the mean, 0.246 supports.
const RADIUS: f32 = 0.369;

/// Particles of a full cell.
const FULL: u8 = 8;
/// How deep the middle of a full cell is at least, in cells.
const LEAST_DEPTH: f32 = 0.1;

/// The distance at the middles of the cells of `tiles`, in m; a cell outside them.
pub fn surface_distance(
    lattice: MacLattice,
    tiles: &[IVec3],
    positions: &[Vec3],
    order: &CellOrder,
    solids: &SolidFaces,
) -> SparseGrid<f32> {
    let counts = order.counts();
    let distances: Vec<(IVec3, Tile<f32>)> = tiles
        .par_iter()
        .map(|&tile| {
            let near = TileSurroundings::new(tile, order, &counts, solids);
            (tile, near.distances(lattice, positions))
        })
        .collect();
    let distances = SparseGrid::from_tiles(lattice.centers(), lattice.cell(), distances);
    let distances = distances.expect("tiles of a grid are distinct");
    into_solids(&distances, solids)
}

/// What surrounds the cells of a tile.
struct TileSurroundings<'a> {
    tile: IVec3,
    order: &'a CellOrder,
    /// The places of the tiles around.
    near: [Option<usize>; 27],
    /// Particles of each cell, with a layer around.
    counts: [u8; PADDED],
    /// Distance from solids.
    solid: Neighbourhood<'a, f32>,
}

impl<'a> TileSurroundings<'a> {
    fn new(
        tile: IVec3,
        order: &'a CellOrder,
        counts: &SparseGrid<u8>,
        solids: &'a SolidFaces,
    ) -> Self {
        let mut padded = [0; PADDED];
        counts.neighbourhood(tile).copy_padded(1, &mut padded);
        let near = std::array::from_fn(|slot| order.tile_place(tile + step_around(slot)));
        let solid = solids.distance.neighbourhood(tile);
        Self { tile, order, near, counts: padded, solid }
    }

    fn distances(&self, lattice: MacLattice, positions: &[Vec3]) -> Tile<f32> {
        let outside = lattice.cell();
        if self.counts.iter().all(|&count| count == 0) {
            return Tile::Constant(outside);
        }
        if self.counts.iter().all(|&count| count > 0) {
            return Tile::Constant(-outside);
        }
        let mut solid = [0.0; PADDED];
        self.solid.copy_padded(1, &mut solid);
        let is_full = |place: usize| u16::from(self.counts[place] > 0 || solid[place] < 0.0);
        let full = sum_around(&std::array::from_fn(is_full), 1);
        let distance = |offset: usize| {
            let cell = local_node(offset);
            let own = self.counts[padded_place(cell)];
            if own > 0 && full[offset] == 27 {
                return -outside;
            }
            let distance = self.distance(lattice, positions, cell);
            // However particles crowd together in a full cell, it is not air.
            if own >= FULL { distance.min(-LEAST_DEPTH * outside) } else { distance }
        };
        Tile::Dense(Box::new(std::array::from_fn(distance)))
    }

    /// Zhu and Bridson's distance.
    fn distance(&self, lattice: MacLattice, positions: &[Vec3], cell: IVec3) -> f32 {
        let middle = lattice.centers().position(self.tile * 8 + cell);
        let support = SUPPORT * lattice.cell();
        let per_support = (support * support).recip();
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for beside in (0..27).map(|slot| cell + step_around(slot)) {
            if self.counts[padded_place(beside)] == 0 {
                continue;
            }
            let step: IVec3 = tile_of(beside) + 1;
            let place = self.near[(step.x + 3 * (step.y + 3 * step.z)) as usize];
            // Cells that are full without particles say nothing.
            let Some(place) = place else { continue };
            for &particle in self.order.of_cell(place, offset_in_tile(beside)) {
                let away = positions[particle as usize] - middle;
                let share = (1.0 - away.length_squared() * per_support).max(0.0);
                let weight = share * share * share;
                sum += weight * away;
                weights += weight;
            }
        }
        if weights == 0.0 {
            return lattice.cell();
        }
        let mut away = sum / weights;
        // No particles are in a solid: that they lie on the other side of it says nothing.
        if let Some(normal) = solid_normal(&self.solid, cell, support) {
            away -= normal * away.dot(normal).max(0.0);
        }
        away.length() - RADIUS * lattice.cell()
    }
}

/// The direction away from a solid that is nearer than `reach`.
fn solid_normal(solid: &Neighbourhood<'_, f32>, cell: IVec3, reach: f32) -> Option<Vec3> {
    if solid.get(cell) > reach {
        return None;
    }
    let slope = Vec3::from_array(std::array::from_fn(|axis| {
        let [low, high] = [-1, 1].map(|side| solid.get(cell + side * IVec3::AXES[axis]));
        if low.is_finite() && high.is_finite() { high - low } else { 0.0 }
    }));
    slope.try_normalize()
}

/// Lets the liquid reach into solids, as far as cells have open faces: a cell whose middle is inside takes the
/// distance of the wettest cell farther out.
fn into_solids(distances: &SparseGrid<f32>, solids: &SolidFaces) -> SparseGrid<f32> {
    const STEPS: [IVec3; 6] =
        [IVec3::NEG_X, IVec3::X, IVec3::NEG_Y, IVec3::Y, IVec3::NEG_Z, IVec3::Z];
    distances.map_tiles(distances.background(), |tile, around| {
        let solid = solids.distance.neighbourhood(tile);
        let is_far = solid.center().is_none_or(|tile| matches!(tile, Tile::Constant(_)));
        if is_far {
            return around.center().cloned().unwrap_or(Tile::Constant(distances.background()));
        }
        let mut values = Box::new([0.0; TILE_NODES]);
        for (offset, value) in values.iter_mut().enumerate() {
            let cell = local_node(offset);
            let (own, depth) = (around.get(cell), solid.get(cell));
            *value = match depth < 0.0 {
                false => own,
                true => STEPS
                    .into_iter()
                    .map(|step| cell + step)
                    .filter(|&cell| solid.get(cell) > depth)
                    .fold(own, |least, cell| least.min(around.get(cell))),
            };
        }
        Tile::Dense(values)
    })
}

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

use crate::mac::cell_order::CellOrder;
use crate::mac::solids::SolidFaces;
use crate::mac::{MacLattice, step_around};

/// Size of the neighbourhood whose particles count, in cells.
const SUPPORT: f32 = 1.5;
/// How far beyond the mean of the particles the surface is, in cells: for a half-space of particles this is
/// the distance of its border from the mean, 0.246 supports.
const RADIUS: f32 = 0.369;

/// The distance at the middles of the cells of `tiles`, in m; a cell outside them.
pub fn surface_distance(
    lattice: MacLattice,
    tiles: &[IVec3],
    positions: &[Vec3],
    order: &CellOrder,
    solids: &SolidFaces,
) -> SparseGrid<f32> {
    let outside = lattice.cell();
    let places = SparseGrid::filled(lattice.centers(), 0u8, tiles.to_vec(), |_, _| {});
    let distances: Vec<(IVec3, Tile<f32>)> = places
        .coordinates()
        .par_iter()
        .map(|&tile| (tile, tile_distances(lattice, tile, positions, order, solids)))
        .collect();
    let distances = SparseGrid::from_tiles(lattice.centers(), outside, distances);
    let distances = distances.expect("tiles of a grid are distinct");
    into_solids(&distances, solids)
}

fn tile_distances(
    lattice: MacLattice,
    tile: IVec3,
    positions: &[Vec3],
    order: &CellOrder,
    solids: &SolidFaces,
) -> Tile<f32> {
    let outside = lattice.cell();
    let near: [Option<usize>; 27] =
        std::array::from_fn(|slot| order.tile_place(tile + step_around(slot)));
    if near.iter().all(Option::is_none) {
        return Tile::Constant(outside);
    }
    let solid = solids.distance.neighbourhood(tile);
    let particles_of = |cell: IVec3| -> &[u32] {
        let around: IVec3 = tile_of(cell) + 1;
        let place = near[(around.x + 3 * around.y + 9 * around.z) as usize];
        place.map_or(&[][..], |place| order.of_cell(place, offset_in_tile(cell)))
    };
    let distance = |offset: usize| {
        let cell = local_node(offset);
        let is_full = |slot: usize| {
            let cell = cell + step_around(slot);
            !particles_of(cell).is_empty() || solid.get(cell) < 0.0
        };
        if !particles_of(cell).is_empty() && (0..27).all(is_full) {
            return -outside;
        }
        let middle = lattice.centers().position(tile * 8 + cell);
        let support = SUPPORT * lattice.cell();
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for slot in 0..27 {
            for &particle in particles_of(cell + step_around(slot)) {
                let away = positions[particle as usize] - middle;
                let share = 1.0 - away.length_squared() / (support * support);
                if share > 0.0 {
                    let weight = share * share * share;
                    sum += weight * away;
                    weights += weight;
                }
            }
        }
        if weights == 0.0 {
            return outside;
        }
        let mut away = sum / weights;
        // No particles are in a solid: that they lie on the other side of it says nothing.
        if let Some(normal) = solid_normal(&solid, cell, support) {
            away -= normal * away.dot(normal).max(0.0);
        }
        away.length() - RADIUS * lattice.cell()
    };
    Tile::Dense(Box::new(std::array::from_fn(distance)))
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
